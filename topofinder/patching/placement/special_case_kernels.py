"""Kernels for small and for ring-shaped problems: all bijections, and Hamiltonian cycles.

Rotations (Posa 1976) find a Hamiltonian cycle: a path grows at its end; where it cannot, an edge
from its end into its middle turns the rest of the path round and gives a new end.
"""

from typing import Any

import numpy as np

from topofinder.kernels import copy_into, kernel
from topofinder.patching.placement.incidence_kernels import kept_at, may_sit


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


@kernel
def hamiltonian_cycle(start: Any, end: Any, path: Any, steps: int, seed: int) -> bool:
    """Fill `path` (n,) with the nodes of a Hamiltonian cycle in order, if one is found.

    `start` (n + 1,) and `end` are the rows of a two-way graph. Up to `steps` rotations and
    extensions are made; False says nothing about whether there is a cycle.
    """
    np.random.seed(seed)
    n = len(start) - 1
    place = np.full(n, -1, dtype=np.int64)
    path[0] = np.random.randint(n)
    place[path[0]], size = 0, 1
    for _ in range(steps):
        last = path[size - 1]
        width = start[last + 1] - start[last]
        if width == 0:
            return False
        shift, grown, closes = np.random.randint(width), False, False
        for i in range(width):
            w = end[start[last] + (i + shift) % width]
            if place[w] < 0:
                path[size], place[w] = w, size
                size += 1
                grown = True
                break
            closes = closes or place[w] == 0
        if grown:
            continue
        if size == n and closes:
            return True
        w = end[start[last] + shift]
        low, high = place[w] + 1, size - 1
        while low < high:
            path[low], path[high] = path[high], path[low]
            place[path[low]], place[path[high]] = low, high
            low, high = low + 1, high - 1
    return False
