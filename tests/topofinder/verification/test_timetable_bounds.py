"""The bound of the ports: what it is by hand, and that no valid timetable beats it."""

from dataclasses import replace
from fractions import Fraction

import pytest

from expansions.automorphisms import automorphisms_of
from generators.arrays import jump_graph
from tests.timetable_twin import make_timetable
from tests.timetables import COLLECTIVES, star, translated, valid_timetables
from topofinder.model.timetable import Timetable, expand_timetable
from topofinder.verification.timetable_bounds import port_bound


@pytest.mark.parametrize("seed", range(2))
def test_nothing_beats_it(seed: int) -> None:
    for table in valid_timetables(seed):
        assert 0 < port_bound(table) <= table.seconds
        assert port_bound(replace(table, bound=Fraction(10**9))) == port_bound(table)


def test_a_swap_reaches_it() -> None:
    pair = jump_graph(2, [1])
    for collective in COLLECTIVES:
        swap = make_timetable(pair, collective, chunks=3)
        assert port_bound(swap) == swap.seconds


def by_hand(table: Timetable, *, into: bool) -> Fraction:
    """Host by host, from who must get, or give, whose chunks."""
    graph, kind = table.topology, str(table.collective)
    hosts = [v for v in range(graph.n) if v not in graph.switches]
    found = Fraction()
    for v in hosts:
        ports = [e for e in range(graph.arcs) if (graph.head if into else graph.tail)[e] == v]
        units = 0
        for x, (top, amount) in enumerate(zip(table.origin, table.amount, strict=True)):
            spreads = (v != top) if into else (v == top)
            if kind == "all-to-all":
                ends = int(top), int(table.target[x])
                units += int(amount) * (ends[0] != ends[1] and v == ends[into])
            elif kind == "allreduce":
                units += int(amount)
            else:
                units += int(amount) * (spreads != (kind in ("reduce-scatter", "reduce")))
        if units and ports:
            rate = sum(graph.capacity[e] for e in ports) * table.units.rate
            wait = min(graph.latency[e] for e in ports) * table.units.latency
            found = max(found, wait + units * table.chunk_bytes / rate)
    return found


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_by_hand(collective: str) -> None:
    table = make_timetable(star(4), collective, chunks=2, amounts=True, seed=3)
    assert port_bound(table) == max(by_hand(table, into=True), by_hand(table, into=False))


@pytest.mark.parametrize("collective", ["allgather", "reduce-scatter", "allreduce"])
def test_compact_ones_have_that_of_their_expansion(collective: str) -> None:
    graph = jump_graph(6, [1, 2])
    table = translated(graph, automorphisms_of(graph), collective, 3)
    assert port_bound(table) == port_bound(expand_timetable(table)) > 0
