"""What no allreduce can beat, of trees or not, and what reduce + broadcast takes.

Source: the pipeline schedules' paper, appendix B. Every piece of the data crosses each cut with
hosts on both sides once in either direction, so that a cut of bandwidth B takes M/B (theorem 16,
bound (6)). N hosts send each piece 2 (N - 1) times in all, for all must learn of all by one-way
messages (Harary and Schwenk, 1974), so that M takes 2 M (N - 1) over what hosts can send together.
That is at least bound (7), which has N times the quickest host in its place (theorem 17). It takes
for granted that switches only forward: one that multicasts or combines sends for hosts.

Theorem 19: reduce-scatter and allgather, one after the other, are an optimal allreduce where a
bottleneck cut has half of the hosts inside (a), or leaves out one host alone while none can send
more (b). The former is the case just where they take the first bound, the latter where they take
the second. Reduce and broadcast take 2 M/B over the least cut.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from generators.host_limits import split_hosts
from generators.topology import Topology
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.model.forest import single_root_weights

MOST_FLOWS = 512
"""Hosts of a switched fabric up to which it is asked what each can send past the switches."""
LARGEST_FLOW = (1 << 31) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AllreduceLimits:
    """Times for a unit of weight, `total` units in all.

    `cut` is bound (6), `hosts` what all hosts together send, None where switches multicast or
    combine. `rooted` is what reduce and broadcast take one after the other, None where some node
    sends more than it receives.
    """

    cut: Fraction
    hosts: Fraction | None
    rooted: Fraction | None

    @property
    def least(self) -> Fraction:
        """No allreduce takes less."""
        return self.cut if self.hosts is None else max(self.cut, self.hosts)


def allreduce_limits(topology: Topology, total: int | None = None) -> AllreduceLimits:
    """The bounds of appendix B for an allreduce of `total` units (default: one a host), exact.

    Injection limits of hosts count as links. Then nothing is told of reduce and broadcast.

    Raises InvalidInput when some host cannot reach another.

    >>> from generators.families.hamming import hypercube
    >>> found = allreduce_limits(hypercube(3))
    >>> found.cut, found.hosts, found.rooted
    (Fraction(8, 3), Fraction(14, 3), Fraction(16, 3))
    """
    topology = split_hosts(topology)
    network, turned = Network.of(topology), Network.of(topology.transpose())
    hosts = network.compute.tolist()
    data = len(hosts) if total is None else total
    root = single_root_weights(topology.n, hosts[0])
    longest = [
        find_optimum(Network.of(graph, root)).inverse_rate
        for graph in (topology, topology.transpose())
    ]
    sent = None
    if not topology.multicast and not topology.reduce:
        most = min(_sent_together(each, topology.switches) for each in (network, turned))
        sent = 2 * data * (len(hosts) - 1) / most
    into, out = network.node_capacities()
    rooted = 2 * data * max(longest) if list(into) == list(out) else None
    return AllreduceLimits(cut=data * max(longest), hosts=sent, rooted=rooted)


def _sent_together(network: Network, switches: tuple[int, ...]) -> Fraction:
    """What all hosts together can send to one another, each by itself."""
    hosts = network.compute.tolist()
    if switches and len(hosts) <= MOST_FLOWS and sum(network.capacity) <= LARGEST_FLOW:
        return sum(_flows_out(network), Fraction()) * network.unit
    _, out = network.node_capacities()
    return Fraction(sum(int(out[host]) for host in hosts)) * network.unit


def _flows_out(network: Network) -> Iterator[int]:
    """For each host the greatest flow from it to all others, in units of the network.

    Hosts lead to node n without a limit, the sink; arcs out of the sender never return to it.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    hosts = network.compute.astype(np.int32)
    rows = np.concatenate([network.tail, hosts]).astype(np.int32)
    columns = np.concatenate([network.head, np.full(len(hosts), network.n)]).astype(np.int32)
    room = [*network.capacity, *[sum(network.capacity)] * len(hosts)]
    for place, host in enumerate(hosts.tolist()):
        left = np.array(room, dtype=np.int32)
        left[len(network.capacity) + place] = 0
        graph = csr_array((left, (rows, columns)), shape=(network.n + 1, network.n + 1))
        yield int(maximum_flow(graph, host, network.n).flow_value)
