"""Which arcs are up while circuits are moved, and whether hosts that work still reach each other.

Hosts that reach one another in the wiring in place form a group; through which other hosts they do
so is no matter. Hosts that nothing joins yet are in no group, so that no stage can part them.
"""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from generators.arrays import csr_by_node
from generators.topology import Int64Array
from topofinder.patching.moves.reach_kernels import reaches

MOST_GROUPS = 4
"""Groups that are looked at one by one."""


class LiveArcs:
    """Arcs between hosts, each up or down; circuits own one or two of them.

    `tail` and `head` (arcs,) are nodes 0..n-1; the first `there` arcs are up at first, which gives
    the groups of the `players`, nodes that are nodes of the plan's target too.

    >>> up = LiveArcs(3, np.array([0, 1]), np.array([1, 0]), 2, np.arange(3))
    >>> up.parts, up.set([0], False), up.parts
    (1, None, 2)
    """

    def __init__(
        self, n: int, tail: Int64Array, head: Int64Array, there: int, players: Int64Array
    ) -> None:
        self.n = n
        self._tail, self._head = tail.astype(np.int32), head.astype(np.int32)
        self._out, self._into = csr_by_node(tail, n), csr_by_node(head, n)
        self._is_up = np.arange(len(tail)) < there
        self._seen = np.zeros(n, dtype=np.bool_)
        self._queue = np.zeros(n, dtype=np.int32)
        labels = self._components()[players]
        named, inverse, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        self._groups = [players[inverse == group] for group in np.flatnonzero(sizes > 1)]
        self._named = len(named)
        self._players, self._label = players, labels

    def set(self, arcs: list[int], up: bool) -> None:
        """Bring arcs up or down."""
        self._is_up[arcs] = up

    @property
    def connected(self) -> bool:
        """Whether each group is still strongly connected."""
        if len(self._groups) > MOST_GROUPS:
            return self._parts() == 1
        return all(
            reaches(group, *self._out, self._head, self._is_up, self._seen, self._queue)
            and reaches(group, *self._into, self._tail, self._is_up, self._seen, self._queue)
            for group in self._groups
        )

    @property
    def parts(self) -> int:
        """1, and one more for each piece that a group falls into beyond its first."""
        return 1 if self.connected else self._parts()

    def _parts(self) -> int:
        pieces = self._label * self.n + self._components()[self._players]
        return 1 + len(np.unique(pieces)) - self._named

    def _components(self) -> Int64Array:
        """The strongly connected component of each node."""
        tail, head = self._tail[self._is_up], self._head[self._is_up]
        ones = np.ones(len(tail), dtype=np.int8)
        # `tocsr` adds up parallel arcs, which would send scipy's search round for ever.
        graph = coo_matrix((ones, (tail, head)), shape=(self.n, self.n)).tocsr()
        _, label = connected_components(graph, directed=True, connection="strong")
        return np.asarray(label, dtype=np.int64)
