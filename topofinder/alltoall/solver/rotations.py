"""The rotation of a lift by a cyclic group: sources that see the same graph need no telling apart.

Node (r, g) of Lift(Z_s;rows) is number r s + g, and (r, g) -> (r, g + 1) is an automorphism without
fixed nodes or arcs (`generators.lifts.family`). So one source a row of the lift is enough, and arcs
come in orbits of s. Nothing is taken on trust: that the arcs stay where they are is looked at.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from generators.topology import AnyIntArray, Int64Array, IntArray, Topology
from topofinder.alltoall.problem import FlowNetwork


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rotation:
    """The turn v -> v + 1 within each run of `order` nodes; of order 1 nothing is turned.

    `orbit` (m,) numbers the orbits of the arcs of a network; None where each is its own.
    """

    order: int = 1
    orbit: IntArray | None = None

    def sum_over_orbits(self, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """For every arc the sum over its orbit, modulo 2^64; shape (m,).

        >>> Rotation(order=2, orbit=np.array([0, 1, 0])).sum_over_orbits(
        ...     np.array([1, 5, 2], dtype=np.uint64)).tolist()
        [3, 5, 3]
        """
        if self.orbit is None:
            return words
        total = np.zeros(int(self.orbit.max()) + 1, dtype=np.uint64)
        np.add.at(total, self.orbit, words)
        return total[self.orbit]

    def seen_from(self, node: int, nodes: int) -> Int64Array:
        """What every node is to `node`, named as the first node of its run sees it; (nodes,).

        >>> Rotation(order=3).seen_from(4, 6).tolist()
        [2, 0, 1, 5, 3, 4]
        """
        numbers = np.arange(nodes, dtype=np.int64)
        return numbers - numbers % self.order + (numbers - node) % self.order


NO_ROTATION = Rotation()


def find_rotation(topology: Topology, net: FlowNetwork) -> Rotation | None:
    """The rotation of a lift by a cyclic group; None where the graph has none.

    >>> from generators.lifts.family import lift
    >>> from topofinder.alltoall.problem import flow_network
    >>> prism = lift("Z4", "0:1,1:0|1:1")
    >>> find_rotation(prism, flow_network(prism)).order
    4
    """
    order = _run_length(topology)
    if order == 1:
        return None
    nodes = np.arange(topology.n, dtype=np.int64)
    turn = nodes - nodes % order + (nodes + 1) % order
    before = _arc_keys(net.tail, net.head, topology.n)
    after = _arc_keys(turn[net.tail], turn[net.head], topology.n)
    place, image = (np.argsort(keys, kind="stable") for keys in (before, after))
    if not np.array_equal(before[place], after[image]):
        return None
    ones = np.ones(net.arcs, dtype=np.int8)
    turned = coo_matrix((ones, (image, place)), shape=(net.arcs, net.arcs))
    return Rotation(order=order, orbit=connected_components(turned, directed=False)[1])


def _run_length(topology: Topology) -> int:
    """Nodes of a run, if orbits begin at equal distances and all arcs and nodes are alike, or 1."""
    orbits = topology.orbits
    if orbits is None or topology.switches or topology.capacity is not None:
        return 1
    order, left = divmod(topology.n, len(orbits))
    if left or not np.array_equal(orbits, np.arange(len(orbits)) * order):
        return 1
    return order


def _arc_keys(tail: AnyIntArray, head: AnyIntArray, n: int) -> Int64Array:
    return tail.astype(np.int64) * n + head
