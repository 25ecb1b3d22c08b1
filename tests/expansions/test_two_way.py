"""Bi(G) is G and its transpose."""

import numpy as np
import pytest

from expansions.two_way import two_way
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.twins import random_topology


@pytest.mark.parametrize("seed", range(20))
def test_adjacency_is_the_sum_with_the_transpose(seed: int) -> None:
    topology = random_topology(seed)
    adjacency = np.zeros((topology.n, topology.n), dtype=int)
    np.add.at(adjacency, (topology.tail, topology.head), 1)
    found = two_way(topology)
    count = np.zeros_like(adjacency)
    np.add.at(count, (found.tail, found.head), 1)
    assert np.array_equal(count, adjacency + adjacency.T)
    assert found.is_bidirectional
    assert found.degree == 2 * topology.degree


def test_arc_e_and_its_return_make_a_circuit() -> None:
    found = two_way(jump_graph(5, [1, 2]))
    assert np.array_equal(found.tail[:10], found.head[10:])
    assert np.array_equal(found.head[:10], found.tail[10:])
    assert found.translation is not None
    assert found.translation(3).tolist() == [3, 4, 0, 1, 2]


def test_unequal_links_are_refused() -> None:
    with pytest.raises(InvalidInput, match="capacity"):
        two_way(Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 2)))
