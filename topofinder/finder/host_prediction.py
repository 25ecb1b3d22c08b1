"""What a fabric of hosts costs, by the theorems of composition: nothing of its size is built.

Source: docs/hosts.md proves them. All that is looked at is the graph of hosts, and one host. The
units are those of the fabric: GB/s, and shards of an accelerator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

from expansions.hosts import HostFabric, HostWiring, host_graph, host_wiring
from generators.hosts.template import GIGABYTE, HostTemplate, InnerKind
from generators.topology import Int64Array, Topology
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solve import bound_throughput
from topofinder.forests.collectives.host_forest import host_network, inner_trees
from topofinder.forests.optimality.bottleneck_cut import find_optimum

Interval = tuple[Fraction, Fraction]
HopWeights = tuple[Fraction, Fraction]
"""What a hop outside and one inside count: both 1, or their alphas in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPrediction:
    """The composed allgather of a fabric of hosts: `inverse_rate`, the time of a shard.

    It is the longer of `outer`, of the circuits, and `inner`. With `exact` it is what the composed
    forest takes, else an upper bound. No allgather on any graph of such hosts beats `bound`, the
    cut around one host or one accelerator. `hops` is the diameter of the graph of hosts, `inside`
    the height of inner trees. `packed`, where it is there, has the time and height of a forest of
    all links that beats the composed one, or of one that was built, and stands for it; where
    neither was, `least` is what no forest on the fabric beats, if the composed one misses it.
    """

    outer: Fraction
    inner: Fraction
    exact: bool
    bound: Fraction
    hops: int
    inside: int
    packed: tuple[Fraction, int] | None = None
    least: Fraction | None = None

    def height(self, hops: int) -> int:
        """The most of the trees, where those over the hosts are so high."""
        if self.packed is not None:
            return self.packed[1]
        return hops * (1 + self.inside) + self.inside

    @property
    def inverse_rate(self) -> Fraction:
        """The time of a shard."""
        return max(self.outer, self.inner) if self.packed is None else self.packed[0]


def predict_forest(fabric: HostFabric, wiring: HostWiring | None = None) -> HostPrediction:
    """What `compose_forest` takes for an allgather on the fabric.

    Raises InvalidInput for a graph that is not connected or not regular.

    >>> from expansions.hosts import parse_host_fabric
    >>> told = predict_forest(parse_host_fabric("HostH100[C(32,{1,6,9,10})]"))
    >>> told.inverse_rate, told.bound, told.exact, told.height(told.hops)
    (Fraction(31, 50), Fraction(31, 50), True, 5)
    """
    wiring = wiring or host_wiring(fabric)
    shares = find_optimum(host_network(fabric, wiring)).inverse_rate * _common(fabric)
    arriving = _circuits_into(fabric, wiring)
    inner, certain = _inner_time(fabric, shares, arriving)
    outer = shares / (fabric.template.rate / GIGABYTE)
    return HostPrediction(
        outer=outer,
        inner=inner,
        exact=certain or inner <= outer,
        bound=max(allgather_bound(host, fabric.accelerators) for host in fabric.each_size.values()),
        hops=int(hop_table(host_graph(fabric, wiring)).max()),
        inside=max(inner_trees(host).height for host in fabric.each_size.values()),
    )


def allgather_bound(host: HostTemplate, total: int) -> Fraction:
    """The least time of an allgather of `total` accelerators, on any graph of hosts with this one.

    All shards but its own have to come in over its ports; all but one to each accelerator, over its
    ports and from inside.

    >>> from generators.hosts.notation import read_hosts
    >>> allgather_bound(read_hosts("HostH100")[0], 256)
    Fraction(31, 50)
    """
    rate, inside = host.rate / GIGABYTE, _inner_rates(host)
    found = (total - host.accelerators) / (rate * host.ports)
    for accelerator in range(host.accelerators):
        ports = rate * host.owners.count(accelerator)
        if inside[accelerator] + ports:
            found = max(found, (total - 1) / (inside[accelerator] + ports))
    return found


def predict_alltoall(fabric: HostFabric, hosts: Interval) -> Interval:
    """Certain bounds on f of the fabric, from those of the graph of hosts.

    `hosts` bounds f of the graph with circuits of capacity 1, where u sends v as much as there are
    pairs of their accelerators; for hosts alike it is that of a uniform all-to-all over g^2. The
    answer is in GB/s for every ordered pair of accelerators.

    >>> from expansions.hosts import parse_host_fabric
    >>> fabric = parse_host_fabric("HostH100[K(8,8)]")
    >>> predict_alltoall(fabric, (Fraction(4, 11 * 64), Fraction(4, 11 * 64)))
    (Fraction(25, 88), Fraction(25, 88))
    """
    rate, others = fabric.template.rate / GIGABYTE, fabric.accelerators - 1
    low, high = hosts[0] * rate, hosts[1] * rate
    for g, host in fabric.each_size.items():
        if g == 1:
            continue
        hose, inside = _hose_rate(host), _inner_rates(host)
        for accelerator in range(g):
            ports = rate * host.owners.count(accelerator)
            low = min(low, hose / (others + ports / (hosts[0] * rate)))
            high = min(high, (inside[accelerator] + ports) / others)
    return low, high


def alltoall_bound(fabric: HostFabric, wiring: HostWiring) -> Fraction:
    """What f cannot exceed on the fabric, for all pairs of accelerators are so many hops apart.

    Inner links are taken for free. In GB/s, as everything here.

    >>> from expansions.hosts import parse_host_fabric
    >>> fabric = parse_host_fabric("HostH100[C(32,{1,6,9,10})]")
    >>> alltoall_bound(fabric, host_wiring(fabric))
    Fraction(25, 216)
    """
    graph, sizes = host_graph(fabric, wiring), np.array(fabric.host_sizes)
    circuits = int((graph.tail != graph.head).sum())
    moved = int(sizes @ hop_table(graph) @ sizes)
    return circuits * (fabric.template.rate / GIGABYTE) / moved


def moore_alltoall_bound(each: Sequence[HostTemplate], sizes: Sequence[int]) -> Fraction:
    """What f cannot exceed on any graph of hosts of these sizes, `each` being a host of every size.

    From a host with p ports, p hosts are one circuit away at most, and so many times the most ports
    of a host with each further one; the largest are the nearest.

    >>> from generators.hosts.notation import read_hosts
    >>> moore_alltoall_bound([read_hosts("HostH100")[0]], (8,) * 32)
    Fraction(25, 216)
    """
    ports = {host.accelerators: host.ports for host in each}
    most, moved = max(ports.values()), 0
    for g in set(sizes):
        others = sorted(sizes, reverse=True)
        others.remove(g)
        begin, level, hops = 0, ports[g], 1
        while begin < len(others):
            moved += sizes.count(g) * g * hops * sum(others[begin : begin + level])
            begin, level, hops = begin + level, level * most, hops + 1
    rate = each[0].rate / GIGABYTE
    return sum(ports[g] for g in sizes) * rate / moved


def hop_table(graph: Topology) -> Int64Array:
    """Distances in hops between any two nodes; shape (n, n)."""
    ones = np.ones(graph.arcs)
    arcs = csr_matrix((ones, (graph.tail, graph.head)), shape=(graph.n, graph.n))
    return shortest_path(arcs, unweighted=True).astype(np.int64)


def _common(fabric: HostFabric) -> int:
    """What the weights of the network of hosts are to be multiplied by."""
    return int(np.gcd.reduce(np.array(fabric.host_sizes)))


def _circuits_into(fabric: HostFabric, wiring: HostWiring) -> Int64Array:
    """Circuits from other hosts that end at each accelerator."""
    hosts = [wiring.node_host[end] for end in (wiring.graph.tail, wiring.graph.head)]
    real = hosts[0] != hosts[1]
    return np.bincount(wiring.head[real], minlength=fabric.accelerators)


def _inner_time(
    fabric: HostFabric, shares: Fraction, circuits: Int64Array
) -> tuple[Fraction, bool]:
    """The time inside, where every circuit brings so many shards; whether that is certain.

    It is, where each host gets every shard once, which all its circuits together do to the full.
    """
    found, certain = Fraction(), True
    first = np.concatenate([[0], np.cumsum(fabric.host_sizes)]).tolist()
    for pattern in {
        (g, *circuits[begin : begin + g].tolist())
        for g, begin in zip(fabric.host_sizes, first, strict=False)
    }:
        g, *ends = pattern
        full = sum(ends) * shares == fabric.accelerators - g
        weights = [1 + count * shares for count in ends]
        found = max(found, _spread_time(fabric.each_size[g], weights, full))
        even = len(set(ends)) == 1 or fabric.template.inner.kind is not InnerKind.LINKS
        certain = certain and full and even
    return found, certain


def _spread_time(host: HostTemplate, weights: list[Fraction], full: bool) -> Fraction:
    """To take so many shards from every accelerator to all others of its host."""
    rate, most = host.inner.rate / GIGABYTE, max(weights)
    if host.inner.multicast and full:
        return (
            max(most, sum(weights) - min(weights)) / rate if host.accelerators > 1 else Fraction()
        )
    return most * inner_trees(host).time / rate


def _inner_rates(host: HostTemplate) -> list[Fraction]:
    """What each accelerator can send inside."""
    rate, g = host.inner.rate / GIGABYTE, host.accelerators
    if host.inner.kind is InnerKind.SWITCH:
        return [rate] * g
    ends = [0] * g
    for u, v, count in host.inner.pairs(g):
        ends[u] += count
        ends[v] += count
    return [rate * count for count in ends]


def _hose_rate(host: HostTemplate) -> Fraction:
    """What every accelerator can send and take inside at once, to and from whomever it likes.

    Without a switch all is sent to random ones first (Valiant): that takes twice a uniform
    all-to-all of a g-th each.
    """
    rate, g = host.inner.rate / GIGABYTE, host.accelerators
    if host.inner.kind is InnerKind.SWITCH:
        return rate
    if host.inner.kind is InnerKind.MESH:
        return rate * g / 2
    arcs = [p for u, v, c in host.inner.links for _ in range(c) for p in ((u, v), (v, u))]
    inside = bound_throughput(FlowProblem(topology=Topology.from_arcs(g, arcs)))
    return rate * inside.lower * g / 2
