"""Trees one by one: a table of who enters where, made from choices and read back as trees."""

import numpy as np

from topofinder.forest.depths import measure_depths
from topofinder.jit import kernel


@kernel
def unit_trees(roots, arcs, amounts, head, supply):  # type: ignore[no-untyped-def]
    """(enter, root, lacking tree, lacking node) from choices that may not all be met.

    `enter[v, t]` is the arc by which tree t enters node v, -1 at its root and where it lacks v;
    int32 of shape (n, trees). `root` is int32 of shape (trees,).
    """
    n = len(supply)
    first = np.zeros(n + 1, np.int64)
    for u in range(n):
        first[u + 1] = first[u] + supply[u]
    enter = np.full((n, first[n]), -1, np.int32)
    root = np.empty(first[n], np.int32)
    for u in range(n):
        root[first[u] : first[u + 1]] = u
    met = np.zeros((n, n), np.int64)
    for at in range(len(roots)):
        u, v = roots[at], head[arcs[at]]
        begin = first[u] + met[u, v]
        enter[v, begin : begin + amounts[at]] = arcs[at]
        met[u, v] += amounts[at]
    lacking = 0
    for t in range(first[n]):
        for v in range(n):
            lacking += enter[v, t] < 0 and v != root[t]
    tree, node = np.empty(lacking, np.int64), np.empty(lacking, np.int64)
    lacking = 0
    for v in range(n):
        for t in range(first[n]):
            if enter[v, t] < 0 and v != root[t]:
                tree[lacking], node[lacking] = t, v
                lacking += 1
    return enter, root, tree, node


@kernel
def listed_trees(enter, root, tail):  # type: ignore[no-untyped-def]
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
    roots, copies = np.empty(entries, np.int32), np.zeros(entries, np.int64)
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
        copies[made] += 1
    return roots, copies, arc


@kernel
def tree_height(enter, root, tail):  # type: ignore[no-untyped-def]
    """The height of the highest tree."""
    n, trees = enter.shape
    best = 0
    depth, trail = np.empty(n, np.int64), np.empty(n, np.int64)
    for t in range(trees):
        measure_depths(t, enter, root, tail, depth, trail)
        best = max(best, depth.max())
    return best
