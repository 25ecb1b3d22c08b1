"""What the forest algorithms answer: spanning trees, packed into the capacities of a network.

Source: ForestColl (NSDI 2026), section 5.1, appendix E.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.forests.optimality.bottleneck_cut import Optimum
from topofinder.forests.optimality.network import Network


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PackedForest:
    """Spanning out-trees of the compute nodes: `k * weight[v]` are rooted at node v.

    Every tree takes the bandwidth 1 / `inverse_tree` (y = 1/U) of each arc it uses, so that the
    allgather takes `inverse_rate` = U / k times what a node of weight 1 sends.

    Trees that are alike stand together: entry i stands for `copies[i]` trees of root `root[i]`,
    which consist of the logical arcs `arc[start[i]:start[i + 1]]`, parents before children.

    Logical arc a leads from compute node `tail[a]` to compute node `head[a]` and may be in
    `capacity[a]` trees. It stands for a bundle of routes through switches: entries
    `bundle_start[a]:bundle_start[a + 1]` of `amount`, which sum to `capacity[a]`; bundle b takes
    the network's arcs `route[route_start[b]:route_start[b + 1]]`, in order. The trees on a logical
    arc, in the order they are listed and copy by copy, take its bundles in order.

    Shapes: `root`, `arc`, `tail`, `head`, `route` int32; `copies`, `start`, `capacity`,
    `bundle_start`, `amount`, `route_start` int64; `start` has one entry more than `root`.
    """

    network: Network
    optimum: Optimum
    k: int
    inverse_tree: Fraction
    root: IntArray
    copies: Int64Array
    start: Int64Array
    arc: IntArray
    tail: IntArray
    head: IntArray
    capacity: Int64Array
    bundle_start: Int64Array
    amount: Int64Array
    route_start: Int64Array
    route: IntArray
    method: str

    @property
    def trees(self) -> int:
        """Number of different trees."""
        return len(self.root)

    @property
    def inverse_rate(self) -> Fraction:
        """Time a unit of weight: U / k; never below the optimum's."""
        return self.inverse_tree / self.k

    @property
    def algbw(self) -> Fraction:
        """Bytes of all shards together over the time of an allgather."""
        return self.network.total / self.inverse_rate

    @property
    def loss(self) -> Fraction:
        """How much longer than the optimum it takes, relative to the optimum; 0 if optimal."""
        return self.inverse_rate / self.optimum.inverse_rate - 1

    def heights(self) -> Int64Array:
        """The height of every tree entry in logical arcs; shape (trees,)."""
        from topofinder.kernels import tree_heights

        trees = self.root, self.start, self.arc, self.tail, self.head
        one, depth = np.ones(len(self.tail), np.int64), np.zeros(self.network.n, np.int64)
        found: Int64Array = tree_heights(*trees, one, depth)
        return found

    @property
    def height(self) -> int:
        """The height of the highest tree."""
        return int(self.heights().max(initial=0))
