"""Problems of timed schedules: chunks of every collective, channels by node, and refusals."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.timetables.problem import ChunkProblem, Sends, gather_problem
from topofinder.timetables.reverse import join_phases, reverse_timetable

UNITS = LinkUnits(latency=Fraction(1), rate=Fraction(1))
SWITCHED = Topology.from_arcs(4, [(0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2)], switches=(3,))


def test_switches_have_no_shard_and_arcs_of_theirs_are_no_channels() -> None:
    problem = gather_problem(SWITCHED, size=Fraction(6), units=UNITS, chunks=2)
    assert problem.origin.tolist() == [0, 0, 1, 1, 2, 2]
    assert problem.chunk_bytes == 1
    assert not problem.usable.any()
    routed = problem.with_routes(np.array([0, 2]), np.array([0, 4], dtype=np.int32))
    assert routed.usable.tolist() == [False] * 6 + [True]
    start, channel = routed.channels_into()
    assert start.tolist() == [0, 0, 1, 1, 1]
    assert channel.tolist() == [6]
    arrays = routed.channels
    assert (arrays.tail[6], arrays.head[6], arrays.latency[6], arrays.unit[6]) == (0, 1, 2, 1)
    assert arrays.arc[arrays.start[6] : arrays.start[7]].tolist() == [0, 4]


def test_a_link_is_held_as_the_model_says() -> None:
    for model, hold in ((TimeModel.PIPELINED, 0), (TimeModel.OCCUPIED, 1)):
        problem = gather_problem(jump_graph(3, [1]), size=Fraction(3), units=UNITS, model=model)
        assert problem.channels.hold.tolist() == [hold] * 3


def test_a_broadcast_is_of_all_bytes() -> None:
    problem = gather_problem(jump_graph(3, [1]), size=Fraction(6), units=UNITS, root=2, chunks=3)
    assert (problem.origin.tolist(), problem.chunk_bytes) == ([2, 2, 2], 2)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"chunks": 0}, "chunks: at least 1 a shard, not 0"),
        ({"chunks": 1 << 30}, "chunks: 1 to 16777216 in all"),
        ({"size": Fraction(0)}, "size: above 0 bytes"),
        ({"root": 3}, "root: 3 is no host"),
        ({"root": 9}, "root: 9 is no host"),
        ({"weights": (1, 1)}, "weights: 4 integers"),
        ({"weights": (0, 0, 0, 1)}, "chunks: 1 to 16777216 in all, not 0"),
    ],
)
def test_refuses(options: dict[str, Any], line: str) -> None:
    with pytest.raises(InvalidInput, match=line):
        gather_problem(SWITCHED, **{"size": Fraction(6), "units": UNITS, **options})


def test_refuses_what_only_sums() -> None:
    with pytest.raises(InvalidInput, match="collective: one of allgather, broadcast, all-to-all"):
        ChunkProblem(
            topology=SWITCHED,
            collective="reduce",  # type: ignore[arg-type]
            origin=np.zeros(1, dtype=np.int32),
            chunk_bytes=Fraction(1),
            units=UNITS,
        )


def ring_allgather(model: TimeModel) -> tuple[ChunkProblem, Sends]:
    """Round after round every node of a ring passes on what it got last."""
    problem = gather_problem(jump_graph(4, [1]), size=Fraction(8), units=UNITS, model=model)
    sends = [((v - t) % 4, v, 3 * t) for t in range(3) for v in range(4)]
    chunk, channel, begin = (np.array(column) for column in zip(*sends, strict=True))
    return problem, Sends(
        chunk=chunk.astype(np.int32), channel=channel.astype(np.int32), begin=begin
    )


@pytest.mark.parametrize("model", list(TimeModel))
def test_backwards_and_joined(model: TimeModel) -> None:
    problem, sends = ring_allgather(model)
    spread = problem.timetable(sends, method="ring")
    assert spread.seconds == 9
    back = reverse_timetable(spread)
    assert (back.collective, back.reducing, back.seconds) == ("reduce-scatter", 12, 9)
    assert back.topology.tail.tolist() == spread.topology.head.tolist()
    assert sorted(back.arrivals().tolist()) == sorted((9 - spread.begin).tolist())
    again = reverse_timetable(back.__class__(**_fields(back, reducing=0, collective="allgather")))
    assert again.begin.tolist() == spread.begin.tolist()
    turned = problem.__class__(
        **{
            name: getattr(problem, name)
            for name in ("collective", "origin", "chunk_bytes", "units", "model")
        },
        topology=problem.topology.transpose(),
    )
    both = join_phases(back, turned.timetable(sends))
    assert (both.collective, both.reducing, both.sends) == ("allreduce", 12, 24)
    assert both.seconds == 18
    with pytest.raises(InvalidInput, match="collective: reduce-scatter is needed"):
        join_phases(spread, spread)
    with pytest.raises(InvalidInput, match="reversed phase by phase"):
        reverse_timetable(both)


def _fields(table: Any, **changes: Any) -> dict[str, Any]:
    return {name: getattr(table, name) for name in table.__slots__} | changes
