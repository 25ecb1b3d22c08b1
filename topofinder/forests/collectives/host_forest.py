"""Forests of fabrics of hosts, composed: trees over the hosts, and trees inside of every host.

A tree of hosts becomes one of accelerators. Where a circuit brings a shard to a host, a spanning
tree of the host's inside, rooted at the port's owner, takes it to the others, who send it on over
their own ports; the accelerator that a shard begins at does the same first. What that costs is the
theorem of composition (docs/hosts.md): 1/x* of hosts over the rate of a port, or what the inside
takes for the shards of the busiest owner, whichever is longer; heights grow from D to at most
D (1 + h) + h, with h the height inside: 2 D + 1 behind a switch.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import chain, cycle
from math import floor, gcd, lcm

import numpy as np

from expansions.collective import Collective
from expansions.hosts import (
    HostFabric,
    HostWiring,
    host_graph,
    host_topology,
    host_wiring,
)
from generators.errors import Unsupported
from generators.hosts.template import HostTemplate, InnerKind
from generators.topology import BoolArray, Int64Array, IntArray, Topology
from topofinder.forests.build import pack_forest
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.collectives.make_forest import is_two_way
from topofinder.forests.collectives.multicast import skip_multicast_hops
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import least_count
from topofinder.forests.packed_forest import PackedForest
from topofinder.model.forest import GATHERING, SPREADING, Forest, inverse_rate
from topofinder.model.tree_set import MAX_USES, TreeSet

MOST_PACKED = 1024
"""Accelerators of fabrics of hosts whose forests are packed over all links at once, if need be."""

Route = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerTrees:
    """Spanning trees of a host's inside: `count` for each root, whose time for a shard of every
    accelerator is `time`, in units of the inner rate; each a list of edges, parents first.
    """

    count: int
    time: Fraction
    height: int
    edges: tuple[tuple[tuple[tuple[int, int], ...], ...], ...]


@lru_cache(maxsize=64)
def inner_trees(host: HostTemplate) -> InnerTrees:
    """The allgather inside of a host: stars where any two are joined, else a packed forest.

    >>> from generators.hosts.notation import read_hosts
    >>> found = inner_trees(read_hosts("HostA100")[0])
    >>> found.time, found.height, found.edges[7][0][:2]
    (Fraction(7, 1), 1, ((7, 0), (7, 1)))
    """
    g = host.accelerators
    if host.inner.kind is not InnerKind.LINKS:
        stars = tuple((tuple((u, v) for v in range(g) if v != u),) for u in range(g))
        time = Fraction(g - 1 if host.inner.kind is InnerKind.SWITCH else g > 1)
        return InnerTrees(count=1, time=time, height=int(g > 1), edges=stars)
    arcs = [p for u, v, c in host.inner.links for _ in range(c) for p in ((u, v), (v, u))]
    packed = pack_forest(Network.of(Topology.from_arcs(g, arcs)))
    edges: list[list[tuple[tuple[int, int], ...]]] = [[] for _ in range(g)]
    for root, arcs_of_tree in _single_trees(packed):
        edges[root].append(tuple((int(packed.tail[a]), int(packed.head[a])) for a in arcs_of_tree))
    return InnerTrees(
        count=packed.k,
        time=packed.inverse_rate,
        height=packed.height,
        edges=tuple(map(tuple, edges)),
    )


def host_network(fabric: HostFabric, wiring: HostWiring) -> Network:
    """The hosts as a network: each has the shards of its accelerators, every circuit is 1."""
    return Network.of(host_graph(fabric, wiring), fabric.host_sizes)


def compose_forest(
    fabric: HostFabric,
    collective: Collective,
    wiring: HostWiring | None = None,
    *,
    able: bool = True,
    clock: Clock = NO_LIMIT,
) -> Forest:
    """The composed forest of an allgather, reduce-scatter or allreduce of all accelerators.

    Circuits are where `wiring` says, unless where the fabric's graph does.

    Raises InvalidInput for hosts that are not connected, Unsupported for other collectives and
    where trees become too many.

    >>> from expansions.hosts import parse_host_fabric
    >>> fabric = parse_host_fabric("Host(8;switch@450GB/s;1@50GB/s)[C(32,{1,6,9,10})]")
    >>> made = compose_forest(fabric, Collective.ALLGATHER)
    >>> made.inverse_rate, made.spread.k, int(made.spread.heights().max())
    (Fraction(31, 50), 1, 5)
    """
    if collective.is_rooted or collective is Collective.ALLTOALL:
        raise Unsupported(f"composed forests of hosts: of all accelerators, not {collective.value}")
    wiring = wiring or host_wiring(fabric)
    topology = host_topology(fabric, wiring)
    spread = gather = None
    if collective in SPREADING:
        spread = _compose(fabric, wiring, topology, able, clock)
    if collective in GATHERING:
        turned = replace(wiring, graph=wiring.graph.transpose(), tail=wiring.head, head=wiring.tail)
        same = spread if is_two_way(topology) else None
        gather = same or _compose(fabric, turned, topology.transpose(), able, clock)
    weight = (1,) * fabric.accelerators + (0,) * len(topology.switches)
    return Forest(
        topology=topology,
        collective=collective,
        weight=weight,
        spread=spread,
        gather=gather,
        recipe=str(fabric),
        method="forest, hosts",
    )


def host_tree_height(fabric: HostFabric, wiring: HostWiring | None = None) -> int:
    """How high the trees over the hosts are, in circuits: their diameter at least.

    >>> from expansions.hosts import parse_host_fabric
    >>> host_tree_height(parse_host_fabric("HostH100[C(32,{1,6,9,10})]"))
    2
    """
    return _pack_hosts(fabric, wiring or host_wiring(fabric), NO_LIMIT)[0].height


def _pack_hosts(
    fabric: HostFabric, wiring: HostWiring, clock: Clock
) -> tuple[PackedForest, IntArray, int]:
    """The forest over the hosts, the cut that bounds it, and its trees for each accelerator."""
    network = host_network(fabric, wiring)
    cuts = Cuts.of(network)
    best = find_optimum(network, cuts)
    shared = reduce(gcd, fabric.host_sizes)
    count = lcm(least_count(network, best, cuts).k, shared)
    return pack_forest(network, count, clock=clock), best.cut, count // shared


def _compose(
    fabric: HostFabric, wiring: HostWiring, topology: Topology, able: bool, clock: Clock
) -> TreeSet:
    packed, cut, each = _pack_hosts(fabric, wiring, clock)
    trees = _HostTrees(fabric, wiring, packed, each).tree_set(topology)
    if able:
        trees = skip_multicast_hops(trees, topology)
    trees = replace(trees, time=inverse_rate(topology, trees))
    return _with_bound(fabric, topology, trees, cut)


def _with_bound(fabric: HostFabric, topology: Topology, trees: TreeSet, hosts: IntArray) -> TreeSet:
    """With the cut that bounds them: that of the hosts, or the best where it is another."""
    inside = np.isin(np.repeat(np.arange(fabric.hosts), fabric.host_sizes), hosts)
    cut = np.flatnonzero(inside)
    bound = len(cut) / _exit(topology, inside, hosts)
    if topology.switches:
        cut = np.concatenate([cut, fabric.accelerators + hosts])
    if trees.time != bound:
        best = find_optimum(Network.of(topology))
        bound, cut = best.inverse_rate, best.cut.astype(np.int64)
    return replace(trees, optimum=bound, cut=cut.astype(np.int32))


def _exit(topology: Topology, accelerators: BoolArray, hosts: IntArray) -> Fraction:
    """The bandwidth that leaves some hosts: these accelerators, and the switches beside them."""
    inside = np.zeros(topology.n, dtype=np.bool_)
    inside[: len(accelerators)] = accelerators
    if topology.switches:
        inside[len(accelerators) + hosts] = True
    leaving = np.flatnonzero(inside[topology.tail] & ~inside[topology.head]).tolist()
    capacity = topology.capacity or (Fraction(1),) * topology.arcs
    return sum((capacity[arc] for arc in leaving), Fraction())


def _single_trees(packed: PackedForest) -> Iterator[tuple[int, list[int]]]:
    """Every tree on its own, copies too: its root and its arcs, parents first."""
    arcs = packed.arc.tolist()
    for root, copies, begin, end in zip(
        packed.root.tolist(), packed.copies.tolist(), packed.start[:-1], packed.start[1:],
        strict=True,
    ):  # fmt: skip
        for _ in range(copies):
            yield root, arcs[begin:end]


@dataclass(slots=True)
class _Circuit:
    """Its route, the accelerators at its ends, and how many trees more it takes."""

    route: Int64Array
    begin: int
    into: int
    room: int


class _HostTrees:
    """Trees of hosts, arc by arc made to trees of accelerators, with routes by number.

    Of parallel circuits between two hosts a tree takes that with most room, of equals one that
    begins where the shard is; and each tree is taken as often as lets them share alike. Each of
    these is taken once for every inner tree of a root, so that all inner trees of an accelerator
    are used alike.
    """

    def __init__(
        self, fabric: HostFabric, wiring: HostWiring, packed: PackedForest, each: int
    ) -> None:
        self._packed, self._wiring = packed, wiring
        self._sizes, self._first = fabric.host_sizes, wiring.first.tolist()
        self._inner = {g: inner_trees(host) for g, host in fabric.each_size.items()}
        self._count = lcm(*(inner.count for inner in self._inner.values()))
        self._turns = self._circuit_turns(fabric)
        self._each = each * self._count * self._turns
        self._routes: dict[Route, int] = {}
        self._switched = fabric.template.inner.kind is InnerKind.SWITCH
        self._circuits = self._circuits_by_arc(fabric)
        self._starts = [self._inner_uses(host) for host in range(fabric.hosts)]
        uses = fabric.accelerators * self._each * (fabric.accelerators - 1)
        if uses > MAX_USES:
            raise Unsupported(f"{fabric}: trees of {uses} edges, more than {MAX_USES}")

    def _circuit_turns(self, fabric: HostFabric) -> int:
        """How often each tree is taken so that circuits in parallel share alike."""
        tails, heads = (self._wiring.node_host[end] for end in self._graph_ends())
        pairs = tails * fabric.hosts + heads
        if len(np.unique(pairs)) == len(pairs):
            return 1
        return self._packed.inverse_tree.denominator

    def _graph_ends(self) -> tuple[IntArray, IntArray]:
        return self._wiring.graph.tail, self._wiring.graph.head

    def _circuits_by_arc(self, fabric: HostFabric) -> list[list[_Circuit]]:
        """For each arc of the packed network its circuits."""
        found: dict[tuple[int, int], list[_Circuit]] = {}
        ends = [self._wiring.node_host[end].tolist() for end in self._graph_ends()]
        owners = self._wiring.tail.tolist(), self._wiring.head.tolist()
        room = floor(self._packed.inverse_tree * self._turns)
        for u, v, out, into in zip(*ends, *owners, strict=True):
            if u != v:
                circuit = _Circuit(np.array([self._route((out, into))]), out, into, room)
                found.setdefault((u, v), []).append(circuit)
        packed = zip(self._packed.tail.tolist(), self._packed.head.tolist(), strict=True)
        return [found[pair] for pair in packed]

    def _take_circuits(self, host: int, root: int, arcs: list[int]) -> list[_Circuit]:
        """A circuit for each arc of a tree over the hosts, with one tree less of room."""
        place, taken = {host: root}, []
        for arc in arcs:
            here = place[int(self._packed.tail[arc])]
            room = max(one.room for one in self._circuits[arc])
            most = [one for one in self._circuits[arc] if one.room == room]
            chosen = next((one for one in most if one.begin == here), most[0])
            chosen.room -= 1
            place[int(self._packed.head[arc])] = chosen.into
            taken.append(chosen)
        return taken

    def _inner_uses(self, host: int) -> "list[cycle[Int64Array]]":
        """For each accelerator of a host the routes of its inner trees, in turn."""
        first, inner = self._first[host], self._inner[self._sizes[host]]
        via = (self._first[-1] + host,) if self._switched else ()
        return [
            cycle(
                [
                    np.array(
                        [self._route((first + u, *via, first + v)) for u, v in edges],
                        dtype=np.int64,
                    )
                    for edges in trees
                ]
            )
            for trees in inner.edges
        ]

    def _route(self, nodes: Route) -> int:
        return self._routes.setdefault(nodes, len(self._routes))

    def tree_set(self, topology: Topology) -> TreeSet:
        """All trees; their time and bound are for the caller to say."""
        roots, uses, lengths = [], [], []
        begun = [0] * len(self._sizes)
        host_of = np.repeat(np.arange(len(self._sizes)), self._sizes).tolist()
        for host, arcs in _single_trees(self._packed):
            for turn in range(self._turns * self._count):
                root = self._first[host] + begun[host] // self._each
                begun[host] += 1
                if turn % self._count == 0:
                    circuits = self._take_circuits(host, root, arcs)
                tree = [self._enter(host, root)]
                for one in circuits:
                    tree += [one.route, self._enter(host_of[one.into], one.into)]
                roots.append(root)
                uses += tree
                lengths.append(sum(map(len, tree)))
        nodes = list(self._routes)
        return TreeSet(
            k=self._each,
            root=np.array(roots),
            copies=np.ones(len(roots), dtype=np.int64),
            start=np.concatenate([[0], np.cumsum(lengths)]),
            route=np.concatenate(uses),
            route_start=np.concatenate([[0], np.cumsum([len(route) for route in nodes])]),
            node=np.array(list(chain.from_iterable(nodes))),
            optimum=Fraction(1),
            time=Fraction(1),
            cut=np.zeros(1, dtype=np.int32),
        )

    def _enter(self, host: int, accelerator: int) -> Int64Array:
        """The routes of the next inner tree that begins at an accelerator."""
        return next(self._starts[host][accelerator - self._first[host]])
