"""The double binary tree of NCCL: an allreduce pipelined over two trees (section 8.2).

With h = ceil(log2 N) levels and k chunks a tree, the time is

    2 (2 h + k - 1) (alpha + 2 M/B / k)

for d = 4: two steps a beat, one for each child; 2 h + k - 1 beats; in a step one chunk of M/(2k)
over a link of B/4. At N = 1024, alpha = 10 us and M/B = 1 MiB / 100 Gbps the best k among powers
of two is 16, and the time the 1434 us of table 4.

Either tree reduces half of the data to its root and broadcasts the result, chunk after chunk
(Sanders, Speck and Traeff, 2009). A chunk of the first half is no shard of a node, so there is no
Schedule of it.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import cast

from expansions.cost import Cost
from expansions.recipe import Base
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
