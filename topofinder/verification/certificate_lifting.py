"""Flows of all nodes from that of node 0: the automorphisms are proved to be such."""

from collections.abc import Iterator

import numpy as np

from generators.topology import Int64Array, Topology
from topofinder.model.certificate import Certificate, Lifted
from topofinder.verification.certificate_violation import Violation


def images(certificate: Certificate) -> Iterator[tuple[int, Int64Array]]:
    """Every node, and onto which arcs the automorphism carries all arcs that takes 0 to it.

    Raises Violation when a motion is no automorphism, the demand or the hosts are not those of
    every automorphism, or some node is not reached.
    """
    graph, lifted = certificate.topology, certificate.lifted
    if lifted is None:
        return
    if certificate.demand is not None or graph.switches:
        raise Violation("motions: only the uniform demand of hosts alone is that of every motion")
    moved = [_nodes(graph, number, motion) for number, motion in enumerate(lifted.motions)]
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


def _children(graph: Topology, lifted: Lifted) -> list[list[int]]:
    """The nodes whose parent each node is; node 0 is nobody's child."""
    children: list[list[int]] = [[] for _ in range(graph.n)]
    for node in range(1, graph.n):
        parent, motion = int(lifted.parent[node]), int(lifted.motion[node])
        if parent >= graph.n or motion >= len(lifted.motions):
            raise Violation(f"motions: node {node} has parent {parent} and motion {motion}")
        children[parent].append(node)
    return children


def _nodes(graph: Topology, number: int, motion: Int64Array) -> Int64Array:
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
