"""Logical messages on the links of any topology, and when they arrive.

As in the simulator of TACOS (Won et al., MICRO 2024, section V.C): a message goes from link to
link, each of which takes one message at a time, whole, in the order in which they come; a switch is
passed link by link too. Ways have the fewest links, always the same between two hosts: of links
that lead nearer the first one, in the order of the topology's arcs. Parallel links are one, of
their bandwidths together.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.topology import Int64Array, Topology
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.kernels import hop_table
from topofinder.model.chunk_times import LinkUnits, chunk_times
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import MAX_SENDS
from topofinder.timetables.list_schedule import TaskSet, list_schedule
from topofinder.timetables.logical_messages import LogicalMessages
from topofinder.timetables.message_route_kernels import fill_ways
from topofinder.timetables.problem import ChannelArrays

MAX_ROUTED_NODES = 1 << 13
"""Nodes of which all distances are worked out: 256 MiB."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RoutedMessages:
    """Message m takes the links `way[way_start[m]:way_start[m + 1]]` (int64) in their order.

    Link l leads from `links.tail[l]` to `links.head[l]`; `links` is the topology with parallel
    links made one, sorted by tail, without self-loops.
    """

    messages: LogicalMessages
    links: Topology
    way_start: Int64Array
    way: Int64Array


@dataclass(frozen=True, kw_only=True, eq=False)
class MessageTimes:
    """`begin`, when messages enter the links of their ways, and `arrival`, when each is there.

    In ticks of `tick` seconds, int64, of shapes (way,) and (messages,); `hold` is for how many
    ticks each entry of a way keeps its link busy.
    """

    tick: Fraction
    begin: Int64Array
    hold: Int64Array
    arrival: Int64Array

    @cached_property
    def seconds(self) -> Fraction:
        """The time of all."""
        return int(self.arrival.max(initial=0)) * self.tick


def route_messages(messages: LogicalMessages, topology: Topology) -> RoutedMessages:
    """The messages on shortest ways; host h is the topology's h-th node that is no switch.

    Raises InvalidInput where hosts do not fit or do not reach each other; Unsupported for
    parallel links of unequal latency, and for too many nodes or hops.

    >>> from generators.arrays import jump_graph
    >>> from topofinder.timetables.baseline_messages import direct_messages
    >>> routed = route_messages(direct_messages(8), jump_graph(8, [1, 7]))
    >>> routed.links.arcs, np.diff(routed.way_start).max().item()
    (16, 4)
    """
    hosts = np.delete(np.arange(topology.n, dtype=np.int32), list(topology.switches))
    if len(hosts) != messages.hosts:
        raise InvalidInput(f"messages: {messages.hosts} hosts, but the topology has {len(hosts)}")
    if topology.n > MAX_ROUTED_NODES:
        raise Unsupported(f"messages: at most {MAX_ROUTED_NODES} nodes, not {topology.n}")
    links = merge_parallel_links(topology)
    out_start, _ = csr_by_node(links.tail, links.n)
    hops = hop_table(out_start, links.head)
    origin, target = hosts[messages.origin], hosts[messages.target]
    length = hops[origin, target].astype(np.int64)
    if (length < 0).any():
        lost = int(np.argmin(length))
        raise InvalidInput(f"messages: no way from node {origin[lost]} to node {target[lost]}")
    way_start = np.concatenate([[0], np.cumsum(length)])
    if way_start[-1] > MAX_SENDS:
        raise Unsupported(f"messages: at most {MAX_SENDS} hops, not {way_start[-1]}")
    way = np.empty(way_start[-1], dtype=np.int64)
    fill_ways(origin, target, hops, out_start, links.head, way_start, way)
    return RoutedMessages(messages=messages, links=links, way_start=way_start, way=way)


def merge_parallel_links(topology: Topology) -> Topology:
    """All arcs from one node to another as one, with their capacity together; no self-loops.

    Sorted by tail, those of a node in the order of their first arcs. Raises Unsupported where
    parallel arcs have unequal latencies.

    >>> two = Topology.from_arcs(2, [(1, 0), (0, 1), (0, 1)])
    >>> merged = merge_parallel_links(two)
    >>> merged.tail.tolist(), [str(value) for value in merged.capacity]
    ([0, 1], ['2', '1'])
    """
    one = (Fraction(1),) * topology.arcs
    capacity, latency = topology.capacity or one, topology.latency or one
    together: dict[tuple[int, int], Fraction] = {}
    late: dict[tuple[int, int], Fraction] = {}
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    for (u, v), rate, wait in zip(ends, capacity, latency, strict=True):
        if u == v:
            continue
        if late.setdefault((u, v), wait) != wait:
            told = f"{excerpt(late[u, v])} and {excerpt(wait)}"
            raise Unsupported(f"messages: parallel links of latencies {told} from {u} to {v}")
        together[u, v] = together.get((u, v), Fraction(0)) + rate
    pairs = sorted(together, key=lambda pair: pair[0])
    return Topology.from_arcs(
        topology.n,
        pairs,
        capacity=[together[pair] for pair in pairs],
        latency=[late[pair] for pair in pairs],
        switches=topology.switches,
        names=topology.names,
    )


def time_messages(
    routed: RoutedMessages,
    size: Fraction,
    units: LinkUnits,
    *,
    model: TimeModel = TimeModel.PIPELINED,
    clock: Clock = NO_LIMIT,
) -> MessageTimes:
    """When the messages go, for data of `size` bytes in all, each as early as it can.

    Raises InvalidInput for no bytes, and where messages wait for each other; Unsupported when times
    cannot be counted in 64 bits, or the time of the clock is over.

    >>> from generators.arrays import jump_graph
    >>> from topofinder.timetables.baseline_messages import ring_messages
    >>> routed = route_messages(ring_messages(4), jump_graph(4, [1, 3]))
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(2))
    >>> str(time_messages(routed, Fraction(16), units).seconds)
    '12'
    """
    if size <= 0:
        raise InvalidInput(f"size: above 0 bytes, not {excerpt(size)}")
    messages, links = routed.messages, routed.links
    times = chunk_times(links, units, Fraction(size) / messages.total)
    number = np.arange(links.arcs, dtype=np.int64)
    channels = ChannelArrays(
        tail=links.tail,
        head=links.head,
        latency=times.latency,
        unit=times.unit,
        hold=times.latency if model is TimeModel.OCCUPIED else np.zeros_like(times.latency),
        start=np.arange(links.arcs + 1),
        arc=number.astype(np.int32),
        room=np.ones(links.arcs, np.int64),
    )
    before, after = _waits_of_hops(routed)
    hops = np.diff(routed.way_start)
    amount = np.repeat(messages.amount, hops)
    tasks = TaskSet.of_sends(channels, routed.way, amount, before=before, after=after)
    if messages.priority is not None:
        tasks = tasks.with_priority(np.repeat(messages.priority, hops))
    begin = list_schedule(tasks, first_come=messages.priority is None, clock=clock)
    last = routed.way_start[1:] - 1
    return MessageTimes(
        tick=times.tick, begin=begin, hold=tasks.hold, arrival=begin[last] + tasks.duration[last]
    )


def _waits_of_hops(routed: RoutedMessages) -> tuple[Int64Array, Int64Array]:
    """A message's hops wait for each other in turn, its first for the last ones before it."""
    start, messages = routed.way_start, routed.messages
    inner = np.delete(np.arange(start[-1]), start[:-1])
    before = np.concatenate([inner - 1, start[messages.before + 1] - 1])
    return before, np.concatenate([inner, start[messages.after]])
