"""Bounds of timetables: never above the best there is, as found by trying all, nor any maker's."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.arrays import jump_graph
from generators.errors import InvalidInput, Unsupported
from generators.topology import Int64Array, Topology
from tests.timetables import all_to_all_problem, star, two_boxes, uneven
from tests.twins import random_topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.timetables.bounds import (
    _LinkSide,
    allreduce_time_bound,
    timetable_bounds,
    tree_allreduce_bound,
)
from topofinder.timetables.bounds_kernels import distances_to
from topofinder.timetables.portfolio import synthesize
from topofinder.timetables.problem import ChunkProblem, gather_problem
from topofinder.timetables.rounds import schedule_rounds
from topofinder.timetables.task import TimedTask, are_equal

AT_ONCE = LinkUnits(latency=Fraction(0), rate=Fraction(1))
AT_LENGTH = LinkUnits(latency=Fraction(1), rate=Fraction(1))
Holdings = tuple[frozenset[int], ...]


def best_rounds(problem: ChunkProblem) -> int:
    """The least rounds without latency: all holdings that each number of rounds can lead to."""
    graph, origin = problem.topology, problem.origin.tolist()
    every = frozenset(range(len(origin)))
    states = {tuple(frozenset(x for x in every if origin[x] == v) for v in range(graph.n))}
    rounds = 0
    while not any(all(mine == every for mine in state) for state in states):
        states = {after for state in states for after in next_holdings(graph, state, every)}
        rounds += 1
    return rounds


def next_holdings(graph: Topology, state: Holdings, every: frozenset[int]) -> Iterator[Holdings]:
    """What may be held a round later, where every node takes as much as it can."""
    options = []
    for v, mine in enumerate(state):
        tails = graph.tail[(graph.head == v) & (graph.tail != v)].tolist()
        offers = [sorted(state[u] - mine) or [-1] for u in tails]
        gains = {frozenset(pick) - {-1} for pick in product(*offers)}
        options.append([mine | gain for gain in gains if not any(gain < more for more in gains)])
    yield from product(*options)


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), chunks=st.integers(1, 2), root=st.none() | st.just(0))
def test_never_above_the_best_of_all_timetables(seed: int, chunks: int, root: int | None) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 5))
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
    arcs = [pairs[i] for i in random.integers(0, len(pairs), int(random.integers(n, 2 * n + 1)))]
    if not nx.is_strongly_connected(graph := nx.MultiDiGraph(arcs)) or len(graph) < n:
        return
    chunks = chunks if n < 4 or root is not None else 1
    problem = gather_problem(
        Topology.from_arcs(n, arcs), size=Fraction(1), units=AT_ONCE, chunks=chunks, root=root
    )
    problem = replace(problem, chunk_bytes=Fraction(1))
    assert timetable_bounds(problem).best <= best_rounds(problem)


@st.composite
def problems(draw: st.DrawFn) -> ChunkProblem:
    graph = random_topology(draw(st.integers(0, 500)), regular=draw(st.booleans()))
    return gather_problem(
        graph,
        size=Fraction(7, 3),
        units=LinkUnits(latency=draw(st.sampled_from([0, Fraction(1, 9), 3])), rate=Fraction(2)),
        model=draw(st.sampled_from(TimeModel)),
        chunks=draw(st.integers(1, 4)),
        root=draw(st.none() | st.just(0)),
    )


@given(problem=problems())
def test_no_timetable_in_rounds_is_below(problem: ChunkProblem) -> None:
    if problem.topology.n == 1:
        return
    found = timetable_bounds(problem)
    seconds = problem.timetable(schedule_rounds(problem, seed=1)).seconds
    assert found.any_chunks <= found.best <= seconds
    few = timetable_bounds(problem, most_cut_nodes=0, most_arc_looks=0)
    assert few.cut is None
    assert few.best <= found.best


@pytest.mark.parametrize(
    ("recipe", "chunks"), [("Torus(4,4)", 1), ("Mesh(5,5)", 1), ("Q(4)", 3), ("K(3,3)", 2)]
)
@pytest.mark.parametrize("model", TimeModel)
def test_bounds_that_are_met(recipe: str, chunks: int, model: TimeModel) -> None:
    problem = gather_problem(
        build(parse(recipe)), size=Fraction(1), units=AT_ONCE, model=model, chunks=chunks
    )
    seconds = problem.timetable(schedule_rounds(problem, seed=1)).seconds
    assert timetable_bounds(problem).best == seconds


def test_release_of_far_sources() -> None:
    """Node 3 of the line waits 3 for the first byte of node 0, which then takes 1."""
    line = Topology.from_arcs(4, [(0, 1), (1, 2), (2, 3), (3, 2), (2, 1), (1, 0)])
    units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
    found = timetable_bounds(gather_problem(line, size=Fraction(4), units=units))
    assert (found.cut, found.release) == (4, 4)
    slow = LinkUnits(latency=Fraction(10), rate=Fraction(1))
    found = timetable_bounds(gather_problem(line, size=Fraction(4), units=slow))
    assert (found.cut, found.release, found.rounds) == (13, 31, 33)


def test_a_broadcast_leaves_its_root_before_it_arrives() -> None:
    ring = jump_graph(4, [1])
    units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
    problem = gather_problem(ring, size=Fraction(4), units=units, chunks=4, root=0)
    found = timetable_bounds(problem)
    assert (found.cut, found.release, found.rounds) == (5, 7, 9)
    assert problem.timetable(schedule_rounds(problem, seed=1)).seconds == 9


def test_a_one_way_broadcast_needs_no_way_back() -> None:
    path = Topology.from_arcs(3, [(0, 1), (1, 2)])
    problem = gather_problem(path, size=Fraction(2), units=AT_ONCE, root=0)
    assert timetable_bounds(problem).best == 4
    with pytest.raises(InvalidInput, match=r"node 0 cannot reach node [12]"):
        timetable_bounds(gather_problem(path.transpose(), size=Fraction(2), units=AT_ONCE, root=0))


def test_an_exchange_passes_links_as_often_as_distances_say() -> None:
    ring = jump_graph(4, [1])
    found = timetable_bounds(all_to_all_problem(ring, AT_ONCE))
    assert (found.exchange, found.release, found.cut) == (6, 3, None)
    assert timetable_bounds(all_to_all_problem(ring, AT_ONCE), exchange=Fraction(7)).best == 7
    late = LinkUnits(latency=Fraction(10), rate=Fraction(1))
    assert timetable_bounds(all_to_all_problem(ring, late)).release == 31


def test_links_of_all_kinds_and_switches() -> None:
    for graph in (uneven(random_topology(5), 1), star(4)):
        units = LinkUnits(latency=Fraction(1, 7), rate=Fraction(3))
        problem = gather_problem(graph, size=Fraction(5), units=units)
        found = timetable_bounds(problem)
        assert found.rounds is None
        assert found.release == max(slow_release(problem, v) for v in problem.hosts.tolist())


def slow_release(problem: ChunkProblem, v: int) -> Fraction:
    """The release bound into v and out of v, by networkx, one source after the other."""
    graph, units = problem.topology, problem.units
    ways = nx.DiGraph()
    into = out = Fraction(0)
    late, width = graph.latency or (1,) * graph.arcs, graph.capacity or (1,) * graph.arcs
    for a, b, wait, wide in zip(graph.tail, graph.head, late, width, strict=True):
        if a != b:
            known = ways.get_edge_data(a, b, {"weight": wait})["weight"]
            ways.add_edge(a, b, weight=min(wait, known))
            into, out = into + wide * (b == v), out + wide * (a == v)
    near = nx.single_source_dijkstra_path_length(ways.reverse(), v)
    far = nx.single_source_dijkstra_path_length(ways, v)
    others = [u for u in problem.hosts.tolist() if u != v]
    part = problem.chunk_bytes / units.rate
    arriving = max(
        near[u] * units.latency + part / into * sum(near[w] >= near[u] for w in others)
        for u in others
    )
    return max(arriving, max(far[u] for u in others) * units.latency + part / out)


@pytest.mark.parametrize(
    ("recipe", "seconds"),
    [("Mesh(10,10)", Fraction(11, 20)), ("Torus(4,4)", Fraction(15, 32)), ("K(3)", Fraction(2, 3))],
)
def test_an_allreduce_of_trees(recipe: str, seconds: Fraction) -> None:
    problem = gather_problem(build(parse(recipe)), size=Fraction(1), units=AT_ONCE)
    assert allreduce_time_bound(problem) == seconds
    assert allreduce_time_bound(problem, most_cut_nodes=0) <= seconds


def test_an_allreduce_waits_for_the_farthest() -> None:
    units = LinkUnits(latency=Fraction(5), rate=Fraction(100))
    problem = gather_problem(jump_graph(6, [1]), size=Fraction(1), units=units)
    assert allreduce_time_bound(problem) == 25


@given(seed=st.integers(0, 500))
def test_distances_as_of_networkx(seed: int) -> None:
    graph = random_topology(seed)
    length = np.random.default_rng(seed).integers(0, 5, graph.arcs)
    order = np.argsort(graph.head, kind="stable")
    start: Int64Array = np.searchsorted(graph.head[order], np.arange(graph.n + 1)).astype(np.int64)
    found = distances_to(0, start, graph.tail[order].astype(np.int64), length[order])
    ways = nx.MultiDiGraph()
    for u, v, far in zip(graph.tail, graph.head, length, strict=True):
        ways.add_edge(int(v), int(u), weight=int(far))
    assert found.tolist() == [
        nx.single_source_dijkstra_path_length(ways, 0)[v] for v in range(graph.n)
    ]


def test_a_single_host_takes_no_time() -> None:
    problem = gather_problem(Topology.from_arcs(1, []), size=Fraction(1), units=AT_ONCE)
    assert timetable_bounds(problem).best == allreduce_time_bound(problem) == 0


def test_switches_are_cut_through_and_take_no_rounds() -> None:
    units = LinkUnits(latency=Fraction(1, 4), rate=Fraction(1))
    found = timetable_bounds(gather_problem(two_boxes(), size=Fraction(8), units=units))
    assert found.rounds is None
    assert found.cut is not None


def test_what_makes_bounds_impossible_is_told_before_rates_are_added_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_LinkSide, "rate", lambda side, v: pytest.fail("added up"))
    pair = [(0, 1), (1, 0)]
    primes = [Fraction(1, p) for p in (10**9 + 7, 10**9 + 9)]
    fine = Topology.from_arcs(2, pair, latency=primes)
    with pytest.raises(Unsupported, match="no common measure"):
        timetable_bounds(gather_problem(fine, size=Fraction(2), units=AT_LENGTH), most_arc_looks=1)
    lost = Topology.from_arcs(3, [*pair, (2, 0)])
    with pytest.raises(InvalidInput, match="node 0 cannot reach node 2"):
        timetable_bounds(gather_problem(lost, size=Fraction(3), units=AT_ONCE), most_arc_looks=1)


def test_links_are_compared_up_to_the_first_that_is_other() -> None:
    graph = Topology.from_arcs(2, [(0, 1), (1, 0), (1, 0)], capacity=[1, 2, 3])

    class Unseen(Fraction):
        def __eq__(self, other: object) -> bool:
            pytest.fail("compared")

        __hash__ = Fraction.__hash__

    one, two, _ = graph.capacity or ()
    assert not are_equal((one, two, Unseen(3)))
    assert are_equal((one, one, Fraction(1)))
    assert not are_equal(())


def slow_tree_bound(graph: Topology, alpha: int) -> Fraction:
    """Shards of a byte, links of a byte a second: what is summed passes the links into a host."""
    arcs = list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    far = dict(nx.all_pairs_shortest_path_length(nx.DiGraph(arcs)))
    found = Fraction(0)
    for v in range(graph.n):
        links = int(((graph.head == v) & (graph.tail != v)).sum())
        release = {
            r: max(far[u][r] for u in range(graph.n)) + far[r][v] for r in range(graph.n) if r != v
        }
        for least in release.values():
            count = sum(when >= least for when in release.values())
            found = max(found, least * alpha + Fraction(count, links))
    return found


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), alpha=st.integers(0, 3))
def test_no_allreduce_by_trees_is_quicker(seed: int, alpha: int) -> None:
    graph = random_topology(seed, regular=False)
    units = LinkUnits(latency=Fraction(alpha), rate=Fraction(1))
    size = Fraction(graph.n)
    bound = tree_allreduce_bound(gather_problem(graph, size=size, units=units))
    assert bound == slow_tree_bound(graph, alpha)
    task = TimedTask(
        topology=graph, collective=Collective.ALLREDUCE, size=size, units=units, tries=1
    )
    for beat in (None, Fraction(10**6)):
        assert synthesize(task, beat=beat).timetable.seconds >= bound
