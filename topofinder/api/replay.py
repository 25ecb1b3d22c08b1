"""`topofinder replay`: an independent check of a plan, and the wiring after any stage of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import write_whole
from generators.limits import MAX_NODES
from generators.topology import Topology
from reports.replay import ReplayedPlan, replay_fields, replay_text
from reports.text import cut_text
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.places import check_places
from topofinder.api.shared.same_graph import other_graph
from topofinder.model.inventory.cross_connects import wiring_text
from topofinder.model.inventory.ports import PortMap, read_port_map
from topofinder.model.inventory.switch_state import read_current
from topofinder.model.inventory.wiring import Stage, Wiring
from topofinder.model.inventory.working import WorkingHosts
from topofinder.verification.plan_fields import PlanFacts, false_field, unchecked_claims
from topofinder.verification.plan_lists import list_difference, lists_beside, plan_file
from topofinder.verification.plan_progress import describe_end, describe_start
from topofinder.verification.plan_reader import SavedPlan, fabric_of_plan, read_plan
from topofinder.verification.plan_wirings import false_value, wiring_difference
from topofinder.verification.plans import replay_stages


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CheckedPlan:
    """The wiring after so many stages of a plan, or of its rollback, and what was wrong.

    `claimed` is what the plan says and nobody checked, by field; empty for a rollback.
    """

    after: Wiring
    stages: int
    violation: str | None
    claimed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Replay(Answer):
    """A plan that was carried out on paper: `wiring` is what it leaves."""

    record: ReplayedPlan
    wiring: Wiring

    @property
    def valid(self) -> bool:
        """Whether it can be carried out, and is what it says."""
        return self.record.violation is None

    @property
    def violation(self) -> str | None:
        """What is wrong, in one line; None where nothing is."""
        return self.record.violation

    def summary(self) -> dict[str, Any]:
        """Whether it is valid, and if so after how many stages, if not why."""
        if self.violation is None:
            return {"valid": True, "stages": self.record.stages, "circuits": self.record.circuits}
        return {"valid": False, "violation": cut_text(self.violation, 60)}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `replay --json` prints."""
        return replay_fields(self.record)

    def __str__(self) -> str:
        return replay_text(self.record)


def replay(
    file: str | PathLike[str],
    inventory: str | PathLike[str],
    current: str | PathLike[str],
    *,
    after: int | None = None,
    rollback: bool = False,
    output: str | PathLike[str] | None = None,
) -> Replay:
    """Carry out a plan on paper, move by move, on the wiring in the file `current`.

    `file` is the plan's .json, or the .csv beside it. With `after` it stops after so many stages;
    with `rollback` the rollback is replayed, on the wiring that the plan ends in. The wiring then
    is written to `output`, if that is given and nothing is wrong. Raises InvalidInput for files
    that cannot be read.
    """
    given, target = Path(file), None if output is None else Path(output)
    document = plan_file(given)
    lists = lists_beside(document)
    if given != document and given not in lists:
        raise InvalidInput(f"{given}: there is no such list of moves")
    read = {
        "FILE": (given, document, *lists),
        "--inventory": [Path(inventory)],
        "--current": [Path(current)],
    }
    for name, paths in read.items():
        if target is not None and target.resolve() in [path.resolve() for path in paths]:
            raise InvalidInput(f"--output: {target} is the file of {name}")
    check_places(None, target)
    fabric = read_port_map(inventory)
    plan = read_plan(document, fabric)
    fabric = fabric_of_plan(plan, fabric)
    there = read_current(current, fabric).wiring
    done = check_plan(fabric, there, plan, until=after, back=rollback)
    others = (list_difference(plan, path) for path in lists)
    violation = done.violation or next(filter(None, others), None)
    if target is not None and violation is None:
        write_whole(target, wiring_text(fabric, done.after))
    record = ReplayedPlan(
        violation=violation,
        recipe=plan.fields.recipe,
        n=plan.claim.topology.n,
        stages=done.stages,
        whole=done.stages == len(plan.rollback if rollback else plan.stages),
        back=rollback,
        circuits=done.after.count,
        missing=len(plan.claim.missing),
        digest=done.after.digest,
        files=tuple(map(str, lists)),
        claimed=done.claimed,
    )
    return Replay(record=record, wiring=done.after)


def check_plan(
    fabric: PortMap,
    current: Wiring,
    plan: SavedPlan,
    *,
    until: int | None = None,
    back: bool = False,
) -> CheckedPlan:
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
        return CheckedPlan(after=current, stages=0, violation=describe_start(plan, current))
    facts = PlanFacts(plan=plan, fabric=fabric, before=current)
    done = replay_stages(
        plan.fabric, current, plan.stages, plan.claim, told=plan.told, until=stages
    )
    violation = done.violation or _other_recipe(plan) or false_field(facts)
    if violation is None and stages == count:
        violation = wiring_difference(plan.fabric, done.after.to, plan.end, "after")
        violation = violation or _unlike(plan, current, done.after)
    told = unchecked_claims(facts) if violation is None else {}
    return CheckedPlan(after=done.after, stages=stages, violation=violation, claimed=told)


def _other_recipe(plan: SavedPlan) -> str | None:
    graph = replace(plan.claim.topology, capacity=None, unit_rate=None)
    recipe, links = plan.fields.recipe, plan.fields.trunk
    if links > 1 and recipe is not None:
        return _other_links(graph, links, recipe)
    line = other_graph(graph, recipe)
    return line and f"recipe: {line}"


def _other_links(graph: Topology, links: int, recipe: str) -> str | None:
    """A line where so many times the links of a graph are not those of the recipe."""
    try:
        wanted = build(parse(recipe), MAX_NODES)
    except InvalidInput as error:
        return f"recipe: {str(error).splitlines()[0]}"
    arcs = Counter(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    found = {ends: links * many for ends, many in arcs.items()}
    if graph.n == wanted.n and found == Counter(
        zip(wanted.tail.tolist(), wanted.head.tolist(), strict=True)
    ):
        return None
    return f"recipe: {links} times the file's graph is not that of {excerpt(recipe)}"


def _unlike(plan: SavedPlan, before: Wiring, after: Wiring) -> str | None:
    """A line where the rollback is not that of the stages."""
    working = WorkingHosts(plan.fabric, plan.claim.host, before.to)
    undone = replay_stages(
        plan.fabric, after, plan.rollback, undoing=True, told=plan.undone, working=working
    )
    violation = _mirror_fault(plan) or undone.violation
    if violation is None and not undone.after.same(before):
        violation = "the rollback does not restore the wiring"
    return violation and f"rollback: {violation}"


def _mirror_fault(plan: SavedPlan) -> str | None:
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


def _back(current: Wiring, plan: SavedPlan, stages: int) -> CheckedPlan:
    """The check of the first stages of a rollback; of all of them, against the wiring before."""
    if current.digest != plan.fields.after:
        return CheckedPlan(after=current, stages=0, violation=describe_end(plan, current))
    done = replay_stages(
        plan.fabric, current, plan.rollback, undoing=True, told=plan.undone, until=stages
    )
    violation = _mirror_fault(plan) or done.violation
    if violation is None and stages == len(plan.rollback):
        violation = _other_before(plan, current, done.after)
    return CheckedPlan(after=done.after, stages=stages, violation=violation)


def _other_before(plan: SavedPlan, after: Wiring, before: Wiring) -> str | None:
    if before.digest != plan.fields.before:
        return false_value("before", plan.fields.before, before.digest)
    return _unlike(plan, before, after)
