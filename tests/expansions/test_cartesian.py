"""Products and powers against networkx."""

import itertools
from math import prod

import networkx as nx
import numpy as np
import pytest

from expansions.cartesian import cartesian_power, cartesian_product, product_arcs
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.twins import random_topology


def weighted(topology: Topology) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(topology.n))
    for u, v in zip(topology.tail.tolist(), topology.head.tolist(), strict=True):
        graph.add_edge(u, v, arcs=graph.get_edge_data(u, v, {"arcs": 0})["arcs"] + 1)
    return graph


def without_loops(seed: int) -> Topology:
    topology = random_topology(seed)
    proper = topology.tail != topology.head
    return Topology(n=topology.n, tail=topology.tail[proper], head=topology.head[proper])


@pytest.mark.parametrize("seed", range(30))
def test_equals_the_product_of_networkx(seed: int) -> None:
    one, other = without_loops(seed), without_loops(seed + 100)
    twin = nx.cartesian_product(weighted(one), weighted(other))
    expected = {
        (u * other.n + i, v * other.n + j, value["arcs"])
        for (u, i), (v, j), value in twin.edges(data=True)
    }
    found = weighted(cartesian_product(one, other))
    assert set(found.edges(data="arcs")) == expected
    assert len(found) == one.n * other.n


def test_the_product_is_associative_to_the_last_arc() -> None:
    a, b, c = (random_topology(seed) for seed in (1, 2, 5))
    flat = cartesian_product(a, b, c)
    for nested in (
        cartesian_product(cartesian_product(a, b), c),
        cartesian_product(a, cartesian_product(b, c)),
    ):
        assert np.array_equal(flat.tail, nested.tail)
        assert np.array_equal(flat.head, nested.head)


def test_a_power_is_a_product_of_equals() -> None:
    graph = random_topology(3)
    assert cartesian_power(graph, 2).same_arcs(cartesian_product(graph, graph))
    assert cartesian_power(graph, 1) is graph


@pytest.mark.parametrize("seed", range(8))
def test_arcs_are_found_by_factor_and_place(seed: int) -> None:
    graphs = [random_topology(seed + shift) for shift in (0, 20, 40)]
    found, sizes = cartesian_product(*graphs), [graph.n for graph in graphs]
    arrays = product_arcs(*graphs)
    every = np.concatenate([array.ravel() for array in arrays])
    assert np.array_equal(np.sort(every), np.arange(found.arcs))
    for place, (graph, array) in enumerate(zip(graphs, arrays, strict=True)):
        right = prod(sizes[place + 1 :])
        for left, e, r in itertools.product(*map(range, array.shape)):
            arc = array[left, e, r]
            assert found.tail[arc] == (left * graph.n + graph.tail[e]) * right + r
            assert found.head[arc] == (left * graph.n + graph.head[e]) * right + r


def test_orbits_of_powers_are_multisets() -> None:
    path = Topology.from_arcs(3, [(0, 1), (1, 0), (1, 2), (2, 1)], orbits=np.array([0, 1]))
    square = cartesian_power(path, 2)
    assert square.orbits is not None
    assert square.orbits.tolist() == [0, 1, 4]
    other = cartesian_product(path, jump_graph(4, [1]))
    assert other.orbits is not None
    assert other.orbits.tolist() == [0, 4]
    assert other.translation is None


def test_a_product_of_transitive_graphs_is_transitive() -> None:
    found = cartesian_product(jump_graph(4, [1]), jump_graph(3, [1, 2]))
    assert found.translation is not None
    assert found.orbits is not None
    assert found.orbits.tolist() == [0]
    assert found.is_transitive


def test_impossible_products_are_refused() -> None:
    ring = jump_graph(4, [1])
    with pytest.raises(InvalidInput, match="at least one factor"):
        cartesian_product()
    with pytest.raises(InvalidInput, match="exponent: at least 1, not 0"):
        cartesian_power(ring, 0)
    with pytest.raises(InvalidInput, match="nodes: at most"):
        cartesian_power(ring, 11)
    with pytest.raises(InvalidInput, match="latency"):
        cartesian_product(ring, Topology.from_arcs(2, [(0, 1), (1, 0)], latency=(0, 1)))
