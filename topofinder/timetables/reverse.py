"""Timetables run backwards, and two phases joined to an allreduce.

A timetable that spreads chunks over the transpose, run backwards, sums them: what arrived last
leaves first, and a partial sum goes where its chunk came from (theorem 1 of Zhao et al. in
continuous time). With `pipelined` times a link is busy when its bytes are sent, not when they are
there, so that what was busy from b on is busy again b + latency before the end: shifted by the same
time for all sends of a link.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.model.timetable import Timetable


def reverse_timetable(timetable: Timetable) -> Timetable:
    """The timetable of the reversed collective on the transpose, with arcs of the same numbers.

    The time is the same. Where routes of unlike latency share links, sends may meet on one: have it
    played anew then, see `has_shared_routes`.

    >>> from fractions import Fraction
    >>> from generators.topology import Topology
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> line = Topology.from_arcs(3, [(0, 1), (1, 2)])
    >>> table = Timetable(topology=line, collective="broadcast", root=0, origin=[0], chunk=[0, 0],
    ...     channel=[0, 1], begin=[0, 3], chunk_bytes=Fraction(2),
    ...     units=LinkUnits(latency=Fraction(1), rate=Fraction(1)))
    >>> back = reverse_timetable(table)
    >>> back.collective, back.channel.tolist(), back.begin.tolist(), back.seconds
    (<Collective.REDUCE: 'reduce'>, [1, 0], [0, 3], Fraction(6, 1))
    """
    if timetable.reducing:
        raise InvalidInput("collective: an allreduce is reversed phase by phase")
    begin = timetable.makespan - timetable.arrivals()
    order = np.lexsort((timetable.channel, begin))
    start, arcs = timetable.route_start, timetable.route_arc
    assert start is not None
    assert arcs is not None
    turned = [part[::-1] for part in np.split(arcs, start[1:-1])]
    collective = timetable.collective.reversed
    origin, target = timetable.origin, timetable.target
    if target is not None:
        origin, target = target, origin
    return replace(
        timetable,
        topology=timetable.topology.transpose(),
        collective=collective,
        chunk=timetable.chunk[order],
        channel=timetable.channel[order],
        begin=begin[order],
        reducing=0 if target is not None else timetable.sends,
        origin=origin,
        target=target,
        route_arc=np.concatenate(turned) if len(arcs) else arcs,
    )


def rename_arcs(timetable: Timetable, topology: Topology) -> Timetable | None:
    """The same on a topology with the same links in another order; None for other links.

    A two-way topology has the links of its transpose, so that what `reverse_timetable` gives can be
    run on the topology itself.

    >>> from fractions import Fraction
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> table = Timetable(topology=pair, collective="broadcast", root=0, origin=[0], chunk=[0],
    ...     channel=[0], begin=[0], chunk_bytes=Fraction(2),
    ...     units=LinkUnits(latency=Fraction(1), rate=Fraction(1)))
    >>> back = reverse_timetable(table)
    >>> back.topology.tail.tolist(), rename_arcs(back, pair).channel.tolist()
    ([1, 0], [1])
    """
    links, wanted = _arc_rows(timetable.topology), _arc_rows(topology)
    if timetable.topology.switches != topology.switches or sorted(links) != sorted(wanted):
        return None
    name = np.empty(len(links), dtype=np.int32)
    name[_stable_order(links)] = _stable_order(wanted)
    arcs, channel = len(links), timetable.channel.copy()
    direct = channel < arcs
    channel[direct] = name[channel[direct]]
    return replace(
        timetable, topology=topology, channel=channel, route_arc=name[timetable.routes[1]]
    )


def _arc_rows(topology: Topology) -> list[tuple[int, int, Fraction, Fraction]]:
    """Tail, head, capacity and latency of every arc."""
    one = (Fraction(1),) * topology.arcs
    columns = topology.capacity or one, topology.latency or one
    ends = topology.tail.tolist(), topology.head.tolist()
    return list(zip(*ends, *columns, strict=True))


def _stable_order(rows: list[tuple[int, int, Fraction, Fraction]]) -> list[int]:
    """The places of rows in ascending order, equal ones as they stand."""
    return sorted(range(len(rows)), key=rows.__getitem__)


def has_shared_routes(timetable: Timetable) -> bool:
    """Whether routes share arcs, so that a reversal has to be played anew."""
    arcs = timetable.route_arc
    assert arcs is not None
    return len(np.unique(arcs)) < len(arcs)


def join_phases(gather: Timetable, spread: Timetable) -> Timetable:
    """The allreduce that runs a reduce-scatter and then an allgather of the same chunks.

    Both are on the same topology. The second begins when the first has ended; played anew
    (`simulation.timetables`), it begins where it can.

    Raises InvalidInput when the phases do not go together.
    """
    pairs = (
        (gather.collective, Collective.REDUCE_SCATTER),
        (spread.collective, Collective.ALLGATHER),
    )
    for found, wanted in pairs:
        if found is not wanted:
            raise InvalidInput(f"collective: {wanted} is needed, not {found}")
    same = gather.chunk_bytes == spread.chunk_bytes and gather.units == spread.units
    same = same and np.array_equal(gather.origin, spread.origin)
    if not same or not np.array_equal(gather.amounts, spread.amounts):
        raise InvalidInput("phases: the same chunks and links are needed")
    if (gather.translations is None) != (spread.translations is None):
        raise InvalidInput("phases: both with the sends of all nodes, or of node 0, are needed")
    (first, there), (start, arcs) = gather.routes, spread.routes
    through = spread.channel >= spread.topology.arcs
    later = spread.channel + np.where(through, len(first) - 1, 0)
    return replace(
        spread,
        collective=Collective.ALLREDUCE,
        chunk=np.concatenate([gather.chunk, spread.chunk]),
        channel=np.concatenate([gather.channel, later]),
        route_start=np.concatenate([first, first[-1] + start[1:]]),
        route_arc=np.concatenate([there, arcs]),
        begin=np.concatenate([gather.begin, spread.begin + gather.makespan]),
        reducing=gather.sends,
    )
