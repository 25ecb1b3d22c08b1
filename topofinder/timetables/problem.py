"""What a timetable is made for: chunks, channels and ticks, as flat arrays for kernels.

Makers schedule collectives that spread (allgather, broadcast, all-to-all), and allreduces as one
set of tasks; other sums come from the transpose, see `reverse`. Source of the terms: TACOS (Won et
al., MICRO 2024), section IV.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from expansions.automorphisms import Automorphisms
from expansions.collective import Collective
from generators.arrays import csr_by_node
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import AnyIntArray, BoolArray, Int64Array, IntArray, Topology
from topofinder.model.chunk_times import LinkUnits, require_ticks
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import MAX_CHUNKS, Timetable

WANTED = (
    Collective.ALLGATHER,
    Collective.BROADCAST,
    Collective.ALLTOALL,
    Collective.ALLREDUCE,
)


class ChannelArrays(NamedTuple):
    """The channels of a problem; all but `arc` and `room` are of shape (channels,).

    A chunk of amount m that goes over channel e from `tail[e]` to `head[e]` (int32) keeps its arcs
    `arc[start[e]:start[e + 1]]` busy for `hold[e] + m * unit[e]` ticks, and is there after
    `latency[e] + m * unit[e]` (int64). Of each arc it takes what the one with the least `room`
    has; rooms are of shape (arcs,).
    """

    tail: IntArray
    head: IntArray
    latency: Int64Array
    unit: Int64Array
    hold: Int64Array
    start: Int64Array
    arc: IntArray
    room: Int64Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sends:
    """What a maker gives: `chunk`, `channel` (int32), `begin` (int64 ticks), of shape (sends,).

    The first `reducing` carry partial sums. With `translations` they are those of node 0's chunks,
    see Timetable.
    """

    chunk: IntArray
    channel: IntArray
    begin: Int64Array
    reducing: int = 0
    translations: Automorphisms | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ChunkProblem:
    """Chunks that are to spread over a topology: see Timetable for what the fields mean.

    `route_start` and `route_arc` are routes through switches, channels arcs, arcs + 1, ... Raises
    InvalidInput for a collective that only sums.

    >>> from generators.families.complete import complete
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
    >>> problem = gather_problem(complete(3), size=Fraction(6), units=units, chunks=2)
    >>> problem.origin.tolist(), problem.chunk_bytes, problem.channels.unit.tolist()[:2]
    ([0, 0, 1, 1, 2, 2], Fraction(1, 1), [1, 1])
    """

    topology: Topology
    collective: Collective
    origin: IntArray
    chunk_bytes: Fraction
    units: LinkUnits
    model: TimeModel = TimeModel.PIPELINED
    target: IntArray | None = None
    amount: Int64Array | None = None
    root: int | None = None
    route_start: Int64Array = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    route_arc: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    def __post_init__(self) -> None:
        if self.collective not in WANTED:
            raise InvalidInput(f"collective: one of {', '.join(WANTED)}, not {self.collective}")

    @cached_property
    def hosts(self) -> IntArray:
        """The nodes that are no switches, in ascending order."""
        every = np.arange(self.topology.n, dtype=np.int32)
        return np.delete(every, list(self.topology.switches))

    @cached_property
    def amounts(self) -> Int64Array:
        """The amount of every chunk; int64 of shape (chunks,)."""
        return np.ones(len(self.origin), np.int64) if self.amount is None else self.amount

    @cached_property
    def empty(self) -> Timetable:
        """The timetable without sends, which knows ticks and ends of channels."""
        none = np.zeros(0, dtype=np.int32)
        return self.timetable(Sends(chunk=none, channel=none, begin=none.astype(np.int64)))

    @cached_property
    def tick(self) -> Fraction:
        """Seconds of a tick."""
        return self.empty.tick

    def require_ticks(self) -> None:
        """Raise Unsupported where latencies and rates have no measure that 64 bits can count."""
        require_ticks(self.topology, self.units, self.chunk_bytes)

    @cached_property
    def channels(self) -> ChannelArrays:
        """Every arc, then every route; self-loops among them, which carry nothing."""
        return channel_arrays(self.empty)

    @cached_property
    def usable(self) -> BoolArray:
        """Which channels lead from a host to another host; bool of shape (channels,)."""
        host = np.zeros(self.topology.n, dtype=np.bool_)
        host[self.hosts] = True
        ends = self.channels
        found: BoolArray = host[ends.tail] & host[ends.head] & (ends.tail != ends.head)
        return found

    def channels_into(self) -> tuple[Int64Array, Int64Array]:
        """CSR of usable channels by head: offsets of shape (n + 1,), and the channels."""
        found = np.flatnonzero(self.usable)
        start, order = csr_by_node(self.channels.head[found], self.topology.n)
        return start, found[order]

    def timetable(
        self,
        sends: Sends,
        *,
        method: str | None = None,
        seed: int | None = None,
        bound: Fraction | None = None,
    ) -> Timetable:
        """The timetable of some sends, in the order of their begins, then of channels.

        Those that carry partial sums come first.
        """
        spreads = np.arange(len(sends.chunk)) >= sends.reducing
        order = np.lexsort((sends.channel, sends.begin, spreads))
        translated = sends.translations is not None
        c = int(np.count_nonzero(self.origin == 0)) if translated else len(self.origin)
        return Timetable(
            topology=self.topology,
            collective=self.collective,
            chunk=sends.chunk[order],
            channel=sends.channel[order],
            begin=sends.begin[order],
            origin=self.origin[:c],
            chunk_bytes=self.chunk_bytes,
            units=self.units,
            model=self.model,
            target=None if self.target is None else self.target[:c],
            amount=None if self.amount is None else self.amount[:c],
            reducing=sends.reducing,
            root=self.root,
            route_start=self.route_start,
            route_arc=self.route_arc,
            translations=sends.translations,
            method=method,
            seed=seed,
            bound=bound,
        )

    def with_routes(self, route_start: Int64Array, route_arc: IntArray) -> "ChunkProblem":
        """The same with other routes."""
        return replace(self, route_start=route_start, route_arc=route_arc)


def channel_arrays(timetable: Timetable) -> ChannelArrays:
    """The channels of a timetable: every arc, then every route."""
    late, unit = timetable.channel_ticks()
    tail, head = timetable.channel_ends()
    arcs, (starts, routes) = timetable.topology.arcs, timetable.routes
    return ChannelArrays(
        tail=tail,
        head=head,
        latency=late,
        unit=unit,
        hold=late if timetable.model is TimeModel.OCCUPIED else np.zeros_like(late),
        start=np.concatenate([np.arange(arcs), arcs + starts]).astype(np.int64),
        arc=np.concatenate([np.arange(arcs, dtype=np.int32), routes]),
        room=timetable.arc_rates(),
    )


def least_rooms(start: Int64Array, arc: AnyIntArray, room: Int64Array) -> Int64Array:
    """The least room of the arcs of every channel, which `start` and `arc` list; 0 without any.

    >>> least_rooms(np.array([0, 2, 2, 3]), np.array([0, 1, 1]), np.array([3, 5])).tolist()
    [3, 0, 5]
    """
    found = np.zeros(len(start) - 1, dtype=np.int64)
    some = np.flatnonzero(np.diff(start))
    if len(some):
        found[some] = np.minimum.reduceat(room[arc], start[some])
    return found


def gather_problem(
    topology: Topology,
    *,
    size: Fraction,
    units: LinkUnits,
    model: TimeModel = TimeModel.PIPELINED,
    chunks: int = 1,
    weights: Sequence[int] | None = None,
    root: int | None = None,
) -> ChunkProblem:
    """An allgather of `size` bytes in all, or the broadcast of `size` bytes from a root.

    A host of weight w, 1 unless given, has w shards' worth: w * `chunks` chunks, all of one size.
    Raises InvalidInput for fewer than one chunk, and for weights without a host that sends.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> units = LinkUnits(latency=Fraction(0), rate=Fraction(1))
    >>> gather_problem(pair, size=Fraction(4), units=units, weights=(3, 1)).origin.tolist()
    [0, 0, 0, 1]
    """
    if type(chunks) is not int or chunks < 1:
        raise InvalidInput(f"chunks: at least 1 a shard, not {excerpt(chunks)}")
    if size <= 0:
        raise InvalidInput(f"size: above 0 bytes, not {excerpt(str(size))}")
    shares = _shares(topology, weights, root)
    total = int(shares.sum()) * chunks
    if not 1 <= total <= MAX_CHUNKS:
        raise InvalidInput(f"chunks: 1 to {MAX_CHUNKS} in all, not {total}")
    return ChunkProblem(
        topology=topology,
        collective=Collective.ALLGATHER if root is None else Collective.BROADCAST,
        origin=np.repeat(np.arange(topology.n, dtype=np.int32), shares * chunks),
        chunk_bytes=Fraction(size) / total,
        units=units,
        model=model,
        root=root,
    )


def _shares(topology: Topology, weights: Sequence[int] | None, root: int | None) -> Int64Array:
    """Shards of every node."""
    found = np.ones(topology.n, dtype=np.int64)
    if weights is not None:
        if len(weights) != topology.n or any(type(w) is not int or w < 0 for w in weights):
            raise InvalidInput(f"weights: {topology.n} integers of at least 0 are needed")
        found[:] = weights
    if root is not None:
        if not 0 <= root < topology.n or root in topology.switches:
            raise InvalidInput(f"root: {excerpt(root)} is no host")
        found[:] = 0
        found[root] = 1
    found[list(topology.switches)] = 0
    return found
