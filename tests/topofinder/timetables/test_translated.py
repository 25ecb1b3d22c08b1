"""Translated timetables: as a slow twin grows the trees, valid as replayed, as short as can be."""

from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.build import build
from expansions.cayley_colours import ArcColours
from expansions.parser import parse
from generators.arrays import jump_graph
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from tests.rounds_twin import GOLDEN, mix
from topofinder.forests.clock import Clock
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import expand_timetable
from topofinder.timetables.problem import ChunkProblem, Sends, gather_problem
from topofinder.timetables.rounds import round_times
from topofinder.timetables.translated import schedule_translated
from topofinder.verification.timetables import verify_timetable

Edges = list[tuple[int, int, int, int]]


def problem_of(graph: Topology, **options: object) -> ChunkProblem:
    units = LinkUnits(latency=Fraction(0), rate=Fraction(1))
    made = gather_problem(graph, **{"size": Fraction(1), "units": units, **options})  # type: ignore[arg-type]
    return replace(made, chunk_bytes=Fraction(1))


def slow_trees(problem: ChunkProblem, seed: int, delay: int) -> Edges:
    """Edges (chunk, node, colour, round) of node 0's trees, from sets that are made anew."""
    graph, c = problem.topology, len(problem.origin) // problem.topology.n
    colours = ArcColours(graph)
    ways = [
        dict(zip(graph.tail[mine].tolist(), graph.head[mine].tolist(), strict=True))
        for mine in (colours.colour == g for g in range(graph.degree))
    ]
    ways = [way for way in ways if way[0] != 0]
    there, on_way = {(x, 0) for x in range(c)}, set[tuple[int, int]]()
    pools = [[(x, way[0]) for x in range(c)] for way in ways]
    sent, looks, r = Edges(), 0, 0
    while len(sent) < c * (graph.n - 1):
        for x, v, _, when in sent:
            if when + delay <= r and (x, v) in on_way:
                on_way.remove((x, v))
                there.add((x, v))
                for way, pool in zip(ways, pools, strict=True):
                    if (x, way[v]) not in there | on_way:
                        pool.append((x, way[v]))

        def candidates(g: int) -> int:
            return sum((x, ways[g][u]) not in there | on_way for x, u in there)

        for g in sorted(range(len(ways)), key=candidates):
            best, least, tries = None, 0, 0
            while candidates(g) and tries < 24 and least != 1:
                looks += 1
                at = (mix(seed + looks * GOLDEN) >> 32) * len(pools[g]) >> 32
                x, v = pools[g][at]
                if (x, v) in there | on_way:
                    last = pools[g].pop()
                    if at < len(pools[g]):
                        pools[g][at] = last
                    continue
                tries += 1
                near = sum((x, u) in there for way in ways for u, to in way.items() if to == v)
                if best is None or near < least:
                    best, least = (x, v), near
            if best is not None:
                on_way.add(best)
                sent.append((*best, g, r))
        r += 1
    return sent


@given(
    n=st.integers(2, 9),
    jumps=st.lists(st.integers(0, 8), min_size=1, max_size=4),
    chunks=st.integers(1, 3),
    late=st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(3)]),
    model=st.sampled_from(TimeModel),
    seed=st.integers(0, 99),
)
def test_as_the_twin_grows_them(
    n: int, jumps: list[int], chunks: int, late: Fraction, model: TimeModel, seed: int
) -> None:
    """Parallel arcs and self-loops among them."""
    graph = jump_graph(n, [1, *(jump % n for jump in jumps)])
    units = LinkUnits(latency=late, rate=Fraction(1))
    problem = problem_of(graph, chunks=chunks, units=units, model=model)
    times = round_times(problem)
    assert times is not None
    sends = schedule_translated(problem, seed=seed)
    expected = slow_trees(problem, seed, times.delay)
    columns = (sends.chunk, graph.head[sends.channel], sends.begin // times.length)
    found = list(zip(*(column.tolist() for column in columns), strict=True))
    assert found == [(x, v, r) for x, v, _, r in expected]
    verify(problem, sends)


def verify(problem: ChunkProblem, sends: Sends) -> None:
    made = problem.timetable(sends)
    for table in (made, expand_timetable(made)):
        found = verify_timetable(table)
        assert found.violation is None, found.violation


@pytest.mark.parametrize(
    ("recipe", "chunks"),
    [("Torus(8,8)", 1), ("Torus(4,4,4)", 4), ("Torus(5,5,5)", 1), ("Torus(3,4,5)", 2), ("Q(6)", 1),
     ("K(8)", 2), ("BiRing(2,9)", 3), ("H(2,3)", 1)],
)  # fmt: skip
def test_rounds_equal_the_bound(recipe: str, chunks: int) -> None:
    problem = problem_of(build(parse(recipe)), chunks=chunks)
    sends = schedule_translated(problem, seed=1)
    n, d = problem.topology.n, problem.topology.degree
    assert int(sends.begin.max()) + 1 == ceil(Fraction(chunks * (n - 1), d))
    verify(problem, sends)


@pytest.mark.parametrize(("recipe", "rounds"), [("Torus(200,200)", 10000), ("Q(14)", 1171)])
def test_thousands_of_nodes(recipe: str, rounds: int) -> None:
    sends = schedule_translated(problem_of(build(parse(recipe))), seed=1)
    assert int(sends.begin.max()) + 1 == rounds


def test_calls_of_little_work_change_nothing() -> None:
    problem = problem_of(build(parse("Torus(4,4)")), chunks=5)
    whole = schedule_translated(problem, seed=2)
    pieces = schedule_translated(problem, seed=2, clock=Clock(work=1))
    assert np.array_equal(whole.chunk, pieces.chunk)
    assert np.array_equal(whole.begin, pieces.begin)
    with pytest.raises(Unsupported, match="translated timetable: not done"):
        schedule_translated(problem, seed=2, clock=replace(Clock.of(0), work=1))


def test_refuses_what_translations_do_not_serve() -> None:
    ring = jump_graph(4, [1])
    for problem, line in (
        (problem_of(build(parse("Mesh(3,3)"))), "none that keep colours"),
        (problem_of(ring, root=0), "as many chunks at every node"),
        (problem_of(ring, weights=(2, 1, 1, 1)), "as many chunks at every node"),
    ):
        with pytest.raises(Unsupported, match=line):
            schedule_translated(problem, seed=1)
    with pytest.raises(InvalidInput, match="cannot reach"):
        schedule_translated(problem_of(jump_graph(4, [2])), seed=1)
