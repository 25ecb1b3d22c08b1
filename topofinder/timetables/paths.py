"""Paths over a topology: shortest routes through switches, and balanced paths for an exchange.

Both are chosen so that links share the load: routes by rotation, paths by what links carry already.
"""

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput, Unsupported
from generators.topology import Int64Array, IntArray, Topology
from topofinder.timetables.exchange import Exchange
from topofinder.timetables.path_kernels import balanced_paths, rotated_routes
from topofinder.timetables.problem import ChunkProblem

Paths = tuple[Int64Array, IntArray]
"""The arcs of each path: (start, arc) with path x arc[start[x]:start[x + 1]]."""

MOST_ROUTE_ARCS = 1 << 24
MOST_LOAD = 1 << 62


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


def balance_paths(problem: ChunkProblem, passes: int = 2) -> Exchange:
    """A cheapest path for each chunk of an all-to-all, with links loaded alike.

    The cost of an arc is its latency and what one unit takes. Chunks choose one after the other, so
    that the sum of squared loads falls, and in further passes again.

    Raises InvalidInput for a problem without targets and where a target cannot be reached,
    Unsupported where loads are too many ticks.

    >>> from fractions import Fraction
    >>> from generators.arrays import jump_graph
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> from topofinder.timetables.problem import exchange_problem
    >>> problem = exchange_problem(jump_graph(3, [1]), 1 - np.eye(3, dtype=np.int64),
    ...     unit_bytes=Fraction(1), units=LinkUnits(latency=Fraction(0), rate=Fraction(1)))
    >>> balance_paths(problem).arc.tolist()
    [0, 0, 1, 1, 2, 1, 2, 2, 0]
    """
    if problem.target is None:
        raise InvalidInput(f"collective: {problem.collective} has no targets")
    graph, arcs = problem.topology, problem.topology.arcs
    latency, unit = problem.channels.latency[:arcs], problem.channels.unit[:arcs]
    busiest = int(problem.amounts.max()) * int(unit.max(initial=1)) * len(problem.amounts)
    if max(busiest, int(latency.max(initial=0)) * graph.n) >= MOST_LOAD:
        raise Unsupported("amount: loads of links take too many ticks to count")
    order = np.argsort((problem.target - problem.origin) % graph.n, kind="stable")
    out, into = csr_by_node(graph.tail, graph.n), csr_by_node(graph.head, graph.n)
    args = (order, problem.origin, problem.target, problem.amounts, latency + unit, unit)
    lost, room, path = balanced_paths(*args, graph.tail, graph.head, out, into, passes)
    if lost >= 0:
        u, v = problem.origin[lost], problem.target[lost]
        raise InvalidInput(f"node {v} cannot be reached from node {u}")
    used = np.concatenate([[0], np.cumsum(path >= 0)])
    return Exchange(
        origin=problem.origin,
        target=problem.target,
        amount=problem.amounts,
        start=used[room].astype(np.int64),
        arc=path[path >= 0],
        unit_bytes=problem.chunk_bytes,
    )
