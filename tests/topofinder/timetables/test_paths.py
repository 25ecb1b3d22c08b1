"""Paths of exchanges and routes through switches; schedules along them judged by the verifier."""

from fractions import Fraction
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.collective import Collective
from generators.arrays import jump_graph
from generators.errors import InvalidInput, Unsupported
from generators.fabrics.fat_tree import fat_tree
from generators.families.torus import torus
from generators.topology import Topology
from tests.timetable_twin import host_channels, judge
from tests.timetables import small_graphs, star, two_boxes
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.timetables.exchange import schedule_exchange
from topofinder.timetables.paths import balance_paths, switch_routes
from topofinder.timetables.problem import ChunkProblem, exchange_problem, gather_problem
from topofinder.verification.timetables import verify_timetable

UNITS = LinkUnits(latency=Fraction(1, 3), rate=Fraction(2))
GRAPHS = small_graphs()


def random_exchange(graph: Topology, seed: int, model: TimeModel) -> ChunkProblem:
    draw = np.random.default_rng(seed)
    demand = draw.integers(0, 4, (graph.n, graph.n))
    demand[:, list(graph.switches)] = demand[list(graph.switches)] = 0
    demand[0, 1] = 1
    return exchange_problem(
        graph, demand, unit_bytes=Fraction(3), units=UNITS, model=model, chunks=2
    )


@pytest.mark.parametrize("graph", GRAPHS, ids=range(len(GRAPHS)))
@pytest.mark.parametrize("model", list(TimeModel))
def test_is_valid(graph: Topology, model: TimeModel) -> None:
    for seed in range(3):
        problem = random_exchange(graph, seed, model)
        paths = balance_paths(problem)
        routed, sends = schedule_exchange(graph, paths, units=UNITS, model=model)
        table = routed.timetable(sends)
        assert verify_timetable(table).violation is None
        assert judge(table) == set()
        assert balance_paths(problem).arc.tobytes() == paths.arc.tobytes()


@given(seed=st.integers(0, 1 << 32))
def test_paths_are_cheapest(seed: int) -> None:
    graph = GRAPHS[seed % len(GRAPHS)]
    problem = random_exchange(graph, seed, TimeModel.PIPELINED)
    cost = (problem.channels.latency + problem.channels.unit)[: graph.arcs].tolist()
    net = nx.MultiDiGraph()
    for a in range(graph.arcs):
        net.add_edge(int(graph.tail[a]), int(graph.head[a]), weight=cost[a])
    paths = balance_paths(problem)
    start, arc = paths.start, paths.arc
    for x, (first, last) in enumerate(pairwise(start.tolist())):
        way, assigned = arc[first:last].tolist(), problem.target
        assert assigned is not None
        least = nx.dijkstra_path_length(net, int(problem.origin[x]), int(assigned[x]))
        assert sum(cost[a] for a in way) == least


def test_links_of_a_torus_carry_alike() -> None:
    """Dimension-ordered routing loads each link of w by w with w^3 / 8 chunks where w is even."""
    graph = torus(6, 6)
    problem = exchange_problem(
        graph, 1 - np.eye(36, dtype=np.int64), unit_bytes=Fraction(1), units=UNITS
    )
    routed, sends = schedule_exchange(graph, balance_paths(problem), units=UNITS)
    load = np.bincount(sends.channel, minlength=graph.arcs)
    assert load.max() <= 6**3 // 8 + 1
    busiest = load.max() * routed.channels.unit[0]
    assert routed.timetable(sends).makespan - busiest <= routed.channels.latency[0] * 6


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


def test_shifts_fill_the_ports_of_a_switch() -> None:
    """A switch with equal links: every shift is a perfect matching, and no port waits."""
    arcs = [pair for v in range(7) for pair in ((v, 7), (7, v))]
    graph = Topology.from_arcs(8, arcs, switches=(7,))
    demand = 1 - np.eye(8, dtype=np.int64)
    demand[7] = demand[:, 7] = 0
    problem = exchange_problem(graph, demand, unit_bytes=Fraction(1), units=UNITS)
    routed, sends = schedule_exchange(graph, balance_paths(problem), units=UNITS)
    unit = routed.channels.unit[0]
    assert sorted(sends.begin.tolist()) == [t * unit for t in range(6) for _ in range(7)]


def test_refuses() -> None:
    ring = jump_graph(4, [1])
    with pytest.raises(InvalidInput, match="allgather has no targets"):
        balance_paths(gather_problem(ring, size=Fraction(4), units=UNITS))
    with pytest.raises(InvalidInput, match="each: at least 1 route a pair, not 0"):
        switch_routes(two_boxes(), 0)
    with pytest.raises(Unsupported, match="routes: more than 5 arcs for all pairs"):
        switch_routes(star(3), most=5)
    line = Topology.from_arcs(3, [(0, 1), (2, 1)])
    lost = ChunkProblem(
        topology=line, collective=Collective.ALLTOALL, chunk_bytes=Fraction(1), units=UNITS,
        origin=np.array([0], dtype=np.int32), target=np.array([2], dtype=np.int32),
    )  # fmt: skip
    with pytest.raises(InvalidInput, match="node 2 cannot be reached from node 0"):
        balance_paths(lost)
    assert switch_routes(star(3))[0].tolist() == [0, 2, 4, 6, 8, 10, 12]
