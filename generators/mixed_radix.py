"""Cayley graphs of products of cyclic groups: what Hamming graphs and tori have in common.

Nodes are the vectors of Z_a x Z_b x ..., numbered with the first coordinate most significant.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from generators.topology import Int64Array, IntArray, Topology, Translation


def coordinates(widths: Sequence[int]) -> Int64Array:
    """The vector of every node; shape (n, len(widths)), row v for node v.

    >>> coordinates((2, 3)).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    """
    n = int(np.prod(widths))
    return np.stack(np.unravel_index(np.arange(n), tuple(widths)), axis=1).astype(np.int64)


def numbers(vectors: Int64Array, widths: Sequence[int]) -> IntArray:
    """The node of every vector, coordinates taken modulo the widths; shape (rows,).

    >>> numbers(np.array([[1, 2], [2, 3]]), (2, 3)).tolist()
    [5, 0]
    """
    wrapped = vectors % np.asarray(widths, dtype=np.int64)
    nodes: IntArray = np.ravel_multi_index(tuple(wrapped.T), tuple(widths)).astype(np.int32)
    return nodes


def vector_translation(widths: Sequence[int]) -> Translation:
    """The automorphisms v -> v + u, by coordinates, of a graph whose arcs are fixed jumps.

    >>> vector_translation((2, 2))(3).tolist()
    [3, 2, 1, 0]
    """
    vectors = coordinates(widths)

    def translate(u: int) -> IntArray:
        return numbers(vectors + vectors[u], widths)

    return translate


def vector_jump_graph(widths: Sequence[int], jumps: ArrayLike) -> Topology:
    """The Cayley digraph of Z_a x Z_b x ...: an arc [v, v + j] for every node and listed jump.

    `jumps` has shape (d, len(widths)).

    >>> vector_jump_graph((2, 2), [[0, 1], [1, 0]]).head.tolist()
    [1, 2, 0, 3, 3, 0, 2, 1]
    """
    vectors = coordinates(widths)
    steps = np.asarray(jumps, dtype=np.int64)
    heads = (vectors[:, None, :] + steps[None, :, :]).reshape(-1, len(widths))
    return Topology(
        n=len(vectors),
        tail=np.repeat(np.arange(len(vectors), dtype=np.int32), len(steps)),
        head=numbers(heads, widths),
        translation=vector_translation(widths),
    )
