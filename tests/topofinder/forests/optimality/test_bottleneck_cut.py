"""The optimum against all cuts tried one by one, and against published values."""

from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.forests import boxes, random_network, worst_ratio
from tests.twins import random_topology
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network

PUBLISHED = {
    "BiRing(2,16)": "15/2",
    "K(8)": "1",
    "Q(3)": "7/3",
    "Torus(4,4)": "15/4",
    "Mesh(4,4)": "15/2",
    "Torus(3,3,3)": "13/3",
    "Q(5)": "31/5",
    "Pi(4,16)": "5",
    "C(12,{2,3})": "11/4",
}


def check_optimum(network: Network) -> None:
    best = find_optimum(network)
    assert best.inverse_rate == worst_ratio(network)
    inside = np.isin(np.arange(network.n), best.cut)
    assert not inside[network.compute].all()
    leaving = np.flatnonzero(inside[network.tail] & ~inside[network.head])
    assert best.exiting == sum(network.capacity[e] for e in leaving) * network.unit
    assert best.weight == sum(network.weight[v] for v in best.cut)
    assert best.inverse_rate == best.weight / best.exiting


@pytest.mark.parametrize("switches", [False, True])
def test_optimum_is_the_worst_of_all_cuts(switches: bool) -> None:
    for seed in range(150):
        check_optimum(random_network(seed, switches=switches, rational=seed % 2 == 1))


@pytest.mark.parametrize("switches", [False, True])
@pytest.mark.slow
def test_optimum_is_the_worst_of_all_cuts_of_many(switches: bool) -> None:
    for seed in range(150, 1000):
        check_optimum(random_network(seed, switches=switches, rational=seed % 2 == 1))


def test_optimum_of_digraphs_that_are_not_eulerian() -> None:
    for seed in range(60):
        topology = random_topology(seed, regular=False)
        if topology.n <= 9:
            check_optimum(Network.of(topology))


def test_weights_count_instead_of_nodes() -> None:
    for seed in range(60):
        network = random_network(seed, switches=seed % 2 == 0)
        generator = np.random.default_rng(seed)
        weight = [0] * network.n
        for v in network.compute:
            weight[v] = int(generator.integers(0, 4))
        weight[0] += 1
        check_optimum(replace(network, weight=tuple(weight)))


def test_capacities_beyond_64_bits_are_exact() -> None:
    for seed in range(40):
        network = random_network(seed, switches=seed % 2 == 0, rational=True)
        large = tuple(c * 10**30 + i for i, c in enumerate(network.capacity))
        check_optimum(replace(network, capacity=large))
        quick = find_optimum(network)
        slow = find_optimum(network, Cuts.of(network, limit=0))
        assert quick.inverse_rate == slow.inverse_rate
        assert np.array_equal(quick.cut, slow.cut)


@pytest.mark.parametrize("recipe", PUBLISHED)
def test_published_values_of_direct_networks(recipe: str) -> None:
    topology = build(parse(recipe))
    loop_free = topology.tail != topology.head
    topology = Topology(n=topology.n, tail=topology.tail[loop_free], head=topology.head[loop_free])
    assert find_optimum(Network.of(topology)).inverse_rate == Fraction(PUBLISHED[recipe])


def test_petersen_graph() -> None:
    petersen = Topology.from_arcs(10, list(nx.petersen_graph().to_directed().edges))
    assert find_optimum(Network.of(petersen)).inverse_rate == 3


def test_the_bottleneck_of_boxes_is_a_box() -> None:
    best = find_optimum(Network.of(boxes(2)))
    assert best.inverse_rate == 1
    assert (best.weight, best.exiting, best.algbw) == (4, 4, 8)


def breadth_first(network: Network) -> np.ndarray:
    """The compute nodes in breadth-first order along the arcs, started anew where it ends."""
    after: list[list[int]] = [[] for _ in range(network.n)]
    for u, v in zip(network.tail.tolist(), network.head.tolist(), strict=True):
        after[u].append(v)
    seen: dict[int, None] = {}
    for root in network.compute.tolist():
        queue = [] if root in seen else [root]
        for v in queue:
            seen[v] = None
            queue.extend(dict.fromkeys(u for u in after[v] if u not in seen and u not in queue))
    senders = set(network.compute.tolist())
    return np.array([v for v in seen if v in senders], dtype=np.int32)


def test_targets_are_in_breadth_first_order() -> None:
    for seed in range(30):
        network = random_network(seed, switches=True)
        order = Cuts.of(network).order
        twin = breadth_first(network)
        assert sorted(order) == sorted(twin) == network.compute.tolist()
        assert order.tolist() == twin.tolist()


def test_nodes_that_cannot_be_reached_are_named() -> None:
    arcs = [(0, 1), (1, 0), (2, 3), (3, 2)]
    topology = Topology.from_arcs(4, arcs, names=("a", "b", "c", "d"))
    with pytest.raises(InvalidInput, match=r"^node [a-d] cannot be reached from node [a-d]$"):
        find_optimum(Network.of(topology))


def test_fabrics_that_cannot_be_used_are_refused() -> None:
    ring = [(0, 1), (1, 2), (2, 0)]
    with pytest.raises(InvalidInput, match=r"^nodes: at least 2 compute nodes, not 1$"):
        Network.of(Topology.from_arcs(3, ring, switches=(1, 2)))
    with pytest.raises(InvalidInput, match=r"^node 3: no link leads out$"):
        Network.of(Topology.from_arcs(4, [*ring, (0, 3)]))
    with pytest.raises(InvalidInput, match=r"^weights: node 2 cannot send 1$"):
        Network.of(Topology.from_arcs(3, ring, switches=(2,)), [1, 1, 1])
    links = [(0, 2), (2, 1), (2, 0), (0, 1), (1, 0)]
    uneven = Network.of(Topology.from_arcs(3, links, switches=(2,)))
    with pytest.raises(InvalidInput, match=r"^switch 2: bandwidth 1 in, but 2 out"):
        uneven.require_eulerian()
