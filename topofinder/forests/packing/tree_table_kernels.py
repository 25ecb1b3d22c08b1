"""Kernels of tables of trees: made from choices, measured, and read back as trees.

A choice is (root, arc, amount): so many trees of the root enter the head of the arc by it. The
choices of a root at a node are laid end to end over the copies 0..supply of its trees. Copies
between two neighbouring ends, over all nodes, are alike and stand together: as one entry, a row of
arcs with parents before children, or as one block, a column of a table (see `TreeTable`).
"""

import numpy as np

from topofinder.kernels import inner, kernel, sort_first


@kernel
def choice_blocks(roots, arcs, amounts, head, supply, most):  # type: ignore[no-untyped-def]
    """A table (enter, root, copies) from choices that may not all be met; see `TreeTable`.

    The choices of a root at a node are laid end to end over the copies of its trees, as
    `assemble_trees` does; what is not met is left at the end. Blocks stand by root. No blocks are
    made if the table had more than `most` entries.
    """
    n = len(supply)
    begin, by_arc, by_head, by_amount = _choices_by_root(roots, arcs, amounts, head, n)
    blocks = _count_intervals(begin, by_head, by_amount, supply)
    if blocks * n > most:
        blocks = 0
    enter = np.full((n, blocks), -1, np.int32)
    root, copies = np.empty(blocks, np.int32), np.empty(blocks, np.int64)
    following, reached = np.empty(n, np.int64), np.empty(n, np.int64)
    filled = 0
    for u in range(n):
        if supply[u] == 0 or blocks == 0:
            continue
        ends = _interval_ends(by_amount, by_head, begin[u], begin[u + 1], supply[u], n)
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
def assemble_trees(roots, arcs, amounts, head, supply, rank, most):  # type: ignore[no-untyped-def]
    """Tree entries from choices that are all met: (root, copies, arc), n - 1 arcs an entry.

    Arcs of an entry stand in the order of `rank[root]`, so that parents come before children; ranks
    are below n, and 0 at the root alone.
    No entries are made if they had more than `most` arcs together.
    """
    n = len(supply)
    begin, by_arc, by_head, by_amount = _choices_by_root(roots, arcs, amounts, head, n)
    entries = _count_intervals(begin, by_head, by_amount, supply)
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
        _link_choices(begin[u], begin[u + 1], by_head, by_amount, choice, until, following)
        last = 0
        for end in _interval_ends(by_amount, by_head, begin[u], begin[u + 1], supply[u], n):
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


@kernel
def list_trees(enter, root, copies, tail):  # type: ignore[no-untyped-def]
    """Tree entries (root, copies, arc) of complete trees; neighbours that are alike are joined.

    `arc` is int32 of shape (entries, n - 1), in order of depth, so parents before children.
    """
    n, trees = enter.shape
    first, entries = _mark_different(enter, root)
    roots, sums = np.empty(entries, np.int32), np.zeros(entries, np.int64)
    arc = np.empty((entries, n - 1), np.int32)
    scratch = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n + 1, np.int64)
    made = -1
    for t in range(trees):
        if first[t]:
            made += 1
            roots[made] = root[t]
            _list_arcs(t, enter, root, tail, arc[made], scratch)
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


@inner
def measure_depths(t, enter, root, tail, depth, trail):  # type: ignore[no-untyped-def]
    """Fill `depth` with the hops from the root of tree t to every node.

    enter[v, t] is the arc by which tree t enters node v, tail[e] where arc e begins; `trail`:
    scratch, int64 of shape (n,). Each node is climbed from once.
    """
    depth[:] = -1
    depth[root[t]] = 0
    for v in range(len(depth)):
        x, hops = v, 0
        while depth[x] < 0:
            trail[hops] = x
            hops += 1
            x = tail[enter[x, t]]
        for i in range(hops - 1, -1, -1):
            depth[trail[i]] = depth[x] + hops - i


@inner
def _choices_by_root(roots, arcs, amounts, head, n):  # type: ignore[no-untyped-def]
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
def _interval_ends(amounts, heads, begin, end, supply, n):  # type: ignore[no-untyped-def]
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
    sort_first(ends, filled)
    different = 1
    for i in range(1, filled):
        if ends[i] != ends[different - 1]:
            ends[different] = ends[i]
            different += 1
    return ends[:different]


@inner
def _count_intervals(begin, by_head, by_amount, supply):  # type: ignore[no-untyped-def]
    """How many entries of equal trees there are, over all roots."""
    n, count = len(supply), 0
    for u in range(n):
        if supply[u] > 0:
            count += len(_interval_ends(by_amount, by_head, begin[u], begin[u + 1], supply[u], n))
    return count


@inner
def _link_choices(begin, end, by_head, by_amount, choice, until, following):  # type: ignore[no-untyped-def]
    """Chain the choices of one root at every node: the first and last in `choice`, links between.

    `until[v]` becomes the copy at which the first choice of node v ends.
    """
    choice[:, :] = -1
    for at in range(begin, end):
        v = by_head[at]
        following[at] = -1
        if choice[v, 0] < 0:
            choice[v, 0], until[v] = at, by_amount[at]
        else:
            following[choice[v, 1]] = at
        choice[v, 1] = at


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


@inner
def _mark_different(enter, root):  # type: ignore[no-untyped-def]
    """Which columns are unlike the one before, and how many these are."""
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
    return first, entries


@inner
def _list_arcs(t, enter, root, tail, listed, scratch):  # type: ignore[no-untyped-def]
    """Fill `listed` with the arcs of tree t by the depth of their heads: a counting sort."""
    depth, trail, begin = scratch
    n = len(depth)
    measure_depths(t, enter, root, tail, depth, trail)
    begin[:] = 0
    for v in range(n):
        begin[depth[v] + 1] += depth[v] > 0
    for i in range(n):
        begin[i + 1] += begin[i]
    for v in range(n):
        if v != root[t]:
            listed[begin[depth[v]]] = enter[v, t]
            begin[depth[v]] += 1
