"""Hosts found again in a topology, by the names of its nodes and what joins them.

`topofinder build` writes fabrics of hosts as files, also those of the circuits that are in place.
Their nodes are called as `expansions.hosts` calls them: accelerators `gpu1.3`, the switch of host 1
`switch1`. From these names and the links the hosts follow, and where every circuit ends; the
fabric is then built anew and must be the same, arc for arc. So schedules are composed of files as
of recipes.
"""

from collections import Counter
from fractions import Fraction
from math import gcd

import numpy as np

from expansions.hosts import HostFabric, HostWiring, host_topology, own_arcs
from expansions.parser import parse
from generators.hosts.template import (
    GIGABYTE,
    MICROSECOND,
    MOST_ACCELERATORS,
    HostTemplate,
    InnerFabric,
    InnerKind,
)
from generators.topology import BoolArray, Int64Array, IntArray, Topology


def recognised_hosts(topology: Topology) -> tuple[HostFabric, HostWiring] | None:
    """The hosts of a topology and its circuits; None where it is not one of hosts.

    The graph of the fabric is not told, only its wiring.

    >>> from expansions.hosts import parse_host_fabric
    >>> whole = host_topology(parse_host_fabric("Host(4*2.8*3;switch@450GB/s;1@50GB/s)[Pi(4,8)]"))
    >>> fabric, wiring = recognised_hosts(whole)
    >>> fabric.host_sizes, wiring.graph.arcs, recognised_hosts(whole.transpose())
    ((4, 4, 8, 8, 8), 32, None)
    """
    sizes = _sizes_by_name(topology)
    if len(sizes) < 2 or topology.unit_rate != GIGABYTE or topology.capacity is None:
        return None
    total, hosts = sum(sizes), len(sizes)
    host_of = np.concatenate([np.repeat(np.arange(hosts), sizes), np.arange(topology.n - total)])
    template = _template(topology, host_of, sizes)
    unlike = len(set(sizes)) > 1
    if template is None or (unlike and template.inner.kind is InnerKind.LINKS):
        return None
    fabric = unjoined_hosts(template, sizes if unlike else (), hosts)
    own = {g: len(own_arcs(host)) for g, host in fabric.each_size.items()}
    outer = topology.arcs - sum(own[g] for g in sizes)
    if outer < 1 or max(topology.tail[:outer].max(), topology.head[:outer].max()) >= total:
        return None
    wiring = _first_circuits(topology, outer, host_of, sizes)
    return (fabric, wiring) if _is_same(host_topology(fabric, wiring), topology) else None


def unjoined_hosts(template: HostTemplate, sizes: tuple[int, ...], n: int) -> HostFabric:
    """So many hosts, of these sizes if they differ, on some graph that has room for their ports."""
    if not sizes:
        return HostFabric(template=template, graph=parse(f"UniRing({template.ports},{n})"))
    ports = [template.with_accelerators(size).ports for size in sizes]
    each = gcd(*ports)
    graph = parse(f"UniRing({each},{sum(ports) // each})")
    return HostFabric(template=template, graph=graph, sizes=sizes)


def _sizes_by_name(topology: Topology) -> tuple[int, ...]:
    """Accelerators of every host, by the names of nodes; none where they are called otherwise."""
    names = topology.names or ()
    hosts = [name.partition(".")[0] for name in names if name.startswith("gpu")]
    counts = Counter(hosts)
    sizes = tuple(counts.get(f"gpu{host}", 0) for host in range(len(counts)))
    called = [f"gpu{host}.{i}" for host, g in enumerate(sizes) for i in range(g)]
    if topology.switches:
        called += [f"switch{host}" for host in range(len(sizes))]
    fits = 0 not in sizes and max(sizes, default=0) <= MOST_ACCELERATORS
    return sizes if fits and names == tuple(called) else ()


def _template(
    topology: Topology, host_of: Int64Array, sizes: tuple[int, ...]
) -> HostTemplate | None:
    """The first host, and rates as of the first circuit and the last inner link."""
    within = host_of[topology.tail] == host_of[topology.head]
    if within.all() or topology.capacity is None:
        return None
    inside = np.arange(topology.arcs) > np.flatnonzero(~within)[-1]
    kind, links = _inner_links(topology, inside, sizes[0])
    if kind is InnerKind.NONE and max(sizes) > 1:
        return None
    inner = InnerFabric(
        kind=kind,
        rate=Fraction(1) if kind is InnerKind.NONE else topology.capacity[-1] * GIGABYTE,
        latency=None if kind is InnerKind.NONE else _latency(topology, -1),
        links=links if kind is InnerKind.LINKS else (),
        multicast=bool(topology.multicast),
        reduce=bool(topology.reduce),
    )
    return HostTemplate(
        accelerators=sizes[0],
        inner=inner,
        owners=tuple(range(sizes[0])),
        rate=topology.capacity[0] * GIGABYTE,
        latency=_latency(topology, 0),
    )


def _inner_links(
    topology: Topology, inside: BoolArray, g: int
) -> tuple[InnerKind, tuple[tuple[int, int, int], ...]]:
    """How the accelerators of the first host are joined, and its links."""
    if topology.switches:
        return InnerKind.SWITCH, ()
    ends = zip(topology.tail[inside].tolist(), topology.head[inside].tolist(), strict=True)
    counts = Counter((u, v) for u, v in ends if u < v < g)
    if not counts:
        return InnerKind.NONE, ()
    if len(counts) == g * (g - 1) // 2 and set(counts.values()) == {1}:
        return InnerKind.MESH, ()
    return InnerKind.LINKS, tuple((u, v, count) for (u, v), count in counts.items())


def _latency(topology: Topology, arc: int) -> Fraction | None:
    """In seconds; None where it is not told."""
    if topology.latency is None or not topology.latency[arc]:
        return None
    return topology.latency[arc] * MICROSECOND


def _first_circuits(
    topology: Topology, outer: int, host_of: Int64Array, sizes: tuple[int, ...]
) -> HostWiring:
    """The first arcs as circuits; ports are numbered in their order."""
    tail, head = topology.tail[:outer], topology.head[:outer]
    begin, end = host_of[tail].astype(np.int32), host_of[head].astype(np.int32)
    return HostWiring(
        graph=Topology(n=len(sizes), tail=begin, head=end),
        first=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        node_host=np.arange(len(sizes)),
        tail=tail,
        head=head,
        rail=_turn_of_each(begin),
        rail_into=_turn_of_each(end),
        even=False,
    )


def _turn_of_each(hosts: IntArray) -> IntArray:
    """How many entries before have the same host."""
    order = np.argsort(hosts, kind="stable")
    first = np.searchsorted(hosts[order], hosts[order])
    found = np.empty(len(hosts), dtype=np.int32)
    found[order] = np.arange(len(hosts)) - first
    return found


def _is_same(one: Topology, other: Topology) -> bool:
    """Whether two topologies are equal in all but what is known of their symmetry."""
    names = (
        "n", "switches", "names", "multicast", "reduce", "unit_rate", "unit_latency",
        "injection", "reduce_rate", "epsilon",
    )  # fmt: skip
    return (
        np.array_equal(one.tail, other.tail)
        and np.array_equal(one.head, other.head)
        and all(getattr(one, name) == getattr(other, name) for name in names)
        and tuple(one.capacity or ()) == tuple(other.capacity or ())
        and tuple(one.latency or ()) == tuple(other.latency or ())
    )
