"""Timetables run backwards, and two phases joined to an allreduce.

A timetable that spreads chunks over the transpose, run backwards, sums them: what arrived last
leaves first, and a partial sum goes where its chunk came from (theorem 1 of Zhao et al. in
continuous time). With `pipelined` times a link is busy when its bytes are sent, not when they are
there, so that what was busy from b on is busy again b + latency before the end: shifted by the same
time for all sends of a link.
"""

from dataclasses import replace

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput
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
