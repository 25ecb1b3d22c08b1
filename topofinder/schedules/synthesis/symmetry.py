"""Automorphisms used to plan few sources and translate their rows to all others."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from generators.errors import InvalidInput
from generators.topology import IntArray, Topology


def arc_image(topology: Topology, image: IntArray) -> IntArray:
    """Where an automorphism, `image[v]` for node v, carries each arc; shape (arcs,).

    Parallel arcs keep their order. Raises InvalidInput when `image` is no automorphism.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> arc_image(ring, np.array([1, 2, 0], dtype=np.int32)).tolist()
    [1, 2, 0]
    """
    if not np.array_equal(np.sort(image), np.arange(topology.n)):
        raise InvalidInput(f"automorphism: {image.tolist()} is no permutation of the nodes")
    keys = topology.tail.astype(np.int64) * topology.n + topology.head
    moved = image[topology.tail].astype(np.int64) * topology.n + image[topology.head]
    order, target = np.argsort(moved, kind="stable"), np.argsort(keys, kind="stable")
    if not np.array_equal(moved[order], keys[target]):
        raise InvalidInput(f"automorphism: {image.tolist()} does not keep the arcs")
    carried = np.empty(topology.arcs, dtype=np.int32)
    carried[order] = target
    return carried


def planned_sources(n: int, images: IntArray) -> IntArray:
    """The sources to plan: least nodes whose images cover every node exactly once.

    `images[k, v]` is where automorphism k carries node v. Raises InvalidInput when no choice of
    sources is covered once, as when an automorphism other than the identity fixes a node.

    >>> planned_sources(4, np.array([[0, 1, 2, 3], [2, 3, 0, 1]], dtype=np.int32)).tolist()
    [0, 1]
    """
    covered = np.zeros(n, dtype=np.int64)
    chosen = []
    for node in range(n):
        if not covered[node]:
            chosen.append(node)
            np.add.at(covered, images[:, node], 1)
    if not (covered == 1).all():
        node = int(np.flatnonzero(covered != 1)[0])
        raise InvalidInput(f"automorphisms: node {node} is the image of {covered[node]} sources")
    return np.array(chosen, dtype=np.int32)


def image_table(n: int, automorphisms: Sequence[ArrayLike]) -> IntArray:
    """The automorphisms as one array of shape (automorphisms, n); none means the identity."""
    table = np.array(list(automorphisms) or [np.arange(n)], dtype=np.int32)
    if table.ndim != 2 or table.shape[1] != n:
        raise InvalidInput(f"automorphisms: shape {table.shape} for {n} nodes")
    return table
