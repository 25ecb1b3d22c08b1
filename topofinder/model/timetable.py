"""The noun Timetable: which channel carries which chunk, and when, in continuous time.

Beside steps (Schedule) and trees (Forest) the third view of a collective. A chunk goes over a
channel at a time of its own, a whole number of ticks after the beginning. Source: TACOS (Won et
al., MICRO 2024), section IV; switches are cut through, so that a route takes all its links at once,
of each as much as its slowest one carries: the rest of a fat link is left to other routes.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from expansions.automorphisms import Automorphisms
from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import AnyIntArray, Int64Array, IntArray, Topology
from topofinder.model.chunk_times import ChunkTimes, LinkUnits, chunk_times, whole_rates
from topofinder.model.time_model import TimeModel

MAX_SENDS = 1 << 26
"""Sends that a timetable keeps at most: 1 GiB in memory."""
MAX_CHUNKS = 1 << 24
LAST_TICK = 1 << 61
"""No send begins later, and none takes longer."""
MAX_AMOUNT = 1 << 36
LAST_SEED = (1 << 63) - 1
LONGEST_LABEL = 4096

REDUCING = (Collective.REDUCE_SCATTER, Collective.REDUCE)
COLUMNS: dict[str, np.dtype[Any]] = {
    "chunk": np.dtype(np.int32),
    "channel": np.dtype(np.int32),
    "begin": np.dtype(np.int64),
    "origin": np.dtype(np.int32),
    "target": np.dtype(np.int32),
    "amount": np.dtype(np.int64),
    "route_start": np.dtype(np.int64),
    "route_arc": np.dtype(np.int32),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timetable:
    """The sends of one collective.

    Shapes: `chunk`, `channel` (int32) and `begin` (int64, in ticks) are read-only and of shape
    (sends,). Send i puts chunk `chunk[i]` on channel `channel[i]` at tick `begin[i]`. Channels
    0 to arcs - 1 are the arcs of the topology; channel arcs + r is route r, the arcs
    `route_arc[route_start[r]:route_start[r + 1]]` through switches, all used at the same time.

    Chunk x belongs to host `origin[x]`: it begins there, or its sum ends there. `amount[x]`
    counts units of `chunk_bytes` bytes, 1 each unless given. In an all-to-all it goes to host
    `target[x]`, else to all. The first `reducing` sends carry partial sums: all of a
    reduce-scatter or reduce, those of an allreduce that come before its sums are spread.

    `units` say what latency 1 and capacity 1 stand for; see TimeModel for what a send keeps busy.
    With `translations` the sends are those of the chunks of node 0, and those of node u are
    their images under h_u. `recipe`, `damage`, `method` are labels; `seed` and `bound` (seconds:
    nothing takes less) are claims of the maker.

    Raises InvalidInput when columns do not fit together or name what is not there.

    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Timetable(topology=ring, collective="allgather", chunk=[0, 1], channel=[0, 1],
    ...     begin=[0, 0], origin=[0, 1], chunk_bytes=Fraction(6),
    ...     units=LinkUnits(latency=Fraction(1), rate=Fraction(2)))
    >>> swap.sends, str(swap.tick), swap.seconds
    (2, '1', Fraction(4, 1))
    """

    topology: Topology
    collective: Collective
    chunk: IntArray
    channel: IntArray
    begin: Int64Array
    origin: IntArray
    chunk_bytes: Fraction
    units: LinkUnits
    model: TimeModel = TimeModel.PIPELINED
    target: IntArray | None = None
    amount: Int64Array | None = None
    reducing: int = 0
    root: int | None = None
    route_start: Int64Array | None = None
    route_arc: IntArray | None = None
    translations: Automorphisms | None = None
    recipe: str | None = None
    damage: str | None = None
    method: str | None = None
    seed: int | None = None
    bound: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "collective", _member(Collective, "collective", self.collective))
        object.__setattr__(self, "model", _member(TimeModel, "model", self.model))
        for name in ("chunk", "channel", "begin", "origin"):
            object.__setattr__(self, name, _column(name, getattr(self, name)))
        defaults: dict[str, ArrayLike]
        defaults = {"amount": np.ones(self.chunks, np.int64), "route_start": [0], "route_arc": []}
        for name, missing in defaults.items():
            value = getattr(self, name)
            object.__setattr__(self, name, _column(name, missing if value is None else value))
        if self.target is not None:
            object.__setattr__(self, "target", _column("target", self.target))
        self._require_shapes()
        self._require_routes()
        self._require_ranges()
        self._require_collective()
        self._require_labels()

    def _require_shapes(self) -> None:
        for name in ("chunk", "channel", "begin"):
            if len(getattr(self, name)) != self.sends:
                found = len(getattr(self, name))
                raise InvalidInput(f"{name}: {found} entries, but chunk has {self.sends}")
        for name in ("amount", "target"):
            value = getattr(self, name)
            if value is not None and len(value) != self.chunks:
                raise InvalidInput(f"{name}: {len(value)} entries for {self.chunks} chunks")
        for name, count, most in (("chunk", self.sends, MAX_SENDS),
                                  ("origin", self.chunks, MAX_CHUNKS)):  # fmt: skip
            if count > most:
                raise InvalidInput(f"{name}: at most {most} entries, not {count}")
        if type(self.reducing) is not int or not 0 <= self.reducing <= self.sends:
            raise InvalidInput(f"reducing: 0 to {self.sends} sends, not {excerpt(self.reducing)}")
        if not isinstance(self.chunk_bytes, Fraction | int) or self.chunk_bytes <= 0:
            raise InvalidInput(f"chunk_bytes: above 0 bytes, not {excerpt(self.chunk_bytes)}")
        object.__setattr__(self, "chunk_bytes", Fraction(self.chunk_bytes))

    def _require_routes(self) -> None:
        """Every route goes on where its last arc ended, from host to host through switches."""
        start, arcs, graph = self.routes[0], self.routes[1], self.topology
        whole = len(start) and start[0] == 0 and start[-1] == len(arcs)
        if not whole or (np.diff(start) < 2).any():
            raise InvalidInput("route_start: routes of at least two arcs are needed, end to end")
        _require_below("route_arc", arcs, graph.arcs)
        if not len(arcs):
            return
        first = np.zeros(len(arcs), dtype=np.bool_)
        first[start[:-1]] = True
        inner = np.flatnonzero(~first)
        between = graph.tail[arcs[inner]]
        torn = np.flatnonzero(graph.head[arcs[inner - 1]] != between)
        if len(torn):
            raise InvalidInput(f"route_arc: entry {inner[torn[0]]} does not go on where one ends")
        ends = np.concatenate([graph.tail[arcs[start[:-1]]], graph.head[arcs[start[1:] - 1]]])
        if not np.isin(between, graph.switches).all() or np.isin(ends, graph.switches).any():
            raise InvalidInput("route_arc: a route goes from host to host, through switches alone")

    def _require_ranges(self) -> None:
        _require_below("chunk", self.chunk, self.chunks)
        _require_below("channel", self.channel, self.channels)
        _require_below("begin", self.begin, LAST_TICK)
        for name in ("origin", "target"):
            nodes = getattr(self, name)
            if nodes is not None:
                _require_below(name, nodes, self.topology.n)
                if (wrong := np.flatnonzero(np.isin(nodes, self.topology.switches))).size:
                    raise InvalidInput(f"{name}: node {nodes[wrong[0]]} is a switch, no host")
        for amount in (self.amounts.min(initial=1), self.amounts.max(initial=1)):
            if not 1 <= amount <= MAX_AMOUNT:
                raise InvalidInput(f"amount: 1 to {MAX_AMOUNT}, not {amount}")
        if self.translations is not None and (
            self.origin.any() or self.translations.n != self.topology.n
        ):
            raise InvalidInput("translations: for the chunks of node 0 of such a topology")
        if self.translations is not None and len(self.routes[1]):
            raise InvalidInput("translations: for arcs, not for routes through switches")

    def _require_collective(self) -> None:
        for name, value, belongs in (
            ("root", self.root, self.collective.is_rooted),
            ("target", self.target, self.collective is Collective.ALLTOALL),
        ):
            if (value is not None) != belongs:
                raise InvalidInput(f"{name}: does not fit {self.collective}")
        if self.root is not None and (self.origin != self.root).any():
            raise InvalidInput(f"origin: all chunks are those of the root {self.root}")
        if self.translations is not None and self.collective.is_rooted:
            raise InvalidInput(f"translations: a {self.collective} is about one node only")
        wanted = self.sends if self.collective in REDUCING else 0
        if self.collective is not Collective.ALLREDUCE and self.reducing != wanted:
            raise InvalidInput(f"reducing: {wanted} of {self.collective}, not {self.reducing}")

    def _require_labels(self) -> None:
        for name in ("recipe", "damage", "method"):
            text = getattr(self, name)
            if text is not None and not (
                isinstance(text, str) and text.isprintable() and 0 < len(text) <= LONGEST_LABEL
            ):
                told = f"up to {LONGEST_LABEL} printable characters, not {excerpt(text)}"
                raise InvalidInput(f"{name}: {told}")
        seed, bound = self.seed, self.bound
        if seed is not None and not (type(seed) is int and 0 <= seed <= LAST_SEED):
            raise InvalidInput(f"seed: an integer in 0..{LAST_SEED}, not {excerpt(seed)}")
        if bound is not None and not (isinstance(bound, Fraction | int) and bound >= 0):
            raise InvalidInput(f"bound: at least 0 seconds, exactly, not {excerpt(bound)}")

    @property
    def sends(self) -> int:
        """Sends that are kept; see `all_sends`."""
        return len(self.chunk)

    @property
    def all_sends(self) -> int:
        """Sends of all nodes, images under translations counted."""
        return self.sends * self._copies

    @property
    def chunks(self) -> int:
        """Chunks that are kept: all, or those of node 0."""
        return len(self.origin)

    @property
    def channels(self) -> int:
        """Arcs and routes."""
        return self.topology.arcs + len(self.routes[0]) - 1

    @property
    def times(self) -> ChunkTimes:
        """The ticks of the arcs."""
        return chunk_times(self.topology, self.units, self.chunk_bytes)

    @property
    def tick(self) -> Fraction:
        """Seconds of a tick."""
        return self.times.tick

    def channel_ticks(self) -> tuple[Int64Array, Int64Array]:
        """Latency and ticks of a unit of every channel; each int64 of shape (channels,).

        A route has the sum of the latencies of its arcs, and the slowest one's rate. Raises
        InvalidInput where such a sum is beyond LAST_TICK.
        """
        times, (start, arcs) = self.times, self.routes
        if len(start) == 1:
            return times.latency, times.unit
        hops = int(np.diff(start).max())
        if hops * int(times.latency.max()) > LAST_TICK:
            raise InvalidInput(f"route_start: a route of {hops} arcs takes ticks beyond 64 bits")
        late = np.add.reduceat(times.latency[arcs], start[:-1])
        unit = np.maximum.reduceat(times.unit[arcs], start[:-1])
        return np.concatenate([times.latency, late]), np.concatenate([times.unit, unit])

    def arc_rates(self) -> Int64Array:
        """What every arc carries at once; int64 of shape (arcs,), see `whole_rates`.

        A send goes at the rate of the slowest arc of its channel, and sends share an arc as long as
        their rates together are no more than its own. Without routes all are 1: a send takes an
        arc whole. Raises Unsupported where rates cannot be added.
        """
        if len(self.routes[0]) == 1:
            return np.ones(self.topology.arcs, dtype=np.int64)
        return whole_rates(self.topology)

    def channel_ends(self) -> tuple[IntArray, IntArray]:
        """First and last node of every channel; each int32 of shape (channels,)."""
        graph, (start, arcs) = self.topology, self.routes
        first, last = graph.tail[arcs[start[:-1]]], graph.head[arcs[start[1:] - 1]]
        return np.concatenate([graph.tail, first]), np.concatenate([graph.head, last])

    def arrivals(self) -> Int64Array:
        """The tick at which each send is there; int64 of shape (sends,).

        Raises InvalidInput where one takes longer than LAST_TICK.
        """
        late, unit = self.channel_ticks()
        most = int(self.amounts.max(initial=0))
        if int(late.max(initial=0)) + int(unit.max(initial=0)) * most > LAST_TICK:
            raise InvalidInput(f"amount: {most} take ticks beyond 64 bits")
        return self.begin + late[self.channel] + unit[self.channel] * self.amounts[self.chunk]

    @property
    def makespan(self) -> int:
        """The tick at which the last send is there."""
        return int(self.arrivals().max(initial=0))

    @property
    def seconds(self) -> Fraction:
        """The time until the last send is there; hosts add `overhead` to it."""
        return self.makespan * self.tick

    @property
    def overhead(self) -> Fraction:
        """Seconds that the collective takes besides, as the topology tells of its hosts."""
        return self.topology.epsilon or Fraction()

    @property
    def total_bytes(self) -> Fraction:
        """The bytes of all chunks together, those of all nodes."""
        return int(self.amounts.sum()) * self.chunk_bytes * self._copies

    @property
    def _copies(self) -> int:
        return 1 if self.translations is None else self.topology.n

    @property
    def amounts(self) -> Int64Array:
        """The amount of every chunk."""
        assert self.amount is not None
        return self.amount

    @property
    def routes(self) -> tuple[Int64Array, IntArray]:
        """`route_start` and `route_arc`."""
        assert self.route_start is not None
        assert self.route_arc is not None
        return self.route_start, self.route_arc


def expand_timetable(timetable: Timetable) -> Timetable:
    """The timetable with the sends of every node, those of node 0 first; as it is if it has them.

    Chunk x of node u is chunk u c + x, where node 0 has c. Raises InvalidInput when translations
    are no symmetry of the topology, or the sends are too many.

    >>> from expansions.automorphisms import automorphisms_of
    >>> from generators.arrays import jump_graph
    >>> ring = jump_graph(3, [1])
    >>> one = Timetable(topology=ring, collective="allgather", chunk=[0, 0], channel=[0, 1],
    ...     begin=[0, 1], origin=[0], chunk_bytes=Fraction(1),
    ...     units=LinkUnits(latency=Fraction(0), rate=Fraction(1)),
    ...     translations=automorphisms_of(ring))
    >>> expand_timetable(one).channel.tolist()
    [0, 1, 1, 2, 2, 0]
    """
    words, graph, c = timetable.translations, timetable.topology, timetable.chunks
    if words is None:
        return timetable
    if timetable.all_sends > MAX_SENDS:
        raise InvalidInput(f"sends: at most {MAX_SENDS}, not {timetable.all_sends}")
    arcs = words.carry(words.arc_maps(graph), timetable.channel)
    to = timetable.target
    node = np.arange(graph.n, dtype=np.int32)
    chunk = node[:, None] * c + timetable.chunk[None, :]
    begin = np.broadcast_to(timetable.begin, arcs.shape)
    turn = timetable.reducing
    return replace(
        timetable,
        chunk=_phase_after_phase(chunk, turn),
        channel=_phase_after_phase(arcs, turn),
        begin=_phase_after_phase(begin, turn),
        origin=np.repeat(node, c),
        amount=np.tile(timetable.amount, graph.n),  # type: ignore[arg-type]
        target=None if to is None else words.carry(words.images, to).ravel(),
        reducing=turn * graph.n,
        translations=None,
    )


def _phase_after_phase(table: AnyIntArray, turn: int) -> AnyIntArray:
    """What stands before column `turn`, row after row, and then the rest."""
    return np.concatenate([table[:, :turn].ravel(), table[:, turn:].ravel()])


def _column(name: str, values: ArrayLike) -> AnyIntArray:
    """A read-only view of the column; checked before it is narrowed, which would wrap."""
    kind, array = COLUMNS[name], np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        told = f"{array.dtype} {array.shape}"
        raise InvalidInput(f"{name}: a flat array of integers is needed, not {told}")
    if array.size:
        low, high, limits = int(array.min()), int(array.max()), np.iinfo(kind)
        if low < 0 or high > limits.max:
            raise InvalidInput(f"{name}: {low if low < 0 else high} is not in 0..{limits.max}")
    view = np.ascontiguousarray(array, dtype=kind).view()
    view.setflags(write=False)
    return view


def _require_below(name: str, values: AnyIntArray, beyond: int) -> None:
    if len(values) and int(values.max()) >= beyond:
        place = int(values.argmax())
        raise InvalidInput(f"{name}: {values[place]} in row {place} is not in 0..{beyond - 1}")


def _member(kind: type[StrEnum], name: str, value: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise InvalidInput(f"{name}: {excerpt(value)} is none of {', '.join(kind)}") from None
