"""Tables of trees, one column a block of equal trees: made from choices, and read back as trees."""

import numpy as np

from topofinder.forests.packing.assemble import choices_by_root, interval_ends
from topofinder.forests.packing.depths import measure_depths
from topofinder.kernels import kernel


@kernel
def choice_blocks(roots, arcs, amounts, head, supply, most):  # type: ignore[no-untyped-def]
    """A table (enter, root, copies) from choices that may not all be met; see `Table`.

    The choices of a root at a node are laid end to end over the copies of its trees, as `assemble`
    does; what is not met is left at the end. Blocks stand by root. No blocks are made if the table
    had more than `most` entries.
    """
    n = len(supply)
    begin, by_arc, by_head, by_amount = choices_by_root(roots, arcs, amounts, head, n)
    blocks = 0
    for u in range(n):
        if supply[u] > 0:
            blocks += len(interval_ends(by_amount, by_head, begin[u], begin[u + 1], supply[u], n))
    if blocks * n > most:
        blocks = 0
    enter = np.full((n, blocks), -1, np.int32)
    root, copies = np.empty(blocks, np.int32), np.empty(blocks, np.int64)
    following, reached = np.empty(n, np.int64), np.empty(n, np.int64)
    filled = 0
    for u in range(n):
        if supply[u] == 0 or blocks == 0:
            continue
        ends = interval_ends(by_amount, by_head, begin[u], begin[u + 1], supply[u], n)
        for i in range(len(ends)):
            root[filled + i] = u
            copies[filled + i] = ends[i] - (ends[i - 1] if i > 0 else 0)
        following[:] = 0
        reached[:] = 0
        for at in range(begin[u], begin[u + 1]):
            v = by_head[at]
            reached[v] += by_amount[at]
            while following[v] < len(ends) and ends[following[v]] <= reached[v]:
                enter[v, filled + following[v]] = by_arc[at]
                following[v] += 1
        filled += len(ends)
    return enter, root, copies


@kernel
def list_trees(enter, root, copies, tail):  # type: ignore[no-untyped-def]
    """Tree entries (root, copies, arc) of complete trees; neighbours that are alike are joined.

    `arc` is int32 of shape (entries, n - 1), in order of depth, so parents before children.
    """
    n, trees = enter.shape
    first = np.zeros(trees, np.bool_)
    entries = 0
    for t in range(trees):
        first[t] = t == 0 or root[t] != root[t - 1]
        for v in range(n):
            if first[t]:
                break
            first[t] = enter[v, t] != enter[v, t - 1]
        entries += first[t]
    roots, sums = np.empty(entries, np.int32), np.zeros(entries, np.int64)
    arc = np.empty((entries, n - 1), np.int32)
    depth, trail = np.empty(n, np.int64), np.empty(n, np.int64)
    begin = np.empty(n + 1, np.int64)
    made = -1
    for t in range(trees):
        if first[t]:
            made += 1
            roots[made] = root[t]
            measure_depths(t, enter, root, tail, depth, trail)
            begin[:] = 0
            for v in range(n):
                begin[depth[v] + 1] += depth[v] > 0
            for i in range(n):
                begin[i + 1] += begin[i]
            for v in range(n):
                if v != root[t]:
                    arc[made, begin[depth[v]]] = enter[v, t]
                    begin[depth[v]] += 1
        sums[made] += copies[t]
    return roots, sums, arc


@kernel
def table_height(enter, root, tail):  # type: ignore[no-untyped-def]
    """The height of the highest tree."""
    n, trees = enter.shape
    best = 0
    depth, trail = np.empty(n, np.int64), np.empty(n, np.int64)
    for t in range(trees):
        measure_depths(t, enter, root, tail, depth, trail)
        best = max(best, depth.max())
    return best
