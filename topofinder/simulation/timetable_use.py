"""How busy the arcs are while a timetable runs, as exact shares of equal spans of time.

A send keeps every arc of its channel busy from its begin on: for the time of its bytes on the
slowest of them (pipelined), or for their latencies too (occupied); see TimeModel. Source of the
measure: TACOS (Won et al., MICRO 2024), figure 2, "link utilization over time".
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from generators.limbs import sum_exactly
from generators.topology import Int64Array
from topofinder.model.chunk_times import TimeModel
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
    hold, arcs = hold_ticks(timetable), _arcs_of_channels(timetable)[timetable.channel]
    edges = [Fraction(last * place, bins) for place in range(bins + 1)]
    until = [_busy_until(timetable.begin, hold, arcs, edge) for edge in edges]
    copies = Fraction(timetable.all_sends, max(timetable.sends, 1))
    whole = Fraction(last * timetable.topology.arcs, bins)
    return tuple(copies * (later - sooner) / whole for sooner, later in pairwise(until))


def hold_ticks(timetable: Timetable) -> Int64Array:
    """How long each send keeps its arcs, in ticks; int64 of shape (sends,)."""
    late, _ = timetable.channel_ticks()
    taken = timetable.arrivals() - timetable.begin
    if timetable.model is TimeModel.OCCUPIED:
        return taken
    held: Int64Array = taken - late[timetable.channel]
    return held


def _arcs_of_channels(timetable: Timetable) -> Int64Array:
    """How many arcs each channel has: 1, or those of a route; int64 of shape (channels,)."""
    assert timetable.route_start is not None
    one = np.ones(timetable.topology.arcs, dtype=np.int64)
    return np.concatenate([one, np.diff(timetable.route_start)])


def _busy_until(begin: Int64Array, hold: Int64Array, arcs: Int64Array, time: Fraction) -> Fraction:
    """The ticks that all arcs together were busy before a time."""
    whole = int(time)
    running = (begin <= whole) & (hold > whole - begin)
    over = (begin <= whole) & ~running
    found = _sum_products(hold[over], arcs[over]) - _sum_products(begin[running], arcs[running])
    return found + time * int(arcs[running].sum())


def _sum_products(ticks: Int64Array, arcs: Int64Array) -> int:
    """The sum of ticks times arcs, whatever its size.

    >>> _sum_products(np.array([1 << 61, 3]), np.array([8, 5])) == (1 << 64) + 15
    True
    """
    found = sum_exactly(ticks, int(arcs.sum()), lambda part: (part * arcs).sum(keepdims=True))
    return int(found[0])
