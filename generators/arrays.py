"""Shorthands for arrays: read-only columns, rows by node, arcs from jumps, translations of Z_n."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from generators.topology import AnyIntArray, Int64Array, IntArray, Topology, Translation


def cyclic_translation(n: int) -> Translation:
    """The automorphisms v -> v + u of a graph whose arcs depend on head - tail mod n only.

    >>> cyclic_translation(4)(3).tolist()
    [3, 0, 1, 2]
    """

    def translate(u: int) -> IntArray:
        return ((np.arange(n) + u) % n).astype(np.int32)

    return translate


def jump_graph(n: int, jumps: Sequence[int]) -> Topology:
    """The Cayley digraph of Z_n: an arc [v, v + j] for every node v and listed jump j.

    >>> jump_graph(3, [1, 2]).arcs
    6
    """
    tail = np.repeat(np.arange(n, dtype=np.int32), len(jumps))
    head = (tail + np.tile(np.asarray(jumps, dtype=np.int32), n)) % np.int32(n)
    return Topology(n=n, tail=tail, head=head, translation=cyclic_translation(n))


def column(values: Any, kind: type) -> Any:
    """A read-only array of this type, flat.

    >>> column([[1, 2], [3, 4]], np.int64).tolist()
    [1, 2, 3, 4]
    """
    array: Any = np.ascontiguousarray(values, dtype=kind).ravel().view()
    array.setflags(write=False)
    return array


def csr_by_node(node: AnyIntArray, n: int) -> tuple[Int64Array, Int64Array]:
    """Entries grouped by node, as compressed sparse rows: (start, order).

    Those of node v are order[start[v]:start[v + 1]], in increasing order; start has shape (n + 1,).

    >>> start, order = csr_by_node(np.array([2, 0, 2]), 3)
    >>> start.tolist(), order.tolist()
    ([0, 1, 1, 3], [1, 0, 2])
    """
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(node, minlength=n), out=start[1:])
    return start, np.argsort(node, kind="stable").astype(np.int64)
