"""Rails wired alike where hosts have unlike sizes: rails of the same hosts are a graph of these.

No recipe names such a fabric, for larger hosts have rails that smaller ones lack. So its circuits
are listed, and its forest is composed to tell how high trees are: they change rails where a larger
host passes on what a smaller one needs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from expansions.build import build
from expansions.collective import Collective
from expansions.hosts import HostFabric, HostWiring, split_permutations
from expansions.parser import parse
from generators.topology import Topology
from topofinder.finder.host_packing import longest_way
from topofinder.finder.host_prediction import HopWeights
from topofinder.finder.host_search import HostCandidate, RateGraph, rate_fabric
from topofinder.forests.collectives.host_forest import compose_forest

MOST_COMPOSED = 512
"""Accelerators up to which the forest of alike rails is composed, not predicted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RailBand:
    """Rails from `begin` to `end`, and the hosts that have them."""

    begin: int
    end: int
    hosts: tuple[int, ...]


def rail_bands(fabric: HostFabric) -> list[RailBand]:
    """The rails that the same hosts have, those of all hosts first.

    >>> from expansions.hosts import parse_host_fabric
    >>> fabric = parse_host_fabric("Host(1.2*2;switch@450GB/s;1@50GB/s)[UniRing(1,5)]")
    >>> [(band.begin, band.end, band.hosts) for band in rail_bands(fabric)]
    [(0, 1, (0, 1, 2)), (1, 2, (1, 2))]
    """
    ports = [fabric.each_size[g].ports for g in fabric.host_sizes]
    ends = sorted(set(ports))
    return [
        RailBand(begin=begin, end=end, hosts=tuple(h for h, own in enumerate(ports) if own >= end))
        for begin, end in zip([0, *ends], ends, strict=False)
    ]


def wire_bands(fabric: HostFabric, recipes: Sequence[str]) -> HostWiring:
    """The hosts of each band joined by its recipe, one of its permutations a rail.

    What only one host has leads nowhere, and its recipe is not read.

    >>> from expansions.hosts import parse_host_fabric
    >>> fabric = parse_host_fabric("Host(1.2*2;switch@450GB/s;1@50GB/s)[UniRing(1,5)]")
    >>> wiring = wire_bands(fabric, ["UniRing(1,3)", "UniRing(1,2)"])
    >>> wiring.tail.tolist(), wiring.head.tolist(), wiring.rail.tolist()
    ([0, 1, 3, 2, 4], [1, 3, 0, 4, 2], [0, 0, 0, 1, 1])
    """
    first = np.concatenate([[0], np.cumsum(fabric.host_sizes)]).astype(np.int64)
    owners = {g: host.owners for g, host in fabric.each_size.items()}
    rows: list[tuple[int, int, int, int, int]] = []
    for band, recipe in zip(rail_bands(fabric), recipes, strict=True):
        if len(band.hosts) == 1:
            continue
        graph = build(parse(recipe))
        rails = split_permutations(graph)[0] + band.begin
        arcs = zip(graph.tail.tolist(), graph.head.tolist(), rails.tolist(), strict=True)
        for u, v, rail in arcs:
            ends = band.hosts[u], band.hosts[v]
            begin, end = (int(first[h]) + owners[fabric.host_sizes[h]][rail] for h in ends)
            rows.append((*ends, begin, end, rail))
    tail, head, owner, owner_into, rails = np.array(rows, dtype=np.int32).T
    return HostWiring(
        graph=Topology(n=len(fabric.host_sizes), tail=tail, head=head),
        first=first,
        node_host=np.arange(len(fabric.host_sizes)),
        tail=owner,
        head=owner_into,
        rail=rails,
        rail_into=rails,
        even=False,
    )


def rate_rails(
    fabric: HostFabric,
    wiring: HostWiring,
    rate: RateGraph,
    weights: HopWeights,
    most: int = MOST_COMPOSED,
) -> HostCandidate:
    """What hosts with such rails cost; time, height and latency are those of the trees.

    Of more than `most` accelerators they are those that the theorem promises.
    """
    found = rate_fabric(fabric, rate, weights, wiring)
    if found.prediction.packed is not None or fabric.accelerators > most:
        return found
    trees = compose_forest(fabric, Collective.ALLGATHER, wiring).spread
    assert trees is not None, "an allgather has out-trees"
    told = trees.time, int(trees.heights().max(initial=0))
    prediction = replace(found.prediction, packed=told, exact=True)
    return replace(found, prediction=prediction, latency=longest_way(fabric, trees, weights))
