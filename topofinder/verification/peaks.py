"""The busiest arcs of a compact schedule: the rows of node 0, carried along a tree and added up.

Only the images of some rows of one step are held at a time: one look-up makes the images for a
node of those for its parent.
"""

# mypy: disallow-untyped-decorators=False

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from expansions.schedule import Schedule
from generators.limbs import sum_exactly
from generators.topology import Int64Array, IntArray, Topology
from topofinder.verification.schedule_loads import Messages, messages
from topofinder.verification.symmetry import Symmetry

CELLS = 1 << 20
"""Images of arcs that are held at a time (4 MiB)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peaks:
    """The most that any arc carries, for all nodes together, in 1/denominator of a shard.

    `most[t - 1][k]` is that at step t among the arcs that are like arc `like[k]`, with the same
    capacity and latency.
    """

    most: tuple[tuple[int, ...], ...]
    like: tuple[int, ...]

    def loads(self, topology: Topology, denominator: int) -> tuple[Fraction, ...]:
        """The largest load of each step's arcs, in shards a link unit."""
        capacity = topology.capacity or (Fraction(1),) * topology.arcs
        return tuple(
            max(
                Fraction(amount, denominator) / capacity[arc]
                for amount, arc in zip(step, self.like, strict=True)
            )
            for step in self.most
        )


def peaks(topology: Topology, origin: Schedule, symmetry: Symmetry) -> Peaks:
    """The peaks of a schedule whose rows about node 0 are `origin`; rows on no arc are left out.

    >>> from topofinder.verification.symmetry import symmetry
    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> turn = symmetry(ring, np.array([[1, 2, 0]]), np.array([0, 0, 1]), np.array([0, 0, 0]))
    >>> both = Schedule(source=[0, 0], arc=[0, 1], step=[1, 2], begin=[0, 0], end=[1, 1])
    >>> peaks(ring, both, turn).most
    ((1,), (1,))
    """
    kind, like = _kinds(topology)
    sent = messages(origin, np.flatnonzero(origin.arc < topology.arcs), topology.arcs)
    ends = np.searchsorted(sent.step, np.arange(1, origin.steps + 2))
    most = []
    for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        carried = _carried(topology.arcs, sent, first, last, symmetry)
        found = np.zeros(len(like), dtype=carried.dtype)
        np.maximum.at(found, kind, carried)
        most.append(tuple(map(int, found)))
    return Peaks(most=tuple(most), like=like)


def _kinds(topology: Topology) -> tuple[Int64Array, tuple[int, ...]]:
    """The kind of each arc, by capacity and latency, and an arc of each kind."""
    known: dict[tuple[object, object], int] = {}
    kind = np.zeros(topology.arcs, dtype=np.int64)
    like: list[int] = []
    if topology.capacity is None and topology.latency is None:
        return kind, (0,)
    capacity = topology.capacity or (None,) * topology.arcs
    latency = topology.latency or (None,) * topology.arcs
    for arc, values in enumerate(zip(capacity, latency, strict=True)):
        if values not in known:
            known[values] = len(like)
            like.append(arc)
        kind[arc] = known[values]
    return kind, tuple(like)


def _carried(arcs: int, sent: Messages, first: int, last: int, symmetry: Symmetry) -> NDArray[Any]:
    """What each arc carries of the messages first to last - 1 and their images; shape (arcs,)."""
    # Messages of one step are on different arcs, and a translation permutes the arcs: an arc gets
    # at most one of them for each node.
    streamed = partial(_streamed, arcs, sent.arc[first:last], symmetry)
    return sum_exactly(sent.amount[first:last], len(symmetry.order), streamed)


def _streamed(arcs: int, points: IntArray, symmetry: Symmetry, amount: Int64Array) -> Int64Array:
    total = np.zeros(arcs, dtype=np.int64)
    n = len(symmetry.order)
    width = min(max(1, CELLS // n), max(1, len(points)))
    table = np.empty((n, width), dtype=np.int32)
    parent, by = (np.ascontiguousarray(a, dtype=np.int64) for a in (symmetry.parent, symmetry.by))
    for at in range(0, len(points), width):
        some = slice(at, at + width)
        _add(symmetry.order, parent, by, symmetry.maps, points[some], amount[some], table, total)
    return total


@njit(cache=True, nogil=True)
def _add(order, parent, by, maps, points, amount, table, total):  # type: ignore[no-untyped-def]
    """Add the amounts to `total` at every image of the points; `table` is scratch.

    Points differ, and so do their images for one node: no total gets more than n amounts.
    """
    for j in range(len(points)):
        table[0, j] = points[j]
        total[points[j]] += amount[j]
    for u in order[1:]:
        g, before = by[u], parent[u]
        for j in range(len(points)):
            image = maps[g, table[before, j]]
            table[u, j] = image
            total[image] += amount[j]
