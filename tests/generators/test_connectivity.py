"""Which nodes reach which, beside networkx."""

import networkx as nx
import numpy as np
import pytest

from generators.connectivity import FEW_STEPS, reachable, unreachable_pair
from generators.topology import Topology


@pytest.mark.parametrize("seed", range(60))
def test_what_is_reached_is_what_networkx_finds(seed: int) -> None:
    generator = np.random.default_rng(seed)
    n = int(generator.integers(1, 120))
    arcs = generator.integers(0, n, (int(generator.integers(0, 3 * n)), 2))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(arcs.tolist())
    found = reachable(arcs[:, 0], arcs[:, 1], n, 0)
    assert set(np.flatnonzero(found)) == {0, *nx.descendants(graph, 0)}


@pytest.mark.parametrize("n", [FEW_STEPS, FEW_STEPS + 1, FEW_STEPS + 2, 500])
def test_walks_of_many_steps_are_followed_to_their_end(n: int) -> None:
    ring = [(node, (node + 1) % n) for node in range(n)]
    assert unreachable_pair(Topology.from_arcs(n, ring)) is None
    assert unreachable_pair(Topology.from_arcs(n, ring[:-1])) == (1, 0)
    assert reachable(np.arange(n - 2), np.arange(1, n - 1), n, 0).tolist() == [True] * (n - 1) + [
        False
    ]
