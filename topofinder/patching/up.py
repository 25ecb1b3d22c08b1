"""Which arcs are up while circuits are moved, and whether they still connect the hosts strongly."""

import numpy as np
from numpy.typing import NDArray

from topofinder.patching.reaching import reaches

Arcs = NDArray[np.int64]


class Up:
    """Arcs between the hosts of a plan, each up or down; circuits own one or two of them.

    `tail` and `head` (arcs,) are nodes 0..n-1; every arc is down at first.

    >>> up = Up(2, np.array([0, 1]), np.array([1, 0]))
    >>> up.parts, up.set([0, 1], True), up.parts
    (2, None, 1)
    """

    def __init__(self, n: int, tail: Arcs, head: Arcs) -> None:
        self.n = n
        self._tail, self._head = tail.astype(np.int32), head.astype(np.int32)
        self._out, self._into = _rows(tail, n), _rows(head, n)
        self._is_up = np.zeros(len(tail), dtype=np.bool_)
        self._seen = np.zeros(n, dtype=np.bool_)
        self._queue = np.zeros(n, dtype=np.int32)

    def set(self, arcs: list[int], up: bool) -> None:
        """Bring arcs up or down."""
        self._is_up[arcs] = up

    @property
    def connected(self) -> bool:
        """Whether the arcs that are up connect all nodes strongly."""
        return bool(
            reaches(*self._out, self._head, self._is_up, self._seen, self._queue)
            and reaches(*self._into, self._tail, self._is_up, self._seen, self._queue)
        )

    @property
    def parts(self) -> int:
        """Number of strongly connected components."""
        if self.connected:
            return 1
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        tail, head = self._tail[self._is_up], self._head[self._is_up]
        ones = np.ones(len(tail), dtype=np.int8)
        graph = coo_matrix((ones, (tail, head)), shape=(self.n, self.n)).tocsr()
        return int(connected_components(graph, directed=True, connection="strong")[0])


def _rows(ends: Arcs, n: int) -> tuple[Arcs, Arcs]:
    """The arcs at each node: entries start[v] up to start[v + 1] of the second array."""
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(ends, minlength=n), out=start[1:])
    return start, np.argsort(ends, kind="stable").astype(np.int64)
