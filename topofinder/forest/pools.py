"""Trees from the packings of tight sets and of what is between them, table by table."""

import numpy as np

from topofinder.jit import kernel


@kernel
def expanded(root, copies, arc, head, n):  # type: ignore[no-untyped-def]
    """(enter, root) of tree entries, copy by copy: the tables of `units`, ordered by root."""
    trees = copies.sum()
    enter = np.full((n, trees), -1, np.int32)
    roots = np.empty(trees, np.int32)
    first = np.zeros(n + 1, np.int64)
    for i in range(len(root)):
        first[root[i] + 1] += copies[i]
    for v in range(n):
        first[v + 1] += first[v]
    for i in range(len(root)):
        begin = first[root[i]]
        end = begin + copies[i]
        first[root[i]] = end
        roots[begin:end] = root[i]
        for at in range(n - 1):
            enter[head[arc[i, at]], begin:end] = arc[i, at]
    return enter, roots


@kernel
def spread_over(outer, root, box_root, box, head, members, first_member):  # type: ignore[no-untyped-def]
    """Replace arcs between boxes by real arcs: `enter` of shape (n, trees), and entry nodes.

    `outer[b, t]` is the arc between boxes by which tree t (of box box_root[t]) enters box b; it
    stands for the real arcs in `members[first_member[a]:first_member[a + 1]]`, rows (arc,
    capacity), which are used up in order. `root[t]` is the real root. Returns (enter, entry):
    entry[b, t] is the node of box b that tree t reaches first.
    """
    boxes, trees = outer.shape
    enter = np.full((len(box), trees), -1, np.int32)
    entry = np.empty((boxes, trees), np.int32)
    at, left = first_member[:-1].copy(), np.empty(len(first_member) - 1, np.int64)
    for a in range(len(left)):
        left[a] = members[at[a], 1]
    for t in range(trees):
        for b in range(boxes):
            if b == box_root[t]:
                entry[b, t] = root[t]
                continue
            a = outer[b, t]
            while left[a] == 0:
                at[a] += 1
                left[a] = members[at[a], 1]
            left[a] -= 1
            e = members[at[a], 0]
            entry[b, t] = head[e]
            enter[head[e], t] = e
    return enter, entry


@kernel
def fill_box(enter, entry, inner, inner_root, nodes, arcs):  # type: ignore[no-untyped-def]
    """Complete every tree inside one box, in place.

    `entry[t]` is the node of the box where tree t comes in; `inner`, `inner_root` are the tables
    of the box's own trees, ordered by root, in its own numbers: `nodes` and `arcs` translate.
    """
    n, trees = len(nodes), len(entry)
    local = np.full(len(enter), -1, np.int64)
    for i in range(n):
        local[nodes[i]] = i
    following = np.zeros(n + 1, np.int64)
    for s in range(len(inner_root)):
        following[inner_root[s] + 1] += 1
    for i in range(n):
        following[i + 1] += following[i]
    for t in range(trees):
        q = local[entry[t]]
        s = following[q]
        following[q] += 1
        for i in range(n):
            if i != q:
                enter[nodes[i], t] = arcs[inner[i, s]]
