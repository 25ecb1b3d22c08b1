"""Search over the generator lists of one group: hill climbing with restarts, or all in turn.

A climb draws one generator (with its inverse, where circuits are two-way) anew, and keeps the list
when the graph is no worse. Evaluation stops as soon as the graph is sure to be worse. An exhaustive
search goes through all lists, multisets of generators, in lexical order.
"""

import numpy as np

from topofinder.discovery.evaluation_kernels import add_both_ways
from topofinder.kernels import GOLDEN, borrow, copy_into, inner, kernel, mix64


@inner
def draw_integer(state, bound):  # type: ignore[no-untyped-def]
    """The next pseudo-random integer in 0..bound-1 (splitmix64; state is a uint64 array)."""
    state[0] += GOLDEN
    return np.int64((mix64(state[0]) >> np.uint64(33)) % np.uint64(bound))


@inner
def redraw_generator(picks, inverse, singles, paired, pairs, at, state):  # type: ignore[no-untyped-def]
    """Draw the generator at one place anew; the first 2 `pairs` places hold s and s^-1 in turn."""
    if at < 2 * pairs:
        s = paired[draw_integer(state, len(paired))]
        picks[at & ~1], picks[at | 1] = s, inverse[s]
    else:
        picks[at] = singles[draw_integer(state, len(singles))]


@kernel
def climb_lists(  # type: ignore[no-untyped-def]
    columns, inverse, words, layout, both, miss, scale, trials, stall, state, best, chosen
):
    """Judge up to `trials` generator lists; returns how many. Stops at a sum of excesses of 0.

    `columns`, `inverse`, `words`: a GroupTable; `layout`: the ListLayout of lists to draw from;
    `both`: excesses of the transpose count too;
    `stall`: trials without gain before a restart; `miss`, `scale` as in `add_excesses`.
    `state` (uint64, (1,)) is the random state, changed in place.
    best[t] (int64, (target + 1,)) and chosen[t] (int64, (target + 1, d)) are improved in place:
    the least sum of excesses found at diameter t, and the list that has it.
    """
    pairs = layout.pairs
    singles, paired = borrow(layout.singles), borrow(layout.paired)
    columns, inverse, scale, state = borrow(columns), borrow(inverse), borrow(scale), borrow(state)
    n, d = columns.shape[1], chosen.shape[1]
    masks, order = np.empty(n, np.uint16), np.empty(n + 1, np.uint16)
    union = np.empty(len(scale), np.uint64)
    inside, limits = np.empty(len(scale), np.int64), np.empty(len(best), np.int64)
    picks, old = np.zeros(d, np.int64), np.empty(d, np.int64)
    back = np.empty((2, d), np.int64)
    done, idle = 0, stall
    while done < trials:
        copy_into(old, picks)
        if idle >= stall:
            idle, limits[:] = 0, np.int64(1) << 60
            for at in range(d):
                redraw_generator(picks, inverse, singles, paired, pairs, at, state)
        else:
            redraw_generator(picks, inverse, singles, paired, pairs, draw_integer(state, d), state)
        excess_load, steps = add_both_ways(
            columns,
            inverse,
            words,
            picks,
            back,
            both,
            limits,
            miss,
            scale,
            masks,
            order,
            inside,
            union,
        )
        done += 1
        idle += 1
        if excess_load > limits[0]:
            copy_into(picks, old)
            continue
        if excess_load < limits[0]:
            idle, limits[:] = 0, excess_load
        if steps >= 0 and excess_load < best[steps]:
            best[steps] = excess_load
            copy_into(chosen[steps], picks)
            if excess_load == 0:
                return done
    return done


@inner
def _advance_choice(choice, low, high, options):  # type: ignore[no-untyped-def]
    """Advance choice[low:high], a list that does not fall, in lexical order; False at the end."""
    at = high - 1
    while at >= low and choice[at] == options - 1:
        at -= 1
    if at < low:
        return False
    value = choice[at] + 1
    for k in range(at, high):
        choice[k] = value
    return True


@kernel
def exhaust_lists(columns, inverse, words, layout, both, first, scale, best, chosen):  # type: ignore[no-untyped-def]
    """Judge every list of a Layout whose first choice is number `first`; returns how many.

    Choices, of pairs and then of single elements, do not fall. `both`, `scale`, `best` and
    `chosen` as in `climb_lists`; a list is not kept if one with as many steps or fewer is as good.
    """
    singles, paired, pairs = layout
    n, d, target = columns.shape[1], chosen.shape[1], len(best) - 1
    masks, order = np.empty(n, np.uint16), np.empty(n + 1, np.uint16)
    union = np.empty(len(scale), np.uint64)
    inside, limits = np.empty(len(scale), np.int64), np.empty(target + 1, np.int64)
    picks, back = np.empty(d, np.int64), np.empty((2, d), np.int64)
    parts = d - pairs
    choice = np.zeros(parts, np.int64)
    choice[0 : pairs if pairs else parts] = first
    least = np.int64(1) << 60
    for t in range(target + 1):
        least = min(least, best[t])
        limits[t] = least - 1
    dead = np.int64(1) << 40
    done = 0
    while True:
        for k in range(pairs):
            picks[2 * k] = paired[choice[k]]
            picks[2 * k + 1] = inverse[paired[choice[k]]]
        for k in range(pairs, parts):
            picks[pairs + k] = singles[choice[k]]
        excess_load, steps = add_both_ways(
            columns,
            inverse,
            words,
            picks,
            back,
            both,
            limits,
            dead,
            scale,
            masks,
            order,
            inside,
            union,
        )
        done += 1
        if steps >= 0 and excess_load <= limits[steps]:
            best[steps] = excess_load
            copy_into(chosen[steps], picks)
            for t in range(steps, target + 1):
                limits[t] = min(limits[t], excess_load - 1)
        if _advance_choice(choice, max(pairs, 1), parts, len(singles)):
            continue
        choice[pairs:] = 0
        if pairs == 0 or not _advance_choice(choice, 1, pairs, len(paired)):
            return done
