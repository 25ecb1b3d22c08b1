"""The exact load of one receiver at one BFB step, from bit sets.

`balls[row]` is a set of nodes: those whose shard has come to some node by some step. What is new to
a receiver at a step can come over an in-link exactly when it is in the ball of the link's tail one
step before. The busiest link carries max over non-empty sets P of links of #{new shards that only
links of P can bring} / |P| (theorem 19 of Zhao et al.). Up to four links all sets are counted by
popcounts; for five to eight, shards are counted by the links that bring them (`link_set_kernels`).

Loads are in units of 1/lcm(1..d) of a shard: `scale[P]` is lcm(1..d) / |P|, 0 for no link.
"""

import numpy as np

from topofinder.discovery.link_set_kernels import busiest_load, clear_counts, count_word
from topofinder.kernels import inner, lowest_bit, popcount

FEW_BITS = 10
"""Up to so many new shards in a word are looked at one by one."""


@inner
def step_load(balls, now, before, layer, tails, first, d, scale, counts):  # type: ignore[no-untyped-def]
    """The load of the busiest in-link of a receiver, int64.

    `balls` (uint64, (rows, words)); `now` and `before`: rows of what the receiver has after and
    before the step; tails[first:first + d] (int32): the tails of its in-links, that of node w in
    row `layer` + w. `scale` (int64, (2^d,)); `counts` (uint64, (packed_words(d),)) is scratch.
    """
    if d == 1:
        return _load_of_one(balls, now, before, scale)
    if d == 2:
        return _load_of_two(balls, now, before, layer, tails, first, scale)
    if d == 3:
        return _load_of_three(balls, now, before, layer, tails, first, scale)
    if d == 4:
        return _load_of_four(balls, now, before, layer, tails, first, scale)
    return _load_of_many(balls, now, before, layer, tails, first, d, scale, counts)


@inner
def fill_loads(loads, balls, layer, tails, table, scale, counts):  # type: ignore[no-untyped-def]
    """The loads of all receivers at one step: `loads` (int32, (n,)), as `step_load` tells each.

    Rows of `balls` from `layer` on are what nodes have before the step, n rows later after it; the
    tails of node u stand from tails[table + u d] on. A loop for each degree takes a tenth of the
    time of one that asks for the degree at each node.
    """
    n, d = len(loads), lowest_bit(len(scale))
    if d == 1:
        for u in range(n):
            loads[u] = _load_of_one(balls, layer + n + u, layer + u, scale)
    elif d == 2:
        for u in range(n):
            place = table + 2 * u
            loads[u] = _load_of_two(balls, layer + n + u, layer + u, layer, tails, place, scale)
    elif d == 3:
        for u in range(n):
            place = table + 3 * u
            loads[u] = _load_of_three(balls, layer + n + u, layer + u, layer, tails, place, scale)
    elif d == 4:
        for u in range(n):
            place = table + 4 * u
            loads[u] = _load_of_four(balls, layer + n + u, layer + u, layer, tails, place, scale)
    else:
        for u in range(n):
            place, now = table + d * u, layer + n + u
            loads[u] = _load_of_many(balls, now, layer + u, layer, tails, place, d, scale, counts)


@inner
def _load_of_one(balls, now, before, scale):  # type: ignore[no-untyped-def]
    count = 0
    for k in range(balls.shape[1]):
        count += popcount(balls[now, k] & ~balls[before, k])
    return count * scale[1]


@inner
def _load_of_two(balls, now, before, layer, tails, first, scale):  # type: ignore[no-untyped-def]
    a, b = layer + tails[first], layer + tails[first + 1]
    whole, only_a, only_b = 0, 0, 0
    for k in range(balls.shape[1]):
        new = balls[now, k] & ~balls[before, k]
        whole += popcount(new)
        only_a += popcount(new & ~balls[b, k])
        only_b += popcount(new & ~balls[a, k])
    return max(whole * scale[3], max(only_a, only_b) * scale[1])


@inner
def _load_of_three(balls, now, before, layer, tails, first, scale):  # type: ignore[no-untyped-def]
    a, b, c = layer + tails[first], layer + tails[first + 1], layer + tails[first + 2]
    whole, one, other, third, ab, bc, ca = 0, 0, 0, 0, 0, 0, 0
    for k in range(balls.shape[1]):
        new = balls[now, k] & ~balls[before, k]
        no_a, no_b, no_c = new & ~balls[a, k], new & ~balls[b, k], new & ~balls[c, k]
        whole += popcount(new)
        bc += popcount(no_a)
        ca += popcount(no_b)
        ab += popcount(no_c)
        one += popcount(no_b & no_c)
        other += popcount(no_c & no_a)
        third += popcount(no_a & no_b)
    return max(
        whole * scale[7], max(ab, max(bc, ca)) * scale[3], max(one, max(other, third)) * scale[1]
    )


@inner
def _load_of_four(balls, now, before, layer, tails, first, scale):  # type: ignore[no-untyped-def]
    a, b = layer + tails[first], layer + tails[first + 1]
    c, d = layer + tails[first + 2], layer + tails[first + 3]
    whole, one, other, third, last = 0, 0, 0, 0, 0
    no_1, no_2, no_3, no_4, no_12, no_13, no_14, no_23, no_24, no_34 = 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    for k in range(balls.shape[1]):
        new = balls[now, k] & ~balls[before, k]
        no_a, no_b = new & ~balls[a, k], new & ~balls[b, k]
        no_c, no_d = new & ~balls[c, k], new & ~balls[d, k]
        no_ab, no_cd = no_a & no_b, no_c & no_d
        whole += popcount(new)
        no_1 += popcount(no_a)
        no_2 += popcount(no_b)
        no_3 += popcount(no_c)
        no_4 += popcount(no_d)
        no_12 += popcount(no_ab)
        no_13 += popcount(no_a & no_c)
        no_14 += popcount(no_a & no_d)
        no_23 += popcount(no_b & no_c)
        no_24 += popcount(no_b & no_d)
        no_34 += popcount(no_cd)
        one += popcount(no_b & no_cd)
        other += popcount(no_a & no_cd)
        third += popcount(no_ab & no_d)
        last += popcount(no_ab & no_c)
    triples = max(max(no_1, no_2), max(no_3, no_4))
    pairs = max(max(max(no_12, no_13), max(no_14, no_23)), max(no_24, no_34))
    singles = max(max(one, other), max(third, last))
    return max(
        max(whole * scale[15], triples * scale[7]), max(pairs * scale[3], singles * scale[1])
    )


@inner
def _load_of_many(balls, now, before, layer, tails, first, d, scale, counts):  # type: ignore[no-untyped-def]
    fields = clear_counts(counts)
    for k in range(balls.shape[1]):
        new = balls[now, k] & ~balls[before, k]
        if new == 0:
            continue
        if popcount(new) <= FEW_BITS:
            while new:
                bit, chosen = np.uint64(lowest_bit(new)), np.uint64(0)
                new &= new - np.uint64(1)
                for i in range(d):
                    known = balls[layer + tails[first + i], k] >> bit & np.uint64(1)
                    chosen |= known << np.uint64(i)
                fields[chosen] += np.uint16(1)
            continue
        count_word(
            balls[layer + tails[first], k] & new,
            balls[layer + tails[first + 1], k] & new,
            balls[layer + tails[first + 2], k] & new,
            balls[layer + tails[first + 3], k] & new,
            balls[layer + tails[first + 4], k] & new,
            balls[layer + tails[first + 5], k] & new if d > 5 else np.uint64(0),
            balls[layer + tails[first + 6], k] & new if d > 6 else np.uint64(0),
            balls[layer + tails[first + 7], k] & new if d > 7 else np.uint64(0),
            fields,
        )
    fields[0] = 0
    return busiest_load(counts, scale)


@inner
def widen_ball(balls, out, layer, u, tails, first, d):  # type: ignore[no-untyped-def]
    """Row `out` becomes the ball of u one step later; that of node w is row `layer` + w."""
    own, tail = layer + u, layer + tails[first]
    for k in range(balls.shape[1]):
        balls[out, k] = balls[own, k] | balls[tail, k]
    for i in range(1, d):
        tail = layer + tails[first + i]
        for k in range(balls.shape[1]):
            balls[out, k] |= balls[tail, k]


@inner
def ball_size(balls, row):  # type: ignore[no-untyped-def]
    """How many nodes a ball holds."""
    count = 0
    for k in range(balls.shape[1]):
        count += popcount(balls[row, k])
    return count
