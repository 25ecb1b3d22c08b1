"""How much of a target is in place, counted on incidence rows: the kernels that all searches share.

`wiring` and `target` are incidence rows of as many ends, `host` (n,) is a placement, -1 where a
node is not placed yet.
"""

from typing import Any

import numpy as np

from topofinder.kernels import inner, kernel

BISECT = 24
"""Rows longer than this are searched by halving."""


@inner
def may_sit(rules: Any, v: int, h: int) -> bool:
    """Whether host h has the fibres that node v needs, for kernels."""
    return bool(rules.need[v, 0] <= rules.room[h, 0] and rules.need[v, 1] <= rules.room[h, 1])


@inner
def count_parallels(wiring: Any, host: int, key: int) -> int:
    """How many circuits the row of a host holds under a key."""
    low, high = wiring.start[host], wiring.start[host + 1]
    while high - low > BISECT:
        middle = (low + high) // 2
        if wiring.key[middle] <= key:
            low = middle
        else:
            high = middle
    for entry in range(low, high):
        if wiring.key[entry] == key:
            return int(wiring.mult[entry])
    return 0


@inner
def kept_at(wiring: Any, target: Any, host: Any, node: int, place: int) -> int:
    """Circuits of a node that are in place if it were played by `place`; host -1 is nobody yet."""
    total = 0
    for entry in range(target.start[node], target.start[node + 1]):
        other = host[target.end[entry]]
        if other >= 0:
            key = other * wiring.colours + target.colour[entry]
            total += min(target.mult[entry], count_parallels(wiring, place, key))
    return total


@inner
def kept_between(wiring: Any, target: Any, host: Any, node: int, other: int) -> int:
    """Circuits between two nodes that are in place."""
    total = 0
    for entry in range(target.start[node], target.start[node + 1]):
        if target.end[entry] == other:
            key = host[other] * wiring.colours + target.colour[entry]
            total += min(target.mult[entry], count_parallels(wiring, host[node], key))
    return total


@inner
def count_kept(wiring: Any, target: Any, host: Any) -> int:
    """Circuits of the target that are in place; each is seen from both ends."""
    total = 0
    for node in range(len(host)):
        if host[node] >= 0:
            total += kept_at(wiring, target, host, node, host[node])
    return total // 2


@kernel
def kept_in_place(wiring: Any, target: Any, host: Any) -> int:
    """Circuits of the target that are in place, for `host` (n,) as a placement; callable."""
    return int(count_kept(wiring, target, host))


@kernel
def spread_likeness(wiring: Any, target: Any, before: Any, after: Any) -> None:
    """`after[v, h]` (n, n): the sum over circuits of v of the best likeness across one of h."""
    n = len(before)
    for v in range(n):
        for h in range(n):
            total = np.float32(0)
            for entry in range(target.start[v], target.start[v + 1]):
                w, best = target.end[entry], np.float32(-1e9)
                for other in range(wiring.start[h], wiring.start[h + 1]):
                    if wiring.colour[other] == target.colour[entry]:
                        best = max(best, before[w, wiring.end[other]])
                if best > np.float32(-1e8):
                    total += best
            after[v, h] = total
