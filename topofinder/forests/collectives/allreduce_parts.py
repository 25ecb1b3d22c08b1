"""A bound on allreduces from disjoint parts of the network.

Let m disjoint parts hold all hosts and every switch that multicasts or combines. An out-tree
enters each part but that of its root over some link; an in-tree leaves each of them, and what
leaves one part enters another, for nothing between them combines. So trees that carry X in all need
2 (m - 1) X of the bandwidth that enters parts. Parts worth trying are single hosts; what hangs
together without the switches that only forward, such as boxes; and the least sets around each host
whose complement is a bottleneck: on those all trees enter just once.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from generators.topology import Topology
from topofinder.forests.collectives.allreduce_cuts import LinkArrays

LARGEST = (1 << 31) - 1
MAX_HOSTS = 256

Part = frozenset[int]


def parts_rate(
    topology: Topology, links: LinkArrays, weight: Sequence[int], optimum: Fraction
) -> Fraction | None:
    """An upper bound on what all trees of an allreduce carry together; None if no parts fit."""
    able = set(topology.multicast) | set(topology.reduce)
    found = []
    for parts in (
        _single_hosts(links),
        _linked_boxes(links, able),
        _tight_parts(links, weight, optimum),
    ):
        held = frozenset[int]().union(*parts) if parts else frozenset()
        disjoint = len(parts) > 1 and sum(map(len, parts)) == len(held)
        if disjoint and held >= set(links.hosts.tolist()) | able:
            found.append(Fraction(_entering_bandwidth(links, parts), 2 * (len(parts) - 1)))
    return min(found, default=None)


def _single_hosts(links: LinkArrays) -> list[Part]:
    return [frozenset([host]) for host in links.hosts.tolist()]


def _linked_boxes(links: LinkArrays, able: set[int]) -> list[Part]:
    """The components that hosts and able switches make by the links between them.

    Empty where one has no host, for no tree has to enter it.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    kept = np.isin(np.arange(links.n), [*links.hosts.tolist(), *able])
    inside = kept[links.tail] & kept[links.head]
    ends = links.tail[inside], links.head[inside]
    graph = coo_array((np.ones(len(ends[0])), ends), shape=(links.n, links.n))
    label = connected_components(graph, directed=False)[1]
    found: dict[int, set[int]] = {}
    for node in np.flatnonzero(kept).tolist():
        found.setdefault(int(label[node]), set()).add(node)
    hosts = set(links.hosts.tolist())
    if any(not part & hosts for part in found.values()):
        return []
    return [frozenset(part) for part in found.values()]


def _entering_bandwidth(links: LinkArrays, parts: Sequence[Part]) -> Fraction:
    part_of = {node: i for i, part in enumerate(parts) for node in part}
    ends = zip(links.tail.tolist(), links.head.tolist(), links.bandwidth, strict=True)
    return sum(
        (b for u, v, b in ends if v in part_of and part_of.get(u) != part_of[v]), Fraction(0)
    )


def _tight_parts(links: LinkArrays, weight: Sequence[int], optimum: Fraction) -> list[Part]:
    """For each host the least set around it that is entered at the full rate; the different ones.

    Empty where numbers are too large for the solver of flows, or some host is in no such set.
    """
    if len(links.hosts) > MAX_HOSTS:
        return []
    room = [b * optimum for b in links.bandwidth]
    scale = lcm(*(value.denominator for value in room))
    supply = [scale * weight[host] for host in links.hosts.tolist()]
    scaled = [int(value * scale) for value in room]
    if max(sum(supply), *scaled) > LARGEST:
        return []
    parts = {_tight_part_around(links, scaled, supply, host) for host in links.hosts.tolist()}
    return [] if None in parts else [part for part in parts if part is not None]


def _tight_part_around(
    links: LinkArrays, room: list[int], supply: list[int], target: int
) -> Part | None:
    """The nodes that can still reach the target once all supplies flow to it."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    source, n = links.n, links.n + 1
    # scipy 1.13 takes 32-bit indices only.
    rows = np.concatenate([links.tail, np.full(len(links.hosts), source)]).astype(np.int32)
    columns = np.concatenate([links.head, links.hosts]).astype(np.int32)
    values = np.array(room + supply, dtype=np.int32)
    graph = csr_array((values, (rows, columns)), shape=(n, n))
    flow: Any = maximum_flow(graph, source, target)
    left = (graph - flow.flow).tocsr()
    left.data = np.maximum(left.data, 0)
    left.eliminate_zeros()
    reached = breadth_first_order(csr_array(left.T), target, return_predecessors=False)
    inside = frozenset(reached.tolist())
    return None if source in inside or len(inside) == links.n else inside
