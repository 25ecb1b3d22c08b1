"""A bound on the time of what a timetable carries out, from the bytes at its hosts' ports.

It follows from topology, units and chunks alone: neither the sends nor what their maker claims
are looked at.
"""

from fractions import Fraction

from expansions.collective import Collective
from topofinder.model.timetable import Timetable

Bytes = tuple[list[int], list[int]]
"""What must come to every node, and leave it, at least; in units of chunks' amounts."""


def port_bound(timetable: Timetable) -> Fraction:
    """Seconds that the collective takes at least, whatever its sends.

    Of all hosts, the longest time for the bytes that must come in at all its ports together, or go
    out, and the least latency of one of them. Raises nothing: 0 where there is nothing to send, or
    where no port leads on.

    >>> from generators.topology import Topology
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> star = Topology.from_arcs(3, [(0, 1), (1, 0), (1, 2), (2, 1)])
    >>> port_bound(Timetable(topology=star, collective="allgather", chunk=[], channel=[],
    ...     begin=[], origin=[0, 1, 2], chunk_bytes=Fraction(6),
    ...     units=LinkUnits(latency=Fraction(1), rate=Fraction(2))))
    Fraction(7, 1)
    """
    graph = timetable.topology
    coming, leaving = _least_units(timetable)
    return max(
        _slowest_host(timetable, graph.head.tolist(), coming),
        _slowest_host(timetable, graph.tail.tolist(), leaving),
    )


def _slowest_host(timetable: Timetable, ends: list[int], amount: list[int]) -> Fraction:
    """The most that any node takes for these units, if arc e is one of its ports ends[e]."""
    graph, units = timetable.topology, timetable.units
    rate = [Fraction()] * graph.n
    late: list[Fraction | None] = [None] * graph.n
    for e, (u, v) in enumerate(zip(graph.tail.tolist(), graph.head.tolist(), strict=True)):
        if u != v:
            node, wait = ends[e], Fraction(1) if graph.latency is None else graph.latency[e]
            rate[node] += 1 if graph.capacity is None else graph.capacity[e]
            known = late[node]
            late[node] = wait if known is None else min(known, wait)
    return max(
        (
            units.latency * (wait or 0) + many * timetable.chunk_bytes / (units.rate * wide)
            for many, wide, wait in zip(amount, rate, late, strict=True)
            if many and wide
        ),
        default=Fraction(),
    )


def _least_units(timetable: Timetable) -> Bytes:
    """Every chunk leaves its origin once and comes to all others; a sum goes the other way."""
    graph, switches = timetable.topology, set(timetable.topology.switches)
    hosts = [v not in switches for v in range(graph.n)]
    own = _own_units(timetable)
    if sum(hosts) < 2:
        return [0] * graph.n, [0] * graph.n
    if timetable.collective is Collective.ALLTOALL:
        return _pairwise_units(timetable)
    whole = sum(own)
    once = [amount if host else 0 for amount, host in zip(own, hosts, strict=True)]
    others = [whole - amount if host else 0 for amount, host in zip(own, hosts, strict=True)]
    if timetable.collective in (Collective.ALLGATHER, Collective.BROADCAST):
        return others, once
    if timetable.collective is Collective.ALLREDUCE:
        both = [a + b for a, b in zip(once, others, strict=True)]
        return both, both
    return once, others


def _own_units(timetable: Timetable) -> list[int]:
    """The units that begin or end at every node; every node has those of node 0's images."""
    own = [0] * timetable.topology.n
    for node, amount in zip(timetable.origin.tolist(), _amounts(timetable), strict=True):
        own[node] += amount
    return own if timetable.translations is None else [own[0]] * len(own)


def _pairwise_units(timetable: Timetable) -> Bytes:
    """Of an all-to-all; where node 0 stands for all, what leaves it leaves all."""
    coming, leaving = [0] * timetable.topology.n, [0] * timetable.topology.n
    target = timetable.origin if timetable.target is None else timetable.target
    columns = (timetable.origin.tolist(), target.tolist(), _amounts(timetable))
    for u, v, amount in zip(*columns, strict=True):
        if u != v:
            leaving[u] += amount
            coming[v] += amount
    if timetable.translations is not None:
        return [0] * len(leaving), [leaving[0]] * len(leaving)
    return coming, leaving


def _amounts(timetable: Timetable) -> list[int]:
    if timetable.amount is None:
        return [1] * len(timetable.origin)
    return [int(amount) for amount in timetable.amount.tolist()]
