"""Kernels that make trees lower by exchanges of arcs at random (simulated annealing).

At a node, a tree may take the arc by which another enters it, and give its own, as long as neither
new parent hangs below the node; or an arc with room. So trees stay whole and no arc is in more of
them than it can be, and what moves of the highest trees alone (`height_kernels`) cannot leave is
left by exchanges that make trees higher for a while. Kirkpatrick, Gelatt and Vecchi, "Optimization
by simulated annealing", Science 220, 1983.

`table` is that of blocks, all of one tree; a node at depth d costs `price[d]`.
"""

import numpy as np

from topofinder.forests.packing.tree_table_kernels import measure_depths
from topofinder.kernels import inner, kernel, random_below, seed_random


@kernel
def exchange_arcs(table, tail, room, into, price, levels, steps, seed):  # type: ignore[no-untyped-def]
    """Exchange arcs in place for so many steps; returns the height that is then the highest.

    A step that costs more by no more than one of `levels`, drawn at random, is made. `room[e]`: in
    how many more trees arc e may be; `into` = (start, arc): the arcs into every node.
    """
    seed_random(seed)
    enter, root, _ = table
    start, arc = into
    n, trees = enter.shape
    costs = np.empty(trees, np.int64)
    depth, trail = np.empty(n, np.int64), np.empty(n, np.int64)
    for t in range(trees):
        costs[t] = _tree_cost(t, enter, root, tail, price, depth, trail)
    for _ in range(steps):
        v, t = random_below(n), random_below(trees)
        if root[t] == v or start[v + 1] == start[v]:
            continue
        old, new = enter[v, t], arc[start[v] + random_below(start[v + 1] - start[v])]
        if new == old or _hangs_from(tail[new], v, t, enter, root, tail):
            continue
        other = t if room[new] else _draw_partner(v, new, tail[old], enter, root, tail)
        if other < 0:
            continue
        enter[v, t] = new
        cost = _tree_cost(t, enter, root, tail, price, depth, trail)
        cost_other, more = cost, cost - costs[t]
        if other != t:
            enter[v, other] = old
            cost_other = _tree_cost(other, enter, root, tail, price, depth, trail)
            more += cost_other - costs[other]
        if more <= levels[random_below(len(levels))]:
            costs[t], costs[other] = cost, cost_other
            if other == t:
                room[new] -= 1
                room[old] += 1
        else:
            if other != t:
                enter[v, other] = new
            enter[v, t] = old
    highest = 0
    for t in range(trees):
        measure_depths(t, enter, root, tail, depth, trail)
        highest = max(highest, depth.max())
    return highest


@inner
def _tree_cost(t, enter, root, tail, price, depth, trail):  # type: ignore[no-untyped-def]
    """What the nodes of tree t cost."""
    measure_depths(t, enter, root, tail, depth, trail)
    total = 0
    for v in range(len(depth)):
        total += price[depth[v]]
    return total


@inner
def _hangs_from(x, v, t, enter, root, tail):  # type: ignore[no-untyped-def]
    """Whether node x is node v or below it in tree t."""
    while x != v and x != root[t]:
        x = tail[enter[x, t]]
    return x == v


@inner
def _draw_partner(v, new, parent, enter, root, tail):  # type: ignore[no-untyped-def]
    """A tree at random that enters v by arc `new` and can do so from `parent`; -1 if there is none.

    Only the one that is drawn is looked at.
    """
    count, drawn = 0, -1
    for t in range(enter.shape[1]):
        if enter[v, t] == new:
            count += 1
            if random_below(count) == 0:
                drawn = t
    if drawn >= 0 and _hangs_from(parent, v, drawn, enter, root, tail):
        return -1
    return drawn
