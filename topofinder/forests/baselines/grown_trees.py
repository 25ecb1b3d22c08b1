"""Trees for all roots grown step by step, each step using every link as often as it is wide.

As MultiTree does (Huang et al., ISCA 2021): trees take turns, each takes on the nearest host that
it can reach over links that are still free in this step, from a host it had before it. On switches
a link is a route through them, and a link of twice the bandwidth is free twice in a step.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from topofinder.forests.baselines.patterns import Edges, LogicalTrees, require_room
from topofinder.forests.baselines.shortest_routes import ShortestRoutes, neighbour_pairs
from topofinder.model.forest import pair_bandwidths

MOST_PAIRS = 1 << 19
"""Trees times pairs of neighbours at most: each is looked at in every step."""


def grown_trees(topology: Topology, routes: ShortestRoutes) -> LogicalTrees:
    """A tree from every host, all grown at once.

    Raises InvalidInput for hosts that do not reach each other, Unsupported for too many.

    >>> ring = Topology.from_arcs(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> grown_trees(ring, ShortestRoutes(ring)).edges[1]
    [(1, 2), (2, 3), (3, 0)]
    """
    hosts = np.delete(np.arange(topology.n), list(topology.switches)).tolist()
    count, pairs = len(hosts), sorted(neighbour_pairs(topology))
    require_room(count, count * (count - 1))
    if len(pairs) * count > MOST_PAIRS:
        raise Unsupported(f"multitree: at most {MOST_PAIRS} trees times pairs of neighbours")
    rates = pair_bandwidths(topology)
    least = min(rates.values())
    free = {pair: int(rate / least) for pair, rate in rates.items()}
    ways = {(u, v): list(pairwise(routes.between(hosts[u], hosts[v]))) for u, v in pairs}
    near: list[list[int]] = [[] for _ in range(count)]
    for u, v in sorted(pairs, key=lambda pair: (len(ways[pair]), -_width(ways[pair], rates), pair)):
        near[u].append(v)
    trees: list[Edges] = [[] for _ in range(count)]
    had = [[root] for root in range(count)]
    while any(len(edges) < count - 1 for edges in trees):
        if not _grow(trees, had, near, ways, dict(free)):
            raise InvalidInput("multitree: some hosts do not reach each other")
    return LogicalTrees(hosts=count, root=list(range(count)), edges=trees)


def _width(way: Sequence[tuple[int, int]], rates: dict[tuple[int, int], Fraction]) -> Fraction:
    return min(rates[pair] for pair in way)


def _grow(
    trees: list[Edges],
    had: list[list[int]],
    near: list[list[int]],
    ways: dict[tuple[int, int], list[tuple[int, int]]],
    free: dict[tuple[int, int], int],
) -> bool:
    """One step: trees take turns until none can take another host; whether any did."""
    before = [list(hosts) for hosts in had]
    reached = [set(hosts) for hosts in had]
    turns, grown = list(range(len(trees))), False
    while turns:
        again = []
        for root in turns:
            edge = _free_edge(before[root], reached[root], near, ways, free)
            if edge is None:
                continue
            for pair in ways[edge]:
                free[pair] -= 1
            trees[root].append(edge)
            had[root].append(edge[1])
            reached[root].add(edge[1])
            again.append(root)
        turns, grown = again, grown or bool(again)
    return grown


def _free_edge(
    before: list[int],
    reached: set[int],
    near: list[list[int]],
    ways: dict[tuple[int, int], list[tuple[int, int]]],
    free: dict[tuple[int, int], int],
) -> tuple[int, int] | None:
    """The first edge to a new host whose links are all free, the earliest host first."""
    for u in before:
        for v in near[u]:
            if v not in reached and all(free[pair] for pair in ways[u, v]):
                return u, v
    return None
