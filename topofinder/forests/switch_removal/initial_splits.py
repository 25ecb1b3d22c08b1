"""Initial splits of the switches: ports in groups, rotated against each other, tier by tier.

The tier of a switch is its distance, in hops, from the nearest compute node; where small and large
switches are at one distance, such as those of boxes and those between boxes, the large ones are
higher. The highest go first: then nothing is left above a switch but logical arcs to whatever it
could reach through them. These splits are a heuristic before theorem 6 of ForestColl (NSDI 2026):
where they violate no cut, no pair of arcs has to be tried by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from generators.topology import AnyIntArray, FloatArray, Int64Array, IntArray
from topofinder.forests.switch_removal.rotation_kernels import rotation_pairs
from topofinder.forests.switch_removal.split_state import Splitting

Splits = tuple[Int64Array, Int64Array, Int64Array]
ABOVE = 1 << 40
SIZE_GAP = 1.5


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


def unlinked_runs(state: Splitting, order: list[int]) -> Iterator[list[int]]:
    """The switches in this order, in runs without an arc between two switches of a run.

    Arcs are looked up when a run is asked for, so that what earlier runs made counts.
    """
    rest = order
    while rest:
        alive = state.capacity > 0
        ends = state.tail[alive], state.head[alive]
        near: set[int] = set()
        linked = _linked_switches(ends, rest)
        count = 0
        while count < len(rest) and rest[count] not in near:
            near.update(linked[rest[count]])
            count += 1
        yield rest[:count]
        rest = rest[count:]


def initial_splits(
    state: Splitting, run: list[int], tiers: Tiers, limit: int, rotation: int
) -> Splits:
    """Splits (arc in, arc out, amount) that would use up all capacity at the switches of a run.

    At most `limit` different rotations a switch; `rotation` makes switches that are alike differ.
    """
    listed = [
        _splits_of_switch(state, w, ports, tiers, limit, rotation + at)
        for at, (w, ports) in enumerate(zip(run, state.ports(run), strict=True))
    ]
    into, out, amount = (np.concatenate(columns) for columns in zip(*listed, strict=True))
    return into, out, amount


def rotation_angles(groups: int, limit: int) -> FloatArray:
    """Which rotations to use, as fractions of the way from the least to the greatest.

    All that lead from group to group if `limit` allows; else those by 1, 2, 4... groups, either
    way, so that every group is reached from every other in few hops.

    >>> [rotation_angles(*sizes).tolist() for sizes in ((4, 8), (2, 8), (9, 4))]
    [[0.0, 0.5, 1.0], [0.0], [0.0, 1.0, 0.14285714285714285, 0.8571428571428571]]
    """
    offsets = list(range(1, groups))
    if len(offsets) > limit:
        hop = max(2.0, (groups / 2) ** (2 / limit))
        ways = [round(hop**i) for i in range((limit + 1) // 2)]
        ways = [o for o in dict.fromkeys(ways) if 2 * o <= groups]
        offsets = list(dict.fromkeys(o for way in ways for o in (way, groups - way)))
    reach = max(groups - 2, 1)
    return np.array([(o - 1) / reach for o in offsets] or [0.0])


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
        level += further or degree[w] >= SIZE_GAP * degree[before]
        tier[w], before = level, w
    return tier


def _linked_switches(ends: tuple[Int64Array, Int64Array], among: list[int]) -> dict[int, list[int]]:
    """Which of the nodes `among` each of them shares an arc with."""
    found: dict[int, list[int]] = {w: [] for w in among}
    both = np.isin(ends[0], among) & np.isin(ends[1], among)
    for u, v in zip(ends[0][both].tolist(), ends[1][both].tolist(), strict=True):
        found[u].append(v)
        found[v].append(u)
    return found


def _splits_of_switch(
    state: Splitting,
    w: int,
    ports: tuple[Int64Array, Int64Array],
    tiers: Tiers,
    limit: int,
    rotation: int,
) -> Splits:
    """The splits of one switch; `ports` are the arcs into and out of it."""
    into, into_group = _sort_by_group(ports[0], state.tail[ports[0]], w, tiers)
    out, out_group = _sort_by_group(ports[1], state.head[ports[1]], w, tiers)
    angles = rotation_angles(len(set(into_group.tolist()) | set(out_group.tolist())), limit)
    lower = np.array([(into_group < ABOVE).sum(), (out_group < ABOVE).sum()])
    pairs = rotation_pairs(
        state.capacity[into],
        into_group,
        state.capacity[out],
        out_group,
        lower,
        angles,
        rotation % len(angles),
    )
    return into[pairs[:, 0]], out[pairs[:, 1]], pairs[:, 2].copy()


def _sort_by_group(
    arcs: Int64Array, ports: Int64Array, w: int, tiers: Tiers
) -> tuple[Int64Array, Int64Array]:
    """The arcs sorted by the group of their port, and the groups."""
    group = tiers.group(w, ports)
    order = np.lexsort((ports, group))
    return arcs[order], group[order]
