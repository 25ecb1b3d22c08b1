"""The average distance of a graph: what bounds the throughput of an all-to-all.

N - 1 messages of each host travel that far in the mean over d links of one.
"""

from fractions import Fraction

import numpy as np

from generators.topology import Topology

MOST_NODES = 1 << 11
"""Nodes of the largest graphs, unless one node speaks for all."""
LARGEST_TRANSITIVE = 1 << 16
SOURCES = 256
"""Nodes whose distances are held at a time."""


def average_distance(topology: Topology) -> Fraction | None:
    """The mean number of hops from one node to another, by breadth-first search of scipy.

    None where a node cannot reach another, or the graph is too large.

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
