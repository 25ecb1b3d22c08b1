"""The exact packer: tree after tree, always ends with a packing where the cuts allow one.

Source: ForestColl (NSDI 2026), section 5.4 and appendix E.3, algorithm 4, theorem 10 (Bérczi and
Frank; Schrijver), a constructive form of Edmonds' branching theorem. Roots take turns, so that
early ones do not take all the short ways.
"""

import numpy as np

from generators.errors import Unsupported
from generators.topology import Int64Array, IntArray
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.optimality.flow_kernels import flow_scratch, residual_arcs
from topofinder.forests.packing.exact_kernels import grow_spanning_tree
from topofinder.forests.packing.problem import Packing, PackingProblem

MAX_FLOW_ENTRIES = 1 << 28
"""Entries of the table of flows, one a sink and arc: two gigabytes."""


def pack_exactly(problem: PackingProblem, seed: int = 0, clock: Clock = NO_LIMIT) -> Packing:
    """A packing of any problem whose cuts allow one.

    Raises Unsupported when the table of flows does not fit, or the time is over.
    """
    if problem.n * len(problem.tail) > MAX_FLOW_ENTRIES:
        raise Unsupported(f"packing: {len(problem.tail)} logical arcs are too many for exact trees")
    growth = _Growth(problem)
    roots, copies, arcs = [], [], []
    order = np.random.default_rng(seed).permutation(problem.n)
    while growth.supply.any():
        for u in order[growth.supply[order] > 0].tolist():
            grown, tree = growth.grow(u)
            clock.tell(f"exact trees: {growth.supply.sum():,} of {problem.trees:,} are to come")
            clock.require_time("packing", "a smaller k")
            roots.append(u)
            copies.append(grown)
            arcs.append(tree)
    return Packing(
        root=np.array(roots, dtype=np.int32),
        copies=np.array(copies, dtype=np.int64),
        arc=np.stack(arcs),
        method="exact",
    )


class _Growth:
    """The capacity and supply that are left, and a flow to every sink as it was when last needed.

    Shapes of `state`: int64 (arcs,), (n,), (n, arcs) and (n, n), row y of the last being the supply
    that row y of the flows stands for.
    """

    def __init__(self, problem: PackingProblem) -> None:
        n, arcs = problem.n, len(problem.tail)
        self.supply: Int64Array = problem.supply.copy()
        flow, known = np.zeros((n, arcs), np.int64), np.zeros((n, n), np.int64)
        self.state = problem.capacity.copy(), self.supply, flow, known
        self.net = residual_arcs(problem.tail.astype(np.int64), problem.head.astype(np.int64), n)
        self.scratch = np.empty(2 * arcs, np.int64), np.empty(n, np.int64), flow_scratch(n)

    def grow(self, root: int) -> tuple[int, IntArray]:
        """Grow and take away one tree entry of a root: its copies and its arcs, parents first."""
        tree = np.empty(len(self.supply) - 1, np.int32)
        copies = int(grow_spanning_tree(root, self.state, self.net, *self.scratch, tree))
        if copies < 0:
            raise Unsupported(f"packing: no tree of node {root} is left that the cuts allow")
        return copies, tree
