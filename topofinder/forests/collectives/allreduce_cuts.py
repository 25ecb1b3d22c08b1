"""Sets of nodes that bound an allreduce: those that a solution violates, and disjoint parts.

For a host t, what is rooted anywhere must reach t over the out-trees' shares: a smaller maximum
flow (Dinic's method) has a minimum cut that is a violated set. In-trees are the same on the turned
shares.

Let m disjoint parts hold all hosts and every switch that multicasts or combines. An out-tree
enters each part but that of its root over some link; an in-tree leaves each of them, and what
leaves one part enters another, for nothing between them combines. So trees that carry X in all need
2 (m - 1) X of the bandwidth that enters parts. Parts worth trying are single hosts; what hangs
together without the switches that only forward, such as boxes; what hangs together by links above
some bandwidth; and the least sets around each host whose complement is a bottleneck: on those all
trees enter just once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from generators.topology import BoolArray, FloatArray, Int64Array, Topology

SHARE_UNITS = 1 << 30
"""Flows of shares are in integers that add up to at most this; the solver takes 32 bits."""
LARGEST_FLOW = (1 << 31) - 1
MOST_BANDWIDTHS = 16
"""Bandwidths at which it is looked what hangs together by faster links."""
MAX_TIGHT_HOSTS = 256
"""Hosts around which tight parts are looked for, at the most."""

NodeSet = frozenset[int]


@dataclass(frozen=True, slots=True)
class LinkArrays:
    """Pairs of nodes with a link, their exact bandwidth, and the nodes that are hosts."""

    tail: Int64Array
    head: Int64Array
    bandwidth: tuple[Fraction, ...]
    hosts: Int64Array
    n: int

    @classmethod
    def of(
        cls, bandwidth: Mapping[tuple[int, int], Fraction], n: int, switches: Sequence[int]
    ) -> "LinkArrays":
        """The links of a table of bandwidths by (tail, head)."""
        ends = np.array(list(bandwidth), dtype=np.int64).reshape(-1, 2)
        hosts = np.setdiff1d(np.arange(n), switches)
        return cls(ends[:, 0], ends[:, 1], tuple(bandwidth.values()), hosts, n)


@dataclass(frozen=True, slots=True)
class CutProgramSolution:
    """x of the hosts, the shares of the links, and the dual weights of the sets."""

    x: FloatArray
    out_share: FloatArray
    in_share: FloatArray
    out_weight: Sequence[float]
    in_weight: Sequence[float]


def single_host_sets(links: LinkArrays) -> BoolArray:
    """The sets of one host each, bool (hosts, n)."""
    one = np.zeros((len(links.hosts), links.n), dtype=np.bool_)
    one[np.arange(len(links.hosts)), links.hosts] = True
    return one


def new_violated_cuts(
    links: LinkArrays, solution: CutProgramSolution, known: BoolArray
) -> BoolArray:
    """Sets that are violated and not yet known, one a host and direction at most."""
    found = [
        *violated_cuts(links, links.tail, links.head, solution.out_share, solution.x),
        *violated_cuts(links, links.head, links.tail, solution.in_share, solution.x),
    ]
    if not found:
        return known[:0]
    fresh = np.unique(np.array(found), axis=0)
    old = {row.tobytes() for row in known}
    return fresh[[row.tobytes() not in old for row in fresh]]


def violated_cuts(
    links: LinkArrays, tail: Int64Array, head: Int64Array, share: FloatArray, x: FloatArray
) -> list[BoolArray]:
    """Sets, bool (n,): one for each host that not all of `x` can reach over the shares of links."""
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    scale = SHARE_UNITS / max(float(share.sum() + 2 * x.sum()), 1e-9)
    supply, room = (np.floor(np.maximum(part, 0) * scale).astype(np.int32) for part in (x, share))
    graph = _supply_graph(links, tail, head, room, supply)
    slack = 1e-7 * float(supply.sum()) + len(tail) + len(links.hosts)
    found = []
    for target in links.hosts.tolist():
        flow: Any = maximum_flow(graph, links.n, target)
        if flow.flow_value + slack < supply.sum():
            left = _residual_graph(graph, flow)
            reached = breadth_first_order(left, links.n, return_predecessors=False)
            inside = np.zeros(links.n + 1, dtype=np.bool_)
            inside[reached] = True
            found.append(inside[:-1])
    return found


def parts_rate(
    topology: Topology, links: LinkArrays, weight: Sequence[int], optimum: Fraction
) -> Fraction | None:
    """An upper bound on what all trees of an allreduce carry together; None if no parts fit."""
    able = set(topology.multicast) | set(topology.reduce)
    found = []
    for parts in (
        _single_hosts(links),
        _linked_boxes(links, able),
        *_fast_boxes(links),
        _tight_parts(links, weight, optimum),
    ):
        held = frozenset[int]().union(*parts) if parts else frozenset()
        disjoint = len(parts) > 1 and sum(map(len, parts)) == len(held)
        if disjoint and held >= set(links.hosts.tolist()) | able:
            found.append(Fraction(_entering_bandwidth(links, parts), 2 * (len(parts) - 1)))
    return min(found, default=None)


def _supply_graph(
    links: LinkArrays, tail: Int64Array, head: Int64Array, room: Any, supply: Any
) -> Any:
    """The arcs with their room, and node n as a source with the hosts' supplies; sparse."""
    from scipy.sparse import csr_array

    # scipy 1.13 takes 32-bit indices only.
    rows = np.concatenate([tail, np.full(len(links.hosts), links.n)]).astype(np.int32)
    columns = np.concatenate([head, links.hosts]).astype(np.int32)
    values = np.concatenate([room, supply]).astype(np.int32)
    return csr_array((values, (rows, columns)), shape=(links.n + 1, links.n + 1))


def _residual_graph(graph: Any, flow: Any) -> Any:
    """What every arc can still take beside a flow, without those that are full."""
    left = (graph - flow.flow).tocsr()
    left.data = np.maximum(left.data, 0)
    left.eliminate_zeros()
    return left


def _single_hosts(links: LinkArrays) -> list[NodeSet]:
    """Every host by itself."""
    return [frozenset([host]) for host in links.hosts.tolist()]


def _linked_boxes(links: LinkArrays, able: set[int]) -> list[NodeSet]:
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


def _fast_boxes(links: LinkArrays) -> list[list[NodeSet]]:
    """For each bandwidth, the components with hosts that links above it make: boxes, say."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    found = []
    for least in sorted(set(links.bandwidth))[:MOST_BANDWIDTHS]:
        fast = np.array([value > least for value in links.bandwidth])
        ends = links.tail[fast], links.head[fast]
        graph = coo_array((np.ones(len(ends[0])), ends), shape=(links.n, links.n))
        label = connected_components(graph, directed=False)[1]
        parts: dict[int, list[int]] = {int(label[host]): [] for host in links.hosts}
        for node, at in enumerate(label.tolist()):
            if at in parts:
                parts[at].append(node)
        found.append([frozenset(part) for part in parts.values()])
    return found


def _entering_bandwidth(links: LinkArrays, parts: Sequence[NodeSet]) -> Fraction:
    """The bandwidth of all links that enter a part from outside it."""
    part_of = {node: i for i, part in enumerate(parts) for node in part}
    ends = zip(links.tail.tolist(), links.head.tolist(), links.bandwidth, strict=True)
    return sum(
        (b for u, v, b in ends if v in part_of and part_of.get(u) != part_of[v]), Fraction(0)
    )


def _tight_parts(links: LinkArrays, weight: Sequence[int], optimum: Fraction) -> list[NodeSet]:
    """For each host the least set around it that is entered at the full rate; the different ones.

    Empty where numbers are too large for the solver of flows, or some host is in no such set.
    """
    if len(links.hosts) > MAX_TIGHT_HOSTS:
        return []
    room = [b * optimum for b in links.bandwidth]
    scale = lcm(*(value.denominator for value in room))
    supply = [scale * weight[host] for host in links.hosts.tolist()]
    scaled = [int(value * scale) for value in room]
    if max(sum(supply), *scaled) > LARGEST_FLOW:
        return []
    graph = _supply_graph(links, links.tail, links.head, scaled, supply)
    parts = {_tight_part_around(graph, links.n, host) for host in links.hosts.tolist()}
    return [] if None in parts else [part for part in parts if part is not None]


def _tight_part_around(graph: Any, source: int, target: int) -> NodeSet | None:
    """The nodes that can still reach the target once all supplies flow to it."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    left = _residual_graph(graph, maximum_flow(graph, source, target))
    reached = breadth_first_order(csr_array(left.T), target, return_predecessors=False)
    inside = frozenset(reached.tolist())
    return None if source in inside or len(inside) == source else inside
