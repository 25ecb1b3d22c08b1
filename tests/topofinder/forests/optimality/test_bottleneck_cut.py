"""The optimum against all cuts tried one by one, and against published values."""

from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import topofinder.forests.optimality.cuts
from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.forests import boxes, random_fabric, worst_ratio
from tests.twins import random_topology
from topofinder.forests.optimality.bottleneck_cut import optimality
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.exact import breadth_first
from topofinder.forests.optimality.network import Fabric

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


def check_optimum(fabric: Fabric) -> None:
    best = optimality(fabric)
    assert best.inverse_rate == worst_ratio(fabric)
    inside = np.isin(np.arange(fabric.n), best.cut)
    assert not inside[fabric.compute].all()
    leaving = np.flatnonzero(inside[fabric.tail] & ~inside[fabric.head])
    assert best.exiting == sum(fabric.capacity[e] for e in leaving) * fabric.unit
    assert best.weight == sum(fabric.weight[v] for v in best.cut)
    assert best.inverse_rate == best.weight / best.exiting


@pytest.mark.parametrize("switches", [False, True])
def test_optimum_is_the_worst_of_all_cuts(switches: bool) -> None:
    for seed in range(150):
        check_optimum(random_fabric(seed, switches=switches, rational=seed % 2 == 1))


@pytest.mark.parametrize("switches", [False, True])
@pytest.mark.slow
def test_optimum_is_the_worst_of_all_cuts_of_many(switches: bool) -> None:
    for seed in range(150, 1000):
        check_optimum(random_fabric(seed, switches=switches, rational=seed % 2 == 1))


def test_optimum_of_digraphs_that_are_not_eulerian() -> None:
    for seed in range(60):
        topology = random_topology(seed, regular=False)
        if topology.n <= 9:
            check_optimum(Fabric.of(topology))


def test_weights_count_instead_of_nodes() -> None:
    for seed in range(60):
        fabric = random_fabric(seed, switches=seed % 2 == 0)
        generator = np.random.default_rng(seed)
        weight = [0] * fabric.n
        for v in fabric.compute:
            weight[v] = int(generator.integers(0, 4))
        weight[0] += 1
        check_optimum(replace(fabric, weight=tuple(weight)))


def test_capacities_beyond_64_bits_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(40):
        fabric = random_fabric(seed, switches=seed % 2 == 0, rational=True)
        large = tuple(c * 10**30 + i for i, c in enumerate(fabric.capacity))
        check_optimum(replace(fabric, capacity=large))
        quick = optimality(fabric)
        monkeypatch.setattr(topofinder.forests.optimality.cuts, "LIMIT", 0)
        slow = optimality(fabric)
        monkeypatch.undo()
        assert quick.inverse_rate == slow.inverse_rate
        assert np.array_equal(quick.cut, slow.cut)


@pytest.mark.parametrize("recipe", PUBLISHED)
def test_published_values_of_direct_networks(recipe: str) -> None:
    topology = build(parse(recipe))
    loop_free = topology.tail != topology.head
    topology = Topology(n=topology.n, tail=topology.tail[loop_free], head=topology.head[loop_free])
    assert optimality(Fabric.of(topology)).inverse_rate == Fraction(PUBLISHED[recipe])


def test_petersen_graph() -> None:
    petersen = Topology.from_arcs(10, list(nx.petersen_graph().to_directed().edges))
    assert optimality(Fabric.of(petersen)).inverse_rate == 3


def test_the_bottleneck_of_boxes_is_a_box() -> None:
    best = optimality(Fabric.of(boxes(2)))
    assert best.inverse_rate == 1
    assert (best.weight, best.exiting, best.algbw) == (4, 4, 8)


def test_targets_are_in_breadth_first_order() -> None:
    for seed in range(30):
        fabric = random_fabric(seed, switches=True)
        order = Cuts(fabric.n, fabric.tail, fabric.head, fabric.compute).order
        twin = breadth_first(fabric.n, fabric.tail, fabric.head, fabric.compute)
        assert sorted(order) == sorted(twin) == fabric.compute.tolist()
        assert order.tolist() == twin.tolist()


def test_nodes_that_cannot_be_reached_are_named() -> None:
    arcs = [(0, 1), (1, 0), (2, 3), (3, 2)]
    topology = Topology.from_arcs(4, arcs, names=("a", "b", "c", "d"))
    with pytest.raises(InvalidInput, match=r"^node [a-d] cannot be reached from node [a-d]$"):
        optimality(Fabric.of(topology))


def test_fabrics_that_cannot_be_used_are_refused() -> None:
    ring = [(0, 1), (1, 2), (2, 0)]
    with pytest.raises(InvalidInput, match=r"^nodes: at least 2 compute nodes, not 1$"):
        Fabric.of(Topology.from_arcs(3, ring, switches=(1, 2)))
    with pytest.raises(InvalidInput, match=r"^node 3: no link leads out$"):
        Fabric.of(Topology.from_arcs(4, [*ring, (0, 3)]))
    with pytest.raises(InvalidInput, match=r"^weights: node 2 cannot send 1$"):
        Fabric.of(Topology.from_arcs(3, ring, switches=(2,)), [1, 1, 1])
    links = [(0, 2), (2, 1), (2, 0), (0, 1), (1, 0)]
    uneven = Fabric.of(Topology.from_arcs(3, links, switches=(2,)))
    with pytest.raises(InvalidInput, match=r"^switch 2: bandwidth 1 in, but 2 out"):
        uneven.require_eulerian()
