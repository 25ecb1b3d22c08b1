"""A schedule that was made or read: as an answer, and as the database keeps it."""

from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from db.schedule_rows import ScheduleRow
from db.store import Store
from expansions.collective import Collective
from expansions.compact_schedule import CompactSchedule
from expansions.cost import Cost
from expansions.schedule import Schedule
from expansions.schedule_files.digest import topology_digest
from expansions.schedule_files.files import read_schedule, write_schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.topology import Topology
from reports.allreduce_limits import AllreduceLimitRecord
from reports.method_times import MethodTime
from reports.schedule import ScheduleRecord, schedule_fields, schedule_text
from reports.schedule_file import ScheduleFileRecord, schedule_file_fields, schedule_file_text
from topofinder.api.schedule_methods import ScheduleRequest
from topofinder.api.shared.allreduce_bounds import bandwidth_record
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.places import store_after_all
from topofinder.api.shared.subjects import subject_name
from topofinder.schedules.collectives import KnownIsomorphism
from topofinder.schedules.register import MadeSchedule


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ScheduleAnswer(Answer):
    """A schedule that was made: `made` holds it, `record` what there is to say of it."""

    made: MadeSchedule
    record: ScheduleRecord

    @property
    def saved(self) -> SavedSchedule:
        """The schedule with its topology and labels, as `save` takes it."""
        return self.made.saved

    @property
    def schedule(self) -> Schedule | CompactSchedule:
        """Its rows."""
        return self.made.saved.schedule

    @property
    def topology(self) -> Topology:
        """The graph that it runs on."""
        return self.made.saved.topology

    @property
    def cost(self) -> Cost:
        """T_L and T_B."""
        return self.record.cost

    @property
    def runtime(self) -> Fraction | None:
        """Seconds for a size of data, where one was given."""
        return self.record.runtime

    def summary(self) -> dict[str, Any]:
        """What it carries out on what, by which method, and its cost."""
        record = self.record
        return {
            "collective": record.collective,
            "subject": record.subject,
            "method": record.method,
            "steps": record.cost.steps,
            "bandwidth": str(record.cost.bandwidth),
        }

    def to_dict(self) -> dict[str, Any]:
        """The fields that `schedule --json` prints."""
        return schedule_fields(self.record)

    def _drawn_noun(self) -> object:
        return self.saved

    def __str__(self) -> str:
        return schedule_text(self.record)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ScheduleFile(Answer):
    """What a schedule file says of itself; `saved` is its content, which is not verified."""

    saved: SavedSchedule
    record: ScheduleFileRecord

    def summary(self) -> dict[str, Any]:
        """The file, and what it carries out on what."""
        record = self.record
        return {name: getattr(record, name) for name in ("file", "collective", "recipe", "n")}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `show --json` prints."""
        return schedule_file_fields(self.record)

    def _drawn_noun(self) -> object:
        return self.saved

    def __str__(self) -> str:
        return schedule_file_text(self.record)


def describe_schedule(
    request: ScheduleRequest, found: MadeSchedule, seconds: float, file: str | None
) -> ScheduleRecord:
    """What there is to say of an answer that took `seconds` and was written to a file."""
    saved, candidate = found.saved, found.candidate
    rooted = request.collective.is_rooted
    return ScheduleRecord(
        subject=saved.recipe or subject_name(request.subject),
        recipe=saved.recipe,
        n=saved.topology.n,
        d=saved.topology.degree,
        collective=request.collective.value,
        root=request.root,
        method=saved.method or "",
        rows=saved.schedule.rows,
        stored_rows=saved.stored_rows,
        cost=saved.cost,
        predicted=candidate.cost(request.collective) if candidate and not rooted else None,
        exact=candidate is not None and candidate.exact,
        denominator=saved.schedule.denominator,
        runtime=found.runtime,
        seconds=seconds,
        digest=saved.digest,
        file=file,
        rounding=found.rounding,
        through_isomorphism=found.image is not None,
        parts=found.parts,
        without_pipeline=found.without_pipeline,
        limits=_limits(request, saved),
    )


def _limits(request: ScheduleRequest, saved: SavedSchedule) -> AllreduceLimitRecord | None:
    if request.collective is not Collective.ALLREDUCE:
        return None
    return bandwidth_record(saved.topology)


def keep_answer(
    request: ScheduleRequest,
    made: MadeSchedule,
    seconds: float,
    file: Path | None,
    db: str | PathLike[str] | None,
    methods: tuple[MethodTime, ...] = (),
) -> ScheduleAnswer:
    """Write a schedule that took `seconds`, remember it, and say what there is to say of it."""
    if file is not None:
        write_schedule(made.saved, file)
        store_after_all(db, lambda store: keep_schedule(store, request, made, file))
    told = describe_schedule(request, made, seconds, None if file is None else str(file))
    return ScheduleAnswer(made=made, record=replace(told, methods=methods))


def schedule_row(request: ScheduleRequest, found: MadeSchedule, path: Path) -> ScheduleRow:
    """The row of the database for an answer that was written to a file."""
    saved = found.saved
    return ScheduleRow(
        path=str(path.resolve()),
        content=saved.digest,
        topology=saved.topology_digest,
        recipe=saved.recipe,
        collective=request.collective.value,
        root=request.root,
        method=saved.method or "",
        n=saved.topology.n,
        d=saved.topology.degree,
        rows=saved.schedule.rows,
        steps=saved.cost.steps,
        bandwidth=saved.cost.bandwidth,
    )


def keep_schedule(store: Store, request: ScheduleRequest, found: MadeSchedule, path: Path) -> None:
    """Store what an answer's file holds, and the isomorphism that it was reversed through."""
    store.save_schedule(schedule_row(request, found, path))
    if found.image is not None:
        saved = found.saved
        store.save_reversal(saved.topology_digest, saved.recipe, found.image.tolist())


def stored_reversals(database: Path) -> KnownIsomorphism:
    """Tells the isomorphisms that are stored in a database; none if there is no such file."""

    def stored_image(topology: Topology) -> list[int] | None:
        if not database.exists():
            return None
        with Store(database, create=False) as store:
            return store.reversal(topology_digest(topology))

    return stored_image


def describe_schedule_file(path: Path, *, large: bool = False) -> ScheduleFile:
    """What a schedule file says of itself. Raises InvalidInput when it cannot be read."""
    saved = read_schedule(path, large=large)
    schedule = saved.schedule
    record = ScheduleFileRecord(
        file=str(path),
        recipe=saved.recipe,
        n=saved.topology.n,
        d=saved.topology.degree,
        collective=schedule.collective.value,
        root=schedule.root,
        method=saved.method,
        rows=schedule.rows,
        stored_rows=saved.stored_rows,
        denominator=schedule.denominator,
        cost=saved.cost,
        loads=schedule.loads(saved.topology),
        digest=saved.digest,
    )
    return ScheduleFile(saved=saved, record=record)
