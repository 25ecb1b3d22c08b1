"""An independent check of MSCCL++ execution plans: rules, a run, and a schedule to compare with.

The rules are in `mscclpp_reader`, the run in `mscclpp_runs`.
"""

from collections import Counter
from dataclasses import dataclass

from topofinder.verification.msccl_rows import ScheduledContent, scheduled_rows
from topofinder.verification.mscclpp_reader import (
    BrokenPlanError,
    ExecutionPlan,
    parse_plan,
)
from topofinder.verification.mscclpp_runs import LARGE_RUN, PlanRun, RunLimits

COLLECTIVE_NAMES = {
    "allgather": "allgather",
    "allreduce": "allreduce",
    "reducescatter": "reduce-scatter",
    "alltoall": "all-to-all",
}
"""What plans and schedules call the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanVerdict:
    """What the check of a plan found; `violation` is None for a plan that is right.

    `threadblocks` are those of the rank with the most, `most_operations` those of one threadblock.
    """

    name: str
    collective: str
    ranks: int
    chunks: int
    threadblocks: int
    operations: int
    most_operations: int
    in_place: bool
    violation: str | None


def verify_plan(
    document: object, against: ScheduledContent | None = None, limits: RunLimits = LARGE_RUN
) -> PlanVerdict:
    """Run a plan that is given as a JSON document; a rule that it breaks is its violation.

    So is one that is beyond the limits.
    With a schedule, forest or timetable it must hand over the same chunks between the same ranks.
    """
    try:
        plan = parse_plan(document)
    except BrokenPlanError as fault:
        return PlanVerdict(
            name="", collective="", ranks=0, chunks=0, threadblocks=0, operations=0,
            most_operations=0, in_place=False, violation=str(fault),
        )  # fmt: skip
    blocks = [ops for gpu in plan.gpus for ops in gpu.threadblocks]
    try:
        run = PlanRun(plan, limits)
        run.finish()
        violation = None if against is None else _difference(plan, run.sent, against)
    except BrokenPlanError as fault:
        violation = str(fault)
    return PlanVerdict(
        name=plan.name,
        collective=plan.collective,
        ranks=len(plan.gpus),
        chunks=max(plan.gpus[0].inputs, plan.gpus[0].outputs),
        threadblocks=max(len(gpu.threadblocks) for gpu in plan.gpus),
        operations=sum(map(len, blocks)),
        most_operations=max(map(len, blocks), default=0),
        in_place=plan.in_place,
        violation=violation,
    )


def _difference(
    plan: ExecutionPlan, sent: list[tuple[int, int, int]], content: ScheduledContent
) -> str | None:
    """The first chunk between two ranks that only one of both hands over, or more often."""
    rows, n = scheduled_rows(content), len(plan.gpus)
    kind = COLLECTIVE_NAMES[plan.collective]
    if (rows.collective, rows.ranks) != (kind, n):
        return f"it is {kind} of {n} ranks, the other {rows.collective} of {rows.ranks}"
    whole = max(plan.gpus[0].inputs, plan.gpus[0].outputs) * (n if kind == "all-to-all" else 1)
    if whole % rows.units:
        return f"{whole} chunks are no multiple of the schedule's {rows.units}"
    scale, left = whole // rows.units, Counter(sent)
    columns = (rows.sender, rows.receiver, rows.begin, rows.end)
    for sender, receiver, begin, end in zip(*(each.tolist() for each in columns), strict=True):
        left.subtract((sender, receiver, chunk) for chunk in range(begin * scale, end * scale))
    for (sender, receiver, chunk), times in sorted(left.items()):
        if times:
            told = "more" if times > 0 else "less"
            return f"rank {sender} sends chunk {chunk} to rank {receiver} {told} often"
    return None
