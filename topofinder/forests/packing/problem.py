"""What the packers are given, a digraph with capacities and supplies, and the trees they return."""

from dataclasses import dataclass

import numpy as np

from generators.arrays import csr_by_node
from generators.topology import Int64Array, IntArray, Translation
from topofinder.kernels import hop_table, tree_heights

TreeTable = tuple[IntArray, IntArray, Int64Array]
"""(enter, root, copies), one column a block of equal trees: `enter[v, t]` is the arc by which those
of block t enter node v, -1 at their root and where they do not yet.

Shapes: int32 (n, blocks), int32 (blocks,), int64 (blocks,).
"""

MAX_TREE_ENTRIES = 1 << 27
"""Entries a table may have: half a gigabyte."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PackingProblem:
    """What is to be packed: `supply[u]` trees rooted at every node u of a digraph.

    Arc e may be in `capacity[e]` trees. Shapes: (arcs,) and (n,); int32 ends, int64 amounts.
    `translation(u)` is an automorphism that carries node 0 to u, where any are known. `part`,
    int64 (n,), tells what hangs together below the core of a network with tiers.
    """

    tail: IntArray
    head: IntArray
    capacity: Int64Array
    supply: Int64Array
    translation: Translation | None = None
    part: Int64Array | None = None

    @property
    def n(self) -> int:
        """Number of nodes; every tree spans them."""
        return len(self.supply)

    @property
    def trees(self) -> int:
        """Number of trees, one by one."""
        return int(self.supply.sum())

    @property
    def entries(self) -> int:
        """Entries of a table of all trees one by one."""
        return self.trees * self.n

    def in_arcs(self) -> tuple[Int64Array, Int64Array]:
        """The arcs into every node, as compressed sparse rows (start, arc)."""
        return csr_by_node(self.head, self.n)

    def hop_ranks(self) -> IntArray:
        """`[u, v]` is the distance from u to v; int32 of shape (n, n). All must be reachable."""
        start, arc = csr_by_node(self.tail, self.n)
        ranks: IntArray = hop_table(start, self.head[arc])
        return ranks

    @property
    def key(self) -> bytes:
        """Equal for problems that are the same in every number."""
        columns = (self.tail, self.head, self.capacity, self.supply)
        return b"|".join(column.tobytes() for column in columns)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Packing:
    """Entries of trees: `copies[i]` trees of `root[i]` with arcs `arc[i]`, parents first.

    Shapes: int32 (entries,), int64 (entries,), int32 (entries, n - 1).
    """

    root: IntArray
    copies: Int64Array
    arc: IntArray
    method: str

    def table(self, problem: PackingProblem) -> TreeTable:
        """The table of the entries, a block an entry, ordered by root."""
        order = np.argsort(self.root, kind="stable")
        arcs = self.arc[order]
        enter = np.full((problem.n, len(self.root)), -1, np.int32)
        enter[problem.head[arcs], np.arange(len(self.root))[:, None]] = arcs
        return enter, self.root[order], self.copies[order]

    def heights(self, problem: PackingProblem) -> Int64Array:
        """The height of every entry, in arcs."""
        start = np.arange(len(self.root) + 1) * (problem.n - 1)
        trees = self.root, start, self.arc.ravel(), problem.tail, problem.head
        one, depth = np.ones(len(problem.tail), np.int64), np.zeros(problem.n, np.int64)
        found: Int64Array = tree_heights(*trees, one, depth)
        return found

    def height(self, problem: PackingProblem) -> int:
        """The height of the highest tree, in arcs."""
        return int(self.heights(problem).max())
