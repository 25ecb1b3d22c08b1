"""Step schedules of fabrics of hosts, composed: breadth-first broadcast outside, spread inside.

Every shard is first spread inside of its host. At a step of the broadcast over the hosts each piece
of a host's shard crosses its circuit for all accelerators of that host; then the accelerator that
owns the port spreads it inside. Through a switch that takes two steps, to it and from it, and a
copy for each receiver unless the switch multicasts; over a mesh it takes one. Over listed links a
piece is cut and spread as the breadth-first broadcast among the accelerators of a host says. Sums
that the switch cannot combine come in turns, a sender to each receiver at a step. Run as a pipeline
the steps inside overlap with those outside. What it costs follows from the loads of the circuits
alone: docs/hosts.md, composed steps.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

import numpy as np

from expansions.host_recognition import recognised_hosts
from expansions.hosts import (
    HostFabric,
    HostWiring,
    host_graph,
    host_wiring,
    is_host_fabric,
    own_arcs,
    parse_host_fabric,
)
from expansions.schedule import Schedule
from generators.errors import InvalidInput, Unsupported
from generators.hosts.template import GIGABYTE, InnerKind
from generators.topology import Int64Array, Topology
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.schedules.collectives import collective_schedule
from topofinder.schedules.register import (
    MadeSchedule,
    ScheduleMethod,
    ScheduleTask,
    refuse_chunks,
    register_schedule_method,
)

MOST_COMPOSED_ROWS = 1 << 24
"""Rows of a composed schedule at most."""


class InnerWay(StrEnum):
    """How an accelerator reaches the others of its host: over a link to each, over listed links, or
    by a switch that multicasts, that takes a copy for each at once, or one after the other.
    """

    DIRECT = "direct"
    LINKS = "links"
    MULTICAST = "multicast"
    COPIES = "copies"
    TURNS = "turns"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCost:
    """What composed steps take: how many, and the time of a shard in 1/(GB/s), a step at a time."""

    times: tuple[Fraction, ...]

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.times)

    @property
    def inverse_rate(self) -> Fraction:
        """The time of a shard, with a barrier after every step."""
        return sum(self.times, Fraction())


def inner_way(fabric: HostFabric, back: bool = False) -> InnerWay:
    """How pieces are spread inside; `back` is for sums, on the way back.

    >>> inner_way(parse_host_fabric("HostA100[K(8,8)]"), back=True)
    <InnerWay.TURNS: 'turns'>
    """
    inner = fabric.template.inner
    if inner.kind is not InnerKind.SWITCH:
        return InnerWay.LINKS if inner.kind is InnerKind.LINKS else InnerWay.DIRECT
    if inner.reduce if back else inner.multicast:
        return InnerWay.MULTICAST
    return InnerWay.TURNS if back else InnerWay.COPIES


def predict_steps(
    fabric: HostFabric, wiring: HostWiring | None = None, way: InnerWay | None = None
) -> StepCost:
    """What `compose_steps` takes, from the broadcast over the hosts; no row is composed.

    >>> predict_steps(parse_host_fabric("Host(2;switch@100GB/s;1@50GB/s)[C(3,{1})]")).times[2]
    Fraction(1, 25)
    """
    wiring, way = wiring or host_wiring(fabric), way or inner_way(fabric)
    outer = bfb_schedule(host_graph(fabric, wiring))
    sizes, rate = np.array(fabric.host_sizes), fabric.template.rate / GIGABYTE
    begun = np.ones(fabric.accelerators, dtype=np.int64) * outer.denominator
    times = _spread_times(fabric, begun, way, outer.denominator)
    for step in range(1, outer.steps + 1):
        rows = outer.step == step
        amount = (outer.end - outer.begin)[rows] * sizes[outer.source[rows]]
        over = np.zeros(wiring.graph.arcs, dtype=np.int64)
        np.add.at(over, outer.arc[rows], amount)
        taken = np.zeros(fabric.accelerators, dtype=np.int64)
        np.add.at(taken, wiring.head, over)
        times.append(Fraction(int(over.max()), outer.denominator) / rate)
        times += _spread_times(fabric, taken, way, outer.denominator)
    return StepCost(times=tuple(filter(None, times)))


def _spread_times(
    fabric: HostFabric, taken: Int64Array, way: InnerWay, denominator: int
) -> list[Fraction]:
    """The steps in which every accelerator spreads so much, in 1/denominator of a shard."""
    sizes = np.array(fabric.host_sizes)
    first = np.cumsum(sizes) - sizes
    others = np.repeat(sizes, sizes) - 1
    unit = fabric.template.inner.rate / GIGABYTE * denominator
    if sizes.max() == 1:
        return []
    if way is InnerWay.LINKS:
        spread = inner_broadcast(fabric)
        loads = (taken.reshape(-1, sizes[0]) @ each for each in spread.loads())
        return [int(load.max()) / (unit * spread.rows.denominator) for load in loads]
    if way is InnerWay.TURNS:
        busy = [int(taken[others >= turn].max()) / unit for turn in range(1, sizes.max())]
        later = [*busy[1:], Fraction()]
        return [busy[0], *map(max, busy, later)]
    up = int((taken * (others if way is InnerWay.COPIES else np.minimum(others, 1))).max()) / unit
    if way is InnerWay.DIRECT:
        return [up]
    return [up, int((np.repeat(np.add.reduceat(taken, first), sizes) - taken).max()) / unit]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InnerBroadcast:
    """A breadth-first allgather among the accelerators of a host over its listed links.

    Its rows are grouped by source: those of accelerator i are start[i] to start[i + 1] - 1.
    """

    rows: Schedule
    start: Int64Array
    arcs: Int64Array

    def loads(self) -> Iterator[Int64Array]:
        """What each arc carries of each accelerator's shard at a step; shape (g, arcs)."""
        for step in range(1, self.rows.steps + 1):
            now = self.rows.step == step
            found = np.zeros((len(self.start) - 1, len(self.arcs)), dtype=np.int64)
            amount = (self.rows.end - self.rows.begin)[now]
            np.add.at(found, (self.rows.source[now], self.rows.arc[now]), amount)
            yield found


def inner_broadcast(fabric: HostFabric) -> InnerBroadcast:
    """How pieces are spread inside of hosts that listed links join, which are all alike.

    >>> inner_broadcast(parse_host_fabric("TrayTPUv4[K(17)]")).rows.steps
    2
    """
    host = fabric.template
    arcs = own_arcs(host)
    graph = Topology(n=host.accelerators, tail=arcs[:, 0], head=arcs[:, 1])  # type: ignore[arg-type]
    found = bfb_schedule(graph)
    order = np.argsort(found.source, kind="stable")
    columns = {
        name: getattr(found, name)[order] for name in ("source", "arc", "step", "begin", "end")
    }
    start = np.searchsorted(columns["source"], np.arange(host.accelerators + 1))
    return InnerBroadcast(rows=replace(found, **columns), start=start, arcs=arcs)


def compose_steps(
    fabric: HostFabric, topology: Topology, wiring: HostWiring, way: InnerWay
) -> Schedule:
    """The rows of an allgather among all accelerators, on the topology of these circuits.

    Raises Unsupported for more than MOST_COMPOSED_ROWS rows.
    """
    outer = bfb_schedule(host_graph(fabric, wiring))
    inside = _Inside(fabric, topology, wiring, way)
    sizes = np.array(fabric.host_sizes)
    rows = int(sizes[outer.source].sum()) * (1 + inside.most_rows)
    if rows > MOST_COMPOSED_ROWS:
        raise Unsupported(f"composed: up to {rows} rows, more than {MOST_COMPOSED_ROWS}")
    table = np.concatenate(list(_blocks(fabric, inside, wiring, outer)), axis=1)
    source, arc, step, begin, end = table
    _, place = np.unique(step, return_inverse=True)  # hosts of unlike size leave steps empty
    return Schedule(
        source=source.astype(np.int32), arc=arc.astype(np.int32),
        step=(place.reshape(-1) + 1).astype(np.int32), begin=begin, end=end,
        denominator=outer.denominator * inside.parts,
    )  # fmt: skip


def _blocks(
    fabric: HostFabric, inside: "_Inside", wiring: HostWiring, outer: Schedule
) -> Iterator[Int64Array]:
    """Tables of rows (source, arc, step, begin, end), each of shape (5, rows)."""
    sizes = np.array(fabric.host_sizes)
    every = np.arange(fabric.accelerators)
    whole = np.full(len(every), outer.denominator * inside.parts)
    yield from inside.spread(every, every, np.ones_like(every), np.zeros_like(every), whole)
    count = sizes[outer.source]
    row = np.repeat(np.arange(outer.rows), count)
    place = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    source = wiring.first[outer.source[row]] + place
    step = inside.steps + 1 + (outer.step[row].astype(np.int64) - 1) * (inside.steps + 1)
    begin, end = outer.begin[row] * inside.parts, outer.end[row] * inside.parts
    arc = outer.arc[row].astype(np.int64)
    yield np.stack([source, arc, step, begin, end])
    yield from inside.spread(wiring.head[arc].astype(np.int64), source, step + 1, begin, end)


class _Inside:
    """The inner arcs of a fabric, and how pieces are spread over them, in so many `steps`.

    Pieces are cut into `parts` at most; one takes `most_rows` at most.
    """

    def __init__(
        self, fabric: HostFabric, topology: Topology, wiring: HostWiring, way: InnerWay
    ) -> None:
        self._sizes, self._first = np.array(fabric.host_sizes), wiring.first
        self._host = np.repeat(np.arange(fabric.hosts), self._sizes)
        self._total, self._nodes = fabric.accelerators, topology.n
        self._way, most = way, int(self._sizes.max())
        steps = {InnerWay.DIRECT: 1, InnerWay.TURNS: most}
        self.steps = steps.get(way, 2) if most > 1 else 0
        self.parts, self.most_rows = 1, 2 * most
        self._base, self._links = wiring.graph.arcs, None
        if way is InnerWay.LINKS:
            self._links = inner_broadcast(fabric)
            self.steps, self.parts = self._links.rows.steps, self._links.rows.denominator
            self.most_rows = int(np.diff(self._links.start).max())
            self._turned = int(topology.tail[self._base] != self._links.arcs[0, 0])
        inner = np.arange(wiring.graph.arcs, topology.arcs)
        keys = topology.tail[inner].astype(np.int64) * topology.n + topology.head[inner]
        order = np.argsort(keys, kind="stable")
        self._keys, self._arcs = keys[order], inner[order]

    def _arc(self, tail: Int64Array, head: Int64Array) -> Int64Array:
        found: Int64Array = self._arcs[np.searchsorted(self._keys, tail * self._nodes + head)]
        return found

    def spread(
        self, owner: Int64Array, source: Int64Array, step: Int64Array, begin: Int64Array,
        end: Int64Array,
    ) -> Iterator[Int64Array]:  # fmt: skip
        """Rows that take each piece from its owner to all others of the host, from a step on."""
        if self._links is not None:
            yield self._over_links(self._links, owner, source, step, begin, end)
            return
        others = self._sizes[self._host[owner]] - 1
        row = np.repeat(np.arange(len(owner)), others)
        place = np.arange(len(row)) - np.repeat(np.cumsum(others) - others, others)
        begun = self._first[self._host[owner[row]]]
        to = begun + (owner[row] - begun + 1 + place) % (others[row] + 1)
        if self._way is InnerWay.DIRECT:
            arc = self._arc(owner[row], to)
            yield np.stack([source[row], arc, step[row], begin[row], end[row]])
            return
        up, turn = row, place * (self._way is InnerWay.TURNS)
        if self._way is InnerWay.MULTICAST:
            up = np.flatnonzero(others)
        switch = self._total + self._host[owner]
        arc = self._arc(owner[up], switch[up])
        late = turn if len(up) == len(turn) else 0
        yield np.stack([source[up], arc, step[up] + late, begin[up], end[up]])
        arc = self._arc(switch[row], to)
        yield np.stack([source[row], arc, step[row] + 1 + turn, begin[row], end[row]])

    def _over_links(
        self, links: InnerBroadcast, owner: Int64Array, source: Int64Array, step: Int64Array,
        begin: Int64Array, end: Int64Array,
    ) -> Int64Array:  # fmt: skip
        """Every piece cut as the shard of its owner is in the broadcast inside."""
        host = self._host[owner]
        first = links.start[owner - self._first[host]]
        count = links.start[owner - self._first[host] + 1] - first
        row = np.repeat(np.arange(len(owner)), count)
        inner = first[row] + np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        rows, part = links.rows, (end - begin)[row] // self.parts
        # Each arc is beside the one back: where all are turned, that one has its place.
        arc = self._base + host[row] * len(links.arcs) + (rows.arc[inner] ^ self._turned)
        cut = [begin[row] + part * column[inner] for column in (rows.begin, rows.end)]
        return np.stack([source[row], arc, step[row] + rows.step[inner] - 1, *cut])


def _make_composed(task: ScheduleTask) -> MadeSchedule:
    refuse_chunks(task)
    if task.workload is not None:
        raise InvalidInput("composed: --size, --alpha and --bandwidth are for other methods")
    fabric, wiring = _hosts(task)
    turned = replace(wiring, graph=wiring.graph.transpose(), tail=wiring.head, head=wiring.tail)

    def gather(back: bool) -> Schedule:
        way = inner_way(fabric, back)
        if back:
            return compose_steps(fabric, task.topology.transpose(), turned, way)
        return compose_steps(fabric, task.topology, wiring, way)

    schedule = collective_schedule(task.topology, task.collective, gather, task.root)
    return MadeSchedule(saved=task.label(schedule, "composed"))


def _hosts(task: ScheduleTask) -> tuple[HostFabric, HostWiring]:
    """The hosts that the subject names, or those of a file."""
    if is_host_fabric(task.subject):
        fabric = parse_host_fabric(task.subject)
        return fabric, host_wiring(fabric)
    found = recognised_hosts(task.topology)
    if found is None:
        raise InvalidInput(
            "composed: for hosts such as HostH100[K(8,8)], or a file that build makes of them"
        )
    return found


register_schedule_method(
    ScheduleMethod(
        name="composed",
        description="on hosts such as HostH100[K(8,8)]: bfb over the hosts, and spread inside "
        "through their switches",
        make=_make_composed,
        takes_unequal_links=True,
        takes_switches=True,
        place=4,
    )
)
