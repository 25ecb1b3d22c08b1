"""Trees between hosts on the links of a graph: by shortest routes, and what these carry, exactly.

A route has the fewest links, and of such routes the widest, the first in the order of nodes among
equals; always the same between two hosts. It may lead through hosts, which then pass on what is not
theirs: trees in a file never do, so that there a host keeps what passes it, see `cut_at_hosts`.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from generators.arrays import column
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.forests.baselines.patterns import LogicalTrees
from topofinder.forests.collectives.limited_hosts import limited_optimum
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.model.forest import inverse_rate, pair_bandwidths
from topofinder.model.tree_set import TreeSet


class ShortestRoutes:
    """Routes of a topology between its hosts, found as they are asked for.

    >>> ring = Topology.from_arcs(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> ShortestRoutes(ring).between(1, 0)
    [1, 2, 3, 0]
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._ahead: list[list[tuple[int, Fraction]]] = [[] for _ in range(topology.n)]
        for (u, v), rate in sorted(pair_bandwidths(topology).items()):
            self._ahead[u].append((v, rate))
        self._behind: dict[int, list[int]] = {}

    def between(self, u: int, v: int) -> list[int]:
        """The nodes of the route from u to v. Raises InvalidInput where there is none."""
        if u not in self._behind:
            self._behind[u] = self._tree_from(u)
        behind, nodes = self._behind[u], [v]
        while nodes[-1] != u:
            if behind[nodes[-1]] < 0:
                names = self._topology.names or tuple(map(str, range(self._topology.n)))
                raise InvalidInput(f"node {names[v]} cannot be reached from node {names[u]}")
            nodes.append(behind[nodes[-1]])
        return nodes[::-1]

    def _tree_from(self, u: int) -> list[int]:
        """The node before each on its route from u; -1 at u and where none leads."""
        behind, width = [-1] * self._topology.n, [Fraction()] * self._topology.n
        level, seen = [u], {u}
        while level:
            found: dict[int, None] = {}
            for node in level:
                for child, rate in self._ahead[node]:
                    through = rate if node == u else min(rate, width[node])
                    if child not in seen and through > width[child]:
                        behind[child], width[child] = node, through
                        found[child] = None
            seen |= found.keys()
            level = sorted(found)
        return behind


def map_trees(trees: LogicalTrees, topology: Topology, routes: ShortestRoutes) -> TreeSet:
    """The trees on the routes of a topology, whose h-th host is host h, with the time they take.

    Trees leave their roots; for sums map them on the transpose. Their bound is that of all trees
    with the same roots. Raises InvalidInput for another number of hosts, and where no route leads.
    """
    hosts = np.delete(np.arange(topology.n), list(topology.switches)).tolist()
    if len(hosts) != trees.hosts:
        raise InvalidInput(f"hosts: {trees.hosts} are needed, but the topology has {len(hosts)}")
    number: dict[tuple[int, int], int] = {}
    used = [number.setdefault(pair, len(number)) for edges in trees.edges for pair in edges]
    ways = [routes.between(hosts[u], hosts[v]) for u, v in number]
    weight = node_weights(topology, trees.weight)
    best = find_optimum(Network.of(topology, weight))
    bound, cut = best.inverse_rate, best.cut
    if topology.injection is not None:
        bound, cut = limited_optimum(topology, weight, cut)
    found = TreeSet(
        k=trees.k,
        root=column([hosts[root] for root in trees.root], np.int32),
        copies=np.ones(len(trees.root), np.int64),
        start=np.cumsum([0, *map(len, trees.edges)]),
        route=column(used, np.int32),
        route_start=np.cumsum([0, *map(len, ways)]),
        node=column([node for way in ways for node in way], np.int32),
        optimum=bound,
        time=bound,
        cut=cut,
    )
    return found.with_time(inverse_rate(topology, found))


def node_weights(topology: Topology, weight: Sequence[int]) -> tuple[int, ...]:
    """Weights of hosts as those of all nodes: 0 at switches."""
    found = [0] * topology.n
    hosts = np.delete(np.arange(topology.n), list(topology.switches)).tolist()
    for host, value in zip(hosts, weight, strict=True):
        found[host] = value
    return tuple(found)


def passes_hosts(trees: TreeSet, topology: Topology) -> bool:
    """Whether some route leads through a host that is not at its ends."""
    inner = np.ones(len(trees.node), np.bool_)
    inner[trees.route_start[:-1]] = inner[trees.route_start[1:] - 1] = False
    return bool(np.setdiff1d(trees.node[inner], topology.switches).size)


def cut_at_hosts(trees: TreeSet, topology: Topology) -> TreeSet:
    """The same trees, but a host keeps what passes it, and is sent it no more.

    A route is cut at every host on it, and begins at the last one that has the tree's share by
    then. So no link carries more than before. The trees are parents first, and spare no hops.

    >>> from topofinder.forests.baselines.patterns import direct_trees
    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> mapped = map_trees(direct_trees(3), ring, ShortestRoutes(ring))
    >>> mapped.time, cut_at_hosts(mapped, ring).time
    (Fraction(3, 1), Fraction(2, 1))
    """
    nodes, bounds = trees.node.tolist(), trees.route_start.tolist()
    ways = [tuple(nodes[begin:end]) for begin, end in pairwise(bounds)]
    switches = frozenset(topology.switches)
    number: dict[tuple[int, ...], int] = {}
    used, start = list[int](), [0]
    for root, (begin, end) in zip(trees.root.tolist(), pairwise(trees.start.tolist()), strict=True):
        had = {root}
        for route in trees.route[begin:end].tolist():
            for hop in _fresh_hops(ways[route], had, switches):
                used.append(number.setdefault(hop, len(number)))
        start.append(len(used))
    found = TreeSet(
        k=trees.k,
        root=trees.root,
        copies=trees.copies,
        start=column(start, np.int64),
        route=column(used, np.int32),
        route_start=np.cumsum([0, *map(len, number)]),
        node=column([node for hop in number for node in hop], np.int32),
        optimum=trees.optimum,
        time=trees.optimum,
        cut=trees.cut,
    )
    return found.with_time(inverse_rate(topology, found))


def _fresh_hops(
    way: tuple[int, ...], had: set[int], switches: frozenset[int]
) -> list[tuple[int, ...]]:
    """The hops from host to host that take a share to a way's end; their hosts then have it."""
    if way[-1] in had:
        return []
    first = max(place for place, node in enumerate(way) if node in had)
    stops = [place for place in range(first, len(way)) if way[place] not in switches]
    had.update(way[place] for place in stops)
    return [way[near : far + 1] for near, far in pairwise(stops)]


def host_boxes(topology: Topology) -> list[list[int]]:
    """Hosts, counted from 0, in boxes: what is left joined without the narrowest links.

    As few kinds of links are left out as make several boxes of equal size. Where none do, every
    host is a box of its own.

    >>> from generators.fabrics.dgx import dgx_a100
    >>> [len(box) for box in host_boxes(dgx_a100(2))]
    [8, 8]
    """
    import networkx

    rates = pair_bandwidths(topology)
    hosts = np.delete(np.arange(topology.n), list(topology.switches)).tolist()
    place = {host: i for i, host in enumerate(hosts)}
    for least in sorted(set(rates.values()))[1:]:
        graph = networkx.Graph(pair for pair, rate in rates.items() if rate >= least)
        graph.add_nodes_from(hosts)
        parts = [sorted(place[v] for v in part if v in place)
                 for part in networkx.connected_components(graph)]  # fmt: skip
        boxes = sorted(part for part in parts if part)
        if len({len(box) for box in boxes}) == 1 and 1 < len(boxes) < len(hosts):
            return boxes
    return [[i] for i in range(len(hosts))]


def neighbour_pairs(topology: Topology) -> set[tuple[int, int]]:
    """Pairs of hosts, counted from 0, that a link joins, or links through switches alone."""
    hosts = np.delete(np.arange(topology.n), list(topology.switches)).tolist()
    place, ahead = (
        {host: i for i, host in enumerate(hosts)},
        [set[int]() for _ in range(topology.n)],
    )
    for u, v in pairwise_arcs(topology):
        ahead[u].add(v)
    found = set()
    for host in hosts:
        reached, ready = set(ahead[host]), list(ahead[host])
        while ready:
            node = ready.pop()
            if node not in place:
                ready += ahead[node] - reached
                reached |= ahead[node]
        found |= {(place[host], place[v]) for v in reached if v in place and v != host}
    return found


def pairwise_arcs(topology: Topology) -> list[tuple[int, int]]:
    """The ends of all arcs but self-loops."""
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    return [(u, v) for u, v in ends if u != v]
