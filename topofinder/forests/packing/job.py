"""What the packers are given and what they return."""

from dataclasses import dataclass

from generators.topology import Int64Array, IntArray, Translation

Table = tuple[IntArray, IntArray, Int64Array]
"""(enter, root, copies), one column a block of equal trees: `enter[v, t]` is the arc by which those
of block t enter node v, -1 at their root and where they do not yet.

Shapes: int32 (n, blocks), int32 (blocks,), int64 (blocks,).
"""

MAX_ENTRIES = 1 << 27
"""Entries a table may have: half a gigabyte."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Packing:
    """Entries of trees: `copies[i]` trees of `root[i]` with arcs `arc[i]`, parents first.

    Shapes: int32 (entries,), int64 (entries,), int32 (entries, n - 1).
    """

    root: IntArray
    copies: Int64Array
    arc: IntArray
    method: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PackingProblem:
    """What is to be packed: `supply[u]` trees rooted at every node u of a digraph.

    Arc e may be in `capacity[e]` trees. Shapes: (arcs,) and (n,); int32 ends, int64 amounts.
    `translation(u)` is an automorphism that carries node 0 to u, where any are known.
    """

    tail: IntArray
    head: IntArray
    capacity: Int64Array
    supply: Int64Array
    translation: Translation | None = None

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

    @property
    def key(self) -> bytes:
        """Equal for problems that are the same in every number."""
        columns = (self.tail, self.head, self.capacity, self.supply)
        return b"|".join(column.tobytes() for column in columns)
