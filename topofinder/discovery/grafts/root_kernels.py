"""Arcs are dropped from a digraph, and others exchange heads until all nodes are near again.

Arcs are sorted by tail: those of node u are start[u] to start[u + 1] - 1. Those that are dropped
stay in the list, with lives[a] False, and take no part in exchanges.
"""

import numpy as np

from topofinder.discovery.search_kernels import draw_integer
from topofinder.kernels import inner, kernel, popcount

LOOKS = 256
"""Nodes that are drawn until one misses another."""
LEVEL = 5
"""One in so many exchanges that leave as many pairs apart is kept."""


@inner
def count_apart(start, head, lives, steps, reach):  # type: ignore[no-untyped-def]
    """Ordered pairs that are more than so many steps apart.

    `reach`, uint64 of shape (2, n, words), is overwritten: reach[steps % 2] is what nodes reach.
    """
    n, words = reach.shape[1], reach.shape[2]
    for u in range(n):
        for w in range(words):
            reach[0, u, w] = 0
        reach[0, u, u >> 6] = np.uint64(1) << np.uint64(u & 63)
    members = n
    for step in range(steps):
        now, then, members = step % 2, 1 - step % 2, 0
        for u in range(n):
            row = reach[then, u]
            for w in range(words):
                row[w] = reach[now, u, w]
            for a in range(start[u], start[u + 1]):
                if lives[a]:
                    other = reach[now, head[a]]
                    for w in range(words):
                        row[w] |= other[w]
            for w in range(words):
                members += popcount(row[w])
    return n * n - members


@inner
def touches_dropped(a, tail, head, dropped, count):  # type: ignore[no-untyped-def]
    """Whether an arc shares a node with one of the first `count` that are dropped."""
    for i in range(count):
        b = dropped[i]
        if tail[a] == tail[b] or head[a] == head[b] or tail[a] == head[b] or head[a] == tail[b]:
            return True
    return False


@inner
def drop_arcs(start, tail, head, lives, steps, dropped, drawn, reach, state):  # type: ignore[no-untyped-def]
    """Drop as many arcs as `dropped` has places, that share no node; False where there are none.

    Each is the one of `drawn` that leaves fewest pairs apart.
    """
    for i in range(len(dropped)):
        least, best = np.int64(-1), np.int64(-1)
        for _ in range(drawn):
            a = draw_integer(state, len(head))
            if not lives[a] or touches_dropped(a, tail, head, dropped, i):
                continue
            lives[a] = False
            apart = count_apart(start, head, lives, steps, reach)
            lives[a] = True
            if best < 0 or apart < least:
                least, best = apart, a
        if best < 0:
            return False
        lives[best], dropped[i] = False, best
    return True


@inner
def draw_arc_of_need(start, reach, state):  # type: ignore[no-untyped-def]
    """An arc out of a node that misses another; of any node where none is met soon."""
    n, u = len(start) - 1, np.int64(0)
    for _ in range(LOOKS):
        u, members = draw_integer(state, n), 0
        for w in range(reach.shape[1]):
            members += popcount(reach[u, w])
        if members < n:
            break
    return start[u] + draw_integer(state, start[u + 1] - start[u])


@kernel
def thin_digraph(start, tail, head, joined, steps, dropped, drawn, most, state):  # type: ignore[no-untyped-def]
    """Drop arcs, and exchange heads of others until all pairs are within so many steps.

    `joined`, bool of shape (n, n), says which nodes arcs lead from and to; it and `head`, int64,
    are changed. `dropped`, int64, is filled with arcs that share no node, each the least needed of
    `drawn` arcs. At most `most` exchanges are tried. Returns how many pairs are left apart; -1
    where so many arcs cannot be dropped.
    """
    n, arcs = len(start) - 1, len(head)
    lives = np.ones(arcs, np.bool_)
    reach = np.empty((2, n, (n + 63) // 64), np.uint64)
    if not drop_arcs(start, tail, head, lives, steps, dropped, drawn, reach, state):
        return -1
    now = count_apart(start, head, lives, steps, reach)
    for _ in range(most):
        if now == 0:
            break
        a, b = draw_arc_of_need(start, reach[steps % 2], state), draw_integer(state, arcs)
        u, v, x, y = tail[a], tail[b], head[a], head[b]
        if not lives[a] or not lives[b] or joined[u, y] or joined[v, x] or y == u or x == v:
            continue
        head[a], head[b] = y, x
        then = count_apart(start, head, lives, steps, reach)
        if then < now or (then == now and draw_integer(state, LEVEL) == 0):
            joined[u, x], joined[v, y], joined[u, y], joined[v, x] = False, False, True, True
            now = then
        else:
            head[a], head[b] = x, y
    return now
