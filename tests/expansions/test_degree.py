"""G*n against the tensor product with an all-ones graph, by networkx."""

import networkx as nx
import numpy as np
import pytest

from expansions.degree import degree_arcs, degree_expansion
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.twins import random_topology


def loop_free(seed: int) -> Topology:
    topology = random_topology(seed, regular=seed % 2 == 0)
    proper = topology.tail != topology.head
    return Topology(n=topology.n, tail=topology.tail[proper], head=topology.head[proper])


@pytest.mark.parametrize("copies", [1, 2, 3])
@pytest.mark.parametrize("seed", range(15))
def test_equals_the_tensor_product_with_all_ones(seed: int, copies: int) -> None:
    topology = loop_free(seed)
    adjacency = np.zeros((topology.n, topology.n), dtype=int)
    np.add.at(adjacency, (topology.tail, topology.head), 1)
    ones = nx.from_numpy_array(np.ones((copies, copies)), create_using=nx.DiGraph)
    plain = nx.from_numpy_array(adjacency > 0, create_using=nx.DiGraph)
    expected = np.zeros((topology.n * copies,) * 2, dtype=int)
    for (u, i), (v, j) in nx.tensor_product(plain, ones).edges:
        expected[u * copies + i, v * copies + j] = adjacency[u, v]
    found = degree_expansion(topology, copies)
    count = np.zeros_like(expected)
    np.add.at(count, (found.tail, found.head), 1)
    assert np.array_equal(count, expected)


@pytest.mark.parametrize("seed", range(10))
def test_arcs_are_found_by_arc_and_copies(seed: int) -> None:
    topology = loop_free(seed)
    places, found = degree_arcs(topology, 3), degree_expansion(topology, 3)
    assert np.array_equal(np.sort(places, axis=None), np.arange(found.arcs))
    for (e, i, j), arc in np.ndenumerate(places):
        assert found.tail[arc] == topology.tail[e] * 3 + i
        assert found.head[arc] == topology.head[e] * 3 + j
    assert np.all(np.diff(found.tail) >= 0)


def test_copies_turn_without_translation_of_the_base() -> None:
    topology = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0), (1, 0)])
    found = degree_expansion(topology, 2)
    assert found.translation is None
    assert found.orbits is not None
    assert found.orbits.tolist() == [0, 2, 4]


def test_self_loops_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"theorem 11.*node 2 has one"):
        degree_expansion(Topology.from_arcs(3, [(0, 1), (2, 2)]), 2)


def test_impossible_counts_are_refused() -> None:
    ring = jump_graph(4, [1])
    with pytest.raises(InvalidInput, match="copies: at least 1, not 0"):
        degree_expansion(ring, 0)
    with pytest.raises(InvalidInput, match="arcs: at most"):
        degree_expansion(ring, 10_000)
    assert degree_expansion(ring, 1) is ring
