"""Simple cycles of a graph, counted by length and by edge.

Depth-first search from the smallest node of each cycle, cut where the way back, known from a
breadth-first search, is too long.
"""

from typing import Any

import numpy as np

from topofinder.kernels import copy_into, inner, kernel


@inner
def distances(start: Any, end: Any, root: int, far: int, near: Any, line: Any) -> int:
    """Hops to `root` against the arcs of the reversed rows, up to `far`; `near` (n,) is filled.

    `near` must be `far + 1` everywhere; the nodes reached are left in `line`, their number is
    returned.
    """
    near[root], line[0] = 0, root
    first, found = 0, 1
    while first < found:
        v = line[first]
        first += 1
        if near[v] == far:
            break
        for entry in range(start[v], start[v + 1]):
            w = end[entry]
            if near[w] > far and w > root:
                near[w] = near[v] + 1
                line[found] = w
                found += 1
    return found


@kernel
def count_cycles(
    start: Any,
    end: Any,
    back_start: Any,
    back_end: Any,
    edge: Any,
    two_way: bool,
    longest: int,
    most: int,
    through: Any,
    listed: Any,
) -> int:
    """Count the simple cycles of 3 (two-way) or 2 (one-way) up to `longest` arcs.

    Rows `start`, `end` hold the arcs without parallels, `back_start`, `back_end` the same turned
    round; `edge[entry]` is the edge of an arc, the same for both directions of a two-way one. A
    two-way cycle is counted once. `through` (longest + 1, edges + 1) is filled with the cycles of
    each length through each edge, and in its last column with those of the length. `listed`
    (cycles, longest) receives the edges of as many cycles as it has rows for; what is left of a
    row stays as it was. Each cycle is found from its smallest node. Returns the steps made, or -1
    if more than `most` are needed.
    """
    n, last = len(start) - 1, through.shape[1] - 1
    near = np.full(n, longest + 1, dtype=np.int64)
    line, path = np.empty(n, dtype=np.int64), np.empty(longest + 1, dtype=np.int64)
    at = np.empty(longest + 1, dtype=np.int64)
    used = np.empty(longest + 1, dtype=np.int64)
    on_path = np.zeros(n, dtype=np.bool_)
    steps, found = 0, 0
    for root in range(n):
        reached = distances(back_start, back_end, root, longest, near, line)
        path[0], at[0], depth = root, start[root], 0
        while depth >= 0:
            v = path[depth]
            if at[depth] == start[v + 1]:
                on_path[v] = False
                depth -= 1
                continue
            entry = at[depth]
            at[depth] += 1
            steps += 1
            w = end[entry]
            used[depth] = edge[entry]
            if w == root:
                # Two-way cycles are met in both directions, and every edge as a cycle of two.
                if two_way and (depth < 2 or path[1] > path[depth]):
                    continue
                for i in range(depth + 1):
                    through[depth + 1, used[i]] += 1
                through[depth + 1, last] += 1
                if found < len(listed):
                    copy_into(listed[found], used[: depth + 1])
                    found += 1
            elif w > root and not on_path[w] and depth + 1 + near[w] <= longest:
                depth += 1
                path[depth], at[depth], on_path[w] = w, start[w], True
        for i in range(reached):
            near[line[i]] = longest + 1
        if steps > most:
            return -1
    return steps
