"""The "ideal" allreduce that TACOS (Won et al., MICRO 2024, section V.A) compares with.

What the slowest host has to send when nothing else is in the way, and the latency of the diameter.
It is no bound: reductions and sums that share the links can be quicker; and none that a
reduce-scatter followed by an allgather could reach where a group of hosts has less bandwidth
outwards than its hosts. It is for the paper's figures alone.
"""

from fractions import Fraction
from heapq import heappop, heappush

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.kernels import hop_table
from topofinder.model.chunk_times import LinkUnits


def ideal_allreduce(topology: Topology, size: Fraction, units: LinkUnits) -> Fraction:
    """Seconds of 2 (n - 1) / n of `size` bytes at the rate of the slowest host, and the diameter.

    A host's rate is what it can send or receive, whichever is less. Raises InvalidInput for fewer
    than two hosts, and for hosts that do not reach each other.

    >>> from generators.fabrics.dgx1 import dgx1
    >>> units = LinkUnits(latency=Fraction(7, 10**7), rate=Fraction(10**9))
    >>> float(ideal_allreduce(dgx1(), Fraction(150 * 10**9), units))
    1.7500014
    """
    hosts = np.delete(np.arange(topology.n), list(topology.switches)).tolist()
    if len(hosts) < 2:
        raise InvalidInput(f"hosts: at least 2 are needed, not {len(hosts)}")
    rate = [_host_rates(topology, ends.tolist()) for ends in (topology.tail, topology.head)]
    least = min(min(way[host] for way in rate) for host in hosts)
    farthest = _latency_of_diameter(topology, hosts)
    if farthest is None or not least:
        raise InvalidInput("topology: some hosts do not reach each other")
    n = len(hosts)
    return Fraction(size) * 2 * (n - 1) / n / least / units.rate + farthest * units.latency


def _host_rates(topology: Topology, ends: list[int]) -> list[Fraction]:
    """Capacity of all arcs with that end, by node; self-loops carry nothing."""
    found = [Fraction(0)] * topology.n
    capacity = topology.capacity or (Fraction(1),) * topology.arcs
    loops = (topology.tail == topology.head).tolist()
    for node, value, loop in zip(ends, capacity, loops, strict=True):
        found[node] += 0 if loop else value
    return found


def _latency_of_diameter(topology: Topology, hosts: list[int]) -> Fraction | None:
    """The latency of the quickest way between the two hosts where it is most."""
    start, order = csr_by_node(topology.tail, topology.n)
    if topology.latency is None:
        hops = hop_table(start, topology.head[order])[np.ix_(hosts, hosts)]
        return None if (hops < 0).any() else Fraction(int(hops.max()))
    out = [
        [(int(topology.head[arc]), topology.latency[arc]) for arc in own.tolist()]
        for own in np.split(order, start[1:-1])
    ]
    most = Fraction(0)
    for host in hosts:
        late = _quickest_ways(out, host)
        if any(other not in late for other in hosts):
            return None
        most = max(most, *(late[other] for other in hosts))
    return most


def _quickest_ways(out: list[list[tuple[int, Fraction]]], root: int) -> dict[int, Fraction]:
    """Dijkstra's algorithm: the least latency to every node that is reached."""
    found: dict[int, Fraction] = {}
    queue = [(Fraction(0), root)]
    while queue:
        late, node = heappop(queue)
        if node in found:
            continue
        found[node] = late
        for other, more in out[node]:
            if other not in found:
                heappush(queue, (late + more, other))
    return found
