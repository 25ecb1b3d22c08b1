"""Routes through switches: the shortest, by rotation."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput, Unsupported
from generators.fabrics.fat_tree import fat_tree
from generators.families.torus import torus
from generators.topology import Topology
from tests.timetable_twin import host_channels
from tests.timetables import small_graphs, star, two_boxes
from topofinder.model.chunk_times import LinkUnits
from topofinder.timetables.paths import switch_routes

UNITS = LinkUnits(latency=Fraction(1, 3), rate=Fraction(2))
GRAPHS = small_graphs()


@given(seed=st.integers(0, 1 << 32), each=st.integers(1, 3))
def test_routes_are_the_shortest_by_rotation(seed: int, each: int) -> None:
    draw = np.random.default_rng(seed)
    n, switches = 6, (3, 4, 5)
    graph = Topology.from_arcs(n, draw.integers(0, n, (14, 2)), switches=switches)
    start, arc = switch_routes(graph, each)
    found = [tuple(arc[a:b].tolist()) for a, b in pairwise(start.tolist())]
    direct, ways = host_channels(graph, longest=4)
    ends = {(graph.tail[a], graph.head[a]) for (a,) in direct}
    for u in range(3):
        for v in range(3):
            mine = [way for way in ways if (graph.tail[way[0]], graph.head[way[-1]]) == (u, v)]
            least = min(map(len, mine), default=0)
            short = {way for way in mine if len(way) == least} if (u, v) not in ends else set()
            chosen = [way for way in found if (graph.tail[way[0]], graph.head[way[-1]]) == (u, v)]
            assert len(chosen) == min(each, len(short)) == len(set(chosen))
            assert set(chosen) <= short


def test_routes_share_the_spines() -> None:
    """Every up-link of a leaf with two hosts and two spines is on as many routes as the other."""
    graph = fat_tree(4, 2, 2)
    start, arc = switch_routes(graph)
    assert len(start) - 1 == 8 * 7
    up = [a for a in range(graph.arcs) if {graph.tail[a], graph.head[a]} <= set(graph.switches)]
    loads = np.bincount(arc, minlength=graph.arcs)[up]
    assert set(loads.tolist()) == {6}
    assert switch_routes(torus(3, 3))[0].tolist() == [0]


def test_refuses() -> None:
    with pytest.raises(InvalidInput, match="each: at least 1 route a pair, not 0"):
        switch_routes(two_boxes(), 0)
    with pytest.raises(Unsupported, match="routes: more than 5 arcs for all pairs"):
        switch_routes(star(3), most=5)
    assert switch_routes(star(3))[0].tolist() == [0, 2, 4, 6, 8, 10, 12]
