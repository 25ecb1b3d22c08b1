"""Rails wired alike where hosts have unlike sizes: each a one-way ring of the hosts that have it.

No recipe names such a fabric, for larger hosts have rails that smaller ones lack. So its circuits
are listed, and its forest is composed to tell how high trees are: they change rails where a larger
host passes on what a smaller one needs.
"""

from collections import Counter
from dataclasses import replace

import numpy as np

from expansions.collective import Collective
from expansions.hosts import HostFabric, HostWiring
from generators.topology import Topology
from topofinder.finder.host_packing import longest_way
from topofinder.finder.host_prediction import HopWeights
from topofinder.finder.host_search import HostCandidate, RateGraph, rate_fabric
from topofinder.forests.collectives.host_forest import compose_forest

MOST_RINGED = 512
"""Accelerators up to which the forest of alike rails is composed."""


def alike_rings(fabric: HostFabric) -> HostWiring:
    """Port c of every host leads to port c of the next host that has one, the first after the last.

    >>> from expansions.hosts import parse_host_fabric
    >>> fabric = parse_host_fabric("Host(1.2*2;switch@450GB/s;1@50GB/s)[UniRing(1,5)]")
    >>> wiring = alike_rings(fabric)
    >>> wiring.tail.tolist(), wiring.head.tolist()
    ([0, 1, 3, 2, 4], [1, 3, 0, 4, 2])
    """
    first = np.concatenate([[0], np.cumsum(fabric.host_sizes)]).astype(np.int64)
    hosts = [fabric.each_size[g] for g in fabric.host_sizes]
    rows: list[tuple[int, int, int, int, int]] = []
    for rail in range(max(host.ports for host in hosts)):
        ring = [place for place, host in enumerate(hosts) if host.ports > rail]
        for a, b in zip(ring, [*ring[1:], ring[0]], strict=True):
            begin, end = (int(first[host]) + hosts[host].owners[rail] for host in (a, b))
            rows.append((a, b, begin, end, rail))
    tail, head, owner, owner_into, rails = np.array(rows, dtype=np.int32).T
    return HostWiring(
        graph=Topology(n=len(hosts), tail=tail, head=head),
        first=first,
        node_host=np.arange(len(hosts)),
        tail=owner,
        head=owner_into,
        rail=rails,
        rail_into=rails,
        even=False,
    )


def rate_alike_rings(
    fabric: HostFabric, wiring: HostWiring, rate: RateGraph, weights: HopWeights
) -> HostCandidate:
    """What hosts with these rings cost; time, height and latency are those of the trees."""
    found = rate_fabric(fabric, rate, weights, wiring)
    if found.prediction.packed is not None:
        return found
    trees = compose_forest(fabric, Collective.ALLGATHER, wiring).spread
    assert trees is not None, "an allgather has out-trees"
    told = trees.time, int(trees.heights().max(initial=0))
    prediction = replace(found.prediction, packed=told, exact=True)
    return replace(found, prediction=prediction, latency=longest_way(fabric, trees, weights))


def rings_text(wiring: HostWiring) -> str:
    """How many rails are a ring of how many hosts.

    >>> from expansions.hosts import parse_host_fabric
    >>> fabric = parse_host_fabric("Host(4*8.8*12;switch@450GB/s;1@50GB/s)[UniRing(4,32)]")
    >>> rings_text(alike_rings(fabric))
    '4 of 20 hosts, 4 of 12'
    """
    found = Counter(np.bincount(wiring.rail).tolist())
    first, *others = sorted(found.items(), reverse=True)
    return ", ".join([f"{first[1]} of {first[0]} hosts", *(f"{k} of {n}" for n, k in others)])
