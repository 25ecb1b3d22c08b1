"""All generator lists of one group, in turn; compiled."""

import numpy as np

from topofinder.discovery.evaluation_kernels import both_spreads
from topofinder.kernels import inner, kernel


@inner
def _next(choice, low, high, options):  # type: ignore[no-untyped-def]
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
def exhaust(columns, inverse, layout, both, first, scale, best, chosen):  # type: ignore[no-untyped-def]
    """Judge every list of a Layout whose first choice is number `first`; returns how many.

    Choices, of pairs and then of single elements, do not fall. `both`, `scale`, `best` and
    `chosen` as in `climb`; a list is not kept if one with as many steps or fewer is as good.
    """
    singles, paired, pairs = layout
    n, d, target = columns.shape[1], chosen.shape[1], len(best) - 1
    masks, order = np.empty(n, np.uint16), np.empty(n + 1, np.int32)
    inside, limits = np.empty(len(scale), np.int64), np.empty(target + 1, np.int64)
    picks, back = np.empty(d, np.int64), np.empty(d, np.int64)
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
        energy, steps = both_spreads(
            columns, inverse, picks, back, both, limits, dead, scale, masks, order, inside
        )
        done += 1
        if steps >= 0 and energy <= limits[steps]:
            best[steps] = energy
            chosen[steps] = picks
            for t in range(steps, target + 1):
                limits[t] = min(limits[t], energy - 1)
        if _next(choice, max(pairs, 1), parts, len(singles)):
            continue
        choice[pairs:] = 0
        if pairs == 0 or not _next(choice, 1, pairs, len(paired)):
            return done
