"""Targets with circuits left out: hosts have the ports that are left to them, at the least cost."""

from collections import Counter
from fractions import Fraction

import pytest

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
