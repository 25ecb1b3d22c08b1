"""The ports of the links that are new in a line digraph grown through its root.

Links that stay keep their ports. A new one takes a port that is free at its tail and its mate at
its head: an edge colouring of a bipartite graph, in colours that nodes have so many times each.
Where all nodes have the same ports it exists (Koenig 1916); else a program in whole numbers tells.
"""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix

from generators.topology import Int64Array, IntArray, Topology
from topofinder.discovery.grafts.near_ports import LinkPorts

MOST_NODES = 200
"""Of the tree of a program, before it counts as having no solution."""


def fit_kinds(
    graph: Topology, ports: LinkPorts, after: Topology, origin: IntArray
) -> IntArray | None:
    """The kind of port at the tail of each link of `after`, ascending; None if none is found.

    `origin[v]` is the node of `graph`, which has no parallel links, that v was; the i-th one that
    is new (-1) has `ports.ports[i]`.

    >>> from generators.families.ring import one_way_ring
    >>> kind, mate = np.zeros(3, dtype=np.int32), np.array([1, 0], dtype=np.int32)
    >>> ports = LinkPorts(kind=kind, mate=mate, ports=np.array([[1, 1]], dtype=np.int32))
    >>> old = np.array([0, 1, 2, -1], dtype=np.int32)
    >>> fit_kinds(one_way_ring(1, 3), ports, one_way_ring(1, 4), old).tolist()
    [0, 0, 0, 0]
    """
    order = np.lexsort((graph.head, graph.tail))
    there = dict(zip(_pairs(graph.tail[order], graph.head[order]), ports.kind, strict=True))
    order = np.lexsort((after.head, after.tail))
    tail, head = after.tail[order], after.head[order]
    kind = np.array(
        [there.get(pair, -1) for pair in _pairs(origin[tail], origin[head])], dtype=np.int32
    )
    room = _free_ports(graph, ports, origin)
    kept = kind >= 0
    np.add.at(room, (tail[kept], kind[kept]), -1)
    np.add.at(room, (head[kept], ports.mate[kind[kept]]), -1)
    found = _colour(tail[~kept], head[~kept], room, np.unique(ports.kind), ports.mate)
    if found is None:
        return None
    kind[~kept] = found
    return kind


def _pairs(tail: IntArray, head: IntArray) -> list[tuple[int, int]]:
    return list(zip(tail.tolist(), head.tolist(), strict=True))


def _free_ports(graph: Topology, ports: LinkPorts, origin: IntArray) -> Int64Array:
    """Ports of each kind that nodes have: what they use now, and all of a new one."""
    order = np.lexsort((graph.head, graph.tail))
    used = np.zeros((graph.n, len(ports.mate)), dtype=np.int64)
    np.add.at(used, (graph.tail[order], ports.kind), 1)
    np.add.at(used, (graph.head[order], ports.mate[ports.kind]), 1)
    room = used[origin]
    room[origin < 0] = ports.ports[: int(np.count_nonzero(origin < 0))]
    return room


def _colour(
    tail: IntArray, head: IntArray, room: Int64Array, kinds: IntArray, mate: IntArray
) -> IntArray | None:
    """A kind for each link, so that no node uses more ports than it has room for."""
    links, width = len(tail), len(kinds)
    if not links:
        return np.zeros(0, dtype=np.int32)
    variable = np.arange(links * width)
    rows = np.concatenate(
        [
            np.repeat(tail, width) * len(mate) + np.tile(kinds, links),
            np.repeat(head, width) * len(mate) + np.tile(mate[kinds], links),
        ]
    )
    ones = np.ones(2 * links * width)
    use = csr_matrix((ones, (rows, np.tile(variable, 2))), shape=(room.size, links * width))
    once = csr_matrix((ones[: links * width], (variable // width, variable)))
    answer = milp(
        np.random.default_rng(links).random(links * width),  # one vertex, an integral one mostly
        constraints=[LinearConstraint(use, ub=room.ravel()), LinearConstraint(once, 1, 1)],
        bounds=Bounds(0, 1),
        integrality=np.ones(links * width, dtype=np.int64),
        options={"node_limit": MOST_NODES},
    )
    if answer.x is None:
        return None
    chosen: IntArray = kinds[np.round(answer.x).reshape(links, width).argmax(axis=1)]
    return chosen.astype(np.int32)
