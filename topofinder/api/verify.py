"""`topofinder verify`: an independent check of a schedule, forest, proof or program."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from expansions.schedule_files.files import read_schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.formats.container import LIFTS
from reports.cpu_program_check import (
    CpuProgramCheck,
    cpu_program_check_fields,
    cpu_program_check_text,
)
from reports.forest_check import ForestCheck, forest_check_fields, forest_check_text
from reports.msccl_check import ProgramCheck, program_check_fields, program_check_text
from reports.schedule import ScheduleCheck, schedule_check_fields, schedule_check_text
from reports.text import cut_text
from reports.throughput import Proof, proof_fields, proof_text
from reports.timetable_check import (
    TimetableCheck,
    timetable_check_fields,
    timetable_check_text,
)
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.file_kinds import explain_wrong_file
from topofinder.api.shared.stored_recipes import whole_recipe
from topofinder.api.shared.workloads import (
    HOST_OPTIONS,
    read_host_costs,
    read_row_transfer,
    read_seconds,
    read_transfer,
)
from topofinder.forests.clock import TellLine, tell_nobody
from topofinder.interrupts import end_early, is_ending
from topofinder.model.certificate import Certificate
from topofinder.model.certificate_files import read_certificate
from topofinder.model.file_register import (
    CERTIFICATE,
    EXECUTION_PLAN,
    FOREST,
    PROGRAMS,
    SCHEDULE,
    TIMETABLE,
    declared_kind,
    recognise_file,
)
from topofinder.model.forest import Forest
from topofinder.model.forest_files import read_forest
from topofinder.model.host_costs import NO_HOST_COSTS, HostCosts
from topofinder.model.program import ProgramSet
from topofinder.model.program_files import read_programs
from topofinder.model.round_files import is_round_file
from topofinder.model.timetable import Timetable
from topofinder.model.timetable_files import read_timetable
from topofinder.progress import work_progress
from topofinder.verification.msccl_reader import MscclFile, read_msccl
from topofinder.verification.mscclpp_reader import PlanDocument, read_execution_plan

UNDECIDED = "verify: not decided"
_UNTIMED = "--alpha, --size and --bandwidth are for schedules and forests"

Checked = ScheduleCheck | ForestCheck | TimetableCheck | Proof | ProgramCheck | CpuProgramCheck
Kept = SavedSchedule | Forest | Timetable | Certificate | MscclFile | PlanDocument | ProgramSet


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verdict(Answer):
    """What an independent check found; `record` holds what it worked out."""

    record: Checked

    @property
    def valid(self) -> bool:
        """Whether it holds."""
        return self.record.violation is None

    @property
    def violation(self) -> str | None:
        """What is wrong, in one line; None where nothing is."""
        return self.record.violation

    def summary(self) -> dict[str, Any]:
        """Whether it holds, and if not, why."""
        return (
            {"valid": True}
            if self.valid
            else {"valid": False, "violation": cut_text(self.violation or "", 60)}
        )

    def to_dict(self) -> dict[str, Any]:
        """The fields that `verify --json` prints."""
        if isinstance(self.record, ScheduleCheck):
            return schedule_check_fields(self.record)
        if isinstance(self.record, ForestCheck):
            return forest_check_fields(self.record)
        if isinstance(self.record, TimetableCheck):
            return timetable_check_fields(self.record)
        if isinstance(self.record, ProgramCheck):
            return program_check_fields(self.record)
        if isinstance(self.record, CpuProgramCheck):
            return cpu_program_check_fields(self.record)
        return proof_fields(self.record)

    def __str__(self) -> str:
        if isinstance(self.record, ScheduleCheck):
            return schedule_check_text(self.record)
        if isinstance(self.record, ForestCheck):
            return forest_check_text(self.record)
        if isinstance(self.record, TimetableCheck):
            return timetable_check_text(self.record)
        if isinstance(self.record, ProgramCheck):
            return program_check_text(self.record)
        if isinstance(self.record, CpuProgramCheck):
            return cpu_program_check_text(self.record)
        return proof_text(self.record)


def verify(
    subject: str | PathLike[str] | Kept,
    *,
    on: str | None = None,
    alpha: str | None = None,
    size: str | None = None,
    bandwidth: str | None = None,
    epsilon: str | None = None,
    reduce_rate: str | None = None,
    injection: str | None = None,
    large: bool = False,
    tell: TellLine | None = None,
    dialect: str | None = None,
    against: str | PathLike[str] | None = None,
    time: float | str | None = None,
    db: str | PathLike[str] | None = None,
) -> Verdict:
    """Check a file, or what `load` read from one, by code that did not make it.

    A schedule is replayed row by row. Of a forest, every tree is walked, every link counted, the
    bound worked out anew, and a pipeline of chunks simulated. A timetable is replayed send by send
    in its own model of time. Of a throughput certificate, both bounds are worked out anew on the
    whole graph. `on` is a recipe, the "#id" of one in `db`, or a topology file, whose graph it must
    be for; `alpha`, `size` and
    `bandwidth`, texts such as "10us", ask for its time, also with what hosts add:
    `epsilon` a collective, data combined at `reduce_rate`, and at most `injection` a second sent,
    and received, by a host. With `large` a file may be above the ordinary limits: timetables in
    rounds are replayed in blocks, or made anew from their seed, and `tell` hears how far that is.

    An MSCCL program in an .xml file is run, by the rules of a `dialect` or those that its flags are
    of; `against` a schedule, forest or timetable file, every link must carry what that says.

    After `time`, seconds or a text such as "60s", what is not decided yet is given up: Unsupported,
    with how far it was, and nothing wrong so far. Raises InvalidInput for files that cannot be
    read, and where `on` cannot.

    >>> from topofinder.api.schedule import schedule
    >>> verify(schedule("K(4)").saved, on="K(4)")
    Verdict(valid=True)
    """
    times = _Times(alpha, size, bandwidth, read_host_costs(epsilon, reduce_rate, injection))
    on, seconds = whole_recipe(on, db), None if time is None else read_seconds(time)
    with end_early(), work_progress.time_limit(UNDECIDED, seconds, is_ending):
        return Verdict(record=_check(subject, on, times, large, tell, dialect, against))


class _Times(NamedTuple):
    """What asks for the time of a schedule, as texts, and what hosts add to it."""

    alpha: str | None
    size: str | None
    bandwidth: str | None
    hosts: HostCosts

    @property
    def are_asked(self) -> bool:
        return self[:3] != (None,) * 3


def _check(
    subject: str | PathLike[str] | Kept,
    on: str | None,
    times: _Times,
    large: bool,
    tell: TellLine | None,
    dialect: str | None,
    against: str | PathLike[str] | None,
) -> Checked:
    """What the check that goes with the kind of the subject finds."""
    timed, hosts = times.are_asked, times.hosts
    if isinstance(subject, str | PathLike) and is_round_file(subject):
        if not large:
            raise InvalidInput(
                f"{subject}: a timetable in rounds is above the ordinary limits; {LIFTS}"
            )
        if timed or hosts != NO_HOST_COSTS:
            raise InvalidInput(_UNTIMED)
        from topofinder.api.verify_rounds import check_rounds

        return check_rounds(subject, on, tell=tell or tell_nobody)
    saved = _read(subject, large) if isinstance(subject, str | PathLike) else subject
    if hosts != NO_HOST_COSTS and not isinstance(saved, SavedSchedule | Forest | Timetable):
        raise InvalidInput(f"{HOST_OPTIONS} are for schedules of rows, forests and timetables")
    programs = isinstance(saved, MscclFile | PlanDocument | ProgramSet)
    if programs and (on is not None or timed):
        raise InvalidInput("--on, --alpha, --size and --bandwidth are not for programs")
    if isinstance(saved, PlanDocument):
        if dialect is not None:
            raise InvalidInput("--dialect is for MSCCL programs in .xml files")
        from topofinder.api.verify_programs import check_mscclpp

        return check_mscclpp(saved, against, large=large)
    if isinstance(saved, MscclFile):
        from topofinder.api.verify_programs import check_msccl

        return check_msccl(saved, dialect, against)
    if (dialect, against) != (None, None):
        raise InvalidInput("--dialect and --against are for MSCCL programs and plans")
    if isinstance(saved, ProgramSet):
        from topofinder.api.verify_programs import check_cpu_programs

        return check_cpu_programs(saved)
    if timed and isinstance(saved, Certificate | Timetable):
        raise InvalidInput(_UNTIMED)
    if isinstance(saved, Timetable):
        from topofinder.api.verify_timetable import check_timetable

        return check_timetable(saved, on, hosts)
    if isinstance(saved, Certificate):
        from topofinder.api.verify_files import prove_certificate

        return prove_certificate(saved, on)
    if isinstance(saved, Forest):
        transfer = read_transfer(*times)
        from topofinder.api.verify_files import check_forest

        return check_forest(saved, on, transfer)
    transfer = read_row_transfer(*times)
    from topofinder.api.verify_files import check_schedule

    return check_schedule(saved, on, transfer)


def _read(file: str | PathLike[str], large: bool) -> Kept:
    """What a file holds, before more is imported: a hostile file is refused at once."""
    work_progress.tell("reading")
    if Path(file).suffix.lower() == ".xml":
        if recognise_file(file) is PROGRAMS:
            return read_programs(file, large=large)
        return read_msccl(file, large=large)
    if Path(file).suffix.lower() == ".json" and recognise_file(file) is EXECUTION_PLAN:
        return read_execution_plan(file)
    kind = declared_kind(file)
    if kind is CERTIFICATE:
        return read_certificate(file, large=large)
    if kind is FOREST:
        return read_forest(file, large=large)
    if kind is TIMETABLE:
        return read_timetable(file, large=large)
    with explain_wrong_file("verify", file, SCHEDULE):
        return read_schedule(Path(file), large=large)
