"""What `topofinder verify` finds out about an MSCCL++ execution plan in a file."""

from os import PathLike

from reports.msccl_check import ProgramCheck
from topofinder.api.verify_msccl import read_scheduled
from topofinder.verification.mscclpp_plans import verify_plan
from topofinder.verification.mscclpp_reader import PlanDocument
from topofinder.verification.mscclpp_runs import LARGE_RUN, RunLimits


def check_mscclpp(
    plan: PlanDocument, against: str | PathLike[str] | None = None, *, large: bool = False
) -> ProgramCheck:
    """Check a plan by the executor's rules, and that it does what a schedule file says.

    With `large` it may take gigabytes of memory.
    Raises InvalidInput where that file cannot be read.
    """
    content = None if against is None else read_scheduled(against)
    verdict = verify_plan(plan.content, content, LARGE_RUN if large else RunLimits())
    return ProgramCheck(
        dialect="mscclpp",
        collective=verdict.collective,
        protocol="Simple",
        ranks=verdict.ranks,
        chunks=verdict.chunks,
        steps=verdict.operations,
        most_steps=verdict.most_operations,
        most_blocks=verdict.threadblocks,
        placements=("in place" if verdict.in_place else "out of place",),
        safe_bytes=None,
        against=None if against is None else str(against),
        violation=verdict.violation,
    )
