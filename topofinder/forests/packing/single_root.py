"""Trees of a single root that has a tree for each unit of its outgoing capacity.

Every tree then leaves the root by exactly one unit of an arc, and no tree enters it. So the trees
below are a forest of the other nodes: each out-neighbour of the root is the root of as many trees
as its arc carries, one arc lower. With hop distances as ranks its level forest is the lowest there
is: a tree that begins with the arc to x is at least one higher than x is eccentric without the
root. On a hypercube these are the n edge-disjoint spanning binomial trees of height n + 1.

Source: Johnsson and Ho, "Optimum broadcasting and personalized communication in hypercubes", IEEE
Transactions on Computers 38(9), 1989, for the hypercube; Edmonds's theorem says that the forest of
the others exists.
"""

from collections.abc import Callable

import numpy as np

from generators.topology import Int64Array
from topofinder.forests.packing.problem import Packing, PackingProblem

Packer = Callable[[PackingProblem], Packing]


def root_to_leave(problem: PackingProblem) -> int | None:
    """The only root, if all that leads out of it is in one tree each; else None.

    >>> pair = PackingProblem(tail=np.array([0, 0, 1, 2], np.int32), supply=np.array([2, 0, 0]),
    ...     head=np.array([1, 2, 2, 1], np.int32), capacity=np.array([1, 1, 1, 1]))
    >>> root_to_leave(pair)
    0
    """
    roots = np.flatnonzero(problem.supply)
    if len(roots) != 1 or problem.n < 3:
        return None
    leaving = problem.capacity[problem.tail == roots[0]].sum()
    return int(roots[0]) if leaving == problem.supply[roots[0]] else None


def pack_below_root(problem: PackingProblem, root: int, pack: Packer) -> Packing:
    """The trees that `pack` makes of the forest below the root, each with its first arc.

    >>> pair = PackingProblem(tail=np.array([0, 0, 1, 2], np.int32), supply=np.array([2, 0, 0]),
    ...     head=np.array([1, 2, 2, 1], np.int32), capacity=np.array([1, 1, 1, 1]))
    >>> from topofinder.forests.packing.packers import pack_trees
    >>> pack_below_root(pair, 0, pack_trees).arc.tolist()
    [[0, 2], [1, 3]]
    """
    first = np.flatnonzero(problem.tail == root)
    kept = np.flatnonzero((problem.tail != root) & (problem.head != root))
    supply = np.zeros(problem.n, np.int64)
    np.add.at(supply, problem.head[first], problem.capacity[first])
    below = PackingProblem(
        tail=(problem.tail[kept] - (problem.tail[kept] > root)).astype(np.int32),
        head=(problem.head[kept] - (problem.head[kept] > root)).astype(np.int32),
        capacity=problem.capacity[kept],
        supply=np.delete(supply, root),
    )
    found = pack(below)
    entered = found.root.astype(np.int64) + (found.root >= root)
    entry, arc, copies = _first_arcs(entered, found.copies, problem, first)
    return Packing(
        root=np.full(len(entry), root, np.int32),
        copies=copies,
        arc=np.column_stack([arc, kept[found.arc[entry]]]).astype(np.int32),
        method=found.method,
    )


def _first_arcs(
    entered: Int64Array, copies: Int64Array, problem: PackingProblem, first: Int64Array
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """(entry, arc, copies): which entries go by which of the first arcs, parallel arcs in order."""
    left = dict(zip(first.tolist(), problem.capacity[first].tolist(), strict=True))
    by_head: dict[int, list[int]] = {}
    for arc in first.tolist():
        by_head.setdefault(int(problem.head[arc]), []).append(arc)
    rows = []
    for entry, (node, need) in enumerate(zip(entered.tolist(), copies.tolist(), strict=True)):
        while need:
            arc = by_head[node][0]
            amount = min(need, left[arc])
            rows.append((entry, arc, amount))
            need -= amount
            left[arc] -= amount
            if not left[arc]:
                by_head[node].pop(0)
    columns = np.array(rows, dtype=np.int64).T
    return columns[0], columns[1], columns[2]
