"""What `topofinder verify` finds out about programs of other runtimes, and of CPUs, in a file."""

from os import PathLike

from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.cpu_program_check import CpuProgramCheck
from reports.msccl_check import ProgramCheck
from topofinder.api.load_save import load
from topofinder.model.forest import Forest
from topofinder.model.program import ProgramSet
from topofinder.model.timetable import Timetable
from topofinder.runtimes.check_programs import find_program_violation
from topofinder.verification.msccl_programs import verify_msccl
from topofinder.verification.msccl_reader import MscclFile
from topofinder.verification.msccl_rows import ScheduledContent
from topofinder.verification.mscclpp_plans import verify_plan
from topofinder.verification.mscclpp_reader import PlanDocument
from topofinder.verification.mscclpp_runs import LARGE_RUN, RunLimits


def check_msccl(
    program: MscclFile, dialect: str | None = None, against: str | PathLike[str] | None = None
) -> ProgramCheck:
    """Check a program by a dialect's rules, and that it does what a schedule file says.

    Raises InvalidInput where that file cannot be read, and for a dialect that is none.
    """
    content = None if against is None else read_scheduled(against)
    verdict = verify_msccl(program, dialect=dialect, against=content)
    return ProgramCheck(
        dialect=verdict.dialect,
        collective=verdict.collective,
        protocol=verdict.protocol,
        ranks=verdict.ranks,
        chunks=verdict.chunks,
        steps=verdict.steps,
        most_steps=verdict.most_steps,
        most_blocks=verdict.most_blocks,
        placements=verdict.placements,
        safe_bytes=verdict.safe_bytes,
        against=None if against is None else str(against),
        violation=verdict.violation,
    )


def read_scheduled(file: str | PathLike[str]) -> ScheduledContent:
    """The schedule, forest or timetable of a file; InvalidInput for anything else."""
    content = load(file)
    if isinstance(content, SavedSchedule | Forest | Timetable):
        return content
    raise InvalidInput(f"against: {excerpt(str(file))} is no schedule, forest or timetable")


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


def check_cpu_programs(given: ProgramSet) -> CpuProgramCheck:
    """Run all ranks in one process, and look at every element that the collective is about.

    Raises Unsupported for programs that are too large to be run so.
    """
    transfers = given.transfers
    return CpuProgramCheck(
        collective=transfers.collective.value,
        ranks=transfers.ranks,
        units=transfers.units,
        steps=transfers.steps,
        messages=sum(len(step.sends) for each in given.programs for step in each.steps),
        digest=transfers.digest,
        violation=find_program_violation(given),
    )
