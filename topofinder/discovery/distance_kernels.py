"""Annealing of generator lists for a small sum of distances (Kirkpatrick, Gelatt and Vecchi 1983).

A generator at a time is drawn anew. A list that is worse is kept where its sum is above by no more
than a level that is drawn, of levels that fall from step to step.
"""

import numpy as np

from topofinder.kernels import copy_into, inner, kernel, random_below, seed_random

UNREACHED = 1 << 20
"""What an element counts that no product of generators is."""


@inner
def _sum_distances(columns, picks, hops, queue):  # type: ignore[no-untyped-def]
    """The sum of distances from the identity to all elements."""
    hops[:] = -1
    hops[0], queue[0] = 0, 0
    done, known, total = 0, 1, 0
    while done < known:
        x = queue[done]
        done += 1
        for k in range(len(picks)):
            y = columns[picks[k], x]
            if hops[y] < 0:
                hops[y] = hops[x] + 1
                total += hops[y]
                queue[known] = y
                known += 1
    return total + UNREACHED * (len(hops) - known)


@kernel
def anneal_distances(columns, d, levels, seed, chosen):  # type: ignore[no-untyped-def]
    """The least sum of distances found; into `chosen`, int64 (d,), go the generators that have it.

    `columns[s, x]` is x s, int16 (n, n). `levels`, int64, has an entry a step: by how much the sum
    may rise at it, at most.
    """
    seed_random(seed)
    n = len(columns)
    hops, queue = np.empty(n, np.int64), np.empty(n, np.int64)
    picks = np.empty(d, np.int64)
    for k in range(d):
        picks[k] = 1 + random_below(n - 1)
    total = _sum_distances(columns, picks, hops, queue)
    best = total
    copy_into(chosen, picks)
    for step in range(len(levels)):
        at = random_below(d)
        old = picks[at]
        picks[at] = 1 + random_below(n - 1)
        found = _sum_distances(columns, picks, hops, queue)
        if found > total + levels[step]:
            picks[at] = old
            continue
        total = found
        if total < best:
            best = total
            copy_into(chosen, picks)
    return best
