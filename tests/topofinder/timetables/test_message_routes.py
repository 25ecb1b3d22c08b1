"""Messages on links: ways, loads and times against the event queue of the twin."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.arrays import jump_graph
from generators.errors import InvalidInput, Unsupported
from generators.fabrics.names import fabric_of
from generators.topology import Topology
from tests.fabrics import topology
from tests.topofinder.timetables.message_twin import arrival_times, first_shortest_way, link_shares
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.timetables.baseline_messages import (
    direct_messages,
    halving_messages,
    ring_messages,
)
from topofinder.timetables.logical_messages import LogicalMessages, split_messages
from topofinder.timetables.message_routes import (
    merge_parallel_links,
    route_messages,
    time_messages,
)

GIGABYTE = Fraction(10**9)
UNITS = LinkUnits(latency=Fraction(1, 2 * 10**6), rate=50 * GIGABYTE)


def test_direct_on_a_ring_of_64_is_as_printed() -> None:
    """TACOS, figure 2(a): ring 16.71 times as fast as direct, for 1 GB at 50 GB/s and 0.5 us."""
    ring = jump_graph(64, [1, 63])
    routed = route_messages(direct_messages(64), ring)
    for reducing in (True, False):
        shares = link_shares(routed, reducing=reducing)
        assert shares.max() == 528
        assert shares.min() == 496
        assert shares.sum() == 64 * (528 + 496)
    direct = time_messages(routed, GIGABYTE, UNITS).seconds
    around = time_messages(route_messages(ring_messages(64), ring), GIGABYTE, UNITS).seconds
    assert around == Fraction(126, 64) / 100 + 126 * UNITS.latency
    assert round(direct * 1000, 1) == 330
    assert round(direct / around, 2) == Fraction("16.71")


SUBJECTS = {
    "ring": jump_graph(8, [1, 7]),
    "one way": jump_graph(8, [1]),
    "mesh": topology("Mesh(2,4)"),
    "DGX1": fabric_of("DGX1")[1],
    "Switch2D(4,2)": fabric_of("Switch2D(4,2)")[1],
    "RFS(2,2,2)": fabric_of("RFS(2,2,2)")[1],
}
PATTERNS = (ring_messages(8), direct_messages(8), halving_messages(8))


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("model", TimeModel)
def test_times_are_those_of_an_event_queue(subject: str, model: TimeModel) -> None:
    graph = SUBJECTS[subject]
    for number, pattern in enumerate(PATTERNS):
        messages = split_messages(pattern, 2) if number == 2 else pattern
        routed = route_messages(messages, graph)
        found = time_messages(routed, Fraction(10**6), UNITS, model=model)
        wanted = arrival_times(
            messages, graph, Fraction(10**6), UNITS, occupied=model is TimeModel.OCCUPIED
        )
        assert [tick * found.tick for tick in found.arrival.tolist()] == wanted
        assert found.seconds == max(wanted)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_messages_on_any_links(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 6))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    arcs = [(i, (i + 1) % n) for i in range(n)] + data.draw(st.lists(pairs, max_size=8))
    known = {"capacity": [data.draw(st.integers(1, 3)) for _ in arcs]}
    graph = Topology.from_arcs(n, arcs, **known)
    count = data.draw(st.integers(1, 12))
    ends = [data.draw(pairs.filter(lambda pair: pair[0] != pair[1])) for _ in range(count)]
    amount = [data.draw(st.integers(1, 3)) for _ in ends]
    waits = {(data.draw(st.integers(0, m - 1)), m) for m in range(1, count)}
    kept = sorted(pair for pair in waits if data.draw(st.booleans()))
    messages = LogicalMessages(
        hosts=n,
        total=3,
        origin=np.array([u for u, _ in ends]),
        target=np.array([v for _, v in ends]),
        begin=np.zeros(count, np.int64),
        end=np.array(amount),
        reducing=np.ones(count, np.bool_),
        before=np.array([before for before, _ in kept], np.int64),
        after=np.array([after for _, after in kept], np.int64),
    )
    if data.draw(st.booleans()):
        order = [data.draw(st.integers(0, 3)) for _ in ends]
        messages = replace(messages, priority=np.array(order))
    units = LinkUnits(latency=Fraction(1, 2), rate=Fraction(1))
    routed = route_messages(messages, graph)
    for m, (u, v) in enumerate(ends):
        way = routed.way[routed.way_start[m] : routed.way_start[m + 1]]
        links = zip(routed.links.tail[way].tolist(), routed.links.head[way].tolist(), strict=True)
        assert list(links) == first_shortest_way(graph, u, v)
    found = time_messages(routed, Fraction(3), units)
    wanted = arrival_times(messages, graph, Fraction(3), units)
    assert [tick * found.tick for tick in found.arrival.tolist()] == wanted


def test_no_link_takes_two_messages_at_once() -> None:
    routed = route_messages(direct_messages(8), SUBJECTS["mesh"])
    times = time_messages(routed, GIGABYTE, UNITS)
    for link in range(routed.links.arcs):
        own = np.flatnonzero(routed.way == link)
        order = own[np.argsort(times.begin[own])]
        assert (times.begin[order[1:]] >= (times.begin + times.hold)[order[:-1]]).all()


def test_parallel_links_are_one() -> None:
    merged = merge_parallel_links(Topology.from_arcs(2, [(0, 1), (1, 1), (1, 0), (0, 1)]))
    assert (merged.tail.tolist(), merged.head.tolist()) == ([0, 1], [1, 0])
    assert merged.capacity == (2, 1)
    box = merge_parallel_links(fabric_of("DGX1")[1])
    assert box.arcs == 32
    assert set(box.capacity or ()) == {25, 50}


def test_refusals() -> None:
    pair = direct_messages(2)
    with pytest.raises(InvalidInput, match=r"^messages: 2 hosts, but the topology has 8$"):
        route_messages(pair, SUBJECTS["ring"])
    with pytest.raises(InvalidInput, match=r"^messages: no way from node 1 to node 0$"):
        route_messages(pair, Topology.from_arcs(2, [(0, 1)]))
    unlike = Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0)], latency=[1, 2, 1])
    with pytest.raises(Unsupported, match=r"^messages: parallel links of latencies 1 and 2 from 0"):
        route_messages(pair, unlike)
    routed = route_messages(pair, jump_graph(2, [1]))
    with pytest.raises(InvalidInput, match=r"^size: above 0 bytes, not 0$"):
        time_messages(routed, Fraction(0), UNITS)
