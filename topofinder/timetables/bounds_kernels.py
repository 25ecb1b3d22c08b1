"""Kernel of the bounds: exact distances to one node, for lengths that are whole numbers."""

import numpy as np

from topofinder.kernels import kernel


@kernel
def distances_to(target, start, tail, length):  # type: ignore[no-untyped-def]
    """The distance of every node to `target`, int64 of shape (n,); -1 where no way leads.

    Arcs are grouped by head: those into v are start[v], ..., start[v + 1] - 1. Lengths are at
    least 0. Distances are corrected until none is too long, first in first out (Moore).
    """
    n = len(start) - 1
    found, waits = np.full(n, -1, np.int64), np.zeros(n, np.bool_)
    queue = np.empty(n, np.int64)
    queue[0], found[target], waits[target] = target, 0, True
    first, count = 0, 1
    while count > 0:
        v = queue[first]
        first = first + 1 if first + 1 < n else 0
        count -= 1
        waits[v] = False
        for j in range(start[v], start[v + 1]):
            u, far = tail[j], found[v] + length[j]
            if found[u] < 0 or far < found[u]:
                found[u] = far
                if not waits[u]:
                    waits[u] = True
                    at = first + count
                    queue[at if at < n else at - n] = u
                    count += 1
    return found
