"""The exact packer: tree after tree, always ends with a packing where the cuts allow one.

Source: ForestColl (NSDI 2026), section 5.4 and appendix E.3. Roots take turns, so that early
ones do not take all the short ways.
"""

import numpy as np

from generators.errors import Unsupported
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.optimality.flow_kernels import flow_scratch, residual_arcs
from topofinder.forests.packing.exact import grow_tree
from topofinder.forests.packing.job import Packing, PackingProblem

MAX_TABLE = 1 << 28
"""Entries of the table of flows, one a sink and arc: two gigabytes."""


def pack_exactly(problem: PackingProblem, seed: int = 0, clock: Clock = NO_LIMIT) -> Packing:
    """A packing of any problem whose cuts allow one.

    Raises Unsupported when the table of flows does not fit, or the time is over.
    """
    if problem.n * len(problem.tail) > MAX_TABLE:
        raise Unsupported(f"packing: {len(problem.tail)} logical arcs are too many for exact trees")
    net, work = (
        residual_arcs(problem.tail.astype(np.int64), problem.head.astype(np.int64), problem.n),
        flow_scratch(problem.n),
    )
    state = (
        problem.capacity.copy(),
        problem.supply.copy(),
        np.zeros((problem.n, len(problem.tail)), np.int64),
        np.zeros((problem.n, problem.n), np.int64),
    )
    residual, excess = np.empty(2 * len(problem.tail), np.int64), np.empty(problem.n, np.int64)
    roots, copies, arcs = [], [], []
    order = np.random.default_rng(seed).permutation(problem.n)
    while state[1].any():
        for u in order[state[1][order] > 0].tolist():
            tree = np.empty(problem.n - 1, np.int32)
            taken = int(grow_tree(u, state, net, residual, excess, work, tree))
            if taken < 0:
                raise Unsupported(f"packing: no tree of node {u} is left that the cuts allow")
            clock.tell(f"exact trees: {state[1].sum():,} of {problem.trees:,} are to come")
            clock.require_time("packing")
            roots.append(u)
            copies.append(taken)
            arcs.append(tree)
    return Packing(
        root=np.array(roots, dtype=np.int32),
        copies=np.array(copies, dtype=np.int64),
        arc=np.stack(arcs),
        method="exact",
    )
