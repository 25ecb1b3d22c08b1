"""One Cayley digraph judged: layers from the identity and the exact load of every step.

Node x of Cay(G, S) has arcs to x s for s in S. By symmetry a receiver at the identity speaks for
all, and the shard of y comes to it as the word for y^-1 is spelt: at step t over the links s for
which y^-1 = w s with w in layer t - 1. With f(v) the set of such s for v in layer t, the busiest
link carries max over non-empty sets P of links of #{v : f(v) within P} / |P| (theorem 19).

Everything is an integer: with L = lcm(1..d), a step of k shards whose busiest link carries b/p
has the excess d L b/p - k L, which is 0 exactly when all links carry the same. Then
T_B = (N - 1)/N + (sum of the excesses)/(N L).
"""

import numpy as np

from topofinder.kernels import inner, kernel


@inner
def add_excesses(columns, picks, limits, excess_load, miss, scale, masks, order, inside):  # type: ignore[no-untyped-def]
    """Add the excesses of a generator list to `excess_load`; returns that sum, and the steps.

    `columns`, of shape (n, n): columns[s, x] = x s; `picks`, int64 of shape (d,): generators, none
    the identity 0; `scale`, int64 of shape (2^d,): d L / |P| for the set of links P, 0 for none.

    `limits`, int64 of shape (target + 1,), does not rise: the most that the sum may be at so many
    steps. Once it is sure to be more, the list is given up: a lower bound above the limit is
    returned, and -1 for the steps. With nodes not reached within `target` steps the steps are
    -1 as well, and each of those nodes adds `miss`.
    Scratch, overwritten: masks (uint16, (n,)), order (uint16, (n + 1,)), inside (int64, (2^d,)).
    """
    n, d, sets, target = columns.shape[1], len(picks), len(scale), len(limits) - 1
    unit = scale[sets - 1]
    for v in range(n):
        masks[v] = 0
    masks[0] = sets  # no set of links: the identity is never met again
    order[0] = 0
    begin, end, steps = np.int64(0), np.int64(1), 0  # else compiled for literals as well
    while end < n and steps < target and begin < end:
        filled = end
        for j in range(d):
            row, bit = columns[picks[j]], 1 << j
            for i in range(begin, end):
                y = np.uint16(row[order[i]])  # without a sign, which indices would be asked for
                order[filled] = y  # kept only if y is new; masks of older layers are not read again
                filled += masks[y] == 0
                masks[y] |= bit
        begin, end, steps = end, filled, steps + 1
        if steps > 1 or end < d + 1:  # else each link carries one node of the first layer
            excess_load += (
                _busiest_load(masks, order, begin, end, d, scale, inside) - (end - begin) * unit
            )
        if end < n:
            least = excess_load + miss * _least_missed(n, end, end - begin, d, target - steps)
            if least > limits[min(steps + 1, target)]:
                return least, -1
    if end < n:
        return excess_load + miss * (n - end), -1
    return excess_load, steps


@inner
def _busiest_load(masks, order, begin, end, d, scale, inside):  # type: ignore[no-untyped-def]
    """The load of the busiest link of one layer, times d L."""
    sets = len(scale)
    for links in range(sets):
        inside[links] = 0
    for i in range(begin, end):
        inside[masks[order[i]]] += 1
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
def add_both_ways(columns, inverse, picks, back, both, limits, miss, scale, masks, order, inside):  # type: ignore[no-untyped-def]
    """`add_excesses` of a generator list; with `both`, the excesses of the transpose are added.

    The transpose of Cay(G, S) is Cay(G, S^-1). `back` is scratch for the generators. One call for
    both ways compiles in half the time of two.
    """
    excess_load, steps = np.int64(0), np.int64(0)
    for way in range(2 if both else 1):
        if way and (steps < 0 or excess_load > limits[steps]):
            break
        for j in range(len(picks)):
            back[j] = inverse[picks[j]] if way else picks[j]
        excess_load, steps = add_excesses(
            columns, back, limits, excess_load, miss, scale, masks, order, inside
        )
    return excess_load, steps


@kernel
def sum_excesses(columns, picks, scale):  # type: ignore[no-untyped-def]
    """The sum of the excesses of one generator list and the number of steps, -1 if not connected.

    Shapes and scale as in `add_excesses`.
    """
    n = columns.shape[1]
    masks, order = np.empty(n, np.uint16), np.empty(n + 1, np.uint16)
    inside, limits = np.empty(len(scale), np.int64), np.full(n, np.int64(1) << 60)
    return add_excesses(
        columns, picks, limits, np.int64(0), np.int64(0), scale, masks, order, inside
    )
