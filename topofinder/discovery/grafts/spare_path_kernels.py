"""Generator lists whose Cayley digraphs have paths to spare: hill climbing with restarts.

How scarce paths are is told by walks from the identity, as all nodes are alike: breadth-first
search counts the shortest walks to every node. A node at the last step counts the more, the fewer
lead to it, and one that is farther away more than any.
"""

import numpy as np

from topofinder.discovery.search_kernels import draw_integer, redraw_generator
from topofinder.kernels import borrow, copy_into, inner, kernel


@inner
def count_scarce(columns, picks, steps, scarce, level, walks, order):  # type: ignore[no-untyped-def]
    """How scarce shortest walks of so many steps are from the identity by generators `picks`.

    scarce[k] is what a node counts at the last step that k of them lead to; the last entry holds
    for more, scarce[0] for one that is farther. `level`, `walks`, `order`: scratch, a place a node.
    """
    n, d = len(level), len(picks)
    level[:] = -1
    level[0], walks[0], order[0] = 0, 1, 0
    begin, end, enough = 0, 1, len(scarce) - 1
    for step in range(1, steps + 1):
        first = end
        for i in range(begin, first):
            u = order[i]
            for k in range(d):
                v = columns[picks[k], u]
                if level[v] < 0:
                    level[v], walks[v], order[end] = step, 0, v
                    end += 1
                if level[v] == step:
                    walks[v] = min(walks[v] + walks[u], enough)
        begin = first
    found = (n - end) * scarce[0]
    for i in range(begin, end):
        found += scarce[walks[order[i]]]
    return found


@kernel
def climb_scarce(columns, inverse, layout, steps, scarce, trials, stall, state, chosen):  # type: ignore[no-untyped-def]
    """The least that `count_scarce` tells of so many trials; its generators are put in `chosen`.

    `columns`, `inverse`: of a GroupTable; `layout`: the ListLayout of lists to draw from. A climb
    that has gained nothing for `stall` trials starts anew. `state` (uint64, (1,)): random state,
    changed in place. `chosen` (int64, (d,)).
    """
    pairs = layout.pairs
    singles, paired = borrow(layout.singles), borrow(layout.paired)
    columns, inverse, scarce, state = (
        borrow(columns),
        borrow(inverse),
        borrow(scarce),
        borrow(state),
    )
    n, d = columns.shape[1], len(chosen)
    level, order = np.empty(n, np.int16), np.empty(n, np.int16)
    walks = np.empty(n, np.int64)
    picks, old = np.zeros(d, np.int64), np.empty(d, np.int64)
    best = now = np.int64(1) << 60
    idle = stall
    for _ in range(trials):
        copy_into(old, picks)
        if idle >= stall:
            idle, now = 0, np.int64(1) << 60
            for at in range(d):
                redraw_generator(picks, inverse, singles, paired, pairs, at, state)
        else:
            redraw_generator(picks, inverse, singles, paired, pairs, draw_integer(state, d), state)
        found = count_scarce(columns, picks, steps, scarce, level, walks, order)
        idle += 1
        if found >= now:
            copy_into(picks, old)
            continue
        idle, now = 0, found
        if found < best:
            best = found
            copy_into(chosen, picks)
    return best
