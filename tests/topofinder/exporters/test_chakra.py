"""Chakra traces: decoded by a reader of their own, and played in an event-driven network."""

import heapq
import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import topofinder as tf
from generators.errors import Unsupported
from topofinder.exporters.chakra import chakra_files
from topofinder.lowering.lower import lower
from topofinder.model.transfers import Transfers

ALPHA, B = Fraction(1, 10**5), Fraction(100 * 10**9, 8)
RECIPES = ("BiRing(2,8)", "Torus(4,4)", "Pi(2,27)", "L(K(3,3))", "Diamond*2", "C(12,{2,3})")


class Node(NamedTuple):
    kind: int
    name: str
    after: tuple[int, ...]
    attributes: dict[str, int]


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return value, at


def fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """(field, value) of a message; wire types 0 and 2 only."""
    found: list[tuple[int, int | bytes]] = []
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            found.append((key >> 3, data[at : at + value]))
            at += value
        else:
            assert key & 7 == 0
            found.append((key >> 3, value))
    return found


def messages(data: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(data):
        length, at = varint(data, at)
        found.append(data[at : at + length])
        at += length
    return found


def decode(data: bytes) -> dict[int, Node]:
    head, *rest = messages(data)
    assert fields(head) == [(1, b"0.0.4")]
    nodes = {}
    for each in rest:
        known = dict(field for field in fields(each) if field[0] != 10)
        attributes = {}
        for number, content in fields(each):
            if number == 10:
                (_, name), (_, value) = fields(content)
                attributes[name.decode()] = value
        packed, after = known.get(5, b""), []
        at = 0
        while at < len(packed):
            value, at = varint(packed, at)
            after.append(value)
        nodes[known[1]] = Node(known[3], known[2].decode(), tuple(after), attributes)
    return nodes


def play(traces: list[dict[int, Node]], rate: Fraction, lanes: int) -> Fraction:
    """Every lane carries one message at a time, which is there a latency after it has left."""
    waits = [{n: set(node.after) for n, node in trace.items()} for trace in traces]
    receives = {
        (node.attributes["comm_src"], rank, node.attributes["comm_tag"]): n
        for rank, trace in enumerate(traces) for n, node in trace.items() if node.kind == 6
    }  # fmt: skip
    ready = [
        (Fraction(), rank, n) for rank, trace in enumerate(traces) for n, node in trace.items()
        if node.kind == 5 and not node.after
    ]  # fmt: skip
    heapq.heapify(ready)
    free: dict[tuple[int, int, int], Fraction] = {}
    latest, done = Fraction(), 0
    events: list[tuple[Fraction, int, int]] = []

    def finish(time: Fraction, rank: int, n: int) -> None:
        for other, node in traces[rank].items():
            if n in waits[rank][other]:
                waits[rank][other].discard(n)
                if not waits[rank][other] and node.kind == 5:
                    heapq.heappush(ready, (time, rank, other))

    while ready or events:
        if ready and (not events or ready[0][0] <= events[0][0]):
            time, rank, n = heapq.heappop(ready)
            sent = traces[rank][n].attributes
            lane = rank, sent["comm_dst"], sent["comm_tag"] % lanes
            start = max(time, free.get(lane, Fraction()))
            left = start + sent["comm_size"] / rate
            free[lane] = left
            to = receives.pop((rank, sent["comm_dst"], sent["comm_tag"]))
            heapq.heappush(events, (left, rank, n))
            heapq.heappush(events, (left + ALPHA, sent["comm_dst"], to))
        else:
            time, rank, n = heapq.heappop(events)
            latest, done = max(latest, time), done + 1
            finish(time, rank, n)
    assert done == sum(map(len, traces))
    assert not receives
    return latest


@cache
def transfers_of(recipe: str, collective: str) -> tuple[Transfers, int, Fraction]:
    saved = tf.schedule(recipe, collective=collective).saved
    cost = saved.cost.runtime(ALPHA, Fraction(1 << 20), B)
    return lower(saved), saved.topology.degree, cost


def traces_of(transfers: Transfers, size: int = 1 << 20) -> list[dict[int, Node]]:
    files = dict(chakra_files(transfers, size=size, latency=ALPHA, rate=B))
    return [decode(files[f"algo.{rank}.et"]) for rank in range(transfers.ranks)]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("collective", ["allgather", "reduce-scatter", "allreduce"])
def test_traces_take_what_steps_take_at_most(recipe: str, collective: str) -> None:
    transfers, degree, cost = transfers_of(recipe, collective)
    lanes = int(transfers.lane.max()) + 1
    time = play(traces_of(transfers), B / degree, lanes)
    assert time <= cost * (1 + Fraction(1, 10**5))  # whole bytes
    assert time >= cost / 2


@pytest.mark.parametrize(
    ("recipe", "collective", "microseconds"),
    [
        ("BiRing(2,8)", "allreduce", 226.8),
        ("L(K(4,4))", "allreduce", 227.772),
        ("Torus(4,8)", "allreduce", 282.529),
    ],
)
def test_times_of_other_simulators(recipe: str, collective: str, microseconds: float) -> None:
    """What ASTRA-sim's congestion-aware network and SimGrid take for the same schedules."""
    transfers, degree, _ = transfers_of(recipe, collective)
    time = play(traces_of(transfers), B / degree, 1)
    assert float(time) * 1e6 == pytest.approx(microseconds, rel=1e-5)


def test_every_byte_is_sent_once() -> None:
    transfers, _, _ = transfers_of("Torus(4,4)", "allgather")
    sent = sum(
        node.attributes["comm_size"]
        for trace in traces_of(transfers, 999) for node in trace.values() if node.kind == 5
    )  # fmt: skip
    assert sent == 15 * 999


def test_a_trace_calls_the_collective_once() -> None:
    transfers, _, _ = transfers_of("Q(3)", "allreduce")
    files = dict(chakra_files(transfers, size=1 << 20, latency=ALPHA, rate=B))
    (node,) = decode(files["work.3.et"]).values()
    assert (node.kind, node.name) == (7, "allreduce")
    assert node.attributes == {"is_cpu_op": 0, "comm_type": 0, "comm_size": 1 << 20}
    assert json.loads(files["system.json"])["all-reduce-implementation-custom"] == ["algo"]
    assert files["network.yml"].decode().splitlines() == [
        "topology: [ FullyConnected ]",
        "npus_count: [ 8 ]",
        f"bandwidth: [ {12.5e9 / 2**30} ]",
        "latency: [ 10000.0 ]",
    ]


def test_the_same_bytes_each_time() -> None:
    transfers, _, _ = transfers_of("L(K(3,3))", "reduce-scatter")
    one, two = (
        dict(chakra_files(transfers, size=12345, latency=None, rate=None)) for _ in range(2)
    )
    assert one == two
    assert "network.yml" not in one


def test_rooted_collectives_are_refused(tmp_path: Path) -> None:
    transfers = lower(tf.schedule("Q(3)", collective="broadcast", root=0).saved)
    with pytest.raises(Unsupported, match="broadcast"):
        list(chakra_files(transfers, size=1, latency=None, rate=None))
