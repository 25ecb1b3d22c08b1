"""Orientations and colours of small multigraphs, against networkx and all ways of colouring."""

from itertools import product

import networkx as nx
import numpy as np
import pytest

from topofinder.patching.orientation import TwoColouring, turned_circuits

SEEDS = range(150)


def drawn_ends(seed: int) -> tuple[int, list[tuple[int, int]]]:
    """A multigraph of 1 to 8 nodes without loops."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 9))
    count = int(random.integers(14)) if n > 1 else 0
    return n, [tuple(random.permutation(n)[:2].tolist()) for _ in range(count)]


def columns(ends: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    tail, head = np.array(ends, dtype=np.int32).reshape(-1, 2).T
    return tail, head


@pytest.mark.parametrize("seed", SEEDS)
def test_every_node_is_left_as_often_as_entered(seed: int) -> None:
    n, ends = drawn_ends(seed)
    turned = turned_circuits(n, *columns(ends)).tolist()
    surplus = [0] * n
    for (u, v), back in zip(ends, turned, strict=True):
        surplus[v if back else u] += 1
        surplus[u if back else v] -= 1
    degree = nx.MultiGraph(ends).degree
    assert [abs(one) for one in surplus] == [
        degree[v] % 2 if v in nx.MultiGraph(ends) else 0 for v in range(n)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_two_colours_or_an_odd_cycle(seed: int) -> None:
    n, ends = drawn_ends(seed)
    graph = nx.MultiGraph(ends)
    found = TwoColouring(n, *columns(ends))
    assert bool(found.cycle) == (not nx.is_bipartite(graph))
    if cycle := found.cycle:
        assert len(cycle) % 2 == 1
        assert len(set(cycle)) == len(cycle) >= 3
        assert all(graph.has_edge(a, b) for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True))
        return
    ways = product((0, 1), repeat=n)
    counts = {way.count(0) for way in ways if all(way[a] != way[b] for a, b in ends)}
    for least in range(n + 1):
        for most in range(least, n + 1):
            colour = found.with_counts(least, most)
            assert (colour is not None) == bool(counts & set(range(least, most + 1)))
            if colour is not None:
                assert least <= np.count_nonzero(colour == 0) <= most
                assert all(colour[a] != colour[b] for a, b in ends)
