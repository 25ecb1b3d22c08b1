"""Matchers of chunks and channels against slow twins, and figures of TACOS with its algorithm."""

from fractions import Fraction
from typing import Any

import pytest

from generators.arrays import jump_graph
from generators.errors import InvalidInput, Unsupported
from generators.families.mesh import mesh
from generators.families.torus import torus
from generators.topology import Topology
from tests.timetable_twin import judge
from tests.timetables import all_to_all_problem, small_graphs
from tests.topofinder.timetables.match_twin import RandomPlay, WantedPlay
from topofinder.forests.clock import Clock
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.timetables.events import match_events, match_randomly
from topofinder.timetables.paths import switch_routes
from topofinder.timetables.problem import ChunkProblem, Sends, gather_problem
from topofinder.verification.timetables import verify_timetable

UNITS = LinkUnits(latency=Fraction(1, 3), rate=Fraction(2))
GIGABYTE = Fraction(10**9)
GRAPHS = small_graphs()


def gather(graph: Topology, **options: Any) -> ChunkProblem:
    problem = gather_problem(graph, **{"size": Fraction(12), "units": UNITS, **options})
    return problem.with_routes(*switch_routes(graph, 2))


def rows(sends: Sends) -> list[tuple[int, int, int]]:
    columns = (sends.chunk.tolist(), sends.channel.tolist(), sends.begin.tolist())
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("graph", GRAPHS, ids=range(len(GRAPHS)))
@pytest.mark.parametrize("model", list(TimeModel))
def test_equals_the_twins(graph: Topology, model: TimeModel) -> None:
    for seed in range(3):
        root = {"root": 0} if seed == 2 else {}
        problem = gather(graph, model=model, chunks=1 + seed, **root)
        sends = match_randomly(problem, seed=seed)
        assert sorted(rows(sends)) == sorted(RandomPlay(problem, seed).run())
        assert judge(problem.timetable(sends)) == set()
        for nearest in (True, False):
            sends = match_events(problem, seed=seed, nearest=nearest)
            assert sorted(rows(sends)) == sorted(WantedPlay(problem, seed, nearest).run())
            assert judge(problem.timetable(sends)) == set()


@pytest.mark.parametrize("maker", [match_randomly, match_events])
def test_pausing_changes_nothing(maker: Any) -> None:
    problem = gather(mesh(4, 4), chunks=2)
    whole, pieces = maker(problem, seed=3), maker(problem, seed=3, clock=Clock(work=1 << 10))
    assert rows(whole) == rows(pieces)
    assert verify_timetable(problem.timetable(whole)).violation is None
    assert rows(maker(problem, seed=4)) != rows(whole)


def best_seconds(maker: Any, problem: ChunkProblem, tries: int = 3) -> Fraction:
    tables = [problem.timetable(maker(problem, seed=seed)) for seed in range(tries)]
    assert all(verify_timetable(table).valid for table in tables)
    return min(table.seconds for table in tables)


def test_rounds_of_equal_links() -> None:
    """In rounds of one chunk; TACOS takes 43 on the torus of three dimensions."""
    units = LinkUnits(latency=Fraction(0), rate=Fraction(1))
    for graph, chunks, rounds in (
        (mesh(10, 10), 1, 50),
        (torus(8, 8), 1, 16),
        (torus(4, 4, 4), 4, 42),
    ):
        problem = gather(graph, units=units, size=Fraction(graph.n * chunks), chunks=chunks)
        assert best_seconds(match_events, problem) == rounds
        assert rounds <= best_seconds(match_randomly, problem) <= rounds + 2


def test_boxes_under_rails_take_turns_at_the_ports() -> None:
    """A switch in each of four boxes of 8 at 300 GB/s, one for each place in a box at 25 GB/s."""
    inside = [(v, 32 + v // 8, 300) for v in range(32)]
    outside = [(v, 36 + v % 8, 25) for v in range(32)]
    links = inside + outside
    both = [*links, *((v, u, b) for u, v, b in links)]
    graph = Topology.from_arcs(
        44,
        [(u, v) for u, v, _ in both],
        capacity=tuple(Fraction(b) for _, _, b in both),
        latency=(Fraction(1, 2),) * len(both),
        switches=tuple(range(32, 44)),
    )
    units = LinkUnits(latency=Fraction(1, 2 * 10**6), rate=GIGABYTE)
    problem = gather(graph, units=units, size=GIGABYTE, chunks=4)
    assert best_seconds(match_events, problem, 1) <= Fraction(4, 10**3)
    assert best_seconds(match_randomly, problem, 1) >= Fraction(5, 10**3)


def test_refuses() -> None:
    ring = jump_graph(3, [1])
    exchange = all_to_all_problem(ring, UNITS)
    for maker in (match_randomly, match_events):
        with pytest.raises(InvalidInput, match="all-to-all has chunks that do not go to all"):
            maker(exchange, seed=0)
        with pytest.raises(InvalidInput, match="node 2 cannot be reached from node 0"):
            maker(gather(Topology.from_arcs(3, [(0, 1), (2, 1)]), root=0), seed=0)
        with pytest.raises(InvalidInput, match="seed: an integer from 0 to"):
            maker(gather(ring), seed=-1)
        with pytest.raises(Unsupported, match="not done after 0 s"):
            maker(gather(mesh(4, 4)), seed=0, clock=Clock(seconds=0, end=0, work=1 << 10))
        with pytest.raises(Unsupported, match="chunks: at most 268435456 on all nodes"):
            maker(gather(jump_graph(200, [1]), chunks=10**4), seed=0)
