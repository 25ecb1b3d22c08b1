"""Verification of timetables in rounds, block after block: every send is replayed.

What nodes have or are sent is kept as bits, and what is under way by arcs, so that the memory is
that of chunks times nodes, however many sends there are. It shares no code with the makers. Source:
TACOS (Won et al., MICRO 2024), section IV.
"""

from dataclasses import replace

import numpy as np

from generators.errors import Unsupported
from generators.topology import Int64Array, IntArray
from topofinder.model.timetable import Timetable
from topofinder.verification.round_replay_kernels import (
    BUSY,
    NOT_IN_ORDER,
    NOT_THERE,
    NOTHING,
    replay_sends,
)
from topofinder.verification.timetable_times import send_times

MOST_BITS = 1 << 33
"""Chunks times nodes at most: the table of bits takes 1 GiB then."""

MOST_UNDER_WAY = 1 << 26
"""Arcs times the chunks that may be on one at once: 768 MiB."""

BEFORE_ALL = -(1 << 62)
"""A tick before every send."""


class RoundReplay:
    """The allgather that `asked`, a timetable without sends, stands for, and what was sent so far.

    Raises Unsupported for links that are unlike, for switches, and for more than `most_bits` of
    chunks times nodes.

    >>> from fractions import Fraction
    >>> from generators.topology import Topology
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> units = LinkUnits(latency=Fraction(0), rate=Fraction(1))
    >>> replay = RoundReplay(Timetable(topology=pair, collective="allgather", chunk=[], channel=[],
    ...     begin=[], origin=[0, 1], chunk_bytes=Fraction(2), units=units))
    >>> replay.add(np.array([0]), np.array([0]), np.array([0])), replay.violation_at_end()
    (None, 'node 0 never gets chunk 1')
    >>> replay.add(np.array([0]), np.array([0]), np.array([1]))
    'send 1, of chunk 0 over [0, 1] at tick 1: node 1 has the chunk already'
    """

    def __init__(self, asked: Timetable, *, most_bits: int = MOST_BITS) -> None:
        graph, chunks = asked.topology, asked.chunks
        if graph.switches or not graph.arcs:
            raise Unsupported("rounds: for links from host to host")
        if graph.n * chunks > most_bits:
            raise Unsupported(f"rounds: more than {most_bits} chunks of all nodes are not replayed")
        arcs = np.arange(graph.arcs, dtype=np.int32)
        times = send_times(
            replace(asked, chunk=np.zeros_like(arcs), channel=arcs, begin=np.zeros_like(arcs))
        )
        if (times.arrive != times.arrive[0]).any() or (times.busy != times.busy[0]).any():
            raise Unsupported("rounds: for links that are equal")
        self._graph, self._late, self._busy = graph, int(times.arrive[0]), int(times.busy[0])
        slots = min(self._late // self._busy + 1, chunks)
        if graph.arcs * slots > MOST_UNDER_WAY:
            raise Unsupported("rounds: for latencies of few chunk times")
        self._state = np.array([0, BEFORE_ALL], dtype=np.int64)
        coming = np.zeros((graph.n, -(-chunks // 64)), dtype=np.uint64)
        x = np.arange(chunks)
        bits = np.uint64(1) << (x & 63).astype(np.uint64)
        np.bitwise_or.at(coming, (asked.origin, x >> 6), bits)
        self._chunks = chunks
        self._tables = (
            coming,
            np.zeros(graph.arcs, dtype=np.int64),
            chunks - np.bincount(asked.origin, minlength=graph.n),
            np.searchsorted(np.sort(graph.head), np.arange(graph.n + 1)),
            np.argsort(graph.head, kind="stable"),
            np.full((graph.arcs, slots), -1, dtype=np.int32),
            np.full((graph.arcs, slots), BEFORE_ALL, dtype=np.int64),
            np.zeros(graph.arcs, dtype=np.int64),
        )

    def add(self, chunk: IntArray, channel: IntArray, begin: Int64Array) -> str | None:
        """Replay some sends, in the order of their begins; the first fault in one line, or None."""
        sends = (
            np.ascontiguousarray(chunk, dtype=np.int32),
            np.ascontiguousarray(channel, dtype=np.int32),
            np.ascontiguousarray(begin, dtype=np.int64),
        )
        graph = self._graph
        fault, at = replay_sends(
            *sends, graph.tail, graph.head, self._late, self._busy, self._tables, self._state
        )
        return None if fault == NOTHING else self._describe(fault, *(int(c[at]) for c in sends))

    @property
    def last(self) -> int:
        """The tick at which the last send is there; 0 where nothing was sent."""
        return int(self._state[1]) + self._late if self.sends else 0

    @property
    def sends(self) -> int:
        """How many sends were replayed."""
        return int(self._state[0])

    def violation_at_end(self) -> str | None:
        """A node that lacks a chunk, once all sends were added; None where none does."""
        coming, _, lack, *_ = self._tables
        short = np.flatnonzero(lack)
        if not len(short):
            return None
        v = int(short[0])
        bits = np.unpackbits(coming[v].view(np.uint8), bitorder="little", count=self._chunks)
        return f"node {v} never gets chunk {int(bits.argmin())}"

    def _describe(self, fault: int, chunk: int, channel: int, begin: int) -> str:
        u, v = int(self._graph.tail[channel]), int(self._graph.head[channel])
        reason = {
            NOT_IN_ORDER: "the send before it begins later",
            BUSY: f"arc {channel} is busy until tick {int(self._tables[1][channel])}",
            NOT_THERE: f"node {u} has no such chunk by then",
        }.get(fault, f"node {v} has the chunk already")
        return f"send {self.sends}, of chunk {chunk} over [{u}, {v}] at tick {begin}: {reason}"
