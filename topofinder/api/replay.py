"""The check of a plan file against an inventory and the wiring in place."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from topofinder.api.shared.same_graph import other_graph
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Stage, Wiring
from topofinder.model.inventory.working import WorkingHosts
from topofinder.verification.plan_fields import PlanFacts, false_field, unchecked_claims
from topofinder.verification.plan_progress import describe_end, describe_start
from topofinder.verification.plan_reader import SavedPlan
from topofinder.verification.plan_wirings import false_value, wiring_difference
from topofinder.verification.plans import replay_stages


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checked:
    """The wiring after so many stages of a plan, or of its rollback, and what was wrong.

    `claimed` is what the plan says and nobody checked, by field; empty for a rollback.
    """

    after: Wiring
    stages: int
    violation: str | None
    claimed: Mapping[str, str] = field(default_factory=dict)


def check_plan(
    fabric: PortMap,
    current: Wiring,
    plan: SavedPlan,
    *,
    until: int | None = None,
    back: bool = False,
) -> Checked:
    """Replay the first `until` stages of a plan on the current wiring, or all of them.

    `fabric` is that of the inventory. What the plan says of itself is compared with what follows
    from its moves. With all stages, the end must realise the target, and the rollback must restore
    the wiring; with `back`, the rollback is replayed, on the wiring that the plan ends in.
    """
    count = len(plan.stages)
    stages = count if until is None else min(until, count)
    if back:
        return _back(current, plan, stages)
    if current.digest != plan.fields.before:
        return Checked(after=current, stages=0, violation=describe_start(plan, current))
    facts = PlanFacts(plan=plan, fabric=fabric, before=current)
    done = replay_stages(
        plan.fabric, current, plan.stages, plan.claim, told=plan.told, until=stages
    )
    violation = done.violation or _other_recipe(plan) or false_field(facts)
    if violation is None and stages == count:
        violation = wiring_difference(plan.fabric, done.after.to, plan.end, "after")
        violation = violation or _unlike(plan, current, done.after)
    told = unchecked_claims(facts) if violation is None else {}
    return Checked(after=done.after, stages=stages, violation=violation, claimed=told)


def _other_recipe(plan: SavedPlan) -> str | None:
    line = other_graph(plan.claim.topology, plan.fields.recipe)
    return line and f"recipe: {line}"


def _unlike(plan: SavedPlan, before: Wiring, after: Wiring) -> str | None:
    """A line where the rollback is not that of the stages."""
    working = WorkingHosts(plan.fabric, plan.claim.host, before.to)
    undone = replay_stages(
        plan.fabric, after, plan.rollback, undoing=True, told=plan.undone, working=working
    )
    violation = _unmirrored(plan) or undone.violation
    if violation is None and not undone.after.same(before):
        violation = "the rollback does not restore the wiring"
    return violation and f"rollback: {violation}"


def _unmirrored(plan: SavedPlan) -> str | None:
    """A line on the first stage of the rollback that is not one of the plan turned round."""
    if len(plan.rollback) != len(plan.stages):
        return f"{len(plan.rollback)} stages, where the plan has {len(plan.stages)}"
    pairs = zip(plan.rollback, reversed(plan.stages), strict=True)
    for number, (back, stage) in enumerate(pairs, 1):
        if not _undoes(back, stage):
            return f"stage {number}: does not undo stage {len(plan.stages) + 1 - number}"
    return None


def _undoes(back: Stage, stage: Stage) -> bool:
    same = ((back.frees, stage.connects), (back.connects, stage.frees))
    return all(sorted(one) == sorted(other) for one, other in same)


def _back(current: Wiring, plan: SavedPlan, stages: int) -> Checked:
    """The check of the first stages of a rollback; of all of them, against the wiring before."""
    if current.digest != plan.fields.after:
        return Checked(after=current, stages=0, violation=describe_end(plan, current))
    done = replay_stages(
        plan.fabric, current, plan.rollback, undoing=True, told=plan.undone, until=stages
    )
    violation = _unmirrored(plan) or done.violation
    if violation is None and stages == len(plan.rollback):
        violation = _other_before(plan, current, done.after)
    return Checked(after=done.after, stages=stages, violation=violation)


def _other_before(plan: SavedPlan, after: Wiring, before: Wiring) -> str | None:
    if before.digest != plan.fields.before:
        return false_value("before", plan.fields.before, before.digest)
    return _unlike(plan, before, after)
