"""Rounds of equal links: as a slow twin fills them, valid as replayed, and as few as can be."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from math import ceil
from struct import pack

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.build import build
from expansions.parser import parse
from generators.arrays import jump_graph
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from tests.rounds_twin import slow_rounds
from tests.timetables import all_to_all_problem
from tests.twins import random_topology
from topofinder.forests.clock import Clock
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.timetables.problem import ChunkProblem, Sends, gather_problem
from topofinder.timetables.rounds import (
    ChunkOrder,
    count_rounds,
    round_times,
    schedule_blocks,
    schedule_rounds,
)
from topofinder.verification.timetables import verify_timetable

AT_ONCE = LinkUnits(latency=Fraction(0), rate=Fraction(1))


def problem_of(graph: Topology, **options: object) -> ChunkProblem:
    """An allgather of chunks of 1 byte on links of 1 byte/s without latency, unless told."""
    made = gather_problem(graph, **{"size": Fraction(1), "units": AT_ONCE, **options})  # type: ignore[arg-type]
    return replace(made, chunk_bytes=Fraction(1))


def rounds_of(problem: ChunkProblem, seed: int = 1) -> int:
    times = round_times(problem)
    assert times is not None
    return int(schedule_rounds(problem, seed=seed).begin.max()) // times.length + 1


def verify(problem: ChunkProblem, sends: Sends) -> None:
    found = verify_timetable(problem.timetable(sends))
    assert found.violation is None, found.violation


@st.composite
def problems(draw: st.DrawFn) -> ChunkProblem:
    graph = random_topology(draw(st.integers(0, 500)), regular=draw(st.booleans()))
    late = draw(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2)]))
    weights = draw(st.none() | st.lists(st.integers(1, 3), min_size=graph.n, max_size=graph.n))
    return problem_of(
        graph,
        units=LinkUnits(latency=late, rate=Fraction(1)),
        model=draw(st.sampled_from(TimeModel)),
        chunks=draw(st.integers(1, 3)),
        weights=weights,
        root=draw(st.none() | st.just(0)),
    )


@given(problem=problems(), seed=st.integers(0, 1 << 70), order=st.sampled_from(ChunkOrder))
def test_as_the_twin_fills_them(problem: ChunkProblem, seed: int, order: ChunkOrder) -> None:
    times = round_times(problem)
    if problem.topology.n == 1 or times is None:
        return
    sends = schedule_rounds(problem, seed=seed, order=order)
    verify(problem, sends)
    expected = slow_rounds(problem, seed=seed % (1 << 62), order=order, delay=times.delay)
    found = defaultdict(set)
    columns = (sends.chunk, sends.channel, sends.begin)
    for x, e, tick in zip(*(column.tolist() for column in columns), strict=True):
        found[tick // times.length].add((x, int(problem.topology.head[e])))
    assert dict(found) == {r: pairs for r, pairs in enumerate(expected) if pairs}


@pytest.mark.parametrize(
    ("recipe", "chunks"),
    [("Mesh(10,10)", 1), ("Torus(8,8)", 1), ("Torus(10,10)", 1), ("Torus(16,16)", 1),
     ("Torus(4,4,4)", 4), ("Torus(5,5,5)", 1), ("Mesh(5,5,5)", 1), ("H(2,3)", 1), ("Q(6)", 3),
     ("Torus(32,32)", 1), ("K(3,3)", 2), ("L(K(5))", 1)],
)  # fmt: skip
@pytest.mark.parametrize("order", [ChunkOrder.FULL, ChunkOrder.LEVELS])
def test_rounds_equal_the_bound(recipe: str, chunks: int, order: ChunkOrder) -> None:
    graph = build(parse(recipe))
    problem = problem_of(graph, chunks=chunks)
    sends = schedule_rounds(problem, seed=1, order=order)
    assert int(sends.begin.max()) + 1 == ceil(chunks * find_optimum(Network.of(graph)).inverse_rate)


@pytest.mark.parametrize(
    ("recipe", "chunks", "rounds"), [("BiRing(2,9)", 4, 16), ("UniRing(1,7)", 3, 18)]
)
def test_rare_chunks_first_save_a_round_on_rings(recipe: str, chunks: int, rounds: int) -> None:
    problem = problem_of(build(parse(recipe)), chunks=chunks)
    assert rounds_of(problem) == rounds
    assert count_rounds(problem, seed=1, order=ChunkOrder.LEVELS).rounds > rounds


def test_augmenting_paths_save_a_round() -> None:
    """Taken greedily, without them, H(2,3) takes three."""
    assert rounds_of(problem_of(build(parse("H(2,3)")))) == 2


def test_more_chunks_than_a_block_holds() -> None:
    graph = random_topology(3)
    for late in (Fraction(0), Fraction(7, 2)):
        problem = problem_of(
            graph, chunks=1300 // graph.n, units=LinkUnits(latency=late, rate=Fraction(1))
        )
        sends = schedule_rounds(problem, seed=5)
        verify(problem, sends)
        again = schedule_rounds(problem, seed=5)
        assert np.array_equal(sends.channel, again.channel)
        assert np.array_equal(sends.begin, again.begin)
        assert not np.array_equal(sends.chunk, schedule_rounds(problem, seed=6).chunk)


def test_calls_of_little_work_change_nothing() -> None:
    problem = problem_of(build(parse("Torus(4,4)")), chunks=40)
    whole = schedule_rounds(problem, seed=2)
    pieces = list(schedule_blocks(problem, seed=2, clock=Clock(work=1)))
    assert len(pieces) > 100
    assert np.array_equal(whole.chunk, np.concatenate([piece.chunk for piece in pieces]))
    assert np.array_equal(whole.begin, np.concatenate([piece.round for piece in pieces]))


def test_what_is_only_counted_is_the_same() -> None:
    problem = problem_of(build(parse("Torus(4,4)")), chunks=3)
    sends = schedule_rounds(problem, seed=2, order=ChunkOrder.LEVELS)
    found, again = (count_rounds(problem, seed=seed) for seed in (2, 3))
    assert (found.rounds, found.sends) == (int(sends.begin.max()) + 1, len(sends.chunk))
    rows = zip(sends.chunk.tolist(), sends.channel.tolist(), sends.begin.tolist(), strict=True)
    assert found.digest == sha256(b"".join(pack("<iiq", *row) for row in rows)).hexdigest()
    assert found.digest != again.digest


def test_too_many_sends_are_not_kept() -> None:
    with pytest.raises(Unsupported, match="sends: at most 67108864 can be kept, not 268419072"):
        schedule_rounds(problem_of(build(parse("Torus(128,128)"))), seed=1)


def test_nothing_is_sent_while_the_first_chunks_are_on_their_way() -> None:
    long = LinkUnits(latency=Fraction(10**6), rate=Fraction(1))
    problem = problem_of(jump_graph(3, [1]), units=long)
    sends = schedule_rounds(problem, seed=1)
    assert sorted(set(sends.begin.tolist())) == [0, 10**6 + 1]
    verify(problem, sends)


def test_rounds_are_for_equal_links() -> None:
    ring = jump_graph(3, [1])
    wide = replace(ring, capacity=(1, 1, 2), translation=None)
    for problem in (problem_of(wide), all_to_all_problem(ring, AT_ONCE)):
        assert round_times(problem) is None
        with pytest.raises(Unsupported, match="rounds: for direct links that are equal"):
            schedule_rounds(problem, seed=1)


def test_a_node_out_of_reach_is_named() -> None:
    line = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 1)], names=("a", "b", "c"))
    with pytest.raises(InvalidInput, match="node a: 2 chunks cannot reach it"):
        schedule_rounds(problem_of(line), seed=1)


def test_the_time_may_be_over() -> None:
    told = r"^timetable in rounds: \d+ of 4032 sends done after 0 s; about [\d.e-]+ s would do$"
    with pytest.raises(Unsupported, match=told):
        schedule_rounds(problem_of(jump_graph(64, [1])), seed=1, clock=Clock(0, 0, work=1))


def test_a_single_node_sends_nothing() -> None:
    problem = problem_of(Topology.from_arcs(1, []))
    assert round_times(problem) is None
