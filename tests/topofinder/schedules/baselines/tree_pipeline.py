"""The pipelined allreduce on two binary trees, as rows (Sanders, Speck and Traeff, 2009).

Either tree reduces half of the data to its root and broadcasts the result, chunk after chunk. A
chunk of the first half is no shard of a node, so the rows are not those of a Schedule.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from expansions.cost import Cost
from generators.errors import InvalidInput
from generators.families.double_binary_tree import tree_parents
from generators.topology import BoolArray, Int64Array, IntArray, Topology


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TreePipeline:
    """Rows of an allreduce; all columns are int32 of shape (rows,).

    At step `step[i]`, from 1, arc `arc[i]` carries chunk `chunk[i]` of the half of the data that
    tree `tree[i]` works on: a partial sum towards the root where `up[i]`, else the total sum.
    Every half is cut into `chunks` chunks.
    """

    tree: IntArray
    chunk: IntArray
    arc: IntArray
    step: IntArray
    up: BoolArray
    chunks: int

    def cost(self, topology: Topology) -> Cost:
        """Steps, and d times the sum over steps of the busiest arc's part of the data."""
        steps = int(self.step.max())
        loads = np.bincount(
            self.arc * (steps + 1) + self.step, minlength=topology.arcs * (steps + 1)
        )
        total = int(loads.reshape(topology.arcs, steps + 1).max(axis=0).sum())
        return Cost(steps, Fraction(topology.degree * total, 2 * self.chunks))


def tree_pipeline(n: int, chunks: int) -> TreePipeline:
    """The rows for DoubleBinaryTree(n), in 2 (2 h + chunks - 1) steps, h = ceil(log2 n).

    A node serves one child at a time: the pipeline's every beat takes two steps, one for each
    child. The trees take their children in opposite order, so that no step is empty.

    >>> from generators.families.double_binary_tree import double_binary_tree
    >>> tree_pipeline(8, 2).cost(double_binary_tree(8))
    Cost(steps=14, bandwidth=Fraction(14, 1))
    """
    if n < 2 or chunks < 1:
        raise InvalidInput(f"n, chunks: at least 2 and 1, not {n} and {chunks}")
    depth, side = _places(n)
    height = int(depth.max())
    tree, up, chunk, link = np.indices((2, 2, chunks, n - 1)).reshape(4, -1)
    beat = chunk + np.where(up, height - depth[link], height + depth[link] - 1)
    topology_arc = np.where(up, 0, 2 * (n - 1)) + tree * (n - 1) + link
    columns = {
        "tree": tree,
        "chunk": chunk,
        "arc": topology_arc,
        "step": 2 * beat + 1 + (side[link] ^ tree),
    }
    return TreePipeline(
        **{name: column.astype(np.int32) for name, column in columns.items()},
        up=up.astype(np.bool_),
        chunks=chunks,
    )


def _places(n: int) -> tuple[Int64Array, Int64Array]:
    """For nodes 1..n-1 of the first tree: the depth below the root, and which child each is."""
    parent = np.concatenate([[0], tree_parents(n)]).astype(np.int64)
    depth, above = np.zeros(n, dtype=np.int64), np.arange(n)
    while above.any():
        depth += above != 0
        above = parent[above]
    node = np.arange(n)
    first = np.full(n, n)
    np.minimum.at(first, parent[1:], node[1:])
    return depth[1:], (first[parent] != node)[1:].astype(np.int64)
