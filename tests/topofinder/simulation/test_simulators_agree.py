"""One schedule, four times: simulated, written as a timetable, verified, and played."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.schedule import Schedule
from generators.arrays import jump_graph
from generators.errors import Unsupported
from generators.families.hamming import hypercube
from generators.topology import Topology
from tests.collectives import collectives, scaled
from tests.schedule_timetable import timetable_of_schedule
from tests.schedules import empty, from_rows
from tests.twins import random_topology
from topofinder.model.time_model import TimeModel
from topofinder.schedules.bfb.schedule import chunked_schedule
from topofinder.simulation.alpha_beta import simulate
from topofinder.simulation.timetables import play_timetable
from topofinder.verification.timetables import verify_timetable

FABRIC = {"alpha": Fraction(1), "size": Fraction(6), "node_bandwidth": Fraction(1)}


def whole_chunks(topology: Topology, chunks: int) -> Schedule:
    """An allgather of which every row is one chunk, and every message one row.

    A step of BFB with k chunks on its busiest link becomes k steps.
    """
    bfb = chunked_schedule(topology, chunks)
    rows = [(s, a, t, x, x + 1)
            for s, a, t, b, e in zip(bfb.source, bfb.arc, bfb.step, bfb.begin, bfb.end, strict=True)
            for x in range(b, e)]  # fmt: skip
    place, listed, first = {}, [], 0
    for step in range(1, bfb.steps + 1):
        place.clear()
        for s, a, _, b, e in (row for row in rows if row[2] == step):
            place[a] = place.get(a, 0) + 1
            listed.append((s, a, first + place[a], b, e))
        first += max(place.values())
    return from_rows(listed, bfb.denominator)


@pytest.mark.parametrize("model", TimeModel)
@pytest.mark.parametrize("chunks", [1, 3])
@pytest.mark.parametrize(
    "graph",
    [jump_graph(6, [1, 2]), hypercube(3), *map(random_topology, (3, 5, 8))],
    ids=["circulant", "cube", "random-3", "random-5", "random-8"],
)
def test_whole_chunks_on_equal_links(graph: Topology, chunks: int, model: TimeModel) -> None:
    schedule = whole_chunks(graph, chunks)
    times = simulate(graph, schedule, **FABRIC, model=model)
    table = timetable_of_schedule(graph, schedule, **FABRIC, model=model)
    assert table.sends == schedule.rows
    assert verify_timetable(table).valid
    assert verify_timetable(table).seconds == table.seconds == times.stepped
    played = int(play_timetable(table).max()) * table.tick
    apart = simulate(graph, schedule, **FABRIC, model=model, rows_apart=True)
    assert played == times.unsynchronised == apart.unsynchronised


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("even", [True, False], ids=["even", "uneven"])
def test_any_schedule_pipelined(seed: int, even: bool) -> None:
    """Pieces of any length on any links: steps take what their longest message takes."""
    graph = random_topology(seed)
    if not even:
        random = np.random.default_rng(seed)
        late, wide = ([Fraction(int(v), 2) for v in random.integers(1, 5, graph.arcs)]
                      for _ in range(2))  # fmt: skip
        graph = replace(graph, latency=tuple(late), capacity=tuple(wide))
    for schedule in collectives(graph, pieces=1 + seed % 3, seed=seed):
        times = simulate(graph, schedule, **FABRIC, model=TimeModel.PIPELINED, rows_apart=True)
        table = timetable_of_schedule(graph, schedule, **FABRIC)
        assert table.seconds == times.stepped == verify_timetable(table).seconds
        if verify_timetable(table).valid:
            assert int(play_timetable(table).max(initial=0)) * table.tick <= times.unsynchronised


def test_rows_apart_pay_latency_when_links_are_occupied() -> None:
    """Two rows of one message: 1 + 2 ticks pipelined, 2 x (1 + 1) where a link waits for each."""
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    halves = from_rows([(0, 0, 1, 0, 1), (0, 0, 1, 1, 2), (1, 1, 1, 0, 2)], 2)
    fabric = FABRIC | {"size": Fraction(4)}
    pipelined = timetable_of_schedule(pair, halves, **fabric)
    occupied = timetable_of_schedule(pair, halves, **fabric, model=TimeModel.OCCUPIED)
    assert (pipelined.seconds, occupied.seconds) == (3, 4)
    apart = simulate(pair, halves, **fabric, rows_apart=True)
    assert occupied.seconds == apart.unsynchronised == 4


def test_nothing_to_send_and_what_has_no_timetable() -> None:
    lone = Topology.from_arcs(1, [(0, 0)])
    assert timetable_of_schedule(lone, empty(), **FABRIC).sends == 0
    star = Topology.from_arcs(3, [(0, 2), (2, 1), (1, 2), (2, 0)], switches=(2,))
    with pytest.raises(Unsupported, match="through switches"):
        timetable_of_schedule(star, empty(), **FABRIC)
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    slow, many = replace(pair, capacity=(1, Fraction(1, 1 << 40))), 1 << 30
    fine = from_rows([(0, 0, 1, 0, 1), (0, 0, 1, 1, many), (1, 1, 1, 0, many)], many)
    with pytest.raises(Unsupported, match="longer than 64 bits"):
        timetable_of_schedule(slow, fine, **FABRIC)
    assert timetable_of_schedule(pair, fine, **FABRIC).amount.tolist() == [1, many - 1, many]


def test_scaled_schedules_have_the_same_chunks() -> None:
    graph = jump_graph(5, [1, 2])
    schedule = whole_chunks(graph, 2)
    one = timetable_of_schedule(graph, schedule, **FABRIC)
    other = timetable_of_schedule(graph, scaled(schedule, 10**9), **FABRIC)
    assert other.amount.tolist() == one.amount.tolist() == [1] * 10
    assert (other.chunk_bytes, other.seconds) == (one.chunk_bytes, one.seconds)
