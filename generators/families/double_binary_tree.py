"""The double binary tree of NCCL: logarithmic in steps, a baseline of degree 4.

It is offered for comparison (section 8.2) and never taken by the search.
"""

from functools import lru_cache

import numpy as np

from generators.registry import (
    BaseProperties,
    Family,
    no_searched_members,
    register_family,
    require,
)
from generators.size_limits import require_size
from generators.topology import IntArray, Topology


def double_binary_tree(n: int) -> Topology:
    """DoubleBinaryTree(n): two binary trees of two-way circuits over the same n nodes.

    The first is the tree of `tree_parents`. The second is its mirror image for even n, so that
    every node is inner in one tree at most. For odd n it is the first shifted by one; there
    node 0 is inner in both, but as a root with one child, and four ports still suffice.

    >>> double_binary_tree(8).degree, double_binary_tree(8).arcs
    (4, 28)
    """
    properties(n)
    child, parent = np.concatenate(_two_trees(n), axis=1)
    mirrored = np.arange(n // 2, dtype=np.int32) if n % 2 == 0 else None
    return Topology(
        n=n,
        tail=np.concatenate([child, parent]),
        head=np.concatenate([parent, child]),
        orbits=mirrored,
    )


def tree_parents(n: int) -> IntArray:
    """The parents of nodes 1..n-1 in the first tree; shape (n - 1,). Odd nodes are its leaves.

    The root is 0. Node r, with lowest set bit b, hangs below the node that has b cleared and 2b
    set; where that is no node of the tree, below the one that has b cleared.

    >>> tree_parents(8).tolist()
    [2, 4, 2, 0, 6, 4, 6]
    """
    node = np.arange(1, n, dtype=np.int32)
    low = node & -node
    parent = (node ^ low) | (low << 1)
    return np.where(parent < n, parent, node ^ low).astype(np.int32)


def _two_trees(n: int) -> list[IntArray]:
    """Child and parent of every circuit; two arrays of shape (2, n - 1)."""
    first = np.stack([np.arange(1, n, dtype=np.int32), tree_parents(n)])
    return [first, n - 1 - first if n % 2 == 0 else (first + 1) % n]


def properties(n: int) -> BaseProperties:
    """Either tree has depth ceil(log2 n), and its root one child."""
    require(n >= 2, f"DoubleBinaryTree(n) needs n >= 2, not {n}")
    require_size(f"DoubleBinaryTree({n})", n, 4)
    least, most, simple = _count_circuits(n)
    return BaseProperties(
        n=n,
        d=most,
        regular=least == most,
        max_diameter=max(1, 2 * (n - 1).bit_length() - 2),
        reverse_symmetric=True,
        bidirectional=True,
        simple=simple,
        loop_free=True,
    )


@lru_cache(maxsize=64)
def _count_circuits(n: int) -> tuple[int, int, bool]:
    """Least and most circuits of a node, and whether no two circuits join the same nodes."""
    ends = np.concatenate(_two_trees(n), axis=1)
    circuits = np.bincount(ends.ravel())
    pairs = np.sort(ends.min(axis=0).astype(np.int64) * n + ends.max(axis=0))
    return int(circuits.min()), int(circuits.max()), bool((pairs[1:] != pairs[:-1]).all())


register_family(
    Family(
        name="DoubleBinaryTree",
        title="double binary tree",
        signature="DoubleBinaryTree(n)",
        source="Sanders, Speck and Traeff (2009), as laid out by NCCL",
        build=double_binary_tree,
        properties=properties,
        members=no_searched_members,
        samples=((2,), (3,), (4,), (5,), (6,), (7,), (8,), (9,), (15,), (16,), (32,)),
        baseline=True,
    )
)
