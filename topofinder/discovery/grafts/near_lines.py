"""Line digraphs that grow: a node put into G puts d nodes into L(G), where they fit in.

A node of L(G) is an arc of G. Few of its arcs are new then, as few as nodes put on arcs by
themselves make, while the loads stay as even as those of a line digraph are.
"""

from collections import defaultdict

import numpy as np
from scipy.optimize import linear_sum_assignment

from expansions.line_graph import line_graph
from generators.topology import Int64Array, IntArray, Topology


def line_root(graph: Topology) -> Topology | None:
    """The digraph G whose arc v is node v of a regular graph that is L(G); None if it is not.

    >>> from generators.families.kautz import kautz
    >>> root = line_root(kautz(2, 2))
    >>> root.n, root.arcs
    (6, 12)
    """
    n, d = graph.n, graph.degree
    rows = graph.head[np.argsort(graph.tail, kind="stable")].reshape(n, d)
    sets, into = np.unique(np.sort(rows, axis=1), axis=0, return_inverse=True)
    into = into.ravel()
    alike = (np.diff(sets, axis=1) > 0).all() and (np.bincount(into) == d).all()
    if d < 2 or not alike or len(np.unique(sets)) < n:
        return None
    out_of = np.empty(n, dtype=np.int32)
    out_of[sets.ravel()] = np.repeat(np.arange(len(sets)), d)
    return Topology(n=len(sets), tail=out_of, head=into.astype(np.int32))


def lift_edit(
    graph: Topology, root: Topology, edited: Topology, origin: IntArray
) -> tuple[Topology, IntArray]:
    """The line digraph of an edited root, and the node of `graph` that each of its nodes was.

    `graph` is that of `root`, `origin[v]` the node of the root that v was, -1 for a new one. Nodes
    that are left play those with which they share most neighbours.
    """
    waiting = defaultdict[tuple[int, int], list[int]](list)
    for arc in range(root.arcs - 1, -1, -1):
        waiting[int(root.tail[arc]), int(root.head[arc])].append(arc)
    ends = np.stack([origin[edited.tail], origin[edited.head]], axis=1).tolist()
    found = [waiting[u, v].pop() if waiting[u, v] else -1 for u, v in ends]
    result, lifted = line_graph(edited), np.array(found, dtype=np.int32)
    _match_rest(graph, result, lifted)
    return result, lifted


def _match_rest(graph: Topology, result: Topology, origin: IntArray) -> None:
    """Pair the nodes that are left with those of the graph that are, by neighbours they share."""
    new, old = np.flatnonzero(origin < 0), np.setdiff1d(np.arange(graph.n), origin)
    shared = np.zeros((len(new), len(old)), dtype=np.int64)
    for tail, head, before, after in (
        (graph.tail, graph.head, result.tail, result.head),
        (graph.head, graph.tail, result.head, result.tail),
    ):
        there = _neighbours(graph.n, tail, head)[old]
        near = np.zeros((result.n, graph.n), dtype=np.int64)
        known = origin[after] >= 0
        np.add.at(near, (before[known], origin[after[known]]), 1)
        shared += near[new] @ there.T
    one, two = linear_sum_assignment(shared, maximize=True)
    origin[new[one]] = old[two]


def _neighbours(n: int, tail: IntArray, head: IntArray) -> Int64Array:
    near = np.zeros((n, n), dtype=np.int64)
    near[tail, head] = 1
    return near
