"""The noun CircuitLengths: how long the circuits of a plan are, where an inventory has trays."""

from dataclasses import dataclass
from enum import StrEnum


class LeastOf(StrEnum):
    """What a placement is to have the least of: moves come second where it is not they."""

    MOVES = "moves"
    FIBRE = "fibre"
    """The length of all circuits."""
    REACH = "reach"
    """Circuits longer than the reach of what lights them; then the length of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitLengths:
    """Millimetres of all circuits of a target, and of the `longest` of them.

    `above` are the hosts of those that are longer than the `reach`.
    """

    total: int
    longest: int
    reach: int | None
    above: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthTrade:
    """What `least` of something costs: the plan of the `fewest` moves found, and its lengths.

    `proved` says that no wiring of the target has less of it.
    """

    least: LeastOf
    proved: bool
    fewest: int
    instead: CircuitLengths
