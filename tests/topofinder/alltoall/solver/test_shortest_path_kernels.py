"""Shortest paths against networkx."""

import numpy as np
import pytest

from tests.concurrent import shortest_twin
from tests.twins import random_topology
from topofinder.alltoall.problem import flow_network
from topofinder.alltoall.solver.shortest_path_kernels import (
    fill_distances,
    fill_tree,
    total_distance,
)


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("seed", range(15))
def test_distances_are_those_of_networkx(seed, kind):
    net = flow_network(random_topology(seed, regular=seed % 2 == 0))
    generator = np.random.default_rng(seed)
    length = (generator.integers(0, 5, net.arcs) * (1 if kind is np.int64 else 0.37)).astype(kind)
    out = np.empty((net.n, net.n), dtype=kind)
    fill_distances(np.arange(net.n, dtype=np.int32), net, length, out)
    expected = shortest_twin(net, length)
    assert np.allclose(out, expected)
    wanted = generator.random((net.n, net.n))
    weight = generator.random(net.n)
    total = total_distance(np.arange(net.n, dtype=np.int32), weight, wanted, net, length)
    assert total == pytest.approx(float((weight[:, None] * wanted * expected).sum()))


@pytest.mark.parametrize("seed", range(15))
def test_trees_hold_shortest_paths_in_order(seed):
    net = flow_network(random_topology(seed))
    length = np.random.default_rng(seed).integers(0, 4, net.arcs)
    distance, parent, order = (np.empty(net.n, dtype=np.int64) for _ in range(3))
    assert fill_tree(0, net, length, distance, parent, order) == net.n
    assert sorted(order.tolist()) == list(range(net.n))
    assert (np.diff(distance[order]) >= 0).all()
    place = np.argsort(order)
    for v in order[1:].tolist():
        u = net.tail[parent[v]]
        assert net.head[parent[v]] == v
        assert place[u] < place[v]
        assert distance[v] == distance[u] + length[parent[v]]
