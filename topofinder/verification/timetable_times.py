"""When every send of a timetable is there, and what it keeps busy until when, worked out anew.

Ticks, latencies and rates follow from the topology and the units, by code of its own: nothing is
asked of the timetable but its columns. Source of the two models: TACOS (Won et al., MICRO 2024),
sections IV.F and V.C.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from generators.errors import Unsupported
from generators.topology import Int64Array, IntArray
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import Timetable
from topofinder.verification.schedule_loads import arc_kinds

LONGEST = 1 << 61
"""Ticks of a latency, or of a chunk's bytes, at most; with a begin three of them fit 64 bits."""
LARGEST_RATE = 1 << 60
"""Of a link, in the measure of all rates."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SendTimes:
    """The sends of a timetable as whole ticks of `tick` seconds; arrays of shape (sends,).

    Send i leaves `tail[i]` at `begin[i]` and is at `head[i]` at `arrive[i]`; for `busy[i]` ticks
    it takes `rate[c]` of each of the arcs a = `arc[start[c]:start[c + 1]]` of its channel c, which
    has `room[a]`. `rate` is of shape (channels,), `room` of shape (arcs,).
    """

    tick: Fraction
    tail: IntArray
    head: IntArray
    channel: IntArray
    begin: Int64Array
    arrive: Int64Array
    busy: Int64Array
    start: Int64Array
    arc: IntArray
    rate: Int64Array
    room: Int64Array

    @property
    def most_users(self) -> int:
        """Sends on all arcs at once at most, each counted on every arc: as many as find room."""
        slowest = np.full(len(self.room), LARGEST_RATE, dtype=np.int64)
        np.minimum.at(slowest, self.arc, np.repeat(self.rate, np.diff(self.start)))
        hops = np.diff(self.start)[self.channel]
        most: int = sum((self.room // slowest).tolist())
        return min(most, int(hops.sum())) + 1

    @property
    def last(self) -> int:
        """The tick at which the last send is there."""
        return int(self.arrive.max(initial=0))


def send_times(timetable: Timetable) -> SendTimes:
    """The times of the sends that are kept, not those of their images.

    Raises Unsupported for times that 64 bits cannot hold.

    >>> from expansions.collective import Collective
    >>> from generators.topology import Topology
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 3))
    >>> found = send_times(Timetable(topology=pair, collective="allgather", chunk=[0, 1],
    ...     channel=[0, 1], begin=[0, 5], origin=[0, 1], chunk_bytes=4, model="occupied",
    ...     units=LinkUnits(latency=Fraction(1, 2), rate=Fraction(2))))
    >>> str(found.tick), found.busy.tolist(), found.arrive.tolist()
    ('1/6', [15, 7], [15, 12])
    """
    graph, channel = timetable.topology, timetable.channel
    tick, late, unit = _arc_ticks(timetable)
    start, arc = channel_arcs(timetable)
    late, unit = _channel_ticks(late, unit, start, arc)
    amount = _amounts(timetable)[timetable.chunk]
    if (amount > LONGEST // np.maximum(unit[channel], 1)).any():
        raise Unsupported("amount: some chunk takes longer than 64 bits can count in ticks")
    sending = unit[channel] * amount
    waiting = late[channel]
    occupied = timetable.model is TimeModel.OCCUPIED
    rate, room = _rates(timetable, start, arc)
    return SendTimes(
        tick=tick,
        tail=graph.tail[arc[start[channel]]],
        head=graph.head[arc[start[channel + 1] - 1]],
        channel=channel,
        begin=timetable.begin,
        arrive=timetable.begin + waiting + sending,
        busy=waiting + sending if occupied else sending,
        start=start,
        arc=arc,
        rate=rate,
        room=room,
    )


def channel_arcs(timetable: Timetable) -> tuple[Int64Array, IntArray]:
    """(start, arc): channel c takes the arcs arc[start[c]:start[c + 1]]; arcs come first."""
    arcs = timetable.topology.arcs
    route_start, route_arc = timetable.route_start, timetable.route_arc
    routes = np.zeros(1, np.int64) if route_start is None else route_start
    through = np.zeros(0, np.int32) if route_arc is None else route_arc
    start = np.concatenate([np.arange(arcs, dtype=np.int64), arcs + routes])
    return start, np.concatenate([np.arange(arcs, dtype=np.int32), through])


def _arc_ticks(timetable: Timetable) -> tuple[Fraction, Int64Array, Int64Array]:
    """Seconds of a tick; the latency of every arc in ticks, and what a unit of bytes takes."""
    graph, units = timetable.topology, timetable.units
    latency, latency_kind = arc_kinds(graph.latency, graph.arcs)
    capacity, capacity_kind = arc_kinds(graph.capacity, graph.arcs)
    late = [units.latency * value for value in latency]
    unit = [timetable.chunk_bytes / (units.rate * value) for value in capacity]
    tick = greatest_measure([*late, *unit])
    return tick, _in_ticks(late, tick)[latency_kind], _in_ticks(unit, tick)[capacity_kind]


def greatest_measure(values: Sequence[Fraction]) -> Fraction:
    """The greatest fraction of which all are multiples; one of them at least is above 0.

    >>> greatest_measure([Fraction(1, 2), Fraction(2, 3), Fraction(0)])
    Fraction(1, 6)
    """
    parts = lcm(*(value.denominator for value in values))
    return Fraction(gcd(*(int(value * parts) for value in values)), parts)


def _in_ticks(seconds: list[Fraction], tick: Fraction) -> Int64Array:
    counts = [int(value / tick) for value in seconds]
    if max(counts) > LONGEST:
        raise Unsupported("units: some link takes longer than 64 bits can count in ticks")
    return np.array(counts, dtype=np.int64)


def _channel_ticks(
    late: Int64Array, unit: Int64Array, start: Int64Array, arc: IntArray
) -> tuple[Int64Array, Int64Array]:
    """A channel has the latencies of its arcs one after the other, and the rate of the slowest."""
    if not len(arc):
        return late, unit
    longest = int(np.diff(start).max())
    if int(late.max()) * longest > LONGEST:
        raise Unsupported("route_arc: some route takes longer than 64 bits can count in ticks")
    return np.add.reduceat(late[arc], start[:-1]), np.maximum.reduceat(unit[arc], start[:-1])


def _rates(timetable: Timetable, start: Int64Array, arc: IntArray) -> tuple[Int64Array, Int64Array]:
    """What a send on every channel takes of each of its arcs, and what every arc has.

    A send goes at the rate of the slowest link of its route, and the rest of a fat link is left to
    others. Counted in the greatest measure of all rates; without routes every arc is taken whole.
    """
    graph = timetable.topology
    if len(start) == graph.arcs + 1:
        return np.ones(graph.arcs, np.int64), np.ones(graph.arcs, np.int64)
    capacity, kind = arc_kinds(graph.capacity, graph.arcs)
    measure = greatest_measure(capacity)
    whole = [int(value / measure) for value in capacity]
    if max(whole) > LARGEST_RATE:
        raise Unsupported("capacity: rates are too unlike to be added in 64 bits")
    room = np.array(whole, dtype=np.int64)[kind]
    return np.minimum.reduceat(room[arc], start[:-1]), room


def _amounts(timetable: Timetable) -> Int64Array:
    if timetable.amount is None:
        return np.ones(len(timetable.origin), dtype=np.int64)
    return timetable.amount
