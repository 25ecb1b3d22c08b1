"""The check of a plan file against an inventory and the wiring in place."""

from dataclasses import dataclass

from topofinder.inventory.wiring import Wiring
from topofinder.replay.reading import SavedPlan
from topofinder.replay.replay import replay


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checked:
    """The wiring after so many stages of a plan, or of its rollback, and what was wrong."""

    after: Wiring
    stages: int
    violation: str | None


def check_plan(
    current: Wiring,
    plan: SavedPlan,
    *,
    until: int | None = None,
    back: bool = False,
) -> Checked:
    """Replay the first `until` stages of a plan on the current wiring, or all of them.

    With all stages, the end must realise the target, and the rollback must restore the wiring;
    with `back`, the rollback is replayed, on the wiring that the plan ends in.
    """
    stages, digests = (plan.rollback, plan.undone) if back else (plan.stages, plan.digests)
    count = len(stages) if until is None else min(until, len(stages))
    whole = count == len(stages) and not back
    start = (plan.digests or (plan.before,))[-1] if back else plan.before
    if current.digest != start:
        line = "the current wiring is not the one that the plan starts from"
        return Checked(after=current, stages=0, violation=line)
    claim = plan.claim if whole else None
    done = replay(plan.fabric, current, stages[:count], claim, undoing=back, digests=digests)
    violation = done.violation
    if violation is None and whole:
        violation = _untold(plan, done.after)
    if violation is None and whole:
        undone = replay(plan.fabric, done.after, plan.rollback, undoing=True, digests=plan.undone)
        violation = undone.violation and f"rollback: {undone.violation}"
        if violation is None and not undone.after.same(current):
            violation = "the rollback does not restore the wiring"
    return Checked(after=done.after, stages=count, violation=violation)


def _untold(plan: SavedPlan, after: Wiring) -> str | None:
    """A line where the plan tells another number of moves, or another end, than it has."""
    moves = sum(len(stage.connects) for stage in plan.stages)
    if moves != plan.moves:
        return f"the plan makes {moves} circuits, not {plan.moves}"
    return None if after.digest == plan.after else "the end is not the one that the plan tells"
