"""Kernels that make the highest trees lower, as far as moves of single nodes can.

Minimum heights are NP-complete (ForestColl, appendix E.3). Here a node on a longest path of a
highest block of equal trees is hung from a shallower in-neighbour: by an arc with room, or by
exchange with another block that takes the old arc and stays lower than the highest. As many copies
move as both can; the others are split off. It ends when a highest block cannot be helped, or after
a bounded number of steps.
"""

import numpy as np

from topofinder.forests.packing.completion_kernels import (
    DONE,
    NEEDS_COLUMNS,
    WORK_USED_UP,
    split_block,
)
from topofinder.forests.packing.tree_table_kernels import measure_depths
from topofinder.kernels import inner, kernel


@kernel
def block_heights(table, used, tail):  # type: ignore[no-untyped-def]
    """The height of every block in use; int64, as long as the table is wide."""
    n, width = table[0].shape
    depth, trail = np.empty(n, np.int64), np.empty(n, np.int64)
    heights = np.zeros(width, np.int64)
    for t in range(used):
        measure_depths(t, table[0], table[1], tail, depth, trail)
        heights[t] = depth.max()
    return heights


@kernel
def reduce_heights(table, counts, heights, tail, room, into, work):  # type: ignore[no-untyped-def]
    """Lower the trees of a table in place, for so much work; returns why it stopped: see DONE.

    `counts`: the blocks in use, and the moves that are left. `heights` is that of every block;
    `room[e]`: in how many more trees arc e may be; `into` = (start, arc): the arcs into every node.
    """
    n, width = table[0].shape
    tables = (np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64))
    spare = (np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64))
    while counts[1] > 0:
        if work < 0:
            return WORK_USED_UP
        if counts[0] + 2 > width:
            return NEEDS_COLUMNS
        used = counts[0]
        t = int(np.argmax(heights[:used]))
        _measure_block(t, table, tail, *tables)
        other, looks = _lower_block(t, heights[t], table, counts, tail, room, into, tables, spare)
        work -= used + looks
        if other < 0:
            return DONE
        for changed in (t, other):
            heights[changed] = _measure_block(changed, table, tail, *tables)
        for fresh in range(used, counts[0]):
            heights[fresh] = _measure_block(fresh, table, tail, *tables)
        counts[1] -= 1
    return DONE


@inner
def _measure_block(t, table, tail, depth, below, trail):  # type: ignore[no-untyped-def]
    """Fill the depth of every node of block t and the height of what hangs below it."""
    enter, root, _ = table
    n = len(depth)
    measure_depths(t, enter, root, tail, depth, trail)
    below[:] = 0
    for v in range(n):
        x, rise = v, 0
        while x != root[t]:
            x = tail[enter[x, t]]
            rise += 1
            if below[x] >= rise:
                break
            below[x] = rise
    return below[root[t]]


@inner
def _hangs_from(x, v, t, table, tail):  # type: ignore[no-untyped-def]
    """Whether node x is node v or below it in block t, whose trees are complete."""
    enter, root, _ = table
    while x != v and x != root[t]:
        x = tail[enter[x, t]]
    return x == v


@inner
def _exchange_partner(t, v, e, height, table, used, tail, tables, tries):  # type: ignore[no-untyped-def]
    """A block that can give arc e at node v for the arc of block t there; -1 if none is found."""
    depth, below, trail = tables
    enter = table[0]
    old = enter[v, t]
    for other in range(used):
        if enter[v, other] != e or _hangs_from(tail[old], v, other, table, tail):
            continue
        tries -= 1
        _measure_block(other, table, tail, depth, below, trail)
        if depth[tail[old]] + 1 + below[v] < height:
            return other
        if tries == 0:
            break
    return -1


@inner
def _hang_higher(v, t, other, e, amount, table, counts, room):  # type: ignore[no-untyped-def]
    """Hang node v of block t from arc e, for so many copies; `other` takes the old arc, or room."""
    enter = table[0]
    counts[0] = split_block(t, amount, table, counts[0])
    old = enter[v, t]
    if other == t:
        room[old] += amount
        room[e] -= amount
    else:
        counts[0] = split_block(other, amount, table, counts[0])
        enter[v, other] = old
    enter[v, t] = e


@inner
def _lower_block(t, height, table, counts, tail, room, into, tables, spare):  # type: ignore[no-untyped-def]
    """One move that lifts a node on a longest path of block t.

    Returns (the partner, t itself where it needs none, or -1; the entries that were looked at).
    """
    depth, below, _ = tables
    _, root, copies = table
    start, arc = into
    looks = 0
    for v in range(len(depth)):
        if v == root[t] or depth[v] + below[v] < height:
            continue
        for at in range(start[v], start[v + 1]):
            e = arc[at]
            p = tail[e]
            if depth[p] + 1 >= depth[v] or _hangs_from(p, v, t, table, tail):
                continue
            other, amount = t, min(room[e], copies[t])
            if amount == 0:
                looks += counts[0]
                other = _exchange_partner(t, v, e, height, table, counts[0], tail, spare, 16)
                if other < 0:
                    continue
                amount = min(copies[t], copies[other])
            _hang_higher(v, t, other, e, amount, table, counts, room)
            return other, looks
    return -1, looks
