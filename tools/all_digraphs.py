"""Every digraph of given order, degree and diameter, by exhaustion, for small orders.

`digraphs(n, d, diameter)` lists the simple loop-free digraphs with d arcs into and out of every
node: at least one of every isomorphism class. It labels nodes in the order of a breadth-first
walk from node 0 and gives up a branch as soon as some ball, forth or back, cannot hold n nodes.
"""

from itertools import combinations

import numpy as np

from generators.topology import Int64Array
from topofinder.kernels import inner, kernel, popcount

MOST = 100_000


@inner
def _room(sets, missing, n, d, diameter):
    """Whether balls of radius `diameter` can all come to n nodes.

    `sets[u]` are the known neighbours of u, `missing[u]` how many are not known yet.
    """
    for u in range(n):
        ball = np.int64(1) << u
        layer, room = ball, 0
        for step in range(diameter):
            grow, width = 0, 1
            for _ in range(diameter - step):
                grow += width
                width *= d
            after = np.int64(0)
            for v in range(n):
                if layer >> v & 1:
                    after |= sets[v]
                    room += missing[v] * grow
            layer = after & ~ball
            ball |= layer
        if popcount(np.uint64(ball)) + room < n:
            return False
    return True


@inner
def _highest_label(mask, highest, into, d):
    """The highest label used after `mask`; -1 when labels are skipped or an in-arc is too much."""
    for v in range(len(into)):
        if mask >> v & 1:
            if popcount(np.uint64(into[v])) >= d or v > highest + 1:
                return -1
            highest = max(highest, v)
    return highest


@kernel
def _extend(n, d, diameter, masks, found):
    """Fill `found`, shape (MOST, n), with sets of heads; returns how many there are."""
    out, into = np.zeros(n, np.int64), np.zeros(n, np.int64)
    lacks_out, lacks_in = np.full(n, d), np.full(n, d)
    at, highest = np.full(n + 1, -1), np.zeros(n + 1, np.int64)
    u, count = 0, 0
    while u >= 0:
        if out[u]:
            for v in range(n):
                if out[u] >> v & 1:
                    into[v] &= ~(np.int64(1) << u)
                    lacks_in[v] += 1
            out[u], lacks_out[u] = 0, d
        at[u] += 1
        if at[u] == len(masks):
            at[u] = -1
            u -= 1
            continue
        mask = masks[at[u]]
        if mask >> u & 1:
            continue
        top = _highest_label(mask, highest[u], into, d)
        if top < 0 or (top == u and u < n - 1):
            continue
        out[u], lacks_out[u] = mask, 0
        for v in range(n):
            if mask >> v & 1:
                into[v] |= np.int64(1) << u
                lacks_in[v] -= 1
        if not (_room(out, lacks_out, n, d, diameter) and _room(into, lacks_in, n, d, diameter)):
            continue
        if u == n - 1:
            found[count] = out
            count += 1
        else:
            u += 1
            highest[u] = top
    return count


def digraphs(n: int, d: int, diameter: int) -> Int64Array:
    """Heads of every such digraph, shape (digraphs, n, d), in ascending order of heads.

    Several may be isomorphic. Memory and time forbid anything but small or scarce graphs.

    >>> len(digraphs(7, 2, 2)), len(digraphs(4, 3, 1))
    (0, 1)
    """
    masks = np.array([sum(1 << v for v in c) for c in combinations(range(n), d)], dtype=np.int64)
    found = np.zeros((MOST, n), dtype=np.int64)
    sets = found[: _extend(n, d, diameter, masks, found)]
    members = sets[:, :, None] >> np.arange(n) & 1
    return np.nonzero(members)[2].reshape(len(sets), n, d)
