"""How far a plan has been carried out, where the current wiring is not the one it starts from."""

import numpy as np

from topofinder.model.inventory.wiring import Stage, Wiring, wiring_digest
from topofinder.model.plan import apply_stage
from topofinder.verification.plan_reader import SavedPlan
from topofinder.verification.plan_wirings import false_value
from topofinder.verification.plans import replay_stages


def describe_start(plan: SavedPlan, current: Wiring) -> str:
    """A line on a wiring from which the plan does not start: how much of it is done already."""
    count, digest = len(plan.stages), current.digest
    for done, told in enumerate(plan.told, 1):
        if told.digest == digest:
            return f"before: {_describe_stages_left(done, count)}"
    part = _describe_partial_stage(plan, current)
    return f"before: {part}" if part else false_value("before", plan.fields.before, digest)


def describe_end(plan: SavedPlan, current: Wiring) -> str:
    """A line on a wiring in which the plan does not end, and its rollback does not start."""
    digests = [plan.fields.before, *(told.digest for told in plan.told)]
    if current.digest in digests:
        done = digests.index(current.digest)
        is_after = (
            _describe_stages_done(done, len(plan.told)) if done else "the one before the plan"
        )
        return f"after: the current wiring is {is_after}"
    return false_value("after", plan.fields.after, current.digest)


def _describe_stages_left(done: int, count: int) -> str:
    rest = f"stages {done + 1} to {count} are left"
    if done >= count - 1:
        rest = f"stage {count} is left" if done < count else "nothing is left to do"
    return (
        f"the current wiring is {_describe_stages_done(done, count)}, not the one before them: "
        f"{rest}; with that as --current, --after {done} gives this one"
    )


def _describe_stages_done(done: int, count: int) -> str:
    return f"the one after {done} of {count} stage{'s' * (count != 1)}"


def _describe_partial_stage(plan: SavedPlan, current: Wiring) -> str | None:
    """What is told of a wiring in the middle of a stage, or with moves of several stages done."""
    before = wiring_before(plan)
    if before is None:
        return None
    to, count = before.to.copy(), len(plan.stages)
    for number, stage in enumerate(plan.stages, 1):
        then = to.copy()
        apply_stage(then, stage)
        free = (current.to < 0) & (to != then)
        if ((current.to == to) | (current.to == then) | free).all():
            return (
                f"the current wiring is in the middle of stage {number} of {count}, "
                f"{_count_done(stage, current)} of whose {_count_moves(stage)} moves are done; "
                f"with the wiring before the plan as --current, --after {number - 1} and "
                f"--after {number} give the wirings around it"
            )
        to = then
    made = sum(len(_made_circuits(stage, current)) for stage in plan.stages)
    if not made:
        return None
    return (
        f"the current wiring is not the one before the plan, but {made} of its {plan.fields.moves} "
        "circuits are there already; with that as --current, --after N gives the one after N stages"
    )


def wiring_before(plan: SavedPlan) -> Wiring | None:
    """The wiring that the plan starts from, by its rollback; None if that does not lead there."""
    to = np.full(plan.fabric.ports, -1, dtype=np.int32)
    for a, b, duplex in plan.end.circuits or ():
        to[a] = b
        if duplex:
            to[b] = a
    if wiring_digest(to) != plan.fields.after:
        return None
    undone = replay_stages(plan.fabric, Wiring(to=to), plan.rollback, undoing=True)
    return undone.after if undone.after.digest == plan.fields.before else None


def _made_circuits(stage: Stage, current: Wiring) -> list[int]:
    return [circuit.a for circuit in stage.connects if current.to[circuit.a] == circuit.b]


def _count_done(stage: Stage, current: Wiring) -> int:
    out = [circuit for circuit in stage.frees if current.to[circuit.a] != circuit.b]
    return len(out) + len(_made_circuits(stage, current))


def _count_moves(stage: Stage) -> int:
    return len(stage.frees) + len(stage.connects)
