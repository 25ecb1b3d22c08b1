"""Which nodes reach which, and how far away they are in the mean, by searches of scipy."""

from fractions import Fraction
from typing import NoReturn

import numpy as np

from generators.errors import InvalidInput
from generators.topology import BoolArray, IntArray, Topology

MOST_NODES = 1 << 11
"""Nodes of the largest graphs whose average distance is told, unless one node speaks for all."""
LARGEST_TRANSITIVE = 1 << 16
SOURCES = 256
"""Nodes whose distances are held at a time."""
FEW_STEPS = 32
"""Steps that arrays take before a search of scipy, which is better at many, but has to be imported:
a tenth of a second, in a search for a fabric that need not take more than one."""
MOST_ARCS = 1 << 17
"""Arcs of graphs that are gone through so; of more, the search takes longer than the import."""


def reachable(tail: IntArray, head: IntArray, n: int, start: int) -> BoolArray:
    """Which of n nodes can be reached from `start` along arcs [tail, head]; shape (n,).

    >>> reachable(np.array([0, 2]), np.array([1, 0]), 3, 0).tolist()
    [True, True, False]
    """
    seen = np.zeros(n, dtype=np.bool_)
    seen[start] = True
    held = 1
    for _ in range(FEW_STEPS if len(tail) <= MOST_ARCS else 0):
        seen[head[seen[tail]]] = True
        before, held = held, int(np.count_nonzero(seen))
        if held in (before, n):
            return seen
    return _reachable_in_many_steps(tail, head, n, start)


def _reachable_in_many_steps(tail: IntArray, head: IntArray, n: int, start: int) -> BoolArray:
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


def average_distance(topology: Topology) -> Fraction | None:
    """The mean number of hops from one node to another: what bounds an all-to-all.

    N - 1 messages of each node travel that far in the mean, over d links of one. None where a node
    cannot reach another, or the graph is too large.

    >>> average_distance(Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)]))
    Fraction(3, 2)
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import shortest_path

    n, known = topology.n, topology.is_transitive
    if n < 2 or n > (LARGEST_TRANSITIVE if known else MOST_NODES):
        return None
    arcs = csr_matrix((np.ones(topology.arcs), (topology.tail, topology.head)), shape=(n, n))
    arcs.sum_duplicates()
    sources, total = 1 if known else n, 0
    for first in range(0, sources, SOURCES):
        chosen = np.arange(first, min(first + SOURCES, sources))
        hops = shortest_path(arcs, unweighted=True, indices=chosen)
        if not np.isfinite(hops).all():
            return None
        total += int(hops.sum())
    return Fraction(total, sources * (n - 1))
