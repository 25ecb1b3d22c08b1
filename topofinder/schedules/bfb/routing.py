"""Whole pieces of shards dealt to the in-links of one receiver, the busiest link as low as can be.

A class holds the shards that may come over the same set of in-neighbours. Dealing the pieces of
all classes to the neighbours is a transport problem with integral data, so augmenting paths keep
every amount an integer, and a cut proves when the busiest link must carry more. This solves the
integer program (13) of Zhao et al., appendix E.2, exactly.
"""

import numpy as np

from topofinder.kernels import inner, lowest_bit, popcount
from topofinder.schedules.bfb.chains import augment


@inner
def deal(masks, counts, classes, weights, k, pieces, sent, room, seen, parent, queue):  # type: ignore[no-untyped-def]
    """Least number of pieces on the busiest link; fills `sent`.

    Class c (of `classes`) holds counts[c] shards of `pieces` pieces each, eligible on the
    in-neighbours in bit set masks[c] (never empty; k <= 63 neighbours, weights[i] parallel links
    from neighbour i). On return sent[c, i] pieces of class c come from neighbour i, and no
    neighbour sends more than weights[i] times the answer. `room`, `seen`, `parent`, `queue`:
    scratch, int64 of shape (k,) or more.
    """
    total = 0
    for c in range(classes):
        total += counts[c]
        for i in range(k):
            sent[c, i] = 0
    weight = 0
    for i in range(k):
        weight += weights[i]
    busiest = -(-total * pieces // weight)
    for i in range(k):
        room[i] = weights[i] * busiest
    for width in range(1, k + 1):
        for c in range(classes):
            if popcount(masks[c]) != width:
                continue
            left = _fill(masks[c], counts[c] * pieces, c, sent, room)
            while left > 0:
                moved = augment(masks, classes, c, k, left, sent, room, seen, parent, queue)
                left -= moved
                if moved == 0:
                    least = _bound(masks, counts, classes, weights, k, pieces, seen)
                    for i in range(k):
                        room[i] += weights[i] * (least - busiest)
                    busiest = least
    return busiest


@inner
def _fill(mask, left, c, sent, room):  # type: ignore[no-untyped-def]
    """Send what fits of class c, by the neighbours with the most room; returns what is left."""
    while left > 0:
        best = -1
        word = mask
        while word:
            i = lowest_bit(word)
            word &= word - np.uint64(1)
            if room[i] > 0 and (best < 0 or room[i] > room[best]):
                best = i
        if best < 0:
            return left
        amount = min(left, room[best])
        sent[c, best] += amount
        room[best] -= amount
        left -= amount
    return 0


@inner
def _bound(masks, counts, classes, weights, k, pieces, seen):  # type: ignore[no-untyped-def]
    """Pieces on the busiest link if all shards confined to the seen neighbours share them evenly.

    The seen neighbours are full of such shards when no path leads on, so this exceeds the present
    answer, and no dealing does better.
    """
    cut, weight, inside = np.uint64(0), 0, 0
    for i in range(k):
        if seen[i]:
            cut |= np.uint64(1) << np.uint64(i)
            weight += weights[i]
    for c in range(classes):
        if masks[c] & ~cut == 0:
            inside += counts[c]
    return -(-inside * pieces // weight)
