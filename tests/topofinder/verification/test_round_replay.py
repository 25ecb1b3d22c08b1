"""The replay of rounds in blocks, beside the replay of whole timetables and beside a twin."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.arrays import jump_graph
from generators.errors import Unsupported
from generators.topology import Topology
from tests.timetable_twin import judge
from tests.twins import random_topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import Timetable
from topofinder.timetables.problem import gather_problem
from topofinder.timetables.rounds import ChunkOrder, round_times, schedule_rounds
from topofinder.verification.round_replay import RoundReplay
from topofinder.verification.timetables import verify_timetable


def rounds_on(graph: Topology, latency: Fraction, model: TimeModel, chunks: int) -> Timetable:
    """An allgather in rounds, its sends in the order of begins and channels."""
    units = LinkUnits(latency=latency, rate=Fraction(1))
    problem = gather_problem(graph, size=Fraction(1), units=units, model=model, chunks=chunks)
    assert round_times(problem) is not None
    return problem.timetable(schedule_rounds(problem, seed=1, order=ChunkOrder.LEVELS))


def without_sends(table: Timetable) -> Timetable:
    none = np.zeros(0, dtype=np.int32)
    return replace(table, chunk=none, channel=none, begin=none.astype(np.int64))


def replay(table: Timetable, cuts: list[int]) -> tuple[str | None, int]:
    """The violation that blocks between the cuts show, and the last arrival."""
    found = RoundReplay(without_sends(table))
    edges = sorted({0, table.sends, *(cut % (table.sends + 1) for cut in cuts)})
    for a, b in pairwise(edges):
        block = table.chunk[a:b], table.channel[a:b], table.begin[a:b]
        if violation := found.add(*block):
            return violation, found.last
    assert found.sends == table.sends
    return found.violation_at_end(), found.last


@given(
    seed=st.integers(0, 300),
    latency=st.sampled_from([Fraction(0), Fraction(1, 9), Fraction(2)]),
    model=st.sampled_from(TimeModel),
    chunks=st.integers(1, 2),
    change=st.sampled_from(["none", "chunk", "channel", "early", "late", "drop", "twice"]),
    place=st.integers(0, 1 << 20),
    other=st.integers(1, 1 << 20),
    cuts=st.lists(st.integers(0, 1 << 20), max_size=4),
)
def test_as_whole_timetables_are_replayed(
    seed: int, latency: Fraction, model: TimeModel, chunks: int, change: str, place: int,
    other: int, cuts: list[int],
) -> None:  # fmt: skip
    graph = random_topology(seed)
    if graph.n == 1:
        return
    table = rounds_on(graph, latency, model, chunks)
    columns = [np.array(getattr(table, name)) for name in ("chunk", "channel", "begin")]
    at = place % table.sends
    if change in ("chunk", "channel"):
        which = ["chunk", "channel"].index(change)
        beyond = (table.chunks, graph.arcs)[which]
        columns[which][at] = (columns[which][at] + other) % beyond
    elif change in ("early", "late"):
        columns[2][at] = max(0, int(columns[2][at]) + (other % 3) * (1 if change == "late" else -1))
    elif change == "drop":
        columns = [np.delete(column, at) for column in columns]
    elif change == "twice":
        columns = [np.insert(column, at, column[at]) for column in columns]
    order = np.argsort(columns[2], kind="stable")
    changed = replace(
        table, chunk=columns[0][order], channel=columns[1][order], begin=columns[2][order]
    )
    violation, last = replay(changed, cuts)
    verdict = verify_timetable(changed)
    assert (violation is None) == verdict.valid == (not judge(changed)), (violation, verdict)
    if violation is None:
        assert last == verdict.makespan


def ring(**changes: object) -> Timetable:
    table = rounds_on(jump_graph(3, [1]), Fraction(1), TimeModel.PIPELINED, 1)
    return replace(table, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"begin": [0, 0, 0, 4, 4, 3]}, "over [2, 0] at tick 3: the send before it begins later"),
        ({"channel": [0, 1, 2, 0, 1, 0]}, "over [0, 1] at tick 4: arc 0 is busy until tick 5"),
        ({"begin": [0, 0, 0, 3, 3, 3]}, "node 0 has no such chunk by then"),
        ({"chunk": [0, 1, 2, 0, 1, 0]}, "node 1 has the chunk already"),
    ],
)  # fmt: skip
def test_faults_are_named(changes: dict, line: str) -> None:
    table = ring()
    assert table.begin.tolist() == [0, 0, 0, 4, 4, 4]
    assert line in str(replay(ring(**changes), [4])[0])


def test_what_is_not_replayed() -> None:
    slow = replace(jump_graph(3, [1]), capacity=(1, 1, 2), translation=None)
    for graph, most, line in (
        (slow, 1 << 20, "for links that are equal"),
        (jump_graph(3, [1]), 8, "more than 8 chunks of all nodes"),
        (Topology.from_arcs(1, []), 8, "for links from host to host"),
    ):
        units = LinkUnits(latency=Fraction(0), rate=Fraction(1))
        problem = gather_problem(graph, size=Fraction(1), units=units)
        with pytest.raises(Unsupported, match=line):
            RoundReplay(problem.empty, most_bits=most)
