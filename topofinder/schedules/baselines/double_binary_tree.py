"""The double binary tree of NCCL: an allreduce pipelined over two trees (section 8.2).

With h = ceil(log2 N) levels and k chunks a tree, the time is

    2 (2 h + k - 1) (alpha + 2 M/B / k)

for d = 4: two steps a beat, one for each child; 2 h + k - 1 beats; in a step one chunk of M/(2k)
over a link of B/4. At N = 1024, alpha = 10 us and M/B = 1 MiB / 100 Gbps the best k among powers
of two is 16, and the time the 1434 us of table 4.

Either tree reduces half of the data to its root and broadcasts the result, chunk after chunk
(Sanders, Speck and Traeff, 2009). A chunk of the first half is no shard of a node, so the rows of
`tree_pipeline` are not those of a Schedule.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import numpy as np

from expansions.cost import Cost
from expansions.recipe import Base
from generators.errors import InvalidInput
from generators.families.double_binary_tree import tree_parents
from generators.topology import BoolArray, Int64Array, IntArray, Topology
from topofinder.schedules.baselines.register import (
    Baseline,
    Costs,
    register_baseline,
    require_family,
)

MOST_CHUNKS = 1 << 20
"""Numbers of chunks on offer are the powers of two up to this one."""


def tree_cost(base: Base, chunks: int) -> Cost:
    """The cost of an allreduce on DoubleBinaryTree(n) with that many chunks a tree.

    >>> tree_cost(Base("DoubleBinaryTree", (1024,)), 16)
    Cost(steps=70, bandwidth=Fraction(35, 4))
    """
    n = cast(int, base.arguments[0])
    steps = 2 * (2 * (n - 1).bit_length() + chunks - 1)
    return Cost(steps, Fraction(_degree(n) * steps, 2 * chunks))


def tree_costs(base: Base) -> Costs:
    """The costs for every number of chunks on offer, fewest first."""
    return tuple(tree_cost(base, 1 << k) for k in range(MOST_CHUNKS.bit_length()))


def _degree(n: int) -> int:
    """Ports a node needs; both trees of two or three nodes are short of inner nodes."""
    return min(4, n)


def _wirings(n: int, d: int) -> Iterator[Base]:
    if n >= 2 and d == _degree(n):
        yield Base("DoubleBinaryTree", (n,))


register_baseline(
    Baseline(
        name="double-binary-tree",
        title="two binary trees, reduce and broadcast pipelined",
        source="Sanders, Speck and Traeff (2009); Zhao et al., section 8.2",
        wirings=_wirings,
        check=lambda base: require_family("double-binary-tree", base, "DoubleBinaryTree"),
        allreduce=tree_costs,
    )
)


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
