"""The load of the busiest arc at every step, from the rows of a schedule, exactly."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generators.distinct import share_values
from generators.limbs import carry_over, join_limbs, limbs
from generators.topology import Int64Array, IntArray

_DOUBLE_BITS = 53  # np.bincount adds in doubles, which hold every integer up to 2^53
_SPARE = 1 << 20


Limbs = tuple[tuple[int, NDArray[Any]], ...]
"""Sums as pairs (shift, part), each the sum of `part << shift`; see `generators.limbs`."""


class Sums(NamedTuple):
    """What arcs carry in all: `total[i]` on `arc[i]` at step `level[i]` + 1, each pair once."""

    level: Int64Array
    arc: Int64Array
    parts: Limbs

    @property
    def total(self) -> NDArray[Any]:
        """The totals: int64 where one limb is enough, else Python's integers."""
        return join_limbs(self.parts)


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

    >>> one = np.array([0, 0]), np.array([0, 1]), ((0, np.array([1, 4])),)
    >>> busiest_loads(Sums(*one), 1, (Fraction(1), Fraction(3)))
    [Fraction(4, 3)]
    """
    if capacity is None:
        return list(map(Fraction, _group_maxima(carried.level, carried.parts, steps)))
    shared = share_values(capacity)
    kinds = max(len(shared.values), 1)
    # Of the arcs of one capacity only the busiest one at each step is looked at as a fraction.
    pairs, place = np.unique(carried.level * kinds + shared.which[carried.arc], return_inverse=True)
    best = [Fraction()] * steps
    for pair, total in zip(
        pairs.tolist(), _group_maxima(place, carried.parts, len(pairs)), strict=True
    ):
        if total:
            level, kind = divmod(pair, kinds)
            best[level] = max(best[level], total / shared.values[kind])
    return best


def _totals(place: Int64Array, length: Int64Array, count: int) -> Limbs:
    """The sum of the lengths at each place."""
    # A row counts at one place only, so no sum counts more than all rows once.
    return tuple(
        (shift, np.bincount(place, weights=part, minlength=count).astype(np.int64))
        for shift, part in limbs(length, len(length), _DOUBLE_BITS)
    )


def _group_maxima(group: Int64Array, parts: Limbs, groups: int) -> list[int]:
    """The largest total of each group; 0 where there is none."""
    found = [0] * groups
    largest = np.ones(len(group), dtype=np.bool_)
    for shift, part in reversed(carry_over(parts)):
        best = np.zeros(groups, dtype=part.dtype)
        np.maximum.at(best, group[largest], part[largest])
        largest &= part == best[group]
        found = [total + (int(one) << shift) for total, one in zip(found, best, strict=True)]
    return found
