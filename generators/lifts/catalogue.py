"""Lifts that were found by search and ship: two-way graphs of a diameter that no family reaches.

They stand in generators/data/lifts.txt, a line each:

    n d diameter group rows

`python -m tools.order_degree find` finds each of them again; tests build every one and measure it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from generators.registry import Arguments
from generators.sized_lines import data_text

FILE = "lifts.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedLift:
    """One line of the catalogue."""

    n: int
    d: int
    diameter: int
    group: str
    rows: str


@cache
def shipped_lifts() -> tuple[ShippedLift, ...]:
    """All lifts of the catalogue, by size.

    >>> [(one.n, one.d, one.diameter) for one in shipped_lifts()][:2]
    [(96, 3, 6), (300, 7, 4)]
    """
    found = (line.split() for line in data_text(FILE).splitlines())
    return tuple(
        ShippedLift(n=int(n), d=int(d), diameter=int(diameter), group=group, rows=rows)
        for n, d, diameter, group, rows in found
    )


def shipped_members(n: int, d: int) -> Iterator[Arguments]:
    """Arguments of the shipped lifts of a size."""
    return ((one.group, one.rows) for one in shipped_lifts() if (one.n, one.d) == (n, d))


def is_shipped_lift(group: str, rows: str) -> bool:
    """Whether a lift of that canonical text is in the catalogue.

    >>> is_shipped_lift("Z5", "0:1,1:0|1:2")
    False
    """
    return (group, rows) in _names()


@cache
def _names() -> frozenset[Arguments]:
    return frozenset((one.group, one.rows) for one in shipped_lifts())
