"""What light loses in the circuits that a plan makes, as text and as JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LISTED = 10
"""Circuits that a text names one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LossSummary:
    """The worst loss and the budget, in thousandths of a decibel, and the circuits above it.

    `proved` says that no other choice of ports has a lower worst loss.
    """

    worst: int
    proved: bool
    budget: int | None
    above: tuple[tuple[str, str], ...]


def loss_lines(losses: LossSummary) -> Iterator[str]:
    """The worst loss, and which circuits are above the budget."""
    least = "no choice of ports has less" if losses.proved else "another choice may have less"
    yield f"a new circuit loses at most {_decibels(losses.worst)} dB; {least}"
    if losses.budget is None:
        return
    budget = f"{_decibels(losses.budget)} dB"
    if not losses.above:
        yield f"all new circuits are within {budget}"
        return
    named = ", ".join(f"{a} - {b}" for a, b in losses.above[:LISTED])
    more = ", ..." * (len(losses.above) > LISTED)
    are = "circuit loses" if len(losses.above) == 1 else "circuits lose"
    yield f"{len(losses.above)} new {are} more than {budget}: {named}{more}"


def loss_fields(losses: LossSummary) -> dict[str, Any]:
    """What `plan --json` tells of it, in decibels."""
    return {
        "worst": losses.worst / 1000,
        "proved": losses.proved,
        "budget": None if losses.budget is None else losses.budget / 1000,
        "above": [list(pair) for pair in losses.above],
    }


def _decibels(loss: int) -> str:
    """Without needless zeros."""
    return f"{loss / 1000:.3f}".rstrip("0").rstrip(".")
