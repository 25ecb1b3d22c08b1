"""Trees with one route an edge: the packed trees, on bundles that are used in order."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from generators.fabrics.names import fabric_of
from generators.topology import Topology
from topofinder.forests.build import pack_forest
from topofinder.forests.collectives.multicast import skip_multicast_hops
from topofinder.forests.collectives.routed_trees import route_trees
from topofinder.forests.optimality.bottleneck_cut import Optimum
from topofinder.forests.optimality.network import Network
from topofinder.forests.packed_forest import PackedForest
from topofinder.model.forest import link_loads
from topofinder.model.tree_set import TreeSet


def unit_trees(made: PackedForest) -> Counter[tuple[int, ...]]:
    """Every single tree by its root and the routes of its edges, copy by copy, written out."""
    used = Counter[int]()
    network = made.network
    rows = {}
    for i in range(made.trees):
        arcs = made.arc[made.start[i] : made.start[i + 1]].tolist()
        for copy in range(int(made.copies[i])):
            key: list[tuple[int, ...]] = []
            for a in arcs:
                place = used[a]
                used[a] += 1
                bundle = int(made.bundle_start[a])
                while place >= made.amount[bundle]:
                    place -= int(made.amount[bundle])
                    bundle += 1
                hops = made.route[made.route_start[bundle] : made.route_start[bundle + 1]].tolist()
                key.append((*(int(network.tail[e]) for e in hops), int(network.head[hops[-1]])))
            rows[i, copy] = (int(made.root[i]), *key)
    return Counter(rows.values())


def listed(trees: TreeSet) -> Counter[tuple[int, ...]]:
    found: Counter[tuple[int, ...]] = Counter()
    for i in range(trees.trees):
        key = []
        for r in trees.route[trees.start[i] : trees.start[i + 1]].tolist():
            key.append(tuple(trees.node[trees.route_start[r] : trees.route_start[r + 1]].tolist()))
        found[int(trees.root[i]), *key] += int(trees.copies[i])
    return found


def by_hand() -> PackedForest:
    """Two hosts, two switches between them, three copies of one tree over two routes."""
    ends = [(0, 2), (2, 1), (0, 3), (3, 1), (1, 2), (2, 0), (1, 3), (3, 0)]
    topology = Topology.from_arcs(4, ends, capacity=(2, 2, 1, 1) * 2, switches=(2, 3))
    network = Network.of(topology)
    number = {
        pair: e
        for e, pair in enumerate(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    }
    paths = [[(0, 2), (2, 1)], [(0, 3), (3, 1)], [(1, 2), (2, 0)], [(1, 3), (3, 0)]]
    return PackedForest(
        network=network,
        optimum=Optimum(
            inverse_rate=Fraction(1, 3),
            cut=np.array([0], np.int32),
            weight=1,
            exiting=Fraction(3),
            total=2,
        ),
        k=3,
        inverse_tree=Fraction(1),
        root=np.array([0, 1], np.int32),
        copies=np.array([3, 3]),
        start=np.array([0, 1, 2]),
        arc=np.array([0, 1], np.int32),
        tail=np.array([0, 1], np.int32),
        head=np.array([1, 0], np.int32),
        capacity=np.array([3, 3]),
        bundle_start=np.array([0, 2, 4]),
        amount=np.array([2, 1, 2, 1]),
        route_start=np.array([0, 2, 4, 6, 8]),
        route=np.array([number[pair] for path in paths for pair in path], np.int32),
        method="by hand",
    )


def test_copies_are_split_where_a_route_ends() -> None:
    trees = route_trees(by_hand())
    assert trees.copies.tolist() == [2, 1, 2, 1]
    assert link_loads(trees)[0, 2] == 2
    assert link_loads(trees)[0, 3] == 1


@pytest.mark.parametrize("subject", ["DGXA100(2)", "MI250(2)", "RailOnly(3,2)", "FatTree(4)"])
def test_routes_are_those_of_the_bundles_in_order(subject: str) -> None:
    made = pack_forest(Network.of(fabric_of(subject)[1]))
    trees = route_trees(made)
    assert listed(trees) == unit_trees(made)


def slow_skips(trees: TreeSet, topology: Topology) -> list[int]:
    found = []
    for i in range(trees.trees):
        has: set[int] = set()
        for r in trees.route[trees.start[i] : trees.start[i + 1]].tolist():
            stops = trees.node[trees.route_start[r] : trees.route_start[r + 1]].tolist()
            found.append(max((p for p, stop in enumerate(stops) if stop in has), default=0))
            has |= {stop for stop in stops[found[-1] + 1 : -1] if stop in topology.multicast}
    return found


@pytest.mark.parametrize("subject", ["DGXH100(1)", "DGXH100(2)", "RailOnly(4)"])
def test_spared_hops_are_those_of_the_slow_twin(subject: str) -> None:
    topology = fabric_of(subject)[1]
    trees = route_trees(pack_forest(Network.of(topology)))
    assert skip_multicast_hops(trees, topology).multicast_skips.tolist() == slow_skips(
        trees, topology
    )
    plain = Topology(n=topology.n, tail=topology.tail, head=topology.head)
    assert not skip_multicast_hops(trees, plain).multicast_skips.any()
