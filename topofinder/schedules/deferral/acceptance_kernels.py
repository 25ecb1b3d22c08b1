"""What every receiver accepts at a step, when links have quotas and shards have deadlines.

A shard may wait at a node as long as all whom it has yet to reach along shortest paths are still
reached in time: of a shard from v, node u has as much time as the longest way on along shortest
paths from v through u leaves. A receiver takes first what cannot wait, then, as far as quotas let
it, what can wait least: a greedy choice, which is the best there is, for what can be accepted
together forms a transversal matroid. Sets are bit sets as in `schedules.bfb.profile_kernels`.
"""

import numpy as np

from topofinder.kernels import GOLDEN, count_hops, inner, kernel
from topofinder.schedules.bfb.profile_kernels import (
    advance_reach,
    empty_slots,
    list_arrivals,
    sort_into_classes,
)
from topofinder.schedules.bfb.transport_kernels import augment, class_load, fill_roomiest

URGENCIES = 4
"""How many steps of waiting are told apart; those that can wait for longer are alike."""


@kernel
def fill_deadlines(out_start, out_node, steps, deadlines):  # type: ignore[no-untyped-def]
    """Fill deadlines[u, v], int16: the last of `steps` steps by which u must have the shard of v.

    `out_start`, `out_node`: distinct out-neighbours (CSR). Every node is within `steps` of others.
    """
    n = len(out_start) - 1
    hops, order = np.empty(n, np.int64), np.empty(n, np.int64)
    for v in range(n):
        count_hops(v, out_start, out_node, hops, order)
        for at in range(n - 1, -1, -1):
            u = order[at]
            deadline = steps
            for place in range(out_start[u], out_start[u + 1]):
                w = out_node[place]
                if hops[w] == hops[u] + 1:
                    deadline = min(deadline, deadlines[w, v] - 1)
            deadlines[u, v] = deadline


@inner
def _choose_classes(urgent, classes, masks, weights, k, quota, scratch):  # type: ignore[no-untyped-def]
    """Lower urgent[r, c], shards of class c that can wait for r steps, to what is accepted.

    At most `quota` shards a link are, and all that cannot wait. Returns whether these fit, too.
    """
    sent, room, seen, parent, queue = scratch
    free, fits = np.int64(0), True
    for i in range(k):
        room[i] = quota * weights[i]
        free += room[i]
        for c in range(classes):
            sent[c, i] = 0
    for rank in range(URGENCIES):
        for c in range(classes):
            asked = left = urgent[rank, c]
            if left > 0 and free > 0:
                left = fill_roomiest(masks[c], left, c, sent, room)
                while left > 0 and free > asked - left:
                    moved = augment(masks, classes, c, k, left, sent, room, seen, parent, queue)
                    if moved == 0:
                        break
                    left -= moved
                free -= asked - left
            if rank > 0:
                urgent[rank, c] -= left
            elif left > 0:
                fits = False
    return fits


@kernel
def accept_shards(step, quota, reach, neighbours, deadlines, following):  # type: ignore[no-untyped-def]
    """Fill `following` with what nodes hold after a step, of what they can have after `reach`.

    `neighbours`: (in_start, in_node, in_links), distinct in-neighbours and parallel arcs from each
    (CSR). Returns the load of the busiest link as (shards, links).
    """
    in_start, in_node, in_links = neighbours
    n, widest = len(in_start) - 1, 1
    advance_reach(reach, in_start, in_node, following)
    for u in range(n):
        widest = max(widest, in_start[u + 1] - in_start[u])
    fresh, fresh_masks = np.empty(n, np.int64), np.empty(n, np.uint64)
    kinds, slots, word_masks = np.empty(n, np.int64), empty_slots(n), np.zeros(64, np.uint64)
    masks, counts = np.empty(n + 1, np.uint64), np.empty(n + 1, np.int64)
    urgent = np.zeros((URGENCIES, n + 1), np.int64)
    sent, room = np.empty((n + 1, widest), np.int64), np.empty(widest, np.int64)
    seen, parent, queue = np.empty_like(room), np.empty_like(room), np.empty_like(room)
    top, wide = np.int64(0), np.int64(1)
    for u in range(n):
        first, k = in_start[u], in_start[u + 1] - in_start[u]
        weights = in_links[first : first + k]
        count = list_arrivals(
            u, reach, following, in_start, in_node, word_masks, fresh, fresh_masks
        )
        classes = sort_into_classes(fresh_masks, count, masks, counts, kinds, slots)
        for c in range(classes):
            for rank in range(URGENCIES):
                urgent[rank, c] = 0
        for j in range(count):
            urgent[min(deadlines[u, fresh[j]] - step, URGENCIES - 1), kinds[j]] += 1
        fits = _choose_classes(
            urgent, classes, masks, weights, k, quota, (sent, room, seen, parent, queue)
        )
        if not fits or quota * wide > top:
            for c in range(classes):
                counts[c] = 0
                for rank in range(URGENCIES):
                    counts[c] += urgent[rank, c]
            top, wide = class_load(
                masks, counts, classes, weights, k, top, wide, sent, room, seen, parent
            )
        _leave_the_rest(u, step, count, fresh, kinds, urgent, deadlines, following)
    return top, wide


@inner
def _leave_the_rest(u, step, count, fresh, kinds, urgent, deadlines, following):  # type: ignore[no-untyped-def]
    """Take from following[u] what is not accepted; receivers begin at shards of their own."""
    start = np.int64((np.uint64(u) * GOLDEN >> np.uint64(32)) % np.uint64(max(count, 1)))
    for i in range(count):
        j = start + i
        if j >= count:
            j -= count
        v = fresh[j]
        rank = min(deadlines[u, v] - step, URGENCIES - 1)
        if urgent[rank, kinds[j]] > 0:
            urgent[rank, kinds[j]] -= 1
        else:
            following[u, v >> 6] &= ~(np.uint64(1) << np.uint64(v & 63))
