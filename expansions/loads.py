"""The load of the busiest arc at every step, from the rows of a schedule, exactly."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from generators.topology import IntArray, Topology

_EXACT = 1 << 53  # np.bincount adds in doubles, which hold every integer up to here
_LIMB = 21  # 2^32 rows of 21-bit limbs add up to no more than that
_SPARE = 1 << 20


def busiest(
    step: IntArray, arc: IntArray, length: NDArray[np.int64], steps: int, topology: Topology
) -> list[Fraction]:
    """For each step the largest total length on an arc, divided by the arc's capacity.

    Shapes: `step` (from 1), `arc` and `length` (positive) are (rows,). Returns `steps` values.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> first = np.array([0, 0, 1], dtype=np.int32)
    >>> busiest(first + 1, first, np.array([2, 3, 4]), 2, pair)
    [Fraction(5, 1), Fraction(4, 1)]
    """
    if not len(step):
        return []
    place = (step.astype(np.int64) - 1) * topology.arcs + arc
    if steps * topology.arcs > 4 * len(place) + _SPARE:  # a table would be mostly empty
        used, place = np.unique(place, return_inverse=True)
    else:
        used = np.arange(steps * topology.arcs)
    totals = _totals(place, length, len(used))
    if topology.capacity is None:
        return list(map(Fraction, _largest(used // topology.arcs, totals, steps)))
    kinds = {value: kind for kind, value in enumerate(dict.fromkeys(topology.capacity))}
    kind = np.array([kinds[value] for value in topology.capacity])
    best = [Fraction()] * steps
    for value, number in kinds.items():
        here = kind[used % topology.arcs] == number
        found = _largest(used[here] // topology.arcs, totals[here], steps)
        best = [max(old, new / value) for old, new in zip(best, found, strict=True)]
    return best


def _totals(place: NDArray[np.int64], length: NDArray[np.int64], count: int) -> NDArray[np.object_]:
    """The sum of the lengths at each place: int64 where that is exact, else Python's integers."""
    if int(length.max()) * len(length) < _EXACT:
        return np.bincount(place, weights=length, minlength=count).astype(np.int64)
    mask = (1 << _LIMB) - 1
    totals = np.zeros(count, dtype=object)
    for shift in (2 * _LIMB, _LIMB, 0):
        limb = np.bincount(place, weights=(length >> shift) & mask, minlength=count)
        totals = (totals << _LIMB) + limb.astype(np.int64).astype(object)
    return totals


def _largest(step: NDArray[np.int64], totals: NDArray[np.object_], steps: int) -> list[int]:
    """The largest total of each step; 0 where there is none."""
    best = np.zeros(steps, dtype=totals.dtype)
    np.maximum.at(best, step, totals)
    return [int(value) for value in best]
