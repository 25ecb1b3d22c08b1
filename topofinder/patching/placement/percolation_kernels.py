"""Percolation matching: a placement grows from a seed to the pairs with the most witnesses.

A placed node w on host g is a witness for putting node v on host h when the circuit between v
and w is in place between h and g. The pair with the most witnesses is placed next, the least
ambiguous first among equals, and so on (percolation graph matching; Yartseva and Grossglauser
2013). From one right seed this recovers a lattice, in less than a millisecond for 1024 nodes.
Pairs of equal rank come out oldest first: patches grow round, and their seams stay short.
"""

from typing import Any, NamedTuple

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.kernels import inner, kernel, random_below, seed_random, shuffle_entries
from topofinder.patching.placement.incidence_kernels import kept_at, may_sit

WITNESSES = 16
"""Pairs with more witnesses than this count as having this many."""
SHADES = 8
"""Among equals, pairs that had fewer rivals when they were proposed come first."""
POOL = 1 << 22
"""The most pairs that wait at a time; further ones are passed over."""


class WitnessQueue(NamedTuple):
    """Pairs that wait, by rank: a linked list for each number of witnesses and shade.

    `top[0]` is the highest rank that may hold a pair, `top[1]` how many slots of the pool are in
    use. `first` and `last` (ranks,) and `then` (pool,) link slots, -1 ends a list; `pair` (pool, 2)
    is (node, host).
    """

    top: Int64Array
    first: Int64Array
    last: Int64Array
    then: Int64Array
    pair: IntArray


def witness_queue(wiring: Any, target: Any) -> WitnessQueue:
    """An empty queue, large enough for one growth of the whole target unless POOL is reached."""
    widest = [int(np.diff(rows.start).max(initial=1)) for rows in (wiring, target)]
    pool = min(POOL, wiring.n * widest[0] * widest[1] + 1)
    ranks = (WITNESSES + 1) * SHADES
    return WitnessQueue(
        np.zeros(2, dtype=np.int64),
        np.full(ranks, -1, dtype=np.int64),
        np.full(ranks, -1, dtype=np.int64),
        np.empty(pool, dtype=np.int64),
        np.empty((pool, 2), dtype=np.int32),
    )


@inner
def empty_queue(waiting: Any) -> None:
    """Forget what waits."""
    waiting.top[:] = 0
    waiting.first[:] = -1


@inner
def push_pair(waiting: Any, witnesses: int, shade: int, v: int, h: int) -> None:
    """Let the pair (v, h) wait; the oldest of a rank comes out first."""
    slot = waiting.top[1]
    if slot == len(waiting.then):
        return
    rank = min(witnesses, WITNESSES) * SHADES + shade
    waiting.pair[slot, 0], waiting.pair[slot, 1] = v, h
    waiting.then[slot] = -1
    if waiting.first[rank] < 0:
        waiting.first[rank] = slot
    else:
        waiting.then[waiting.last[rank]] = slot
    waiting.last[rank] = slot
    waiting.top[0] = max(waiting.top[0], rank)
    waiting.top[1] = slot + 1


@inner
def pop_pair(waiting: Any) -> int:
    """The slot of a pair of the highest rank, taken out; -1 when none is left."""
    while waiting.first[waiting.top[0]] < 0:
        if waiting.top[0] == 0:
            return -1
        waiting.top[0] -= 1
    slot = waiting.first[waiting.top[0]]
    waiting.first[waiting.top[0]] = waiting.then[slot]
    return int(slot)


@inner
def count_rivals(rows: Any, taken: Any, v: int) -> int:
    """How many circuits of v lead to an end that is still free."""
    total = 0
    for entry in range(rows.start[v], rows.start[v + 1]):
        total += taken[rows.end[entry]] < 0
    return total


@inner
def support_neighbours(
    wiring: Any, target: Any, host: Any, node: Any, rules: Any, waiting: Any, v: int
) -> None:
    """Let a placed node v witness for its neighbours: every pair it supports comes to wait.

    Both rows are read from a point drawn by chance, which breaks ties.
    """
    h = host[v]
    row, place = target.start[v], wiring.start[h]
    length, width = target.start[v + 1] - row, wiring.start[h + 1] - place
    if length == 0 or width == 0:
        return
    ambiguity = count_rivals(target, host, v) * count_rivals(wiring, node, h) // target.colours**2
    shade = max(0, SHADES - 1 - ambiguity // 2)
    turn, shift = random_below(length), random_below(width)
    for i in range(length):
        entry = row + (i + turn) % length
        w = np.int64(target.end[entry])  # one type of nodes, so that kernels are compiled once
        if host[w] >= 0:
            continue
        for j in range(width):
            other = place + (j + shift) % width
            g = np.int64(wiring.end[other])
            if node[g] >= 0 or wiring.colour[other] != target.colour[entry]:
                continue
            if may_sit(rules, w, g):
                push_pair(waiting, kept_at(wiring, target, host, w, g), shade, w, g)


@inner
def grow_placement(wiring: Any, target: Any, host: Any, node: Any, rules: Any, waiting: Any) -> int:
    """Place the pairs that wait, and those they witness for; returns the circuits thus kept.

    `host` (n,) and `node` (n,) are inverse, -1 where free, and filled in place.
    """
    gained = 0
    while True:
        slot = pop_pair(waiting)
        if slot < 0:
            return gained
        v, h = np.int64(waiting.pair[slot, 0]), np.int64(waiting.pair[slot, 1])
        if host[v] >= 0 or node[h] >= 0:
            continue
        gained += kept_at(wiring, target, host, v, h)
        host[v], node[h] = h, v
        support_neighbours(wiring, target, host, node, rules, waiting, v)


@inner
def fill_rest(wiring: Any, target: Any, host: Any, node: Any, rules: Any) -> int:
    """Place whoever is left where there is room; the circuits thus kept, -1 if it did not fit."""
    nodes, hosts = list_free(host), list_free(node)
    shuffle_entries(hosts)
    fits = True
    for i in range(len(nodes)):
        fits = fits and may_sit(rules, nodes[i], hosts[i])
    if not fits:
        nodes = most_ports_first(nodes, sum_rows(rules.need))
        hosts = most_ports_first(hosts, sum_rows(rules.room))
    gained = 0
    for i in range(len(nodes)):
        v, h = nodes[i], hosts[i]
        if not may_sit(rules, v, h):
            return -1
        gained += kept_at(wiring, target, host, v, h)
        host[v], node[h] = h, v
    return gained


@inner
def list_free(partner: Any) -> Any:
    """The i with partner[i] < 0, ascending, int64: `np.flatnonzero` takes long to compile."""
    found, free = 0, np.empty(len(partner), np.int64)
    for i in range(len(partner)):
        if partner[i] < 0:
            free[found] = i
            found += 1
    return free[:found]


@inner
def sum_rows(table: Any) -> Any:
    """The sum of each row, int64: sums along an axis bring formatted errors with them."""
    sums = np.zeros(table.shape[0], np.int64)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            sums[i] += table[i, j]
    return sums


@inner
def most_ports_first(ends: Any, ports: Any) -> Any:
    """The ends by number of ports, most first, and as they stood among equals.

    Hosts that may play no node have fewer than none. Ports are few: this is quick, and a stable
    `np.argsort` takes two seconds to compile.
    """
    ordered = np.empty_like(ends)
    filled, least, most = 0, 0, 0
    for end in ends:
        least, most = min(least, ports[end]), max(most, ports[end])
    for number in range(most, least - 1, -1):
        for end in ends:
            if ports[end] == number:
                ordered[filled] = end
                filled += 1
    return ordered


@kernel
def percolate(
    wiring: Any, target: Any, host: Any, node: Any, rules: Any, waiting: Any, seed: int
) -> int:
    """Grow a placement from the pairs already in `host`; the circuits gained, -1 if none fits.

    `host` (n,) and `node` (n,) are inverse, -1 where free; both are filled in place. After -1
    they are not whole.
    """
    seed_random(seed)
    empty_queue(waiting)
    for v in range(len(host)):
        if host[v] >= 0:
            support_neighbours(wiring, target, host, node, rules, waiting, v)
    gained = grow_placement(wiring, target, host, node, rules, waiting)
    rest = fill_rest(wiring, target, host, node, rules)
    return gained + rest if rest >= 0 else -1
