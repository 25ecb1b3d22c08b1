"""A topology as the arrays that the kernels read: arcs that carry something, grouped by node."""

from typing import NamedTuple

import numpy as np

from generators.arrays import csr_by_node
from generators.topology import FloatArray, IntArray, Topology


class FlowNetwork(NamedTuple):
    """The arcs of a topology without its self-loops, which carry nothing.

    Shapes: `tail`, `head` and `arc` are (m,), `arc[e]` being the number that arc e has in the
    topology. The arcs out of u are `out_arc[out_first[u] : out_first[u + 1]]`, those into u are
    found likewise; `first` arrays are (n + 1,). Kernels take the tuple as it is.
    """

    tail: IntArray
    head: IntArray
    arc: IntArray
    out_first: IntArray
    out_arc: IntArray
    in_first: IntArray
    in_arc: IntArray

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.out_first) - 1

    @property
    def arcs(self) -> int:
        """Number of arcs that carry something."""
        return len(self.tail)


def flow_network(topology: Topology) -> FlowNetwork:
    """The arrays of a topology.

    >>> flow_network(Topology.from_arcs(2, [(0, 0), (0, 1), (1, 0)])).arc.tolist()
    [1, 2]
    """
    arc = np.flatnonzero(topology.tail != topology.head).astype(np.int32)
    tail, head = topology.tail[arc].copy(), topology.head[arc].copy()
    rows = (*csr_by_node(tail, topology.n), *csr_by_node(head, topology.n))
    return FlowNetwork(tail, head, arc, *(column.astype(np.int32) for column in rows))


def arc_capacities(topology: Topology, arc: IntArray) -> FloatArray:
    """Capacities of some arcs, rounded; shape as `arc`."""
    if topology.capacity is None:
        return np.ones(len(arc))
    return np.array([float(topology.capacity[e]) for e in arc.tolist()])
