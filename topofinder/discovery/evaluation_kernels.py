"""One Cayley digraph judged: layers from the identity and the exact load of every step.

Node x of Cay(G, S) has arcs to x s for s in S. By symmetry a receiver at the identity speaks for
all, and the shard of y comes to it as the word for y^-1 is spelt: at step t over the links s for
which y^-1 = w s with w in layer t - 1. With f(v) the set of such s for v in layer t, the busiest
link carries max over non-empty sets P of links of #{v : f(v) within P} / |P| (theorem 19).

Everything is an integer: with L = lcm(1..d), a step of k shards whose busiest link carries b/p
has the excess d L b/p - k L, which is 0 exactly when all links carry the same. Then
T_B = (N - 1)/N + (sum of the excesses)/(N L).

In groups of at most 64 elements a layer is a word, and its product with a generator one look-up a
byte.
"""

import numpy as np

from topofinder.kernels import always_inline, inner, kernel, popcount

BYTE = np.uint64(255)
EIGHT = np.uint64(8)
FEW_MISSED = 64
"""Where no more than one of so many nodes that are left may be missed, the last layer is sought
from these: a list that misses more is given up after a few of them."""


@inner
def add_excesses(  # type: ignore[no-untyped-def]
    columns, picks, turned, limits, excess_load, miss, scale, masks, order, inside
):
    """Add the excesses of a generator list to `excess_load`; returns that sum, and the steps.

    `columns`, of shape (n, n): columns[s, x] = x s; `picks`, int64 of shape (d,): generators, none
    the identity 0; `turned`: their inverses; `scale`, int64 of shape (2^d,): d L / |P| for the set
    of links P, 0 for none.

    `limits`, int64 of shape (target + 1,), does not rise: the most that the sum may be at so many
    steps. Once it is sure to be more, the list is given up: a lower bound above the limit is
    returned, and -1 for the steps: also within a layer, where the links that are left cannot bring
    enough, or more nodes have no in-neighbour that is reached. With nodes not reached within
    `target` steps the steps are -1 as well, and each of those nodes adds `miss`.
    Scratch, overwritten: masks (uint16, (n,)), order (uint16, (n + 1,)), inside (int64, (2^d,)).
    """
    n, d, sets, target = columns.shape[1], len(picks), len(scale), len(limits) - 1
    unit = scale[sets - 1]
    for v in range(n):
        masks[v] = 0
    masks[0] = sets  # no set of links: the identity is never met again
    order[0] = 0
    left = np.int64(0)
    begin, end, steps = np.int64(0), np.int64(1), 0  # else compiled for literals as well
    while end < n and steps < target and begin < end:
        filled = end
        if steps + 1 == target:
            most = (limits[target] - excess_load) // max(miss, 1)
            if FEW_MISSED * most < n - end:
                missed = _count_last(columns, turned, masks, most, inside)
                if missed > most:
                    return excess_load + miss * missed, -1
                met = n - end - missed
                if steps > 0 or n - missed < d + 1:
                    excess_load += _busiest_load(inside, d, scale) - met * unit
                end, steps = end + met, target
                break
        for j in range(d):
            row, bit = columns[picks[j]], 1 << j
            for i in range(begin, end):
                y = np.uint16(row[order[i]])  # without a sign, which indices would be asked for
                order[filled] = y  # kept only if y is new; masks of older layers are not read again
                filled += masks[y] == 0
                masks[y] |= bit
            most = filled - end + (d - 1 - j) * (end - begin)
            left = miss * _least_missed(n, end + most, most, d, target - steps - 1)
            if excess_load + left > limits[min(steps + 1, target)]:
                return excess_load + left, -1
        begin, end, steps = end, filled, steps + 1
        if end < n:
            left = miss * _least_missed(n, end, end - begin, d, target - steps)
            if excess_load + left > limits[min(steps + 1, target)]:
                return excess_load + left, -1
        if steps > 1 or end < d + 1:  # else each link carries one node of the first layer
            for links in range(sets):
                inside[links] = 0
            for i in range(begin, end):
                inside[masks[order[i]]] += 1
            excess_load += _busiest_load(inside, d, scale) - (end - begin) * unit
            if end < n and excess_load + left > limits[min(steps + 1, target)]:
                return excess_load + left, -1
    if end < n:
        return excess_load + miss * (n - end), -1
    return excess_load, steps


@inner
def _count_last(columns, turned, masks, most, inside):  # type: ignore[no-untyped-def]
    """inside[P]: nodes that the last layer adds over the links P; returns how many it misses.

    It goes from the nodes that are left to their in-neighbours, which are of the layer before or
    left themselves, and gives up where more than `most` have none: mostly after a few.
    """
    n, d, missed = columns.shape[1], len(turned), 0
    for links in range(len(inside)):
        inside[links] = 0
    for y in range(n):
        if masks[y] == 0:
            senders = 0
            for j in range(d):
                senders |= int(masks[columns[turned[j], y]] != 0) << j
            inside[senders] += 1
            if senders == 0:
                missed += 1
                if missed > most:
                    break
    inside[0] = 0
    return missed


@inner
def add_word_excesses(words, picks, limits, excess_load, miss, scale, union):  # type: ignore[no-untyped-def]
    """`add_excesses` in a group of at most 64 elements, whose layers are words.

    `words`, uint64 of shape (n, bytes, 256): words[s, k, b] holds x s for every x that is a bit of
    b << 8 k. Scratch, overwritten: union (uint64, (2^d,)), what a set of links brings.
    """
    n, d, sets, target = len(words), len(picks), len(scale), len(limits) - 1
    unit = scale[sets - 1]
    layer, ball = np.uint64(1), np.uint64(1)
    left = np.int64(0)
    reached, met, steps = np.int64(1), np.int64(1), 0
    union[0] = np.uint64(0)
    while reached < n and steps < target and met > 0:
        for j in range(d):
            image = np.uint64(1) << np.uint64(picks[j])
            if steps > 0:
                image = _multiply_layer(words, picks[j], layer)
            image &= ~ball
            for links in range(1 << j):
                union[links | 1 << j] = union[links] | image
        layer = union[sets - 1]
        ball |= layer
        met = popcount(layer)
        reached, steps = reached + met, steps + 1
        if reached < n:
            left = miss * _least_missed(n, reached, met, d, target - steps)
            if excess_load + left > limits[min(steps + 1, target)]:
                return excess_load + left, -1
        if steps > 1 or reached < d + 1:  # else each link carries one node of the first layer
            most = np.int64(0)
            for links in range(1, sets):
                most = max(most, popcount(layer & ~union[sets - 1 - links]) * scale[links])
            excess_load += most - met * unit
            if reached < n and excess_load + left > limits[min(steps + 1, target)]:
                return excess_load + left, -1
    if reached < n:
        return excess_load + miss * (n - reached), -1
    return excess_load, steps


@always_inline
def _multiply_layer(words, s, layer):  # type: ignore[no-untyped-def]
    """The elements x s for x in a layer, as a word."""
    image = np.uint64(0)
    for k in range(words.shape[1]):
        image |= words[s, k, layer & BYTE]
        layer >>= EIGHT
    return image


@inner
def _busiest_load(inside, d, scale):  # type: ignore[no-untyped-def]
    """The load of the busiest link of one layer, times d L; inside[P]: its nodes over links P."""
    sets = len(scale)
    for j in range(d):
        bit = 1 << j
        for links in range(sets):
            if links & bit:
                inside[links] += inside[links ^ bit]
    most = 0
    for links in range(sets):
        most = max(most, inside[links] * scale[links])
    return most


@inner
def _least_missed(n, reached, layer, d, steps):  # type: ignore[no-untyped-def]
    """Least number of nodes beyond reach when every layer is at most d times the one before."""
    for _ in range(steps):
        if reached >= n:
            return 0
        layer *= d
        reached += layer
    return max(n - reached, 0)


@inner
def add_both_ways(  # type: ignore[no-untyped-def]
    columns, inverse, words, picks, back, both, limits, miss, scale, masks, order, inside, union
):
    """`add_excesses` of a generator list; with `both`, the excesses of the transpose are added.

    The transpose of Cay(G, S) is Cay(G, S^-1). `back`, int64 (2, d), is scratch for both. One call
    for both ways compiles in half the time of two. Where `words` are None, only what works without
    them is compiled, else only what works with them.
    """
    excess_load, steps = np.int64(0), np.int64(0)
    for way in range(2 if both else 1):
        if way and (steps < 0 or excess_load > limits[steps]):
            break
        for j in range(len(picks)):
            back[way, j], back[1 - way, j] = inverse[picks[j]], picks[j]
        chosen, turned = back[1], back[0]
        if words is None:
            excess_load, steps = add_excesses(
                columns, chosen, turned, limits, excess_load, miss, scale, masks, order, inside
            )
        else:
            excess_load, steps = add_word_excesses(
                words, chosen, limits, excess_load, miss, scale, union
            )
    return excess_load, steps


@kernel
def sum_excesses(columns, picks, scale):  # type: ignore[no-untyped-def]
    """The sum of the excesses of one generator list and the number of steps, -1 if not connected.

    Shapes and scale as in `add_excesses`.
    """
    n = columns.shape[1]
    masks, order = np.empty(n, np.uint16), np.empty(n + 1, np.uint16)
    inside, limits = np.empty(len(scale), np.int64), np.full(n + 1, np.int64(1) << 60)
    return add_excesses(  # no layer is the last, for which inverses would be asked
        columns, picks, picks, limits, np.int64(0), np.int64(0), scale, masks, order, inside
    )
