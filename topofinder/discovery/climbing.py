"""Hill climbing over generator lists of one group, with restarts; all of it compiled.

A move draws one generator (with its inverse, where circuits are two-way) anew, and is kept when
the graph is no worse. Evaluation stops as soon as the graph is sure to be worse.
"""

import numpy as np

from topofinder.discovery.evaluation_kernels import both_spreads
from topofinder.kernels import GOLDEN, copy_into, inner, kernel, mix64


@inner
def draw(state, bound):  # type: ignore[no-untyped-def]
    """The next pseudo-random integer in 0..bound-1 (splitmix64; state is a uint64 array)."""
    state[0] += GOLDEN
    return np.int64((mix64(state[0]) >> np.uint64(33)) % np.uint64(bound))


@inner
def _redraw(picks, inverse, singles, paired, pairs, at, state):  # type: ignore[no-untyped-def]
    """Draw the generator at one place anew; the first 2 `pairs` places hold s and s^-1 in turn."""
    if at < 2 * pairs:
        s = paired[draw(state, len(paired))]
        picks[at & ~1], picks[at | 1] = s, inverse[s]
    else:
        picks[at] = singles[draw(state, len(singles))]


@kernel
def climb(columns, inverse, layout, both, miss, scale, trials, stall, state, best, chosen):  # type: ignore[no-untyped-def]
    """Judge up to `trials` generator lists; returns how many. Stops at a sum of excesses of 0.

    `layout`: the Layout of lists to draw from; `both`: excesses of the transpose count too;
    `stall`: trials without gain before a restart; `miss`, `scale` as in `spread`. `state`
    (uint64, (1,)) is the random state, changed in place.
    best[t] (int64, (target + 1,)) and chosen[t] (int64, (target + 1, d)) are improved in place:
    the least sum of excesses found at diameter t, and the list that has it.
    """
    singles, paired, pairs = layout
    n, d = columns.shape[1], chosen.shape[1]
    masks, order = np.empty(n, np.uint16), np.empty(n + 1, np.int32)
    inside, limits = np.empty(len(scale), np.int64), np.empty(len(best), np.int64)
    picks, old, back = np.zeros(d, np.int64), np.empty(d, np.int64), np.empty(d, np.int64)
    done, idle = 0, stall
    while done < trials:
        copy_into(old, picks)
        if idle >= stall:
            idle, limits[:] = 0, np.int64(1) << 60
            for at in range(d):
                _redraw(picks, inverse, singles, paired, pairs, at, state)
        else:
            _redraw(picks, inverse, singles, paired, pairs, draw(state, d), state)
        energy, steps = both_spreads(
            columns, inverse, picks, back, both, limits, miss, scale, masks, order, inside
        )
        done += 1
        idle += 1
        if energy > limits[0]:
            copy_into(picks, old)
            continue
        if energy < limits[0]:
            idle, limits[:] = 0, energy
        if steps >= 0 and energy < best[steps]:
            best[steps] = energy
            chosen[steps] = picks
            if energy == 0:
                return done
    return done
