"""Anneals small regular digraphs towards a cheap breadth-first broadcast, with compiled loops.

A graph with a fold of k is kept by the automorphism that carries node a k + s to a k + (s + 1
mod k), for all a at once. It is given by `rows`, shape (n / k, d): the heads of the nodes a k.
Graphs stay regular, simple and free of loops. n is at most 63, d at most 5.
"""

import numpy as np
from numba import njit

from topofinder.kernels import popcount

UNIT = 60
"""Loads are counted in 1/60 of a shard: a multiple of every number of links up to 5."""
APART = 40
"""What a pair of nodes adds to the energy that is still apart after the last step."""


@njit(cache=True)
def unfold(rows, fold):
    """The heads of every node, shape (n, d)."""
    orbits, d = rows.shape
    heads = np.empty((orbits * fold, d), np.int64)
    for a in range(orbits):
        for s in range(fold):
            for i in range(d):
                v = rows[a, i]
                heads[a * fold + s, i] = v // fold * fold + (v % fold + s) % fold
    return heads


@njit(cache=True)
def transpose_heads(heads):
    """The heads of the transpose: the in-neighbours of every node."""
    tails, filled = np.empty_like(heads), np.zeros(len(heads), np.int64)
    for u in range(len(heads)):
        for v in heads[u]:
            tails[v, filled[v]] = u
            filled[v] += 1
    return tails


@njit(cache=True)
def loads(tails, steps):
    """Busiest loads by step, the sum of all loads, and the pairs of nodes apart afterwards.

    `tails` are in-neighbours. By theorem 19 the load of a receiver is the most, over sets P of
    its in-links, of the shards that only P can bring, over |P|.
    """
    n, d = tails.shape
    reach, after = np.empty(n, np.int64), np.empty(n, np.int64)
    busiest, total = np.zeros(steps, np.int64), 0
    union, size = np.zeros(1 << d, np.int64), np.zeros(1 << d, np.int64)
    for mask in range(1, 1 << d):
        size[mask] = size[mask >> 1] + (mask & 1)
    for u in range(n):
        reach[u] = 1 << u
    for step in range(steps):
        for u in range(n):
            for i in range(d):
                bits, low = reach[tails[u, i]], 1 << i
                for mask in range(low):
                    union[low | mask] = union[mask] | bits
            fresh = union[(1 << d) - 1] & ~reach[u]
            after[u] = reach[u] | fresh
            load = 0
            for others in range((1 << d) - 1):
                only = popcount(np.uint64(fresh & ~union[others]))
                load = max(load, only * (UNIT // (d - size[others])))
            total += load
            busiest[step] = max(busiest[step], load)
        reach, after = after, reach
    apart = 0
    for u in range(n):
        apart += n - popcount(np.uint64(reach[u]))
    return busiest, total, apart


@njit(cache=True)
def energy(heads, steps, both):
    """The busiest loads, a little of all loads, and the pairs apart; with `both`, each way."""
    busiest, total, apart = loads(transpose_heads(heads), steps)
    value = busiest.sum() + total / (2 * len(heads)) + APART * apart
    if both:
        busiest, total, apart = loads(heads, steps)
        value += busiest.sum() + total / (2 * len(heads)) + APART * apart
    return value


@njit(cache=True)
def _accepts(now, then, heat):
    return then <= now or np.random.random() < np.exp((now - then) / heat)


@njit(cache=True)
def _faulty(rows, fold, a):
    """Whether the nodes of orbit a have a loop or parallel arcs."""
    for i in range(rows.shape[1]):
        if rows[a, i] == a * fold:
            return True
        for j in range(i):
            if rows[a, i] == rows[a, j]:
                return True
    return False


@njit(cache=True)
def anneal(rows, fold, steps, both, moves, heats, goal, seed):
    """Change `rows` in place, cooling from heats[0] to heats[1], until its energy meets `goal`.

    A move lets two arcs exchange the orbits of their heads and shifts both at random. The first
    tenth of the moves are all accepted. `rows` is at last the graph of least energy met.
    """
    np.random.seed(seed)
    orbits, d = rows.shape
    now = energy(unfold(rows, fold), steps, both)
    least, best = now, rows.copy()
    for move in range(moves):
        if least <= goal:
            break
        heat = heats[0] * (heats[1] / heats[0]) ** (move / moves)
        a, b = np.random.randint(orbits), np.random.randint(orbits)
        i, j = np.random.randint(d), np.random.randint(d)
        v, w = rows[a, i], rows[b, j]
        rows[a, i] = w // fold * fold + np.random.randint(fold)
        if a != b or i != j:
            rows[b, j] = v // fold * fold + np.random.randint(fold)
        if not (_faulty(rows, fold, a) or _faulty(rows, fold, b)):
            then = energy(unfold(rows, fold), steps, both)
            if move < moves // 10 or _accepts(now, then, heat):
                now = then
                if now < least:
                    least, best = now, rows.copy()
                continue
        rows[b, j] = w
        rows[a, i] = v  # last: both may be the same arc
    rows[:] = best


@njit(cache=True)
def _sends(heads, u, v):
    return (heads[u] == v).any()


@njit(cache=True)
def _turn(heads, u, old, new):
    for i in range(heads.shape[1]):
        if heads[u, i] == old:
            heads[u, i] = new
            return


@njit(cache=True)
def _exchange(heads, u, v, x, y):
    """Circuits u-v and x-y become u-y and x-v."""
    _turn(heads, u, v, y)
    _turn(heads, y, x, u)
    _turn(heads, x, y, v)
    _turn(heads, v, u, x)


@njit(cache=True)
def anneal_circuits(heads, steps, moves, heats, goal, seed):
    """The same for a two-way graph, without a fold: two circuits exchange their ends."""
    np.random.seed(seed)
    n, d = heads.shape
    now = energy(heads, steps, False)
    least, best = now, heads.copy()
    for move in range(moves):
        if least <= goal:
            break
        heat = heats[0] * (heats[1] / heats[0]) ** (move / moves)
        u, x = np.random.randint(n), np.random.randint(n)
        v, y = heads[u, np.random.randint(d)], heads[x, np.random.randint(d)]
        if u in (x, y) or v in (x, y) or _sends(heads, u, y) or _sends(heads, x, v):
            continue
        _exchange(heads, u, v, x, y)
        then = energy(heads, steps, False)
        if move < moves // 10 or _accepts(now, then, heat):
            now = then
            if now < least:
                least, best = now, heads.copy()
        else:
            _exchange(heads, u, y, x, v)
    heads[:] = best
