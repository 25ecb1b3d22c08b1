"""Wirings of hosts whose ports differ in speed, as text for a person and as JSON for a program."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.text import cut_text, table
from reports.units import rate_text, size_text, time_text

SHOWN = 10
"""Wirings that the table has at most; JSON has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WiringRow:
    """A candidate with rates: seconds, those with all links at the mean rate, and their bound.

    The `method` takes so long; `bfb` are the seconds of BFB.
    `neighbours` are the hosts that host 0 sends to at each rate; `alike` says whether all hosts
    see the same.
    """

    recipe: str
    diameter: int | None
    seconds: Fraction
    method: str
    bfb: Fraction
    even: Fraction
    bound: Fraction
    alike: bool
    neighbours: tuple[tuple[Fraction, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRatesRecord:
    """What was asked for and the wirings, quickest first; `ports` are (count, bytes a second)."""

    n: int
    links: str
    ports: tuple[tuple[int, Fraction], ...]
    collective: str
    alpha: Fraction
    size: Fraction
    rows: tuple[WiringRow, ...]
    file: str | None = None


def link_rates_text(record: LinkRatesRecord) -> str:
    """A table of the quickest, and where the first of them was written."""
    told = " and ".join(f"{count} of {rate_text(rate)}" for count, rate in record.ports)
    what = f"{record.collective} of {size_text(record.size)}, {time_text(record.alpha)} a hop"
    columns = [
        "time",
        "method",
        "of bound",
        "at the mean rate",
        "diameter",
        "host 0 sends to",
        "recipe",
    ]
    rows = [_cells(row) for row in record.rows[:SHOWN]]
    lines = [f"{record.n} hosts, {record.links}; ports of each: {told}", what, ""]
    lines.append(table(columns, rows))
    more = len(record.rows) - SHOWN
    if more > 0:
        lines += ["", f"and {more} slower ones"]
    if record.file is not None:
        lines += ["", f"{record.rows[0].recipe} with these rates written to {record.file}"]
    return "\n".join(lines)


def _cells(row: WiringRow) -> list[str]:
    return [
        time_text(row.seconds),
        cut_text(row.method, 20),
        f"{float(row.bound / row.seconds):.3f}",
        time_text(row.even),
        "" if row.diameter is None else str(row.diameter),
        "; ".join(f"{rate_text(rate)}: {_nodes(nodes)}" for rate, nodes in row.neighbours),
        cut_text(row.recipe, 60),
    ]


def _nodes(nodes: tuple[int, ...]) -> str:
    return cut_text(" ".join(map(str, nodes)), 24)


def link_rates_fields(record: LinkRatesRecord) -> dict[str, Any]:
    """What `search --link-rates --json` prints: times in seconds, rates in bytes a second."""
    return {
        "n": record.n,
        "d": sum(count for count, _ in record.ports),
        "links": record.links,
        "ports": [{"count": count, "rate": str(rate)} for count, rate in record.ports],
        "collective": record.collective,
        "alpha": float(record.alpha),
        "size": str(record.size),
        "wirings": [_row_fields(row) for row in record.rows],
        "file": record.file,
    }


def _row_fields(row: WiringRow) -> dict[str, Any]:
    return {
        "recipe": row.recipe,
        "diameter": row.diameter,
        "seconds": float(row.seconds),
        "seconds_exact": str(row.seconds),
        "method": row.method,
        "bfb_seconds": float(row.bfb),
        "seconds_even": float(row.even),
        "bound": float(row.bound),
        "alike": row.alike,
        "host_0_sends_to": {str(rate): list(nodes) for rate, nodes in row.neighbours},
    }
