"""Trees from the packings of tight sets and of what is between them, block by block."""

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.forests.packing.job import Table
from topofinder.kernels import inner, kernel


def tree_table(root: IntArray, copies: Int64Array, arc: IntArray, head: IntArray, n: int) -> Table:
    """The table of tree entries, a block an entry, ordered by root."""
    order = np.argsort(root, kind="stable")
    arcs = arc[order]
    enter = np.full((n, len(root)), -1, np.int32)
    enter[head[arcs], np.arange(len(root))[:, None]] = arcs
    return enter, root[order], copies[order]


@inner
def _walk_blocks(outer, box_root, copies, supply, box, head, members, first_member, made):  # type: ignore[no-untyped-def]
    """Go through the blocks once; fills `made` if it has columns, and returns how many it takes."""
    boxes, blocks = outer.shape
    enter, root, amounts, entry = made
    at, left = first_member[:-1].copy(), np.empty(len(first_member) - 1, np.int64)
    for a in range(len(left)):
        left[a] = members[at[a], 1]
    begun = np.zeros(boxes, np.int64)
    waiting = supply.copy()
    filled = 0
    for t in range(blocks):
        own, rest = box_root[t], copies[t]
        while rest > 0:
            while box[begun[own]] != own or waiting[begun[own]] == 0:
                begun[own] += 1
            amount = min(rest, waiting[begun[own]])
            for b in range(boxes):
                a = outer[b, t]
                if b != own:
                    while left[a] == 0:
                        at[a] += 1
                        left[a] = members[at[a], 1]
                    amount = min(amount, left[a])
            waiting[begun[own]] -= amount
            for b in range(boxes):
                if b != own:
                    left[outer[b, t]] -= amount
            if len(root) > 0:
                root[filled], amounts[filled], entry[own, filled] = begun[own], amount, begun[own]
                for b in range(boxes):
                    if b != own:
                        e = members[at[outer[b, t]], 0]
                        entry[b, filled] = head[e]
                        enter[head[e], filled] = e
            rest -= amount
            filled += 1
    return filled


@inner
def _empty_table(n, boxes, blocks):  # type: ignore[no-untyped-def]
    return (
        np.full((n, blocks), -1, np.int32),
        np.empty(blocks, np.int32),
        np.empty(blocks, np.int64),
        np.empty((boxes, blocks), np.int32),
    )


@kernel
def expand_outer_blocks(outer, box_root, copies, supply, box, head, members, first_member, most):  # type: ignore[no-untyped-def]
    """Replace arcs between boxes by real arcs: (enter, root, copies, entry).

    Block t of the table (outer, box_root, copies) enters box b by the arc outer[b, t] between
    boxes, which stands for the real arcs in `members[first_member[a]:first_member[a + 1]]`, rows
    (arc, capacity). These are used up in order, and so are the real roots of a box, which have
    `supply[v]` trees each; where one is used up within a block, the block is split.
    entry[b, t] is the node of box b that block t reaches first. No blocks are made if the table had
    more than `most` entries.
    """
    boxes, n = len(outer), len(box)
    made = _empty_table(n, boxes, 0)
    columns = _walk_blocks(outer, box_root, copies, supply, box, head, members, first_member, made)
    if 0 < columns * n <= most:
        made = _empty_table(n, boxes, columns)
        _walk_blocks(outer, box_root, copies, supply, box, head, members, first_member, made)
    return made


@kernel
def match_blocks(entry, copies, inner_root, inner_copies, nodes, n):  # type: ignore[no-untyped-def]
    """Which of a box's own blocks completes which block: (block, own block, copies), in order.

    `entry[t]` is the node of the box where block t comes in; the box's own blocks, ordered by root
    in its own numbers, are used up in order. A block that needs several is listed as often.
    """
    local = np.full(n, -1, np.int64)
    for i in range(len(nodes)):
        local[nodes[i]] = i
    following = np.zeros(len(nodes) + 1, np.int64)
    for s in range(len(inner_root)):
        following[inner_root[s] + 1] += 1
    for i in range(len(nodes)):
        following[i + 1] += following[i]
    left = inner_copies.copy()
    most = len(copies) + len(inner_root)
    block, own, amounts = (
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
    )
    filled = 0
    for t in range(len(copies)):
        q, rest = local[entry[t]], copies[t]
        while rest > 0:
            s = following[q]
            amount = min(rest, left[s])
            left[s] -= amount
            rest -= amount
            following[q] += left[s] == 0
            block[filled], own[filled], amounts[filled] = t, s, amount
            filled += 1
    return block[:filled], own[:filled], amounts[:filled]


@kernel
def fill_box(enter, entry, inner, own, nodes, arcs):  # type: ignore[no-untyped-def]
    """Complete every block inside one box, in place: block t by the box's block own[t].

    `entry[t]` is the node of the box where it comes in; `inner` is the table of the box's blocks in
    its own numbers: `nodes` and `arcs` translate.
    """
    for t in range(len(entry)):
        for i in range(len(nodes)):
            if nodes[i] != entry[t]:
                enter[nodes[i], t] = arcs[inner[i, own[t]]]
