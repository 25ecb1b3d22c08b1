"""Trees from choices: who enters where, cut into intervals of copies.

The choices of a root at a node are laid end to end over the copies 0..supply of its trees. Copies
between two neighbouring ends, over all nodes, are alike and stand together as one entry.
"""

import numpy as np

from topofinder.kernels import inner, kernel


@inner
def choices_by_root(roots, arcs, amounts, head, n):  # type: ignore[no-untyped-def]
    """The choices root after root: (where each begins, arc, head of the arc, amount)."""
    begin = np.zeros(n + 1, np.int64)
    for at in range(len(roots)):
        begin[roots[at] + 1] += 1
    for u in range(n):
        begin[u + 1] += begin[u]
    filled = begin[:-1].copy()
    by_arc, by_head = np.empty(len(roots), np.int32), np.empty(len(roots), np.int32)
    by_amount = np.empty(len(roots), np.int64)
    for at in range(len(roots)):
        spot = filled[roots[at]]
        by_arc[spot], by_head[spot], by_amount[spot] = arcs[at], head[arcs[at]], amounts[at]
        filled[roots[at]] += 1
    return begin, by_arc, by_head, by_amount


@inner
def interval_ends(amounts, heads, begin, end, supply, n):  # type: ignore[no-untyped-def]
    """Where some choice of the root ends, ascending; the last is `supply`."""
    reached = np.zeros(n, np.int64)
    ends = np.empty(end - begin + 1, np.int64)
    ends[0] = supply
    filled = 1
    for at in range(begin, end):
        v = heads[at]
        reached[v] += amounts[at]
        if reached[v] < supply:
            ends[filled] = reached[v]
            filled += 1
    ends = np.sort(ends[:filled])
    different = 1
    for i in range(1, filled):
        if ends[i] != ends[different - 1]:
            ends[different] = ends[i]
            different += 1
    return ends[:different]


@inner
def _number_by_rank(rank, place):  # type: ignore[no-untyped-def]
    """Number the nodes from 0 by rank, then by node, the root (rank 0) left out."""
    n = len(rank)
    following = np.zeros(n + 1, np.int64)
    for v in range(n):
        following[rank[v] + 1] += 1
    for i in range(n):
        following[i + 1] += following[i]
    for v in range(n):
        place[v] = following[rank[v]] - 1
        following[rank[v]] += 1


@kernel
def assemble_trees(roots, arcs, amounts, head, supply, rank, most):  # type: ignore[no-untyped-def]
    """Tree entries from choices that are all met: (root, copies, arc), n - 1 arcs an entry.

    Arcs of an entry stand in the order of `rank[root]`, so that parents come before children; ranks
    are below n, and 0 at the root alone.
    No entries are made if they had more than `most` arcs together.
    """
    n = len(supply)
    begin, by_arc, by_head, by_amount = choices_by_root(roots, arcs, amounts, head, n)
    entries = 0
    for u in range(n):
        if supply[u] > 0:
            entries += len(interval_ends(by_amount, by_head, begin[u], begin[u + 1], supply[u], n))
    if entries * (n - 1) > most:
        entries = 0
    root, copies = np.empty(entries, np.int32), np.empty(entries, np.int64)
    arc = np.empty((entries, n - 1), np.int32)
    choice, until = np.empty((n, 2), np.int64), np.empty(n, np.int64)
    following = np.empty(len(roots), np.int64)
    place = np.empty(n, np.int64)
    made = 0
    for u in range(n):
        if supply[u] == 0 or entries == 0:
            continue
        _number_by_rank(rank[u], place)
        choice[:, :] = -1
        for at in range(begin[u], begin[u + 1]):
            v = by_head[at]
            following[at] = -1
            if choice[v, 0] < 0:
                choice[v, 0], until[v] = at, by_amount[at]
            else:
                following[choice[v, 1]] = at
            choice[v, 1] = at
        last = 0
        for end in interval_ends(by_amount, by_head, begin[u], begin[u + 1], supply[u], n):
            root[made], copies[made] = u, end - last
            for v in range(n):
                if v != u:
                    if until[v] <= last:
                        choice[v, 0] = following[choice[v, 0]]
                        until[v] += by_amount[choice[v, 0]]
                    arc[made, place[v]] = by_arc[choice[v, 0]]
            made += 1
            last = end
    return root, copies, arc
