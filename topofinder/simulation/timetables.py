"""A timetable played as early as can be, and a step schedule written as a timetable.

Sends keep their order on every arc, and a chunk its way; what a timetable leaves idle is taken out.
"""

from dataclasses import replace

import numpy as np

from generators.errors import InvalidInput
from generators.topology import Int64Array, IntArray
from topofinder.model.timetable import Timetable, expand_timetable
from topofinder.simulation.timetable_kernels import number_places, play_arc_sends, play_sends
from topofinder.verification.replay_kernels import sort_row_numbers
from topofinder.verification.timetable_symmetry import arc_classes, timetable_symmetry
from topofinder.verification.timetable_times import SendTimes, send_times
from topofinder.verification.timetables import chunk_violation


def play_timetable(timetable: Timetable, times: SendTimes | None = None) -> Int64Array:
    """The tick at which each send is there, if each begins as early as it can; shape (sends,).

    A send begins when its arcs have room beside all sends that begin before it there, and what it
    carries has come: the chunk, or of a partial sum all parts. By induction over the begins that
    is never later than its own begin where the timetable is valid. Sends that meet on an arc begin
    one after the other, in the order of begins and then of numbers. Of a compact timetable these
    are the sends of node 0; those of other nodes, their images, are there at the same time.
    `times` are its own `send_times`, where known.

    Raises InvalidInput when a chunk's way is not valid, or when the timetable is compact and its
    translations are no regular group: expand it then.

    >>> from fractions import Fraction
    >>> from generators.topology import Topology
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> line = Topology.from_arcs(3, [(0, 1), (1, 2)])
    >>> late = Timetable(topology=line, collective="broadcast", root=0, chunk=[0, 0],
    ...     channel=[0, 1], begin=[3, 9], origin=[0], chunk_bytes=Fraction(6),
    ...     units=LinkUnits(latency=Fraction(1), rate=Fraction(2)))
    >>> play_timetable(late).tolist()
    [4, 8]
    """
    times = times or send_times(timetable)
    arcs = _shared_arcs(timetable, times)
    if (violation := chunk_violation(timetable, times)) is not None:
        raise InvalidInput(f"timetable: {violation}")
    by_chunk, start = sort_row_numbers(
        np.arange(timetable.sends), timetable.chunk, timetable.chunks
    )
    leaves, comes, places = number_places(
        start, by_chunk, times.tail, times.head, timetable.topology.n
    )
    order, taken = np.argsort(times.begin, kind="stable"), times.arrive - times.begin
    ready = np.zeros(places, np.int64)
    found: Int64Array
    if len(times.start) == len(times.room) + 1:  # no routes: every arc is taken whole
        free = np.zeros(len(times.room), np.int64)
        found = play_arc_sends(
            order, arcs[times.channel], leaves, comes, taken, times.busy, ready, free
        )
    else:
        found = play_sends(
            order, times.channel, times.start, arcs, leaves, comes, taken, times.busy,
            ready, times.rate, times.room, times.most_users,
        )  # fmt: skip
    return found


def tighten_timetable(timetable: Timetable) -> Timetable:
    """The timetable with every begin as `play_timetable` has it: valid; see there for errors.

    Translations that are no regular group are expanded.
    """
    if timetable.translations is not None and not _is_regular(timetable):
        timetable = expand_timetable(timetable)
    times = send_times(timetable)
    return replace(timetable, begin=play_timetable(timetable, times) - (times.arrive - times.begin))


def _is_regular(timetable: Timetable) -> bool:
    return _classes(timetable) is not None


def _shared_arcs(timetable: Timetable, times: SendTimes) -> IntArray:
    """The arcs of all channels; of a compact timetable an arc stands for its class."""
    if timetable.translations is None:
        return times.arc
    kind = _classes(timetable)
    if kind is None:
        raise InvalidInput("timetable: its translations are no regular group; expand it first")
    return kind[times.arc]


def _classes(timetable: Timetable) -> IntArray | None:
    symmetry, words = timetable_symmetry(timetable), timetable.translations
    if isinstance(symmetry, str) or words is None:
        raise InvalidInput(f"timetable: {symmetry}")
    return arc_classes(symmetry, words.images, timetable.topology.tail)
