"""The in-neighbours of every node with the arcs from each, as the schedule kernels take them."""

import numpy as np

from generators.errors import InvalidInput
from generators.topology import AnyIntArray, Topology
from topofinder.schedules.bfb.profile_kernels import group_neighbours

IntColumns = tuple[AnyIntArray, ...]


def in_arcs(topology: Topology) -> IntColumns:
    """The tuple (in_start, in_node, in_links, arcs, first_arc).

    The in-neighbours of u stand at in_start[u]:in_start[u + 1]; from in_node[at] come in_links[at]
    parallel arcs, the r-th of which is arcs[first_arc[at] + r]. Self-loops are left out.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0), (0, 0), (0, 1)])
    >>> [array.tolist() for array in in_arcs(pair)[1:]]
    [[1, 0], [1, 2], [1, 0, 3], [0, 1]]
    """
    in_start, in_node, in_links = group_neighbours(topology.head, topology.tail, topology.n)
    order = np.lexsort((topology.tail, topology.head))
    arcs = order[(topology.tail != topology.head)[order]].astype(np.int32)
    return in_start, in_node, in_links, arcs, np.cumsum(in_links) - in_links


def in_neighbours_of_zero(neighbours: IntColumns) -> AnyIntArray:
    """The in-neighbours of node 0."""
    return neighbours[1][: neighbours[0][1]]


def require_uniform_links(topology: Topology) -> None:
    """Refuse capacities and latencies, which `topofinder.schedules.bfb.unequal_links` is for."""
    for name in ("capacity", "latency"):
        if getattr(topology, name) is not None:
            raise InvalidInput(f"{name}: links are taken as equal here; see unequal_schedule")
