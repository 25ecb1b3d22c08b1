"""Fabrics of real hosts: `HOST[G]`, a graph G on the hosts whose arcs end at accelerators' ports.

`Host(8;switch@450GB/s;1@50GB/s)[C(32,{1,6,9,10})]` are 32 hosts of eight accelerators with a port
each, of which every one is on its own rail; `HostH100[C(32,{1,6,9,10})]` says it by the name of a
template. G is any regular recipe. Where its degree is the number of a host's ports its nodes are
the hosts. Where it is less, a host takes several nodes of G, one after the other, so that hosts
may have unlike sizes: `Host(4*8.8*12;switch@450GB/s;1@50GB/s)[C(32,{1,6})]` has eight hosts of
four accelerators, one node of degree 4 each, and twelve of eight, two nodes each.

G is split into permutations: that of number c joins port c of every node to port c of another, so
that a panel for each rail can hold it. Every d-regular bipartite multigraph has a perfect matching,
and is (d - 1)-regular without it (Koenig 1916); so the arcs of a d-regular digraph, self-loops and
parallel ones too, split into d permutations of its nodes. Where translations keep the colours of
arcs, the colours are one such split, and every translation carries each permutation to itself.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from expansions.build import build
from expansions.cayley_colours import ArcColours
from expansions.host_rails import RailPairing, pair_rails
from expansions.parser import parse
from expansions.recipe import Recipe
from expansions.size import size
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.hosts.notation import read_hosts
from generators.hosts.template import (
    GIGABYTE,
    MICROSECOND,
    HostTemplate,
    InnerKind,
    run_lengths,
)
from generators.hosts.templates import HOST_TEMPLATES
from generators.size_limits import require_size
from generators.topology import ArcValues, Int64Array, IntArray, SharedValues, Topology

_FABRIC = re.compile(r"\s*([A-Za-z][A-Za-z0-9]*|Host\([^\[\]]*\))\s*\[(.*)\]\s*", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class HostFabric:
    """Hosts of a template joined by a recipe; `sizes` are empty where all hosts are alike.

    With `free` rails a circuit may join ports of unlike numbers, chosen such that little of what
    passes through hosts takes a way inside: `HostA100[K(8,8);any]`.

    Raises InvalidInput where the ports of the hosts are not those of the recipe's nodes.

    >>> fabric = parse_host_fabric("HostA100[K(8,8)]")
    >>> str(fabric), fabric.hosts, fabric.accelerators
    ('Host(8;switch@300GB/s;1@25GB/s)[K(8,8)]', 16, 128)
    """

    template: HostTemplate
    graph: Recipe
    sizes: tuple[int, ...] = ()
    free: bool = False

    def __post_init__(self) -> None:
        n, d = size(self.graph)
        for ports in {host.ports for host in self.each_size.values()}:
            if ports % d:
                raise InvalidInput(f"{self.graph} has degree {d}, a host {ports} ports")
        need = sum(self.each_size[g].ports // d for g in self.sizes) if self.sizes else n
        if need != n or n % (self.template.ports // d if not self.sizes else 1):
            raise InvalidInput(
                f"{self.graph} has {n} nodes of degree {d}, which do not make whole hosts"
            )

    def __str__(self) -> str:
        sizes = run_lengths(self.sizes) if self.sizes else str(self.template.accelerators)
        return f"{self.template.text(sizes)}[{self.graph}{';any' * self.free}]"

    @cached_property
    def each_size(self) -> dict[int, HostTemplate]:
        """The template of every size of host."""
        if not self.sizes:
            return {self.template.accelerators: self.template}
        return {g: self.template.with_accelerators(g) for g in sorted(set(self.sizes))}

    @cached_property
    def host_sizes(self) -> tuple[int, ...]:
        """Accelerators of every host."""
        if self.sizes:
            return self.sizes
        n, d = size(self.graph)
        return (self.template.accelerators,) * (n * d // self.template.ports)

    @property
    def hosts(self) -> int:
        """Number of hosts."""
        return len(self.host_sizes)

    @property
    def accelerators(self) -> int:
        """Accelerators of all hosts together."""
        return sum(self.host_sizes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HostWiring:
    """Where the circuits of a fabric end, by the arcs of its graph; accelerators are numbered
    host by host.

    Shapes: `first` (hosts + 1,), where the accelerators of each host begin; `node_host` (n,), the
    host of a node of the graph; of (arcs,) are `tail`, `head`, the accelerators that own the ports
    of each arc, and `rail`, `rail_into`, the numbers of both ports in their hosts. With `even` a
    group of automorphisms carries any host to any other, and keeps rails. Free rails have a
    `pairing`.
    """

    graph: Topology
    first: Int64Array
    node_host: Int64Array
    tail: IntArray
    head: IntArray
    rail: IntArray
    rail_into: IntArray
    even: bool
    pairing: RailPairing | None = None


def is_host_fabric(text: str) -> bool:
    """Whether the text begins as hosts of a template do; the rest may still be wrong.

    >>> is_host_fabric("Host(8"), is_host_fabric("HostH100[K(8,8)]"), is_host_fabric("K(4,4)")
    (True, True, False)
    """
    begin = text.strip()
    return begin.startswith("Host(") or begin.partition("[")[0].strip() in HOST_TEMPLATES


def parse_host_fabric(text: str) -> HostFabric:
    """The fabric that a text names; `parse_host_fabric(str(fabric)) == fabric`.

    Raises InvalidInput for anything else, telling what is wrong.

    >>> str(parse_host_fabric("Host(2;mesh@64GB/s;2@200Gbps)[ K_{4,4} ]"))
    'Host(2;mesh@64GB/s;2@25GB/s)[K(4,4)]'
    """
    found = _FABRIC.fullmatch(text)
    if found is None:
        raise InvalidInput(f"{excerpt(text)}: hosts and, in brackets, their graph are needed")
    template, sizes = read_hosts(found[1])
    recipe, sign, word = found[2].rpartition(";")
    free = word.strip() == "any"
    graph = parse(recipe if sign and free else found[2])
    return HostFabric(template=template, graph=graph, sizes=sizes, free=free)


def host_wiring(fabric: HostFabric) -> HostWiring:
    """Where the circuits end.

    Raises InvalidInput for a graph that is too large or not regular.

    >>> wiring = host_wiring(parse_host_fabric("Host(2;mesh@64GB/s;1@50GB/s)[C(3,{1})]"))
    >>> wiring.tail.tolist(), wiring.head.tolist(), wiring.rail.tolist()
    ([0, 1, 2, 3, 4, 5], [2, 5, 4, 1, 0, 3], [0, 1, 0, 1, 0, 1])
    """
    graph = build(fabric.graph)
    colour, kept = split_permutations(graph)
    sizes = fabric.host_sizes
    nodes = np.array([fabric.each_size[g].ports // graph.degree for g in sizes], dtype=np.int64)
    node_host = np.repeat(np.arange(len(sizes)), nodes)
    block = np.arange(graph.n) - (np.cumsum(nodes) - nodes)[node_host]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    owner = np.zeros((len(sizes), max(host.ports for host in fabric.each_size.values())), np.int64)
    for host, g in enumerate(sizes):
        owners = fabric.each_size[g].owners
        owner[host, : len(owners)] = first[host] + np.array(owners)
    pairing = pair_rails(graph, colour, kept) if fabric.free else None
    out = block[graph.tail] * graph.degree + colour
    into = block[graph.head] * graph.degree + (colour if pairing is None else pairing.into)
    return HostWiring(
        graph=graph,
        first=first,
        node_host=node_host,
        tail=owner[node_host[graph.tail], out].astype(np.int32),
        head=owner[node_host[graph.head], into].astype(np.int32),
        rail=out.astype(np.int32),
        rail_into=into.astype(np.int32),
        even=kept and len(sizes) == graph.n,
        pairing=pairing,
    )


def host_graph(fabric: HostFabric, wiring: HostWiring) -> Topology:
    """The graph of hosts, arc for arc that of the recipe; circuits within a host are loops."""
    if len(fabric.host_sizes) == wiring.graph.n:
        return wiring.graph
    tail, head = wiring.node_host[wiring.graph.tail], wiring.node_host[wiring.graph.head]
    return Topology(n=len(fabric.host_sizes), tail=tail, head=head)  # type: ignore[arg-type]


def host_topology(fabric: HostFabric, wiring: HostWiring | None = None) -> Topology:
    """The fabric as a graph: accelerators host by host, then the inner switches.

    Its first arcs are those of the graph of hosts, in their order; then come the inner links, host
    by host. Capacities are GB/s, latencies microseconds, 0 where none is known but others are.

    >>> fabric = host_topology(parse_host_fabric("HostH100[K(8,8)]"))
    >>> fabric.n - len(fabric.switches), fabric.arcs, fabric.names[9], fabric.names[-1]
    (128, 384, 'gpu1.1', 'switch15')
    """
    wiring = wiring or host_wiring(fabric)
    total, sizes = fabric.accelerators, fabric.host_sizes
    switched = fabric.template.inner.kind is InnerKind.SWITCH
    switches = range(total, total + len(sizes) * switched)
    require_size(str(fabric.graph), total + len(switches), 1)
    inner = _inner_arcs(fabric, wiring.first, total)
    outer = wiring.graph.arcs
    which = np.repeat([0, 1], [outer, len(inner)])
    known = fabric.template.latency, fabric.template.inner.latency
    names = [f"gpu{host}.{i}" for host, g in enumerate(sizes) for i in range(g)]
    able = fabric.template.inner
    return Topology(
        n=total + len(switches),
        tail=np.concatenate([wiring.tail, inner[:, 0]]),
        head=np.concatenate([wiring.head, inner[:, 1]]),
        capacity=_arc_values([fabric.template.rate / GIGABYTE, able.rate / GIGABYTE], which),
        latency=None
        if known == (None, None)
        else _arc_values([Fraction(value or 0) / MICROSECOND for value in known], which),
        switches=tuple(switches),
        multicast=tuple(switches) if able.multicast else (),
        reduce=tuple(switches) if able.reduce else (),
        names=(*names, *(f"switch{host}" for host in range(len(switches)))),
        unit_rate=GIGABYTE,
        unit_latency=None if known == (None, None) else MICROSECOND,
        orbits=np.array([*range(sizes[0]), *switches[:1]]) if wiring.even else None,
    )


def _arc_values(values: list[Fraction], which: Int64Array) -> ArcValues:
    return SharedValues(values, which)  # type: ignore[return-value]


def _inner_arcs(fabric: HostFabric, first: Int64Array, switch: int) -> Int64Array:
    """The inner links of all hosts, as pairs (tail, head); -1 in a host is its switch."""
    blocks = [np.zeros((0, 2), dtype=np.int64)]
    own = {g: own_arcs(host) for g, host in fabric.each_size.items()}
    for host, g in enumerate(fabric.host_sizes):
        block = own[g] + first[host]
        blocks.append(np.where(own[g] < 0, switch + host, block))
    return np.concatenate(blocks)


def own_arcs(host: HostTemplate) -> Int64Array:
    """The inner links of one host as arcs (tail, head), each beside the one back; -1 is its switch.

    >>> from generators.hosts.notation import read_hosts
    >>> own_arcs(read_hosts("TrayTPUv4")[0])[:4].tolist()
    [[0, 1], [1, 0], [0, 2], [2, 0]]
    """
    if host.inner.kind is InnerKind.SWITCH:
        star = [pair for i in range(host.accelerators) for pair in ((i, -1), (-1, i))]
        return np.array(star, dtype=np.int64)
    links = host.inner.pairs(host.accelerators)
    arcs = [pair for u, v, count in links for _ in range(count) for pair in ((u, v), (v, u))]
    return np.array(arcs, dtype=np.int64).reshape(-1, 2)


def split_permutations(topology: Topology) -> tuple[IntArray, bool]:
    """For each arc the permutation that has it, and whether translations keep them.

    Shape (arcs,), values 0 .. d - 1. Raises InvalidInput for a graph that is not regular.

    >>> from generators.arrays import jump_graph
    >>> split_permutations(jump_graph(4, [1, 3]))[0].tolist()
    [0, 1, 0, 1, 0, 1, 0, 1]
    """
    if not topology.is_regular:
        raise InvalidInput("the graph of hosts must be regular, to be split over their ports")
    colours = ArcColours(topology)
    if colours.steps is not None and _are_permutations(topology, colours.colour):
        return colours.colour.astype(np.int32), True
    return _peel_matchings(topology), False


def _are_permutations(topology: Topology, colour: Int64Array) -> bool:
    into = topology.head.astype(np.int64) * topology.degree + colour
    return len(np.unique(into)) == topology.arcs


def _peel_matchings(topology: Topology) -> IntArray:
    """Perfect matchings one after the other, by Hopcroft and Karp."""
    found = np.empty(topology.arcs, dtype=np.int32)
    left = np.arange(topology.arcs)
    shape = (topology.n, topology.n)
    for colour in range(topology.degree):
        tail, head = topology.tail[left], topology.head[left]
        graph = csr_matrix((np.ones(len(left)), (tail, head)), shape=shape)
        to = maximum_bipartite_matching(graph, perm_type="column")
        _, first = np.unique(tail.astype(np.int64) * topology.n + head, return_index=True)
        chosen = first[to[tail[first]] == head[first]]
        found[left[chosen]] = colour
        left = np.delete(left, chosen)
    return found
