"""The order in which switches are removed, and what hangs below each.

The tier of a switch is its distance, in hops, from the nearest compute node. The highest go first:
then nothing is left above a switch but logical arcs to whatever it could reach through them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from generators.topology import IntArray

Ends = NDArray[np.signedinteger[Any]]
ABOVE = 1 << 40


@dataclass(frozen=True, slots=True, eq=False)
class Tiers:
    """`tier[v]` is 0 for compute nodes; `part[t][v]` the part of v among nodes below tier t.

    `below[w]` holds the parts that switch w is linked to from above; `through` the switches with
    two neighbours, such as network cards, that pass on whatever comes in.
    """

    tier: IntArray
    part: dict[int, NDArray[np.int64]]
    below: dict[int, set[int]]
    through: set[int]

    @classmethod
    def of(cls, n: int, tail: Ends, head: Ends, compute: IntArray) -> "Tiers":
        """Tiers of the switches of a digraph, which must all be linked to a compute node."""
        tier = _tiers(n, tail, head, compute)
        part = {}
        below: dict[int, set[int]]
        for t in sorted(set(tier.tolist()) - {0}):
            low = (tier[tail] < t) & (tier[head] < t)
            links = coo_array((np.ones(low.sum()), (tail[low], head[low])), shape=(n, n))
            part[t] = connected_components(links, directed=False)[1].astype(np.int64)
        below = {w: set() for w in np.flatnonzero(tier).tolist()}
        for u, v in zip(tail.tolist(), head.tolist(), strict=True):
            for w, x in ((u, v), (v, u)):
                if tier[x] < tier[w]:
                    below[w].add(int(part[int(tier[w])][x]))
        pairs = np.unique(np.sort(np.stack([tail, head]), axis=0), axis=1)
        degree = np.bincount(pairs.ravel(), minlength=n)
        return cls(tier, part, below, {w for w in below if degree[w] < 3})

    def order(self) -> list[int]:
        """The switches: those with one way through first, then the highest tier first."""
        return sorted(self.below, key=lambda w: (w not in self.through, -int(self.tier[w]), w))

    def group(self, w: int, ports: NDArray[np.int64]) -> NDArray[np.int64]:
        """The group of each port of switch w: the part below w it is in, or ABOVE."""
        parts = self.part[int(self.tier[w])][ports]
        below = np.array(sorted(self.below[w]))
        spots = np.minimum(np.searchsorted(below, parts), len(below) - 1)
        lower = (self.tier[ports] < self.tier[w]) & (below[spots] == parts)
        return np.where(lower, parts, ABOVE)


def _tiers(n: int, tail: Ends, head: Ends, compute: IntArray) -> IntArray:
    tier = np.full(n, -1, dtype=np.int32)
    tier[compute] = 0
    hop = 0
    while True:
        near = np.concatenate([head[tier[tail] == hop], tail[tier[head] == hop]])
        near = near[tier[near] < 0]
        if not near.size:
            return np.maximum(tier, 0)
        hop += 1
        tier[near] = hop
