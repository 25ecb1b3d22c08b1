"""Shortest routes from host to host through switches, by rotation so that links share the load."""

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput, Unsupported
from generators.topology import Int64Array, IntArray, Topology
from topofinder.timetables.path_kernels import rotated_routes

Paths = tuple[Int64Array, IntArray]
"""The arcs of each path: (start, arc) with path x arc[start[x]:start[x + 1]]."""

MOST_ROUTE_ARCS = 1 << 24


def switch_routes(topology: Topology, each: int = 1, most: int = MOST_ROUTE_ARCS) -> Paths:
    """Routes from host to host through switches, shortest in hops; CSR of their arcs.

    Up to `each` a pair; where more are equally short, those of numbers u + v and on modulo their
    count, so that switches share the load. Pairs with an arc of their own have none.

    Raises InvalidInput for `each` below 1, Unsupported for more than `most` arcs.

    >>> star = Topology.from_arcs(4, [(0, 3), (3, 1), (3, 2)], switches=(3,))
    >>> start, arc = switch_routes(star)
    >>> start.tolist(), arc.tolist()
    ([0, 2, 4], [0, 1, 0, 2])
    """
    if type(each) is not int or each < 1:
        raise InvalidInput(f"each: at least 1 route a pair, not {each}")
    if not topology.switches:
        return np.zeros(1, np.int64), np.zeros(0, np.int32)
    is_switch = np.zeros(topology.n, dtype=np.bool_)
    is_switch[list(topology.switches)] = True
    out, into = csr_by_node(topology.tail, topology.n), csr_by_node(topology.head, topology.n)
    args = (np.flatnonzero(~is_switch), is_switch, out, into, topology.tail, topology.head)
    fits, length, arcs = rotated_routes(*args, each, most)
    if not fits:
        raise Unsupported(f"routes: more than {most} arcs for all pairs of hosts")
    return np.concatenate([[0], np.cumsum(length)]).astype(np.int64), arcs


def joining_routes(topology: Topology, routes: Paths, most: int) -> Paths:
    """The routes of fewest arcs, as far as they join all hosts; all of them where at most `most`.

    Of a fabric of boxes with rails and spines those inside boxes and rails are kept.

    >>> boxes = Topology.from_arcs(5, [(0, 3), (3, 1), (1, 4), (4, 2), (2, 0), (1, 0), (3, 4)],
    ...     switches=(3, 4))
    >>> routes = switch_routes(boxes)
    >>> np.diff(routes[0]).tolist(), np.diff(joining_routes(boxes, routes, 2)[0]).tolist()
    ([2, 3, 2], [2, 2])
    """
    start, arc = routes
    hops = np.diff(start)
    if len(hops) <= most:
        return routes
    ends = topology.tail[arc[start[:-1]]], topology.head[arc[start[1:] - 1]]
    for longest in np.unique(hops).tolist():
        kept = hops <= longest
        if _joins_hosts(topology, ends[0][kept], ends[1][kept]):
            break
    return np.concatenate([[0], np.cumsum(hops[kept])]), arc[np.repeat(kept, hops)]


def _joins_hosts(topology: Topology, tail: IntArray, head: IntArray) -> bool:
    """Whether the links between hosts and these channels lead from every host to every other."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    hosts = np.setdiff1d(np.arange(topology.n), topology.switches)
    direct = np.isin(topology.tail, hosts) & np.isin(topology.head, hosts)
    tail = np.concatenate([topology.tail[direct], tail])
    head = np.concatenate([topology.head[direct], head])
    graph = coo_array((np.ones(len(tail)), (tail, head)), shape=(topology.n, topology.n))
    part = connected_components(graph, directed=True, connection="strong")[1]
    return len(np.unique(part[hosts])) == 1
