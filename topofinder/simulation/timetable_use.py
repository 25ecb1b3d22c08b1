"""How busy the arcs are while a timetable runs, as exact shares of equal spans of time.

A send keeps every arc of its channel busy from its begin on: for the time of its bytes on the
slowest of them (pipelined), or for their latencies too (occupied); see TimeModel. An arc that is
faster is busy in part. Source of the measure: TACOS (Won et al., MICRO 2024), figure 2, "link
utilization over time".
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from generators.limbs import sum_exactly
from generators.topology import Int64Array
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import Timetable

BINS = 20


def busy_shares(timetable: Timetable, bins: int = BINS) -> tuple[Fraction, ...]:
    """The share of arcs that are busy, in each of `bins` equal spans from 0 to the makespan.

    Nothing is busy where nothing takes any time. Of a timetable with translations the sends of all
    nodes count. Shares exceed 1 where sends overlap, which only an invalid timetable lets them.

    >>> from generators.topology import Topology
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
    >>> swap = Timetable(topology=pair, collective="allgather", chunk=[0, 1], channel=[0, 1],
    ...     begin=[0, 1], origin=[0, 1], chunk_bytes=Fraction(2), units=units)
    >>> [str(share) for share in busy_shares(swap, 4)]
    ['1/2', '1', '1/2', '0']
    """
    last = timetable.makespan
    if not last:
        return (Fraction(0),) * bins
    hold, edges = hold_ticks(timetable), [Fraction(last * at, bins) for at in range(bins + 1)]
    until = [Fraction(0)] * len(edges)
    share, kind = _shares_of_channels(timetable)
    for place, weight in enumerate(share):
        own = kind[timetable.channel] == place
        for at, edge in enumerate(edges):
            until[at] += weight * _busy_until(timetable.begin[own], hold[own], edge)
    copies = Fraction(timetable.all_sends, max(timetable.sends, 1))
    whole = Fraction(last * timetable.topology.arcs, bins)
    return tuple(copies * (later - sooner) / whole for sooner, later in pairwise(until))


def round_shares(
    begin: Int64Array, count: Int64Array, length: int, last: int, arcs: int, bins: int = BINS
) -> tuple[Fraction, ...]:
    """The same for rounds of `length` ticks each, of which `count[i]` sends begin at `begin[i]`.

    >>> [str(x) for x in round_shares(np.array([0, 4]), np.array([2, 1]), 4, 8, 2, 4)]
    ['1', '1', '1/2', '1/2']
    """
    if not last:
        return (Fraction(0),) * bins
    before = np.concatenate([[0], np.cumsum(count)])
    until = []
    for at in range(bins + 1):
        edge = Fraction(last * at, bins)
        over = int(np.searchsorted(begin, int(edge) - length, side="right"))
        busy = Fraction(int(before[over]) * length)
        if over < len(begin) and begin[over] < edge:
            busy += int(count[over]) * (edge - int(begin[over]))
        until.append(busy)
    return tuple((later - sooner) * bins / (last * arcs) for sooner, later in pairwise(until))


def hold_ticks(timetable: Timetable) -> Int64Array:
    """How long each send keeps its arcs, in ticks; int64 of shape (sends,)."""
    late, _ = timetable.channel_ticks()
    taken = timetable.arrivals() - timetable.begin
    if timetable.model is TimeModel.OCCUPIED:
        return taken
    held: Int64Array = taken - late[timetable.channel]
    return held


def _shares_of_channels(timetable: Timetable) -> tuple[list[Fraction], Int64Array]:
    """How many arcs a channel keeps busy, in part or whole: distinct numbers, and which it has."""
    start, arcs = timetable.routes
    room = timetable.arc_rates().tolist()
    known, kind = {Fraction(1): 0}, [0] * timetable.topology.arcs
    for begin, end in pairwise(start.tolist()):
        rates = [room[arc] for arc in arcs[begin:end].tolist()]
        share = sum((Fraction(min(rates), rate) for rate in rates), Fraction(0))
        kind.append(known.setdefault(share, len(known)))
    return list(known), np.array(kind, dtype=np.int64)


def _busy_until(begin: Int64Array, hold: Int64Array, time: Fraction) -> Fraction:
    """The ticks that all these sends together were on their way before a time."""
    whole = int(time)
    running = (begin <= whole) & (hold > whole - begin)
    over = (begin <= whole) & ~running
    return _sum_ticks(hold[over]) - _sum_ticks(begin[running]) + time * int(running.sum())


def _sum_ticks(ticks: Int64Array) -> int:
    """The sum, whatever its size.

    >>> _sum_ticks(np.array([1 << 61] * 8)) == 1 << 64
    True
    """
    found = sum_exactly(ticks, len(ticks), lambda part: part.sum(keepdims=True))
    return int(found[0])
