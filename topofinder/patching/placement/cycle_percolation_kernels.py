"""Percolation along short cycles: of pairs with one witness, those near a second one come first.

One witness says little: its circuit may be one that was changed. Say that a witnesses for the pair
(v, h), circuits of v and h lead on to a free pair (w, g), and b witnesses for that one. Then the
target has a path a, v, w, b whose image the wiring has too, which changed circuits have by chance
alone. A row of a lattice begins in this way beside one that is placed already, where no pair has
two witnesses yet; with a circuit missing there the path of one circuit more does it (a square, or
two side by side, in place but for one circuit: with the fifth of all circuits changed, this leaves
few rows without a beginning). Pairs with two witnesses come first, as in plain percolation
(`percolation_kernels`), and those near no second one last.
"""

from typing import Any

import numpy as np

from topofinder.kernels import inner, kernel, seed_random
from topofinder.patching.placement.incidence_kernels import kept_at
from topofinder.patching.placement.percolation_kernels import (
    SHADES,
    empty_queue,
    fill_rest,
    pop_pair,
    push_pair,
    support_neighbours,
)

MOST_LOOKS = 128
"""Pairs that one growth looks at for their witnesses, for each host; after that no second one is
found. Lattices of 1024 hosts take 1 to 20."""
BEYOND, ALONE = 1, 0
"""Ranks for pairs with one witness: no second one across a circuit; nor across two."""


@inner
def meets_witness(
    wiring: Any,
    target: Any,
    host: Any,
    node: Any,
    pair: tuple[int, int],
    before: tuple[int, int],
    looks: Any,
) -> bool:
    """Whether a circuit leads from a pair of node and host to a free one that has a witness.

    The circuit does not lead back to the node or host of `before`. `looks` (1,) counts down the
    pairs looked at.
    """
    v, h = pair
    for entry in range(target.start[v], target.start[v + 1]):
        w = np.int64(target.end[entry])
        if host[w] >= 0 or w == before[0]:
            continue
        for other in range(wiring.start[h], wiring.start[h + 1]):
            g = np.int64(wiring.end[other])
            if node[g] >= 0 or g == before[1] or wiring.colour[other] != target.colour[entry]:
                continue
            looks[0] -= 1
            if kept_at(wiring, target, host, w, g) > 0:
                return True
    return False


@inner
def meets_witness_beyond(
    wiring: Any, target: Any, host: Any, node: Any, pair: tuple[int, int], looks: Any
) -> bool:
    """Whether two circuits lead from a pair of node and host, over a free one, to such a one."""
    v, h = pair
    for entry in range(target.start[v], target.start[v + 1]):
        w = np.int64(target.end[entry])
        if host[w] >= 0:
            continue
        for other in range(wiring.start[h], wiring.start[h + 1]):
            g = np.int64(wiring.end[other])
            if node[g] >= 0 or wiring.colour[other] != target.colour[entry] or looks[0] <= 0:
                continue
            if meets_witness(wiring, target, host, node, (w, g), pair, looks):
                return True
    return False


@inner
def waits_longer(
    wiring: Any, target: Any, host: Any, node: Any, waiting: Any, pair: tuple[int, int], looks: Any
) -> bool:
    """Whether a pair that has come out, with one witness, goes back to a lower rank.

    A second witness that appears there later needs no look at this pair again: it brings out the
    other end of the path, from where the path is seen too.
    """
    rank = waiting.top[0]
    if SHADES <= rank < 2 * SHADES:
        if looks[0] > 0 and meets_witness(wiring, target, host, node, pair, (-1, -1), looks):
            return False
        push_pair(waiting, 0, BEYOND, pair[0], pair[1])
        return True
    if rank == BEYOND:
        if looks[0] > 0 and meets_witness_beyond(wiring, target, host, node, pair, looks):
            return False
        push_pair(waiting, 0, ALONE, pair[0], pair[1])
        return True
    return False


@inner
def grow_along_cycles(
    wiring: Any, target: Any, host: Any, node: Any, rules: Any, waiting: Any, looks: Any, most: int
) -> tuple[int, int]:
    """Place pairs that wait, and those they witness for, up to `most`; the circuits thus kept.

    `host` (n,) and `node` (n,) are inverse, -1 where free, and filled in place. Returns the number
    placed too.
    """
    gained, placed = 0, 0
    while placed < most:
        slot = pop_pair(waiting)
        if slot < 0:
            break
        v, h = np.int64(waiting.pair[slot, 0]), np.int64(waiting.pair[slot, 1])
        if host[v] >= 0 or node[h] >= 0:
            continue
        if waits_longer(wiring, target, host, node, waiting, (v, h), looks):
            continue
        gained += kept_at(wiring, target, host, v, h)
        host[v], node[h] = h, v
        placed += 1
        support_neighbours(wiring, target, host, node, rules, waiting, v)
    return gained, placed


@kernel
def percolate_along_cycles(
    wiring: Any,
    target: Any,
    host: Any,
    node: Any,
    rules: Any,
    waiting: Any,
    looks: Any,
    most: int,
    seed: int,
) -> int:
    """Grow a placement from the pairs already in `host`; the circuits gained, -1 if none fits.

    `host` (n,) and `node` (n,) are inverse, -1 where free; both are filled in place. After -1
    they are not whole, nor where `most` nodes were placed before the pairs ran out. `looks` (1,),
    int64, holds the most pairs to look at and counts them down.
    """
    seed_random(seed)
    empty_queue(waiting)
    for v in range(len(host)):
        if host[v] >= 0:
            support_neighbours(wiring, target, host, node, rules, waiting, v)
    gained, placed = grow_along_cycles(wiring, target, host, node, rules, waiting, looks, most)
    if placed == most:
        return int(gained)
    rest = fill_rest(wiring, target, host, node, rules)
    return gained + rest if rest >= 0 else -1
