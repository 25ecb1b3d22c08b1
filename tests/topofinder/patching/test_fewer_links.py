"""Targets with circuits left out: hosts have the ports that are left to them, at the least cost."""

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from generators.topology import Topology
from tests.fabrics import topology
from topofinder.patching.fewer_links import bfb_costs, fewer_links


@pytest.mark.parametrize("name", ["Torus(6,6)", "C(36,{4,5})"])
@pytest.mark.parametrize("lacks", [[1], [1, 1], [1, 1, 1], [1] * 6, [2], [2, 1]])
def test_no_host_loses_more_than_the_worst_must(name: str, lacks: list[int]) -> None:
    graph = topology(name)
    rooms = [4] * (graph.n - len(lacks)) + [4 - lack for lack in lacks]
    left = fewer_links(graph, zip(rooms, rooms, strict=True), duplex=True)
    assert left is not None
    assert graph.arcs - left.arcs == 2 * max(-(-sum(lacks) // 2), max(lacks))
    degrees = sorted(Counter(left.tail.tolist()).values())
    assert all(d <= room for d, room in zip(degrees, sorted(rooms), strict=True))
    # A host that hears over d - k of d links needs d / (d - k) times as long for its N - 1 shards.
    found = bfb_costs(left, 4)
    assert found is not None
    least = Fraction(graph.n - 1, graph.n) * Fraction(4, 4 - max(lacks))
    assert all(least <= cost.bandwidth <= least * Fraction(21, 20) for cost in found)


@pytest.mark.parametrize("lacks", [[1], [1, 1, 1], [2, 1]])
def test_a_dead_port_is_lost_both_ways_in_simplex(lacks: list[int]) -> None:
    graph = topology("Pi(4,32)")
    rooms = [4] * (graph.n - len(lacks)) + [4 - lack for lack in lacks]
    left = fewer_links(graph, zip(rooms, rooms, strict=True), duplex=False)
    assert left is not None
    for ends in (left.tail, left.head):
        degrees = sorted(Counter(ends.tolist()).values())
        assert all(d <= room for d, room in zip(degrees, sorted(rooms), strict=True))
    assert bfb_costs(left, 4) is not None


def test_nothing_is_left_of_a_ring_in_pieces() -> None:
    rooms = [(2, 2)] * 5 + [(1, 1)] * 3
    assert fewer_links(topology("BiRing(2,8)"), rooms, duplex=True) is None


@pytest.mark.parametrize("side", [0, 1])
def test_a_host_that_lost_a_fibre_keeps_the_other_of_its_port(side: int) -> None:
    graph = topology("Pi(4,32)")
    short = (3, 4) if side == 0 else (4, 3)
    left = fewer_links(graph, [(4, 4)] * 31 + [short], duplex=False)
    assert left is not None
    loops = int((graph.tail == graph.head).sum())
    assert graph.arcs - loops - left.arcs <= 1
    assert bfb_costs(left, 4) is not None


@pytest.mark.parametrize("seed", range(8))
def test_hosts_have_the_ports_of_each_rate_that_are_left(seed: int) -> None:
    """A matching of nodes and hosts says whether all of these have what their nodes need."""
    draw, rates = random.Random(seed), (Fraction(1), Fraction(2))
    plain, duplex = topology("C(16,{3,4})" if seed % 2 else "Pi(4,16)"), seed % 2 == 1
    fast = [
        (v - u) % 16 in (3, 13) if duplex else (4 * u + 16 - 1 - v) % 16 < 2
        for u, v in zip(plain.tail.tolist(), plain.head.tolist(), strict=True)
    ]
    speeds = tuple(rates[1] if one else rates[0] for one in fast)
    graph = replace(plain, capacity=speeds, unit_rate=Fraction(1), translation=None, orbits=None)
    whole = _ports_at(graph, rates).max(axis=0)
    rooms = [np.maximum(whole - _lost_ports(draw, duplex=duplex), 0) for _ in range(16)]
    left = fewer_links(
        graph, rooms, duplex=duplex, rates=rates, costs=lambda one: bfb_costs(_equal(one), 4)
    )
    if left is None:
        return
    need, pairs = _ports_at(left, rates), nx.Graph()
    pairs.add_nodes_from(range(16))
    pairs.add_edges_from(
        (v, 16 + h) for v in range(16) for h in range(16) if (need[v] <= rooms[h]).all()
    )
    assert len(nx.bipartite.maximum_matching(pairs, range(16))) == 32
    assert left.arcs < graph.arcs or all((room >= whole).all() for room in rooms)


def _equal(graph: Topology) -> Topology:
    return replace(graph, capacity=None, unit_rate=None)


def _ports_at(graph: Topology, rates: tuple[Fraction, ...]) -> np.ndarray:
    found = np.zeros((graph.n, 2, len(rates)), dtype=int)
    rows = zip(graph.tail.tolist(), graph.head.tolist(), graph.capacity, strict=True)
    for u, v, rate in rows:
        if u != v:
            found[u, 0, rates.index(rate)] += 1
            found[v, 1, rates.index(rate)] += 1
    return found


def _lost_ports(draw: random.Random, *, duplex: bool) -> np.ndarray:
    lost = np.zeros((2, 2), dtype=int)
    if draw.random() < 0.3:
        lost[draw.randrange(2), draw.randrange(2)] = 1
    return lost | lost[::-1] if duplex else lost
