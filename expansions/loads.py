"""The load of the busiest arc at every step, from the rows of a schedule, exactly."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generators.limbs import sum_exactly
from generators.topology import Int64Array, IntArray

_DOUBLE_BITS = 53  # np.bincount adds in doubles, which hold every integer up to 2^53
_SPARE = 1 << 20


class Sums(NamedTuple):
    """What arcs carry in all: `total[i]` on `arc[i]` at step `level[i]` + 1, each pair once.

    Totals are int64, or Python's integers where those could overflow.
    """

    level: Int64Array
    arc: Int64Array
    total: NDArray[Any]


def sum_loads(step: IntArray, arc: IntArray | Int64Array, length: Int64Array, arcs: int) -> Sums:
    """Add up the lengths by step and arc; `step` (from 1), `arc` and `length` are (rows,).

    >>> first = np.array([0, 0, 1], dtype=np.int32)
    >>> sum_loads(first + 1, first, np.array([2, 3, 4]), 2).total.tolist()
    [5, 0, 0, 4]
    """
    place = (step.astype(np.int64) - 1) * arcs + arc
    count = int(step.max(initial=0)) * arcs
    if count > 4 * len(place) + _SPARE:  # a table would be mostly empty
        used, place = np.unique(place, return_inverse=True)
    else:
        used = np.arange(count)
    return Sums(used // max(arcs, 1), used % max(arcs, 1), _totals(place, length, len(used)))


def busiest_loads(
    carried: Sums, steps: int, capacity: tuple[Fraction, ...] | None = None
) -> list[Fraction]:
    """For each step the largest total, divided by the capacity of its arc if there are any.

    >>> one = np.array([0, 0]), np.array([0, 1]), np.array([1, 4])
    >>> busiest_loads(Sums(*one), 1, (Fraction(1), Fraction(3)))
    [Fraction(4, 3)]
    """
    if capacity is None:
        return list(map(Fraction, _level_maxima(carried.level, carried.total, steps)))
    kinds = {value: kind for kind, value in enumerate(dict.fromkeys(capacity))}
    kind = np.array([kinds[value] for value in capacity])[carried.arc]
    best = [Fraction()] * steps
    for value, number in kinds.items():
        here = kind == number
        found = _level_maxima(carried.level[here], carried.total[here], steps)
        best = [max(old, new / value) for old, new in zip(best, found, strict=True)]
    return best


def _totals(place: Int64Array, length: Int64Array, count: int) -> NDArray[Any]:
    """The sum of the lengths at each place: int64 where that is exact, else Python's integers."""

    def add_at_places(part: Int64Array) -> Int64Array:
        return np.bincount(place, weights=part, minlength=count).astype(np.int64)

    # A row counts at one place only, so no sum counts more than all rows once.
    return sum_exactly(length, len(length), add_at_places, _DOUBLE_BITS)


def _level_maxima(level: Int64Array, totals: NDArray[Any], steps: int) -> list[int]:
    """The largest total of each level; 0 where there is none."""
    best = np.zeros(steps, dtype=totals.dtype)
    np.maximum.at(best, level, totals)
    return [int(value) for value in best]
