"""Whether generators and a tree of products are a symmetry of a topology, checked arc by arc."""

from dataclasses import dataclass

import numpy as np

from generators.topology import AnyIntArray, Int64Array, IntArray, Topology
from topofinder.verification.symmetry_kernels import parents_first


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Symmetry:
    """Generator g carries arc e to `maps[g, e]`, int32 of shape (generators, arcs).

    The translation of node u is generator by[u] after that of node parent[u]; `order` lists all
    nodes, parents first and node 0 above all.
    """

    maps: IntArray
    order: Int64Array
    parent: AnyIntArray
    by: AnyIntArray


def check_symmetry(
    topology: Topology, images: AnyIntArray, parent: AnyIntArray, by: AnyIntArray
) -> Symmetry | str:
    """The symmetry that these make, or one line on why they make none.

    `images`, of shape (generators, n), must be permutations of the nodes that carry arcs to arcs,
    as many to as many; the products along the tree must carry node 0 to node u.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> tree = np.array([0, 0, 1]), np.array([0, 0, 0])
    >>> check_symmetry(ring, np.array([[1, 2, 0]]), *tree).maps.tolist()
    [[1, 2, 0]]
    >>> check_symmetry(ring, np.array([[1, 0, 2]]), *tree)
    'generator 0 carries 0 arcs to [0, 1], where there are 1'
    """
    if images.shape[1:] != (topology.n,) or {len(parent), len(by)} != {topology.n}:
        return f"the symmetry is not one of {topology.n} nodes"
    maps = np.empty((len(images), topology.arcs), dtype=np.int32)
    for number, image in enumerate(images):
        moved = _arc_permutation(topology, image)
        if isinstance(moved, str):
            return f"generator {number} {moved}"
        maps[number] = moved
    others = np.arange(1, topology.n)
    range_ = (parent >= 0) & (parent < topology.n) & (by >= 0) & (by < len(images))
    if not range_[1:].all():
        return f"no product is given for node {int(np.argmin(range_[1:])) + 1}"
    reached = images[by[1:], parent[1:]]
    if (reached != others).any():
        node = int(np.argmax(reached != others))
        return f"the product for node {node + 1} carries node 0 to node {reached[node]}"
    order, lost = parents_first(np.ascontiguousarray(parent, dtype=np.int64))
    if lost >= 0:
        return f"no product of generators is given for node {lost}"
    return Symmetry(maps=maps, order=order, parent=parent, by=by)


def _arc_permutation(topology: Topology, image: AnyIntArray) -> Int64Array | str:
    """Where a generator carries every arc, parallel ones in their order; or what is wrong."""
    n = topology.n  # at most 2^20, so that pairs of nodes number below 2^40
    if ((image < 0) | (image >= n)).any() or (np.bincount(image, minlength=n) != 1).any():
        return "is no permutation of the nodes"
    here = topology.tail.astype(np.int64) * n + topology.head
    there = image[topology.tail].astype(np.int64) * n + image[topology.head]
    before, after = np.argsort(there, kind="stable"), np.argsort(here, kind="stable")
    differ = there[before] != here[after]
    if differ.any():
        place = int(np.argmax(differ))
        pair = min(there[before[place]], here[after[place]])
        most, least = np.count_nonzero(there == pair), np.count_nonzero(here == pair)
        return f"carries {most} arcs to [{pair // n}, {pair % n}], where there are {least}"
    moved = np.empty(topology.arcs, dtype=np.int64)
    moved[before] = after
    return moved
