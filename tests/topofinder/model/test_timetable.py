"""The noun Timetable: what it measures, what it refuses, and its images under translations."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from expansions.automorphisms import Automorphisms, automorphisms_of
from expansions.collective import Collective
from generators.arrays import jump_graph
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from topofinder.model.chunk_times import LinkUnits, chunk_times
from topofinder.model.timetable import Timetable, expand_timetable

UNITS = LinkUnits(latency=Fraction(1), rate=Fraction(2))
STAR = Topology.from_arcs(
    3, [(0, 2), (2, 1), (1, 2), (2, 0)], switches=(2,), capacity=(1, 2, 1, 2), latency=(1, 3, 1, 3)
)


def through_switch(**changes: Any) -> Timetable:
    """Two hosts at one switch, each sends the other its chunk over a route."""
    fields: dict[str, Any] = {
        "topology": STAR,
        "collective": "allgather",
        "chunk": [0, 1],
        "channel": [4, 5],
        "begin": [0, 2],
        "origin": [0, 1],
        "chunk_bytes": Fraction(6),
        "units": UNITS,
        "route_start": [0, 2, 4],
        "route_arc": [0, 1, 2, 3],
    }
    return Timetable(**fields | changes)


def test_routes_take_all_latencies_and_the_slowest_rate() -> None:
    table = through_switch()
    late, unit = table.channel_ticks()
    assert table.tick == Fraction(1, 2)
    assert (late[4:] * table.tick).tolist() == [4, 4]
    assert (unit[4:] * table.tick).tolist() == [3, 3]
    assert table.channel_ends()[0][4:].tolist() == [0, 1]
    assert table.channel_ends()[1][4:].tolist() == [1, 0]
    assert table.seconds == 2 * table.tick + 4 + 3


def test_amounts_scale_the_time_of_bytes_alone() -> None:
    assert through_switch(amount=[1, 5]).seconds == 1 + 4 + 15
    assert through_switch(amount=[1, 5]).total_bytes == 36


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"chunk": [0, 2]}, "chunk: 2 in row 1 is not in 0..1"),
        ({"channel": [4, 6]}, "channel: 6 in row 1 is not in 0..5"),
        ({"begin": [0, -1]}, "begin: -1 is not in"),
        ({"begin": [0]}, "begin: 1 entries, but chunk has 2"),
        ({"origin": [0, 2]}, "origin: node 2 is a switch, no host"),
        ({"origin": [0, 3]}, "origin: 3 in row 1 is not in 0..2"),
        ({"amount": [1, 0]}, "amount: 1 to 68719476736, not 0"),
        ({"amount": [1]}, "amount: 1 entries for 2 chunks"),
        ({"chunk_bytes": Fraction(0)}, "chunk_bytes: above 0 bytes"),
        ({"route_arc": [0, 0, 2, 3]}, "route_arc: entry 1 does not go on where one ends"),
        ({"route_start": [0, 1, 4]}, "route_start: routes of at least two arcs"),
        ({"collective": "allsum"}, "collective: 'allsum' is none of"),
        ({"collective": "broadcast"}, "root: does not fit broadcast"),
        ({"collective": "broadcast", "root": 0}, "origin: all chunks are those of the root 0"),
        ({"collective": "all-to-all"}, "target: does not fit all-to-all"),
        ({"collective": "reduce-scatter"}, "reducing: 2 of reduce-scatter, not 0"),
        ({"reducing": 3}, "reducing: 0 to 2 sends, not 3"),
        ({"model": "fast"}, "model: 'fast' is none of pipelined, occupied"),
        ({"method": ""}, "method: up to 4096 printable characters"),
        ({"seed": -1}, "seed: an integer in 0..9223372036854775807, not -1"),
        ({"seed": 1 << 63}, "seed: an integer in 0..9223372036854775807"),
        ({"amount": [1, 1 << 37]}, "amount: 1 to 68719476736, not 137438953472"),
        ({"bound": 0.5}, "bound: at least 0 seconds, exactly, not 0.5"),
        ({"bound": Fraction(-1)}, "bound: at least 0 seconds"),
    ],
)
def test_refuses_what_does_not_fit(changes: dict[str, Any], line: str) -> None:
    with pytest.raises(InvalidInput, match=line):
        through_switch(**changes)


def test_refuses_routes_from_a_switch() -> None:
    line = Topology.from_arcs(4, [(0, 2), (2, 3), (3, 1)], switches=(2, 3))
    with pytest.raises(InvalidInput, match="route_arc: a route goes from host to host"):
        through_switch(topology=line, channel=[3, 3], route_start=[0, 2], route_arc=[1, 2])


def test_refuses_routes_through_hosts() -> None:
    ring = jump_graph(3, [1])
    with pytest.raises(InvalidInput, match="through switches alone"):
        through_switch(
            topology=ring, channel=[0, 1], route_start=[0, 2], route_arc=[0, 1], origin=[0, 1]
        )


@pytest.mark.parametrize("collective", ["allgather", "allreduce"])
def test_images_under_translations(collective: str) -> None:
    ring = jump_graph(4, [1])
    reducing = 3 if collective == "allreduce" else 0
    one = Timetable(
        topology=ring,
        collective=collective,
        chunk=[0] * (3 + reducing),
        channel=[1, 2, 3, 0, 1, 2][3 - reducing :],
        begin=[0, 1, 2, 3, 4, 5][: 3 + reducing],
        origin=[0],
        reducing=reducing,
        chunk_bytes=Fraction(2),
        units=replace(UNITS, latency=Fraction(0)),
        translations=automorphisms_of(ring),
    )
    whole = expand_timetable(one)
    assert whole.all_sends == one.all_sends == 4 * one.sends
    assert whole.seconds == one.seconds == 3 + reducing
    assert whole.reducing == 4 * reducing
    assert one.total_bytes == whole.total_bytes == 8
    for u in range(4):
        own = np.flatnonzero(whole.chunk == u)
        assert ((whole.channel[own] - one.channel) % 4 == u).all()
        assert (whole.begin[own] == one.begin).all()
        assert ((own < whole.reducing) == (np.arange(one.sends) < reducing)).all()


def test_images_of_an_all_to_all_go_to_the_images_of_its_hosts() -> None:
    ring = jump_graph(3, [1])
    one = Timetable(
        topology=ring,
        collective="all-to-all",
        chunk=[0, 1, 1],
        channel=[0, 0, 1],
        begin=[1, 0, 1],
        origin=[0, 0],
        target=[1, 2],
        chunk_bytes=Fraction(2),
        units=UNITS,
        translations=automorphisms_of(ring),
    )
    whole = expand_timetable(one)
    assert whole.origin.tolist() == [0, 0, 1, 1, 2, 2]
    assert whole.target is not None
    assert whole.target.tolist() == [1, 2, 2, 0, 0, 1]


def test_translations_carry_no_routes() -> None:
    star = replace(STAR, switches=(2,))
    words = Automorphisms(images=[[1, 0, 2], [2, 1, 0]], parent=[0, 0, 0], by=[0, 0, 1])
    with pytest.raises(InvalidInput, match="translations: for arcs, not for routes"):
        through_switch(topology=star, origin=[0, 0], translations=words)


def test_ticks_are_countable() -> None:
    """A latency of 2^44 ticks of a send is the most; sums of them along a route are refused."""
    wide = replace(STAR, latency=(1 << 43, 1, 1, 1), capacity=None)
    units = LinkUnits(latency=Fraction(1), rate=Fraction(6))
    long = through_switch(topology=wide, units=units, amount=[1 << 36, 1])
    assert long.seconds == (1 << 43) + 1 + (1 << 36)
    slow = replace(wide, capacity=(Fraction(1, 1 << 40), 1, 1, 1))
    with pytest.raises(InvalidInput, match="amount: 68719476736 take ticks beyond 64 bits"):
        assert through_switch(topology=slow, units=units, amount=[1 << 36, 1]).makespan
    count = (1 << 19) + 1
    route = [0, *[4, 5] * (count // 2), 1]
    loop = Topology.from_arcs(
        4, [(0, 2), (2, 1), (1, 2), (2, 0), (2, 3), (3, 2)], switches=(2, 3),
        latency=(1 << 44, 1, 1, 1, 1, 1),
    )  # fmt: skip
    far = through_switch(
        topology=loop, units=units, channel=[6, 6], route_start=[0, len(route)], route_arc=route
    )
    with pytest.raises(InvalidInput, match=r"route_start: a route of .* takes ticks beyond"):
        assert far.makespan


def test_a_measure_of_many_values_is_given_up_soon() -> None:
    """Thousands of coprime rates: their common measure would have a million digits."""
    rates = [Fraction(10**28 + place, 10**29 + 7 * place) for place in range(1, 4001)]
    ring = jump_graph(4000, [1])
    with pytest.raises(Unsupported, match="no common measure"):
        chunk_times(replace(ring, capacity=rates, translation=None), UNITS, Fraction(1))


def test_no_common_measure() -> None:
    wild = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(10**9 + 7, 10**9 + 9))
    with pytest.raises(Unsupported, match="no common measure"):
        chunk_times(wild, UNITS, Fraction(10**18))
    with pytest.raises(InvalidInput, match="latency: at least 0 seconds"):
        LinkUnits(latency=Fraction(-1), rate=Fraction(1))
    with pytest.raises(InvalidInput, match="rate: above 0 bytes a second"):
        LinkUnits(latency=Fraction(1), rate=Fraction(0))


def test_an_all_to_all_is_no_schedule() -> None:
    from expansions.schedule import Schedule

    with pytest.raises(InvalidInput, match="carry out no all-to-all"):
        Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1], collective="all-to-all")
    assert Collective.ALLTOALL.reversed is Collective.ALLTOALL
