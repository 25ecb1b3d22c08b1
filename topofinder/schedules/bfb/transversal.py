"""Automorphisms that carry node 0 to every node, as words in a few of them.

A topology knows an automorphism from node 0 to any node u; asking for all n of them takes n^2
steps. It is enough to ask for those to the out-neighbours of node 0: their products carry 0 to
every node that 0 can reach, and the image of a point under all products is one look-up a node.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.errors import InvalidInput
from generators.topology import Int64Array, IntArray, Topology
from topofinder.kernels import kernel


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Transversal:
    """One automorphism h_u a node u, with h_u(0) = u; h_0 is the identity.

    `images[g]` is automorphism g as an array, int32 of shape (generators, n). For every node u
    but 0, h_u = images[by[u]] after h_parent[u]; `order` lists parents before children, 0 first.
    """

    images: IntArray
    order: Int64Array
    parent: Int64Array
    by: Int64Array

    def carry(self, points: NDArray[Any]) -> IntArray:
        """`[u, j]` is h_u(points[j]); int32 of shape (n, len(points)).

        >>> from generators.arrays import jump_graph
        >>> transversal(jump_graph(4, [1])).carry(np.array([1]))[:, 0].tolist()
        [1, 2, 3, 0]
        """
        table = np.empty((len(self.parent), len(points)), dtype=np.int32)
        table[0] = points
        _carry(self.images, self.order, self.parent, self.by, table)
        return table


def transversal(topology: Topology) -> Transversal:
    """The products of the translations to the out-neighbours of node 0.

    Raises InvalidInput when the topology knows no translation, or they do not reach every node.
    """
    if topology.translation is None:
        raise InvalidInput("translation: none is known of this topology")
    nearest = np.unique(topology.head[topology.tail == 0])
    targets = nearest[nearest != 0].tolist()
    images = np.empty((len(targets), topology.n), dtype=np.int32)
    for row, target in zip(images, targets, strict=True):
        row[:] = topology.translation(target)
    order, parent, by = _visit(images, topology.n)
    if len(order) < topology.n:
        raise InvalidInput(f"translation: only {len(order)} of {topology.n} nodes are reached")
    return Transversal(images=images, order=order, parent=parent, by=by)


@kernel
def _visit(images, n):  # type: ignore[no-untyped-def]
    """Breadth-first words of the automorphisms that reach each node from node 0."""
    order, parent, by = np.empty(n, np.int64), np.full(n, -1, np.int64), np.zeros(n, np.int64)
    order[0], parent[0] = 0, 0
    done, filled = 0, 1
    while done < filled:
        u = order[done]
        done += 1
        for g in range(len(images)):
            v = images[g, u]
            if parent[v] < 0:
                parent[v], by[v], order[filled] = u, g, v
                filled += 1
    return order[:filled], parent, by


@kernel
def _carry(images, order, parent, by, table):  # type: ignore[no-untyped-def]
    """Fill rows 1 and on of `table`, row 0 of which holds the points."""
    for u in order[1:]:
        g, before = by[u], parent[u]
        for j in range(table.shape[1]):
            table[u, j] = images[g, table[before, j]]


def inverse_nodes(words: Transversal) -> Int64Array | None:
    """For every node v the node that h_v^-1 makes of 0; None unless the h_u form a group.

    They do exactly when every generator keeps the colours of arcs, where the arc from u to
    h_u(x) has the colour of the out-neighbour x of node 0: an automorphism that keeps colours
    and fixes a node of a connected graph fixes all. Then h_v^-1 is h_w for w the answer at v.

    >>> from generators.arrays import jump_graph
    >>> inverse_nodes(transversal(jump_graph(4, [1]))).tolist()
    [0, 3, 2, 1]
    """
    table = words.carry(words.images[:, 0])
    if any((image[table] != table[image]).any() for image in words.images):
        return None
    backward = np.argsort(words.images, axis=1)
    nodes: Int64Array = _invert(table, backward)
    return nodes


@kernel
def _invert(table, backward):  # type: ignore[no-untyped-def]
    """Follow colours: h_v = h_u g for v = h_u(g(0)), so h_v^-1(0) = g^-1(h_u^-1(0))."""
    n = len(table)
    inverse, queue = np.full(n, -1, np.int64), np.zeros(n, np.int64)
    inverse[0], filled = 0, 1
    for done in range(n):
        u = queue[done]
        for g in range(len(backward)):
            v = table[u, g]
            if inverse[v] < 0:
                inverse[v], queue[filled] = backward[g, inverse[u]], v
                filled += 1
    return inverse
