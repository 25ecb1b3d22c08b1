"""Verification of timetables: every send is replayed in the timetable's own model of time.

Chunk by chunk: a send leaves a node that has the chunk, no node gets it twice, and all that must
have it do; of a sum, every node sends its part once, after all that goes into it has come. Then
arc by arc: no two sends keep one at the same time. Of a compact timetable the symmetry is checked
and node 0 replayed. Source: TACOS (Won et al., MICRO 2024), section IV.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from expansions.collective import Collective
from generators.brief import brief
from generators.topology import BoolArray, Int64Array, IntArray, Topology
from topofinder.model.timetable import Timetable
from topofinder.progress import work_progress
from topofinder.verification.replay_kernels import sort_row_numbers
from topofinder.verification.symmetry import Symmetry
from topofinder.verification.timetable_kernels import (
    ASTRAY,
    KEPT,
    LACKING,
    NOT_THERE,
    NOTHING,
    SENT_TWICE,
    TOO_EARLY,
    TOO_SOON,
    TWICE,
    UNSENT,
    replay_chunks,
)
from topofinder.verification.timetable_symmetry import shared_arc, timetable_symmetry
from topofinder.verification.timetable_times import SendTimes, send_times

MOST_IMAGES = 1 << 30
"""Images of sends that are looked at one by one: some seconds."""
AT_ONCE = 1 << 21
"""Sends that are replayed between two looks at the clock."""
SUMMING = (Collective.REDUCE_SCATTER, Collective.REDUCE, Collective.ALLREDUCE)
SPREADING = tuple(set(Collective) - {Collective.REDUCE_SCATTER, Collective.REDUCE})


@dataclass(frozen=True, slots=True, kw_only=True)
class TimetableVerdict:
    """Whether a timetable does what its collective asks, and how long it takes.

    `tick` (seconds) and `makespan` (ticks) are worked out anew from the sends as they stand, valid
    or not. `violation` is one line about the first fault, None exactly when it is valid.

    >>> TimetableVerdict(tick=Fraction(1, 2), makespan=3, violation=None).seconds
    Fraction(3, 2)
    """

    tick: Fraction
    makespan: int
    violation: str | None

    @property
    def valid(self) -> bool:
        """Whether nothing was found wrong."""
        return self.violation is None

    @property
    def seconds(self) -> Fraction:
        """The time of the collective."""
        return self.makespan * self.tick


def verify_timetable(
    timetable: Timetable, *, most_images: int = MOST_IMAGES, at_once: int = AT_ONCE
) -> TimetableVerdict:
    """Replay a timetable and say what is wrong with it.

    A chunk that is spread leaves its origin (once its sum is there), or a node at which it has
    arrived; it comes to no node twice, and in the end to all hosts, or in an all-to-all to its
    target alone and to nodes that pass it on. To a sum each host but its origin sends its part
    once, after all parts that come to it. Sends leave from hosts and end at hosts. Over both
    phases no arc is used twice at once: a send keeps all arcs of its channel, for the time of its
    bytes on the slowest (`pipelined`), or for all their latencies and that (`occupied`). With
    routes it takes the rate of the slowest of them, and no arc may have to carry more than its own.
    A claimed bound must not exceed the time taken.

    Raises Unsupported for times that 64 bits cannot hold, and for more than `most_images` images
    of sends under translations that are no regular group. Some `at_once` sends are replayed between
    two looks at the clock.

    >>> from topofinder.model.chunk_times import LinkUnits
    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> fields = dict(topology=ring, collective="allgather", chunk=[0, 1], begin=[0, 0],
    ...     origin=[0, 1], chunk_bytes=Fraction(6),
    ...     units=LinkUnits(latency=Fraction(1), rate=Fraction(2)))
    >>> verify_timetable(Timetable(channel=[0, 1], **fields))
    TimetableVerdict(tick=Fraction(1, 1), makespan=4, violation=None)
    >>> verify_timetable(Timetable(channel=[0, 0], **fields)).violation
    'send 1, of chunk 1 over [0, 1] at tick 0: node 1 has the chunk already'
    """
    work_progress.tell(f"replaying {timetable.sends:,} sends")
    times = send_times(timetable)
    symmetry = None if timetable.translations is None else timetable_symmetry(timetable)
    violation = (
        symmetry
        if isinstance(symmetry, str)
        else chunk_violation(timetable, times, at_once)
        or _arc_violation(timetable, times, symmetry, most_images)
        or _bound_violation(timetable, times)
    )
    return TimetableVerdict(tick=times.tick, makespan=times.last, violation=violation)


def _switch_violation(timetable: Timetable, times: SendTimes) -> str | None:
    """The first send that begins or ends at a switch."""
    host = hosts_of(timetable.topology)
    wrong = np.flatnonzero(~(host[times.tail] & host[times.head]))
    if not len(wrong):
        return None
    send = int(wrong[0])
    return describe_send(timetable, times, send, "only routes lead through switches")


def hosts_of(topology: Topology) -> BoolArray:
    """Of each node, whether it is a host."""
    found = np.ones(topology.n, dtype=np.bool_)
    found[list(topology.switches)] = False
    return found


def chunk_violation(timetable: Timetable, times: SendTimes, at_once: int = AT_ONCE) -> str | None:
    """The first fault of a chunk's way, or of a sum's; what sends keep busy is not looked at."""
    if (astray := _switch_violation(timetable, times)) is not None:
        return astray
    order, start = sort_row_numbers(np.arange(timetable.sends), timetable.chunk, timetable.chunks)
    target = np.full(timetable.chunks, -1, dtype=np.int32)
    if timetable.target is not None:
        target[:] = timetable.target
    fault, send, other, node, chunk = _first_chunk_fault(
        timetable, times, order, start, target, at_once
    )
    if fault == NOTHING:
        return None
    if fault == LACKING:
        return f"node {node} never gets chunk {chunk}"
    if fault == UNSENT:
        return f"node {node} never sends its part of chunk {chunk}"
    return describe_send(timetable, times, send, _reason(times, fault, send, other))


def _first_chunk_fault(
    timetable: Timetable,
    times: SendTimes,
    order: Int64Array,
    start: Int64Array,
    target: IntArray,
    at_once: int,
) -> tuple[int, ...]:
    """What `replay_chunks` says of all chunks, some `at_once` sends at a time."""
    chunks, host = timetable.chunks, hosts_of(timetable.topology)
    width = max(1, at_once * chunks // max(timetable.sends, 1))
    for first in range(0, chunks, width):
        work_progress.count("replaying chunks", first, chunks)
        some = slice(first, first + width)
        *found, chunk = map(int, replay_chunks(
            start[first:], order, timetable.origin[some], target[some], host, times.tail,
            times.head, times.begin, times.arrive, timetable.reducing,
            timetable.collective in SUMMING, timetable.collective in SPREADING,
        ))  # fmt: skip
        if found[0] != NOTHING:
            return (*found, first + chunk)
    return NOTHING, -1, -1, -1, -1


def _reason(times: SendTimes, fault: int, send: int, other: int) -> str:
    """Why a send cannot be."""
    tail, head = times.tail[send], times.head[send]
    if fault == TOO_EARLY:
        since = f"from tick {times.arrive[other]} on" if other >= 0 else "once its parts are there"
        return f"node {tail} has the chunk {since}"
    if fault == TOO_SOON:
        return f"send {other} brings a part of it to node {tail} at tick {times.arrive[other]}"
    return {
        NOT_THERE: f"node {tail} never has the chunk",
        TWICE: f"node {head} has the chunk already",
        ASTRAY: f"node {head} neither is the target nor passes it on",
        KEPT: f"its sum belongs to node {tail}",
        SENT_TWICE: f"node {tail} sends its part in send {other} as well",
    }[fault]


def _arc_violation(
    timetable: Timetable, times: SendTimes, symmetry: Symmetry | None, most_images: int
) -> str | None:
    send, other, arc = shared_arc(timetable, times, symmetry, most_images)
    if send < 0:
        return None
    until = times.begin[other] + times.busy[other]
    image = "" if symmetry is None else ", or images of both,"
    graph = timetable.topology
    return describe_send(
        timetable,
        times,
        send,
        f"send {other}{image} keeps arc {arc} [{graph.tail[arc]}, {graph.head[arc]}] until {until}",
    )


def _bound_violation(timetable: Timetable, times: SendTimes) -> str | None:
    seconds = times.last * times.tick
    if timetable.bound is None or timetable.bound <= seconds:
        return None
    return f"it takes {brief(seconds)} s, less than the bound {brief(timetable.bound)} s it claims"


def describe_send(timetable: Timetable, times: SendTimes, send: int, reason: str) -> str:
    """What a send does, and why it cannot."""
    ends = f"[{times.tail[send]}, {times.head[send]}]"
    return (
        f"send {send}, of chunk {timetable.chunk[send]} over {ends} at tick "
        f"{times.begin[send]}: {reason}"
    )
