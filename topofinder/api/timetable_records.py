"""A timetable that was made or read: as an answer, and as the database keeps it."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from db.timetable_rows import TimetableRow
from expansions.collective import Collective
from expansions.schedule_files.digest import topology_digest
from reports.allreduce_limits import AllreduceLimitRecord
from reports.timetable import TimetableRecord, timetable_fields, timetable_text
from topofinder.api.shared.allreduce_bounds import MOST_CUT_NODES, limit_record
from topofinder.api.shared.answer import Answer
from topofinder.model.timetable import Timetable
from topofinder.model.timetable_digest import timetable_digest
from topofinder.model.timetable_files import read_timetable
from topofinder.simulation.timetable_use import busy_shares

UNKNOWN = "timed"
"""The method of a timetable that does not tell its own."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TimetableAnswer(Answer):
    """A timetable that was made or read, and what there is to say of it."""

    timetable: Timetable
    record: TimetableRecord

    @property
    def time(self) -> Fraction:
        """Of the collective, in seconds."""
        return self.record.time

    @property
    def bound(self) -> Fraction | None:
        """Seconds that nothing beats, where the maker knew any; a claim until it is verified."""
        return self.record.bound

    def summary(self) -> dict[str, Any]:
        """What it carries out on what, by which method, the time and its bound."""
        record = self.record
        return {
            "collective": record.collective,
            "subject": record.subject,
            "method": record.method,
            "seconds": float(record.time),
            "bound": None if record.bound is None else float(record.bound),
        }

    def to_dict(self) -> dict[str, Any]:
        """The fields that `show --json` prints."""
        return timetable_fields(self.record)

    def _drawn_noun(self) -> object:
        return self.timetable

    def __str__(self) -> str:
        return timetable_text(self.record)


def describe_timetable(
    saved: Timetable, subject: str, *, seconds: float | None = None, file: str | None = None
) -> TimetableRecord:
    """What there is to say of a timetable, which took `seconds` to make."""
    names = saved.topology.names or tuple(map(str, range(saved.topology.n)))
    return TimetableRecord(
        subject=saved.recipe or subject,
        recipe=saved.recipe,
        damage=saved.damage,
        collective=saved.collective.value,
        root=None if saved.root is None else names[saved.root],
        method=saved.method,
        model=saved.model.value,
        nodes=saved.topology.n,
        hosts=_hosts(saved),
        chunks=_all_chunks(saved),
        chunk_bytes=saved.chunk_bytes,
        sends=saved.all_sends,
        stored_sends=saved.sends,
        routes=saved.channels - saved.topology.arcs,
        alpha=saved.units.latency,
        rate=saved.units.rate,
        size=saved.total_bytes,
        tick=saved.tick,
        makespan=saved.makespan,
        bound=None if saved.bound is None else saved.bound + saved.overhead,
        overhead=saved.overhead,
        seed=saved.seed,
        use=busy_shares(saved),
        digest=timetable_digest(saved),
        making=seconds,
        file=file,
        limits=_limits(saved),
    )


def _limits(saved: Timetable) -> AllreduceLimitRecord | None:
    """What the bytes of an allreduce take at least, in seconds; None for others and large ones."""
    hosts = _hosts(saved)
    if saved.collective is not Collective.ALLREDUCE or not 1 < hosts <= MOST_CUT_NODES:
        return None
    return limit_record(saved.topology).scale(saved.total_bytes / hosts / saved.units.rate)


def describe_timetable_file(path: Path, *, large: bool = False) -> TimetableAnswer:
    """What a timetable file says of itself. Raises InvalidInput when it cannot be read."""
    saved = read_timetable(path, large=large)
    return TimetableAnswer(
        timetable=saved, record=describe_timetable(saved, str(path), file=str(path))
    )


def timetable_row(saved: Timetable, path: Path) -> TimetableRow:
    """The row of the database for a timetable that was written to a file."""
    return TimetableRow(
        path=str(path.resolve()),
        content=timetable_digest(saved),
        topology=topology_digest(saved.topology),
        recipe=saved.recipe,
        damage=saved.damage,
        collective=saved.collective.value,
        root=saved.root,
        method=saved.method or UNKNOWN,
        model=saved.model.value,
        n=saved.topology.n,
        hosts=_hosts(saved),
        d=_ports(saved),
        chunks=_all_chunks(saved),
        sends=saved.all_sends,
        alpha=saved.units.latency,
        rate=saved.units.rate,
        size=saved.total_bytes,
        seconds=saved.seconds + saved.overhead,
        bound=None if saved.bound is None else saved.bound + saved.overhead,
        seed=saved.seed,
    )


def _hosts(saved: Timetable) -> int:
    return saved.topology.n - len(saved.topology.switches)


def _all_chunks(saved: Timetable) -> int:
    return saved.chunks if saved.translations is None else saved.chunks * saved.topology.n


def _ports(saved: Timetable) -> int:
    """The largest in- or out-degree of a host."""
    graph = saved.topology
    ports = np.maximum(graph.out_degrees, graph.in_degrees)
    return int(np.delete(ports, list(graph.switches)).max(initial=0))
