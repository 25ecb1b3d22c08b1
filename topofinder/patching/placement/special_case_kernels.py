"""The best placement of ten nodes or fewer, by branch and bound over all bijections."""

from typing import Any

import numpy as np

from topofinder.kernels import copy_into, kernel
from topofinder.patching.placement.incidence import kept_at
from topofinder.patching.rules import may_sit

LARGEST = 10
"""Hosts of the largest questions that are searched through."""


@kernel
def best_bijection(wiring: Any, target: Any, host: Any, rules: Any, least: int) -> int:
    """The most circuits that any lawful placement keeps, if that is more than `least`.

    `host` (n,) is a lawful bijection, and modified in place when a better one is found; nodes that
    the rules fix stay. Returns the circuits kept by it, or `least` when nothing better exists.
    Nodes are placed in turn; a branch is cut when all circuits that are still open could not make
    it better.
    """
    n = len(host)
    free = np.flatnonzero(~rules.fixed)
    now = np.where(rules.fixed, host, -1)
    taken = np.zeros(n, dtype=np.bool_)
    settled = 0
    for v in range(n):
        if now[v] >= 0:
            taken[now[v]] = True
            settled += kept_at(wiring, target, now, v, now[v])
    settled //= 2
    # `open_after[i]`: circuits with an end among free[i:], the most that the rest can still add.
    open_after = np.zeros(len(free) + 1, dtype=np.int64)
    later = np.zeros(n, dtype=np.bool_)
    for i in range(len(free) - 1, -1, -1):
        open_after[i] = open_after[i + 1]
        v = free[i]
        for entry in range(target.start[v], target.start[v + 1]):
            if not later[target.end[entry]]:
                open_after[i] += target.mult[entry]
        later[v] = True
    kept = np.zeros(len(free) + 1, dtype=np.int64)
    kept[0] = settled
    at = np.zeros(len(free) + 1, dtype=np.int64)
    best, depth = least, 0
    while depth >= 0:
        if depth == len(free):
            if kept[depth] > best:
                best = kept[depth]
                copy_into(host, now)
            depth -= 1
            continue
        v = free[depth]
        if now[v] >= 0:
            taken[now[v]] = False
            now[v] = -1
        if at[depth] == n or kept[depth] + open_after[depth] <= best:
            at[depth] = 0
            depth -= 1
            continue
        h = at[depth]
        at[depth] += 1
        if taken[h] or not may_sit(rules, v, h):
            continue
        kept[depth + 1] = kept[depth] + kept_at(wiring, target, now, v, h)
        now[v], taken[h] = h, True
        depth += 1
        if depth < len(free):
            at[depth] = 0
    return int(best)
