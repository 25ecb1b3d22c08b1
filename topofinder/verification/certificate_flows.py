"""The lower bound: a flow that delivers every demand, and the largest load it puts on an arc.

At every node but the source, what comes in less what goes out must be at least what the node
asks for; a node that asks for nothing, a switch too, must not send more than it receives. Then
the flow, slowed down by its largest load over capacity, is a rate that is possible. Where the flow
of node 0 stands for all, the automorphisms that carry it to the others are proved to be such.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.brief import brief
from generators.topology import Int64Array, Topology
from topofinder.model.certificate import Certificate, FlowSymmetry
from topofinder.progress import work_progress

WORD = 1 << 62


class Violation(Exception):  # noqa: N818 - it is an answer, not an error
    """The first thing that is wrong with a certificate, in one line."""


def prove_lower_bound(certificate: Certificate) -> Fraction:
    """The bound that the flow proves. Raises Violation at the first source that it fails."""
    graph = certificate.topology
    _require_sources(certificate)
    load: NDArray[Any] = np.zeros(graph.arcs, dtype=_load_type(certificate))
    for done, (source, row) in enumerate(_flows(certificate)):
        work_progress.count("lower bound: flows of sources", done, graph.n)
        _require_delivered(certificate, source, row)
        load += row
    busy = np.flatnonzero(load)
    if not len(busy):
        raise Violation("flow: it is empty")
    return _least_rate(graph, load, busy) / certificate.quantum


def _require_sources(certificate: Certificate) -> None:
    sources, n = certificate.sources, certificate.topology.n
    if certificate.lifted is not None:
        if sources.tolist() != [0]:
            raise Violation(f"sources: a flow that is lifted is of node 0, not {sources.tolist()}")
        return
    wrong = np.flatnonzero(np.diff(sources, prepend=-1) <= 0)
    if len(wrong) or (len(sources) and sources[-1] >= n):
        raise Violation(f"sources: nodes in ascending order are needed, below {n}")
    there = set(sources.tolist())
    for node in range(n):
        if node not in there and certificate.most_demand(node).any():
            raise Violation(f"sources: node {node} has a demand and no flow")


def _flows(certificate: Certificate) -> Iterator[tuple[int, Int64Array]]:
    """Every source with its flow on the arcs."""
    if certificate.lifted is None:
        yield from zip(certificate.sources.tolist(), certificate.rows, strict=True)
        return
    (origin,) = certificate.rows
    for node, image in automorphisms_by_node(certificate):
        moved = np.empty_like(origin)
        moved[image] = origin
        yield node, moved


def _load_type(certificate: Certificate) -> type:
    """int64 where no sum of all rows can overflow it, Python's integers else.

    An arc gets one entry of each row; a lifted row counts once for each node.
    """
    count = certificate.topology.n if certificate.lifted is not None else len(certificate.rows)
    return np.int64 if count * int(certificate.rows.max(initial=0)) < WORD else object


def _require_delivered(certificate: Certificate, source: int, row: Int64Array) -> None:
    graph = certificate.topology
    net = _net_intake(graph, row)
    asked = certificate.most_demand(source)
    unit = Fraction(1) if certificate.demand is None else certificate.demand.unit
    rate = unit / certificate.quantum
    # net * quantum >= asked * unit, in whole numbers; the source itself may send what it likes.
    values, place = np.unique(asked, return_inverse=True)
    wanted = [-(-int(amount) * rate.numerator // rate.denominator) for amount in values]
    least = np.array(wanted, dtype=np.int64 if max(wanted) < WORD else object)
    short = net < least[place]
    short[source] = False
    if short.any():
        node = int(np.flatnonzero(short)[0])
        got, need = int(net[node]) * certificate.quantum, int(asked[node]) * unit
        told = f"node {node} keeps {brief(got)}, and asks for {brief(need)}"
        raise Violation(f"flow of node {source}: {told}")


def _net_intake(graph: Topology, row: Int64Array) -> NDArray[Any]:
    """What each node takes in less what it sends out; shape (n,)."""
    net: NDArray[Any] = np.zeros(graph.n, dtype=np.int64)
    # What comes in at a node, and what goes out, are sums of different entries of the row.
    if int(row.max(initial=0)) * graph.arcs >= WORD:
        net = net.astype(object)
    np.add.at(net, graph.head, row)
    np.subtract.at(net, graph.tail, row)
    return net


def _least_rate(graph: Topology, load: NDArray[Any], busy: Int64Array) -> Fraction:
    """The least capacity over load."""
    capacity = graph.capacity
    if capacity is None:
        return Fraction(1, int(load.max()))
    return min((capacity[arc] / int(load[arc]) for arc in busy.tolist()), default=Fraction())


def automorphisms_by_node(certificate: Certificate) -> Iterator[tuple[int, Int64Array]]:
    """Every node, and onto which arcs the automorphism carries all arcs that takes 0 to it.

    Raises Violation when a motion is no automorphism, the demand or the hosts are not those of
    every automorphism, or some node is not reached.
    """
    graph, lifted = certificate.topology, certificate.lifted
    if lifted is None:
        return
    if certificate.demand is not None or graph.switches:
        raise Violation("motions: only the uniform demand of hosts alone is that of every motion")
    moved = [_node_images(graph, number, motion) for number, motion in enumerate(lifted.motions)]
    children = _children(graph, lifted)
    waiting = [(0, np.arange(graph.arcs))]
    places = {0: np.arange(graph.n)}
    seen = 0
    while waiting:
        node, image = waiting.pop()
        place = places.pop(node)
        if int(place[0]) != node:
            raise Violation(f"motions: those of node {node} carry node 0 to {place[0]}")
        seen += 1
        yield node, image
        for child in children[node]:
            motion = int(lifted.motion[child])
            waiting.append((child, lifted.motions[motion][image]))
            places[child] = moved[motion][place]
    if seen < graph.n:
        raise Violation(f"motions: {seen} of {graph.n} nodes are reached from node 0")


def _children(graph: Topology, lifted: FlowSymmetry) -> list[list[int]]:
    """The nodes whose parent each node is; node 0 is nobody's child."""
    children: list[list[int]] = [[] for _ in range(graph.n)]
    for node in range(1, graph.n):
        parent, motion = int(lifted.parent[node]), int(lifted.motion[node])
        if parent >= graph.n or motion >= len(lifted.motions):
            raise Violation(f"motions: node {node} has parent {parent} and motion {motion}")
        children[parent].append(node)
    return children


def _node_images(graph: Topology, number: int, motion: Int64Array) -> Int64Array:
    """Where a motion carries the nodes; it must be an automorphism that keeps capacities."""
    name = f"motions[{number}]"
    if not np.array_equal(np.sort(motion), np.arange(graph.arcs)):
        raise Violation(f"{name}: it is no permutation of the arcs")
    place = np.full(graph.n, -1, dtype=np.int64)
    place[graph.tail] = graph.tail[motion]
    place[graph.head] = graph.head[motion]
    for side in (graph.tail, graph.head):
        wrong = np.flatnonzero(place[side] != side[motion])
        if len(wrong):
            raise Violation(f"{name}: arc {wrong[0]} and another do not keep their common node")
    if not np.array_equal(np.sort(place), np.arange(graph.n)):
        raise Violation(f"{name}: it is no permutation of the nodes")
    if graph.capacity is not None:
        for arc, image in enumerate(motion.tolist()):
            if graph.capacity[arc] != graph.capacity[image]:
                raise Violation(f"{name}: arc {arc} and its image {image} differ in capacity")
    return place
