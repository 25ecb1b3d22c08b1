"""Customary collectives on one graph, side by side, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.allreduce_limits import AllreduceLimitRecord, limit_fields, limit_lines
from reports.forest import rate_of
from reports.text import table
from reports.units import size_text, time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedRow:
    """One of them: `time` is that of 1 byte of all data at link rate 1; or the `reason` for none.

    `height` counts links from a root, `seconds` are those of a size of data. `through_hosts` says
    that routes lead through hosts that pass them on.
    """

    name: str
    title: str
    time: Fraction | None = None
    height: int | None = None
    seconds: Fraction | None = None
    through_hosts: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedTable:
    """All of them on one graph; `bound` is what no trees beat, as `time`.

    `limits` are what no allreduce can beat, for a unit of weight of each host.
    """

    subject: str
    collective: str
    hosts: int
    bound: Fraction
    unit_rate: Fraction | None
    size: Fraction | None
    rows: tuple[MappedRow, ...]
    limits: AllreduceLimitRecord | None = None


def mapped_text(found: MappedTable) -> str:
    """A table: algorithmic bandwidth, times the optimum's time, links, seconds.

    >>> row = MappedRow(name="bruck", title="Bruck's algorithm", time=Fraction(1, 2), height=2)
    >>> print(mapped_text(MappedTable(subject="K(4)", collective="allgather", hosts=4,
    ...     bound=Fraction(1, 4), unit_rate=None, size=None, rows=(row,))))
    allgather on K(4) by shortest routes; the optimum of trees: algbw 4 links
    <BLANKLINE>
    baseline  algbw    over optimum  links  what it is
    --------  -------  ------------  -----  -----------------
    bruck     2 links         2.000      2  Bruck's algorithm
    """
    best = rate_of(1 / found.bound, found.unit_rate)
    head = f"{found.collective} on {found.subject} by shortest routes"
    columns = ["baseline", "algbw", "over optimum", "links", "what it is"]
    if found.size is not None:
        columns.insert(4, size_text(found.size))
    cells = [_cells(row, found) for row in found.rows if row.time is not None]
    lines = [f"{head}; the optimum of trees: algbw {best}"]
    lines += [] if found.limits is None else limit_lines(found.limits)
    lines += ["", table(columns, cells)]
    if any(row.through_hosts for row in found.rows):
        lines += ["", "* routes lead through hosts, which pass on what is not theirs"]
    left = [f"{row.name}: {row.reason}" for row in found.rows if row.reason is not None]
    return "\n".join([*lines, *([""] if left else []), *left])


def _cells(row: MappedRow, found: MappedTable) -> list[str]:
    assert row.time is not None, "rows with times alone"
    cells = [
        row.name + ("*" if row.through_hosts else ""),
        rate_of(1 / row.time, found.unit_rate),
        f"{float(row.time / found.bound):.3f}",
        str(row.height),
        row.title,
    ]
    if found.size is not None:
        cells.insert(4, "" if row.seconds is None else time_text(row.seconds))
    return cells


def mapped_fields(found: MappedTable) -> dict[str, Any]:
    """The same as JSON; fractions are strings, times seconds."""
    return {
        "subject": found.subject,
        "collective": found.collective,
        "n": found.hosts,
        "bound": str(found.bound),
        "size": None if found.size is None else str(found.size),
        "limits": None if found.limits is None else limit_fields(found.limits),
        "baselines": mapped_rows(found),
    }


def mapped_rows(found: MappedTable) -> list[dict[str, Any]]:
    """One object for each."""
    return [
        {
            "baseline": row.name,
            "time": None if row.time is None else str(row.time),
            "over_optimum": None if row.time is None else float(row.time / found.bound),
            "links": row.height,
            "seconds": None if row.seconds is None else float(row.seconds),
            "through_hosts": row.through_hosts,
            "reason": row.reason,
        }
        for row in found.rows
    ]
