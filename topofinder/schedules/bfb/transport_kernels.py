"""The least possible load of the busiest link: theorem 19's Hall condition as a number.

At one step a receiver takes whole shards over its in-links; a shard may be split among the links
it is eligible on. The least maximal load is max over non-empty link sets P of
#{shards eligible on links of P only} / |P|. Links from one in-neighbour share their shards, so
sets of in-neighbours, weighted by their parallel arcs, suffice.

Two kernels find it: `dense_load` from the counts of all 2^k sets, and `class_load` by cut
improvement: try to route all shards below a guess, and when that fails take the ratio of the cut.
"""

import numpy as np

from topofinder.kernels import inner
from topofinder.schedules.bfb.chains import augment


@inner
def dense_load(inside, weights, k):  # type: ignore[no-untyped-def]
    """Largest inside[P] / weight(P) over non-empty P, as (shards, links).

    `inside[Q]`, int64 of shape (2^k,): shards whose links avoid every in-neighbour in bit set Q;
    `weights`, int64 of shape (k,): parallel arcs from each in-neighbour.
    """
    full = (1 << k) - 1
    shards, links = 0, 1
    for avoided in range(full):
        count = inside[avoided]
        if count * links <= shards:
            continue
        weight = 0
        for i in range(k):
            if not avoided >> i & 1:
                weight += weights[i]
        if count * links > shards * weight:
            shards, links = count, weight
    return shards, links


@inner
def class_load(masks, counts, classes, weights, k, shards, links, sent, room, seen, parent):  # type: ignore[no-untyped-def]
    """Least maximal load if it exceeds shards/links, else shards/links itself; as a ratio.

    Class c holds counts[c] shards eligible on the in-neighbours in bit set masks[c] (k < 64).
    `sent` (int64, (classes, k)), `room`, `seen`, `parent` (int64, (k,) or more) are scratch.
    Amounts are in units of 1/links of a shard, so that everything stays an integer.
    """
    while True:
        cut = _route(masks, counts, classes, weights, k, shards, links, sent, room, seen, parent)
        if cut == 0:
            return shards, links
        inside = 0
        for c in range(classes):
            if masks[c] & ~cut == 0:
                inside += counts[c]
        weight = 0
        for i in range(k):
            if cut >> np.uint64(i) & np.uint64(1):
                weight += weights[i]
        shards, links = inside, weight


@inner
def _route(masks, counts, classes, weights, k, shards, links, sent, room, seen, parent):  # type: ignore[no-untyped-def]
    """Route every class with room shards/links a link: 0, or the in-neighbour set of a cut.

    Classes after the one in turn are not routed yet: what `sent` holds for them is void.
    """
    queue = np.empty(k, np.int64)
    for i in range(k):
        room[i] = weights[i] * shards
    for c in range(classes):
        left = counts[c] * links
        for i in range(k):
            sent[c, i] = 0
            if left > 0 and masks[c] >> np.uint64(i) & np.uint64(1) and room[i] > 0:
                amount = min(left, room[i])
                sent[c, i] = amount
                room[i] -= amount
                left -= amount
        while left > 0:
            moved = augment(masks, c + 1, c, k, left, sent, room, seen, parent, queue)
            if moved == 0:
                cut = np.uint64(0)
                for i in range(k):
                    if seen[i]:
                        cut |= np.uint64(1) << np.uint64(i)
                return cut
            left -= moved
    return np.uint64(0)
