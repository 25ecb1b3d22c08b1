"""Which nodes reach which, by breadth-first search of scipy, and pairs of which one does not."""

from typing import NoReturn

import numpy as np

from generators.errors import InvalidInput
from generators.topology import BoolArray, IntArray, Topology


def reachable(tail: IntArray, head: IntArray, n: int, start: int) -> BoolArray:
    """Which of n nodes can be reached from `start` along arcs [tail, head]; shape (n,).

    >>> reachable(np.array([0, 2]), np.array([1, 0]), 3, 0).tolist()
    [True, True, False]
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order

    graph = csr_matrix((np.ones(len(tail)), (tail, head)), shape=(n, n))
    graph.sum_duplicates()  # parallel arcs: searches of scipy 1.13 never come back from some
    seen = np.zeros(n, dtype=np.bool_)
    seen[breadth_first_order(graph, start, return_predecessors=False)] = True
    return seen


def unreachable_pair(topology: Topology) -> tuple[int, int] | None:
    """Nodes (u, v) of which u cannot reach v, one of them node 0; None if all reach each other.

    >>> unreachable_pair(Topology.from_arcs(2, [(0, 1)]))
    (1, 0)
    """
    tail, head, n = topology.tail, topology.head, topology.n
    if not (seen := reachable(tail, head, n, 0)).all():
        return 0, int(np.argmin(seen))
    if not (seen := reachable(head, tail, n, 0)).all():
        return int(np.argmin(seen)), 0
    return None


def refuse_disconnected(topology: Topology) -> NoReturn:
    """Raise InvalidInput that names an unreachable pair of a topology that has one.

    >>> refuse_disconnected(Topology.from_arcs(2, [(0, 1)]))
    Traceback (most recent call last):
    generators.errors.InvalidInput: not strongly connected: node 1 cannot reach node 0
    """
    pair = unreachable_pair(topology)
    assert pair is not None, "every node reaches every other"
    raise InvalidInput(f"not strongly connected: node {pair[0]} cannot reach node {pair[1]}")
