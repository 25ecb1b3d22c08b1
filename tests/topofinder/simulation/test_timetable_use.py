"""Shares of busy arcs: those of a twin that looks at every arc at every piece of a tick."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.automorphisms import automorphisms_of
from generators.arrays import jump_graph
from tests.known_timetables import (
    compact_ring,
    ring_exchange,
    ring_timetable,
    star_timetable,
)
from topofinder.model.timetable import Timetable, expand_timetable
from topofinder.simulation.timetable_use import busy_shares


def slow_shares(table: Timetable, bins: int) -> list[Fraction]:
    """Every send on every arc against every span, one pair at a time."""
    found = [Fraction(0)] * bins
    times, graph = table.times, table.topology
    occupied = str(table.model) == "occupied"
    for chunk, channel, begin in zip(table.chunk, table.channel, table.begin, strict=True):
        arcs, shares = [int(channel)], 1
        if channel >= graph.arcs:
            start = table.route_start[channel - graph.arcs :][:2]
            arcs = table.route_arc[start[0] : start[1]].tolist()
            slowest = max(int(times.unit[arc]) for arc in arcs)
            shares = sum(Fraction(int(times.unit[arc]), slowest) for arc in arcs)
        hold = max(int(times.unit[arc]) for arc in arcs) * int(table.amount[chunk])
        hold += sum(int(times.latency[arc]) for arc in arcs) if occupied else 0
        for place in range(bins):
            left, right = (Fraction(table.makespan * (place + side), bins) for side in (0, 1))
            shared = min(right, int(begin) + hold) - max(left, int(begin))
            found[place] += shares * max(shared, Fraction(0))
    return [busy * bins / table.makespan / graph.arcs for busy in found]


@pytest.mark.parametrize("model", ["pipelined", "occupied"])
@pytest.mark.parametrize("bins", [1, 3, 20])
@pytest.mark.parametrize(
    "table",
    [
        ring_timetable(5),
        ring_timetable(4, "allreduce"),
        ring_timetable(4, "broadcast", root=1),
        ring_exchange(),
        star_timetable(),
        star_timetable(amount=[3, 1, 7]),
    ],
)
def test_shares_are_those_of_the_twin(table: Timetable, bins: int, model: str) -> None:
    table = replace(table, model=model)
    assert list(busy_shares(table, bins)) == slow_shares(table, bins)


@pytest.mark.parametrize("seed", range(8))
def test_shares_of_any_sends(seed: int) -> None:
    rng = np.random.default_rng(seed)
    star = star_timetable()
    count = int(rng.integers(1, 40))
    table = replace(
        star,
        chunk=rng.integers(0, 3, count),
        channel=rng.integers(0, 12, count),
        begin=rng.integers(0, 30, count),
        amount=rng.integers(1, 9, 3),
        model=["pipelined", "occupied"][seed % 2],
    )
    assert list(busy_shares(table, 7)) == slow_shares(table, 7)


def test_sends_of_all_nodes_count() -> None:
    one = compact_ring(6, "allreduce")
    assert busy_shares(one) == busy_shares(expand_timetable(one))
    ring = jump_graph(6, [1])
    none = replace(one, chunk=[], channel=[], begin=[], reducing=0, collective="allgather",
                   translations=automorphisms_of(ring))  # fmt: skip
    assert busy_shares(none, 3) == (0, 0, 0)


def test_a_ring_is_half_busy() -> None:
    """1 us of bytes of every 2 us; the latency of the last hop ends it."""
    assert busy_shares(ring_timetable(5), 4) == (Fraction(1, 2),) * 4
    assert busy_shares(ring_timetable(5, model="occupied"), 4) == (1,) * 4


def test_ticks_beyond_a_word_are_summed_exactly() -> None:
    """Eight sends that begin at tick 2^61 - 1 and run on at the end of the fourth span."""
    late = ring_timetable(
        4, chunk=[0] * 8, channel=[0] * 8, begin=[(1 << 61) - 1] * 8, amount=[1 << 17] * 4,
        chunk_bytes=Fraction(1000 << 43),
    )  # fmt: skip
    assert late.makespan == 3 << 60
    assert list(busy_shares(late, 5)) == slow_shares(late, 5)
