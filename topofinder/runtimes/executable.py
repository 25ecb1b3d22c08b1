"""What executors run: a file that is read, found valid and lowered, and its places by count.

Every rank reads the file itself and lowers its own part. Whoever has several ranks compares the
`digest` of all before the first message, and need let one of them alone verify.
"""

from collections import OrderedDict
from dataclasses import dataclass
from os import PathLike

from expansions.compact_schedule import CompactSchedule
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from topofinder.lowering.lower import Lowerable, lower, lower_rank
from topofinder.lowering.place import place
from topofinder.model.file_register import (
    FOREST,
    PROGRAMS,
    SCHEDULE,
    TIMETABLE,
    FileKind,
    recognise_file,
)
from topofinder.model.forest import Forest
from topofinder.model.program import PlacedProgram, ProgramSet, RankProgram
from topofinder.model.timetable import Timetable
from topofinder.model.transfers import Transfers
from topofinder.runtimes.check_programs import find_program_violation

RUNNABLE = (SCHEDULE, FOREST, TIMETABLE, PROGRAMS)
MOST_PLANS = 64
"""Placed programs that are kept; training has a few sizes of buckets."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Executable:
    """What all ranks run: the transfers of a file, or programs that come from a file as such.

    With `programs`, one for each rank, these alone say what is done; the rows of `transfers` tell
    what they cost.
    """

    transfers: Transfers
    programs: tuple[RankProgram, ...] | None = None

    def program(self, rank: int) -> RankProgram:
        """What one rank sends and receives, in units."""
        if self.programs is not None:
            return self.programs[rank]
        return lower_rank(self.transfers, rank)


def read_executable(file: str | PathLike[str], *, verified: bool = False) -> Executable:
    """What a schedule, forest, timetable or file of CPU programs says that ranks are to do.

    Raises InvalidInput for other files, for those that cannot be read, and for what `verify`
    refuses, which is not asked again of a file that is `verified`; Unsupported for what cannot be
    lowered.
    """
    kind = recognise_file(file)
    if kind not in RUNNABLE or kind.read is None:
        raise InvalidInput(f"{file}: {_what_it_is(kind)}; a schedule, forest or timetable is run")
    content = kind.read(file)
    if isinstance(content, ProgramSet):
        return _check_programs(file, content, verified)
    if not verified and (violation := find_violation(content)) is not None:
        raise InvalidInput(f"{file}: not valid: {violation}")
    return Executable(transfers=lower(content))


def _check_programs(file: str | PathLike[str], content: ProgramSet, verified: bool) -> Executable:
    if not verified and (violation := find_program_violation(content)) is not None:
        raise InvalidInput(f"{file}: not valid: {violation}")
    return Executable(transfers=content.transfers, programs=content.programs)


def find_violation(content: Lowerable) -> str | None:
    """What a checker that did not make it finds wrong with it; None where nothing is.

    >>> from topofinder.api.schedule import schedule
    >>> find_violation(schedule("K(4)").saved) is None
    True
    """
    if isinstance(content, Forest):
        from topofinder.verification.forests import verify_forest

        return verify_forest(content).violation
    if isinstance(content, Timetable):
        from topofinder.verification.timetables import verify_timetable

        return verify_timetable(content).violation
    return _schedule_violation(content)


def _schedule_violation(saved: SavedSchedule) -> str | None:
    if isinstance(saved.schedule, CompactSchedule):
        from topofinder.verification.compact_schedules import verify_compact_schedule

        return verify_compact_schedule(saved.topology, saved.schedule).violation
    from topofinder.verification.schedules import verify_schedule

    return verify_schedule(saved.topology, saved.schedule).violation


def _what_it_is(kind: FileKind | None) -> str:
    if kind is None:
        return "cannot be read, or is no file of topofinder"
    return f"is {kind.noun}"


class RankPlans:
    """The program of one rank, placed for every length of the data that is asked for.

    The last `most` of them are kept.

    >>> from topofinder.api.schedule import schedule
    >>> swap = Executable(transfers=lower(schedule("K(2)", collective="allreduce").saved))
    >>> plans = RankPlans(swap, 0)
    >>> plans.at(5).memory, plans.at(5) is plans.at(5)
    (5, True)
    """

    def __init__(self, executable: Executable, rank: int, *, most: int = MOST_PLANS) -> None:
        self.transfers = executable.transfers
        self.program = executable.program(rank)
        self._most = most
        self._placed: OrderedDict[int, PlacedProgram] = OrderedDict()

    def at(self, count: int) -> PlacedProgram:
        """The program on `count` elements; InvalidInput for a count that is none."""
        if count in self._placed:
            self._placed.move_to_end(count)
            return self._placed[count]
        placed = self._placed[count] = place(self.transfers, self.program, count)
        if len(self._placed) > self._most:
            self._placed.popitem(last=False)
        return placed
