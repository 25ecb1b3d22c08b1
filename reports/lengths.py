"""How long the circuits of a plan are, and what it costs that they are short, as text and JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reports.units import metres_text

LISTED = 10
"""Circuits that a text names one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthSummary:
    """Millimetres of all circuits, of the longest, and the hosts of those above the `reach`."""

    total: int
    longest: int
    reach: int | None
    above: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeSummary:
    """The plan with the fewest moves found, beside one with the `least` of something else."""

    least: str
    proved: bool
    moves: int
    fewest: int
    instead: LengthSummary


def length_lines(lengths: LengthSummary, trade: TradeSummary | None) -> Iterator[str]:
    """The sum, the longest, what is above the reach, and the trade."""
    told = f"{metres_text(lengths.total)} m of circuits, the longest {metres_text(lengths.longest)}"
    yield f"{told} m"
    if lengths.reach is not None:
        yield _above_text(lengths, metres_text(lengths.reach))
    if trade is None:
        return
    what = "fewer above the reach" if trade.least == "reach" else "less fibre"
    least = f"no wiring has {what}" if trade.proved else f"another may have {what}"
    more = trade.moves - trade.fewest
    if not more:
        yield f"{least}; no plan that was found has fewer moves"
        return
    far = "" if lengths.reach is None else f" and {len(trade.instead.above)} above the reach"
    moves = f"{trade.fewest} move" + "s" * (trade.fewest != 1)
    yield f"{least}; with {moves}, {more} fewer, {metres_text(trade.instead.total)} m{far}"


def _above_text(lengths: LengthSummary, reach: str) -> str:
    if not lengths.above:
        return f"none is longer than {reach} m"
    named = ", ".join(f"{a} - {b}" for a, b in lengths.above[:LISTED])
    more = ", ..." * (len(lengths.above) > LISTED)
    are = "circuit is" if len(lengths.above) == 1 else "circuits are"
    return f"{len(lengths.above)} {are} longer than {reach} m: {named}{more}"


def length_fields(lengths: LengthSummary, trade: TradeSummary | None) -> dict[str, Any]:
    """What `plan --json` tells of it, in metres."""
    found = _fields(lengths)
    if trade is not None:
        found |= {
            "least": trade.least,
            "proved": trade.proved,
            "fewest": {"moves": trade.fewest, **_fields(trade.instead)},
        }
    return found


def _fields(lengths: LengthSummary) -> dict[str, Any]:
    return {
        "total": lengths.total / 1000,
        "longest": lengths.longest / 1000,
        "reach": None if lengths.reach is None else lengths.reach / 1000,
        "above": [list(pair) for pair in lengths.above],
    }
