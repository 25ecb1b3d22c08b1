"""Make the highest trees lower, as far as moves of single nodes can.

Minimum heights are NP-complete (ForestColl, appendix E.3). Here a node on a longest path of a
highest tree is hung from a shallower in-neighbour: by an arc with room, or by exchange with
another tree that takes the old arc and stays lower than the highest. It ends when a highest tree
cannot be helped, or after a bounded number of steps.
"""

import numpy as np

from topofinder.forest.depths import measure_depths
from topofinder.jit import inner, kernel


@inner
def _measure(t, enter, root, tail, depth, below, trail):  # type: ignore[no-untyped-def]
    """Fill the depth of every node of tree t and the height of what hangs below it."""
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
def _hangs_from(x, v, t, enter, root, tail):  # type: ignore[no-untyped-def]
    while x != v and x != root[t]:
        x = tail[enter[x, t]]
    return x == v


@inner
def _partner(t, v, e, height, enter, root, tail, tables, tries):  # type: ignore[no-untyped-def]
    """A tree that can give arc e at node v for the arc of tree t there; -1 if none is found."""
    depth, below, trail = tables
    old = enter[v, t]
    for other in range(len(root)):
        if enter[v, other] != e or _hangs_from(tail[old], v, other, enter, root, tail):
            continue
        tries -= 1
        _measure(other, enter, root, tail, depth, below, trail)
        if depth[tail[old]] + 1 + below[v] < height:
            return other
        if tries == 0:
            break
    return -1


@inner
def _lower(t, height, enter, root, tail, room, start, arc, tables, spare):  # type: ignore[no-untyped-def]
    """One move that lifts a node on a longest path of tree t; the partner, t itself, or -1."""
    depth, below, _ = tables
    for v in range(len(depth)):
        if v == root[t] or depth[v] + below[v] < height:
            continue
        for at in range(start[v], start[v + 1]):
            e = arc[at]
            p = tail[e]
            if depth[p] + 1 >= depth[v] or _hangs_from(p, v, t, enter, root, tail):
                continue
            other = t
            if room[e] == 0:
                other = _partner(t, v, e, height, enter, root, tail, spare, 16)
                if other < 0:
                    continue
                enter[v, other] = enter[v, t]
            else:
                room[enter[v, t]] += 1
                room[e] -= 1
            enter[v, t] = e
            return other
    return -1


@kernel
def flatten(enter, root, tail, room, start, arc, steps):  # type: ignore[no-untyped-def]
    """Lower the trees of a table in place, with `steps` moves at most; returns their height.

    `room[e]`: in how many more trees arc e may be; (start, arc): the arcs into every node.
    """
    n, trees = enter.shape
    tables = (np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64))
    spare = (np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64))
    heights = np.empty(trees, np.int64)
    for t in range(trees):
        heights[t] = _measure(t, enter, root, tail, *tables)
    while steps > 0:
        t = int(np.argmax(heights))
        _measure(t, enter, root, tail, *tables)
        other = _lower(t, heights[t], enter, root, tail, room, start, arc, tables, spare)
        if other < 0:
            break
        for changed in (t, other):
            heights[changed] = _measure(changed, enter, root, tail, *tables)
        steps -= 1
    return heights.max()
