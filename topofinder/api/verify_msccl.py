"""What `topofinder verify` finds out about an MSCCL program in a file."""

from os import PathLike

from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.msccl_check import ProgramCheck
from topofinder.api.load_save import load
from topofinder.model.forest import Forest
from topofinder.model.timetable import Timetable
from topofinder.verification.msccl_programs import verify_msccl
from topofinder.verification.msccl_reader import MscclFile
from topofinder.verification.msccl_rows import ScheduledContent


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
