"""Rows of one receiver at one step: shards cut into consecutive pieces over its in-arcs.

`schedules.bfb.routing` says how many pieces of each class come from which in-neighbour. Here
each shard takes its pieces in order, from the neighbours of its class in turn, and the parallel
arcs of a neighbour share what it sends as evenly as whole pieces allow.
"""

import numpy as np

from topofinder.kernels import inner
from topofinder.schedules.bfb.routing import deal


@inner
def sort_into_classes(shard_masks, count, masks, counts, kinds, slots):  # type: ignore[no-untyped-def]
    """Group the first `count` shards by their bit sets; returns the number of classes.

    Fills masks[c], counts[c] for every class, in order of appearance, and kinds[j], the class of
    shard j. `slots` is an open hash table with a power of two of at least 2 * count entries, all
    -1 on entry and on return.
    """
    classes, last = 0, np.uint64(len(slots) - 1)
    for j in range(count):
        mask = shard_masks[j]
        slot = (mask * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & last
        while slots[slot] >= 0 and masks[slots[slot]] != mask:
            slot = (slot + np.uint64(1)) & last
        if slots[slot] < 0:
            slots[slot], masks[classes], counts[classes] = classes, mask, 0
            classes += 1
        kinds[j] = slots[slot]
        counts[kinds[j]] += 1
    for c in range(classes):
        slot = (masks[c] * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & last
        while slots[slot] >= 0:
            slots[slot] = -1
            slot = (slot + np.uint64(1)) & last
    return classes


@inner
def cut(shards, shard_masks, count, weights, arcs, first_arc, k, pieces, scratch, out, filled):  # type: ignore[no-untyped-def]
    """Write the rows of one receiver and step; returns the new `filled`.

    `shards`, `shard_masks`: the `count` sources and the in-neighbours (bit sets) each can come
    from; `weights`, `first_arc`, int64 of shape (k,): parallel arcs from each in-neighbour, and
    where they begin in `arcs`. Every shard is of `pieces` pieces. `out` is (source, arc, begin,
    end), columns with room for count * weights.sum() rows more; begin and end count pieces.
    """
    masks, counts, kinds, slots, sent, room, seen, parent, queue, at = scratch
    classes = sort_into_classes(shard_masks, count, masks, counts, kinds, slots)
    deal(masks, counts, classes, weights, k, pieces, sent, room, seen, parent, queue)
    share, left, rank = room, seen, parent
    for i in range(k):
        total = 0
        for c in range(classes):
            total += sent[c, i]
        share[i] = left[i] = -(-total // weights[i])
        rank[i] = 0
    for c in range(classes):
        at[c] = 0
    source, arc, begin, end = out
    for j in range(count):
        c, taken = kinds[j], 0
        while taken < pieces:
            i = at[c]
            if sent[c, i] == 0:
                at[c] += 1
                continue
            if left[i] == 0:
                left[i] = share[i]
                rank[i] += 1
            amount = min(pieces - taken, sent[c, i], left[i])
            source[filled], arc[filled] = shards[j], arcs[first_arc[i] + rank[i]]
            begin[filled], end[filled] = taken, taken + amount
            filled += 1
            taken += amount
            sent[c, i] -= amount
            left[i] -= amount
    return filled


@inner
def cut_first(neighbours, weights, arcs, first_arc, k, pieces, out, filled):  # type: ignore[no-untyped-def]
    """As `cut` at the first step, where every neighbour sends its own shard; k is not limited."""
    source, arc, begin, end = out
    for i in range(k):
        share = -(-pieces // weights[i])
        taken, rank = 0, 0
        while taken < pieces:
            amount = min(share, pieces - taken)
            source[filled], arc[filled] = neighbours[i], arcs[first_arc[i] + rank]
            begin[filled], end[filled] = taken, taken + amount
            filled += 1
            taken += amount
            rank += 1
    return filled


@inner
def make_scratch(most, widest):  # type: ignore[no-untyped-def]
    """Scratch arrays of `cut` for up to `most` shards at once and `widest` in-neighbours."""
    size = 64
    while size < 2 * most:
        size *= 2
    narrow = min(widest, 63)
    return (
        np.empty(most, np.uint64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.full(size, -1, np.int64),
        np.empty((most, narrow), np.int64),
        np.empty(narrow, np.int64),
        np.empty(narrow, np.int64),
        np.empty(narrow, np.int64),
        np.empty(narrow, np.int64),
        np.empty(most, np.int64),
    )
