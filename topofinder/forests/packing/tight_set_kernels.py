"""Kernels of tight sets, which exactly as many trees must enter as can: find them, pack by parts.

A set B with as much capacity in as there are trees rooted outside is entered once by every such
tree and never again. So its inside can be packed alone, and the rest with B as a single node.
After a flow of all supplies to y, the nodes from which y can still be reached make the least
tight set around y, unless some of them have supply left.
"""

import numpy as np

from topofinder.forests.optimality.flow_kernels import (
    bring_flow,
    flow_scratch,
    level_graph,
    residual_arcs,
)
from topofinder.kernels import inner, kernel


@kernel
def tight_set_labels(tail, head, capacity, supply):  # type: ignore[no-untyped-def]
    """A label for every node, int64: nodes of one tight set share it, others have their own.

    The sets are disjoint; they are labelled from 0 in the order of their first node.
    """
    n = len(supply)
    net, work = residual_arcs(tail, head, n), flow_scratch(n)
    into = np.zeros(n, np.int64)
    for e in range(len(tail)):
        into[head[e]] += capacity[e]
    total = supply.sum()
    label = np.full(n, -1, np.int64)
    residual = np.empty(2 * len(tail), np.int64)
    labels = 0
    for y in range(n):
        if label[y] >= 0:
            continue
        label[y] = labels
        labels += 1
        if into[y] <= total - supply[y]:
            continue
        excess = supply.copy()
        excess[y] = 0
        for e in range(len(tail)):
            residual[2 * e], residual[2 * e + 1] = capacity[e], 0
        if bring_flow(y, total - supply[y], net, residual, excess, work) > 0:
            continue
        if level_graph(y, net, residual, excess, work) >= 0:
            continue
        mark = work[0]
        free = True
        for v in range(n):
            free &= mark[v] != mark[n] or label[v] < 0 or v == y
        if free:
            for v in range(n):
                if mark[v] == mark[n]:
                    label[v] = label[y]
    return label


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
    made = _empty_table(n, boxes, np.int64(0))
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
    """Room for so many blocks: (enter, root, copies, entry)."""
    return (
        np.full((n, blocks), -1, np.int32),
        np.empty(blocks, np.int32),
        np.empty(blocks, np.int64),
        np.empty((boxes, blocks), np.int32),
    )
