"""An order of the nodes in which a symmetry of a graph is a rotation, for drawings.

An automorphism whose cycles are all of one length L carries a picture onto itself when its cycles
lie interleaved on a circle, or makes blocks of L x L circulants of the adjacency matrix when they
stand one after the other.
"""

from collections import deque
from dataclasses import dataclass
from itertools import islice

import numpy as np

from generators.topology import Int64Array, IntArray, Topology

MOST_TRIED = 512
"""Translations of a graph that are looked at."""
MOST_NODES = 1 << 16
"""Nodes of all orders that are compared, of translations with cycles of one length."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CyclicOrder:
    """Cycles of an automorphism, all of one length: `cycles[c, i]` goes to `cycles[c, i + 1]`.

    int64 of shape (number, length); each begins beside where those before it begin.
    """

    cycles: Int64Array

    @property
    def around(self) -> Int64Array:
        """The nodes in their places around a circle, cycles interleaved; shape (n,)."""
        return self.cycles.T.ravel()

    @property
    def blocks(self) -> Int64Array:
        """The nodes cycle by cycle; shape (n,)."""
        return self.cycles.ravel()


def cyclic_order(topology: Topology) -> CyclicOrder | None:
    """The order by the translation of the longest cycles; None where no translation is known.

    Among equals it is the one whose arcs are the shortest around the circle, and then the one of
    the lowest node; of more than 128 nodes only some of the equals are compared.

    >>> from generators.arrays import jump_graph
    >>> cyclic_order(jump_graph(6, [1, 2])).cycles.tolist()
    [[0, 1, 2, 3, 4, 5]]
    """
    if topology.translation is None or topology.n < 2:
        return None
    by_length: dict[int, list[int]] = {}
    for node in range(1, min(topology.n, MOST_TRIED)):
        begun = _cycle_from(np.asarray(topology.translation(node)).tolist(), 0)
        by_length.setdefault(len(begun), []).append(node)
    near, most = _neighbours(topology), max(1, MOST_NODES // topology.n)
    for _, nodes in sorted(by_length.items(), reverse=True):
        known = (_equal_cycles(topology.translation(node), near) for node in nodes)
        found = list(islice((cycles for cycles in known if cycles is not None), most))
        if found:
            best = min(found, key=lambda cycles: _arc_length(topology, cycles.T.ravel()))
            return CyclicOrder(cycles=best)
    return None


def _equal_cycles(image: IntArray, near: list[list[int]]) -> Int64Array | None:
    """The cycles of a permutation; None where they differ in length. `near` are the successors."""
    onward = np.asarray(image).tolist()
    begun = _cycle_from(onward, 0)
    rows, place = [begun], set(begun)
    waiting = deque(near[0])
    spare = iter(range(len(near)))
    while len(place) < len(near):
        node = waiting.popleft() if waiting else next(spare)
        if node in place:
            continue
        row = _cycle_from(onward, node)
        if len(row) != len(begun):
            return None
        rows.append(row)
        place.update(row)
        waiting += near[node]
    return np.array(rows, dtype=np.int64)


def _cycle_from(onward: list[int], node: int) -> list[int]:
    row, at = [node], onward[node]
    while at != node:
        row.append(at)
        at = onward[at]
    return row


def _neighbours(topology: Topology) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in range(topology.n)]
    for u, v in zip(topology.tail.tolist(), topology.head.tolist(), strict=True):
        near[u].append(v)
    return near


def _arc_length(topology: Topology, order: Int64Array) -> float:
    """The mean length of the arcs, counted in places around the circle."""
    place = np.empty(topology.n, dtype=np.int64)
    place[order] = np.arange(topology.n)
    gap = np.abs(place[topology.tail] - place[topology.head])
    return float(np.minimum(gap, topology.n - gap).mean()) if topology.arcs else 0.0
