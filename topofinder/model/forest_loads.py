"""What trees put on the links, and the time that follows from it.

Source: ForestColl (NSDI 2026), theorem 11: k trees a root take 1/k of a shard each, so a link of
bandwidth b that n trees use takes n / (k b) for a shard of 1.
"""

from fractions import Fraction

import numpy as np

from generators.limbs import limbs
from generators.topology import Int64Array, Topology
from topofinder.model.tree_set import TreeSet

Loads = dict[tuple[int, int], int]


def loads(trees: TreeSet, *, spare: bool = True) -> Loads:
    """How many trees take the link from u to v, for every pair (u, v) that some tree takes.

    With `spare` false, hops that multicast makes needless are counted too.

    >>> pair = TreeSet(k=2, root=[0], copies=[2], start=[0, 1], route=[0], route_start=[0, 3],
    ...     node=[0, 2, 1], optimum=Fraction(1), time=Fraction(1), cut=[0], skip=[1])
    >>> loads(pair), loads(pair, spare=False)
    ({(2, 1): 2}, {(0, 2): 2, (2, 1): 2})
    """
    found: Loads = {}
    # A tree takes a link once for each hop of each of its edges at most.
    for shift, copies in limbs(trees.copies, trees.hops):
        for pair, load in _loads(trees, copies, spare).items():
            found[pair] = found.get(pair, 0) + (load << shift)
    return found


def _loads(trees: TreeSet, copies: Int64Array, spare: bool) -> Loads:
    """The loads when entry i stands for `copies[i]` trees."""
    tail, head, count = _hops(trees, copies, spare)
    n = int(trees.node.max(initial=0)) + 1
    keys, where = np.unique(tail * n + head, return_inverse=True)
    total = np.zeros(len(keys), dtype=np.int64)
    np.add.at(total, where, count)
    ends = zip((keys // n).tolist(), (keys % n).tolist(), strict=True)
    return {pair: load for pair, load in zip(ends, total.tolist(), strict=True) if load}


def _hops(
    trees: TreeSet, copies: Int64Array, spare: bool
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Tail, head and number of trees of every hop of every route that is used."""
    route, skip, count = _kinds(trees, copies, spare)
    first = trees.route_start[route] + skip
    hops = trees.route_start[route + 1] - 1 - first
    base = np.repeat(first - (np.cumsum(hops) - hops), hops)
    at = base + np.arange(int(hops.sum()))
    nodes = trees.node.astype(np.int64)
    return nodes[at], nodes[at + 1], np.repeat(count, hops)


def _kinds(
    trees: TreeSet, copies: Int64Array, spare: bool
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Every route with every number of hops that are spared on it, and how many trees that is."""
    copies = np.repeat(copies, np.diff(trees.start))
    spared = trees.spared.astype(np.int64) if spare else np.zeros(trees.uses, dtype=np.int64)
    whole = np.zeros(trees.routes, dtype=np.int64)
    np.add.at(whole, trees.route, np.where(spared, 0, copies))
    late = np.flatnonzero(spared)
    marks = np.stack([trees.route[late], spared[late]])
    (route, skip), where = np.unique(marks, axis=1, return_inverse=True)
    parts = np.zeros(len(route), dtype=np.int64)
    np.add.at(parts, where.ravel(), copies[late])
    every = np.flatnonzero(whole)
    return (
        np.concatenate([every, route]),
        np.concatenate([np.zeros_like(every), skip]),
        np.concatenate([whole[every], parts]),
    )


def bandwidths(topology: Topology) -> dict[tuple[int, int], Fraction]:
    """The bandwidth of all parallel links from u to v together; self-loops carry nothing."""
    found: dict[tuple[int, int], Fraction] = {}
    capacity = topology.capacity or (Fraction(1),) * topology.arcs
    ends = zip(topology.tail.tolist(), topology.head.tolist(), capacity, strict=True)
    for u, v, value in ends:
        if u != v:
            found[u, v] = found.get((u, v), Fraction()) + value
    return found


def inverse_rate(topology: Topology, *sets: TreeSet) -> Fraction:
    """The time that the busiest link takes for a shard of 1 from every node of weight 1.

    With several sets, of one and the same topology, all of them run at the same time.
    """
    busy: dict[tuple[int, int], Fraction] = {}
    for trees in sets:
        for pair, load in loads(trees).items():
            busy[pair] = busy.get(pair, Fraction()) + Fraction(load, trees.k)
    bandwidth = bandwidths(topology)
    return max((share / bandwidth[pair] for pair, share in busy.items()), default=Fraction())


def traffic(trees: TreeSet, *, spare: bool = True) -> Fraction:
    """Shards that cross a link, summed over all links; see `loads`."""
    return Fraction(sum(loads(trees, spare=spare).values()), trees.k)
