"""The order in which switches are removed, and what hangs below each.

The tier of a switch is its distance, in hops, from the nearest compute node; where small and large
switches are at one distance, such as those of boxes and those between boxes, the large ones are
higher. The highest go first: then nothing is left above a switch but logical arcs to whatever it
could reach through them.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from generators.topology import AnyIntArray, Int64Array, IntArray

ABOVE = 1 << 40
GAP = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class Tiers:
    """`tier[v]` is 0 for compute nodes; `part[t][v]` the part of v among nodes below tier t.

    `below[w]` holds the parts that switch w is linked to from above; `through` the switches with
    two neighbours, such as network cards, that pass on whatever comes in.
    """

    tier: IntArray
    part: dict[int, Int64Array]
    below: dict[int, set[int]]
    through: set[int]

    @classmethod
    def of(cls, n: int, tail: AnyIntArray, head: AnyIntArray, compute: IntArray) -> "Tiers":
        """Tiers of the switches of a digraph, which must all be linked to a compute node."""
        pairs = np.unique(np.sort(np.stack([tail, head]), axis=0), axis=1)
        degree = np.bincount(pairs.ravel(), minlength=n)
        tier = _tiers_by_size(_hops_from_compute(n, tail, head, compute), degree)
        part = {}
        for t in sorted(set(tier.tolist()) - {0}):
            low = (tier[tail] < t) & (tier[head] < t)
            links = coo_array((np.ones(low.sum()), (tail[low], head[low])), shape=(n, n))
            part[t] = connected_components(links, directed=False)[1].astype(np.int64)
        below: dict[int, set[int]] = {w: set() for w in np.flatnonzero(tier).tolist()}
        for u, v in zip(tail.tolist(), head.tolist(), strict=True):
            for w, x in ((u, v), (v, u)):
                if tier[x] < tier[w]:
                    below[w].add(int(part[int(tier[w])][x]))
        return cls(tier, part, below, {w for w in below if degree[w] < 3})

    def order(self) -> list[int]:
        """The switches: those with one way through first, then the highest tier first."""
        return sorted(self.below, key=lambda w: (w not in self.through, -int(self.tier[w]), w))

    def group(self, w: int, ports: Int64Array) -> Int64Array:
        """The group of each port of switch w: the part below w it is in, or ABOVE."""
        parts = self.part[int(self.tier[w])][ports]
        below = np.array(sorted(self.below[w]))
        spots = np.minimum(np.searchsorted(below, parts), len(below) - 1)
        lower = (self.tier[ports] < self.tier[w]) & (below[spots] == parts)
        return np.where(lower, parts, ABOVE)


def _hops_from_compute(n: int, tail: AnyIntArray, head: AnyIntArray, compute: IntArray) -> IntArray:
    """Hops to the nearest compute node, either way along arcs; 0 where there is none."""
    hops = np.full(n, -1, dtype=np.int32)
    hops[compute] = 0
    hop = 0
    while True:
        near = np.concatenate([head[hops[tail] == hop], tail[hops[head] == hop]])
        near = near[hops[near] < 0]
        if not near.size:
            return np.maximum(hops, 0)
        hop += 1
        hops[near] = hop


def _tiers_by_size(hops: IntArray, degree: Int64Array) -> IntArray:
    """Tiers: by distance, and at one distance by size, where a gap separates small from large."""
    switches = np.flatnonzero(hops)
    switches = switches[np.lexsort((degree[switches], hops[switches]))]
    tier = np.zeros(len(hops), dtype=np.int32)
    before, level = -1, 0
    for w in switches.tolist():
        further = before < 0 or hops[w] > hops[before]
        level += further or degree[w] >= GAP * degree[before]
        tier[w], before = level, w
    return tier
