"""Loads of circulant graphs by one search each, without a graph.

Translations carry node 0 to any other, so that one receiver speaks for all, and the distance from
x to the in-neighbour w is the one from x - w to 0.
"""

import numpy as np

from topofinder.kernels import inner, kernel
from topofinder.schedules.bfb.profile_kernels import empty_slots, sort_into_classes
from topofinder.schedules.bfb.transport_kernels import class_load


@inner
def _search_shifts(n, shifts, hops, queue):  # type: ignore[no-untyped-def]
    """hops[x]: distance from x to node 0 by the shifts; `queue` lists all nodes by it."""
    for x in range(n):
        hops[x] = -1
    hops[0], queue[0] = 0, 0
    done, filled = 0, 1
    while done < filled:
        x = queue[done]
        done += 1
        for shift in shifts:
            y = x + shift
            if y >= n:
                y -= n
            if hops[y] < 0:
                hops[y], queue[filled] = hops[x] + 1, y
                filled += 1


@inner
def _mask_senders(n, shifts, hops, x):  # type: ignore[no-untyped-def]
    """The in-neighbours of node 0 that are nearer to x, as a bit set."""
    mask = np.uint64(0)
    for i in range(len(shifts)):
        y = x - shifts[i]
        if y < 0:
            y += n
        mask |= np.uint64(hops[y] < hops[x]) << np.uint64(i)
    return mask


@kernel
def profile_circulants(orders, first, shifts, arcs, begin, shards, links):  # type: ignore[no-untyped-def]
    """Busiest in-link of node 0 at every step, for circulants of orders[g] nodes.

    first[g]:first[g + 1] are the entries of graph g in `shifts`, the different in-neighbours of
    node 0 (at most 63, with every one its inverse), and in `arcs`, the parallel arcs from each. All
    int64. Fills begin (graphs + 1,) and, from begin[g] to begin[g + 1], shards and links of the
    steps of graph g; no graph has as many as nodes.
    """
    most = orders.max()
    hops, queue = np.empty(most, np.int64), np.empty(most, np.int64)
    shard_masks, kinds = np.empty(most, np.uint64), np.empty(most, np.int64)
    masks, counts, slots = np.empty(most, np.uint64), np.empty(most, np.int64), empty_slots(most)
    room, seen, parent = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64, np.int64)
    begin[0] = 0
    sent = np.empty((most, 63), np.int64)
    for g in range(len(orders)):
        n, k = orders[g], first[g + 1] - first[g]
        here, weights = shifts[first[g] : first[g + 1]], arcs[first[g] : first[g + 1]]
        _search_shifts(n, here, hops, queue)
        weight, least = np.int64(0), weights[0]
        for i in range(k):
            weight += weights[i]
            least = min(least, weights[i])
        at, start = begin[g], np.int64(1)
        while start < n:
            step, end = hops[queue[start]], start
            while end < n and hops[queue[end]] == step:
                if step > 1:
                    shard_masks[end - start] = _mask_senders(n, here, hops, queue[end])
                end += 1
            count = end - start
            if step == 1:
                found, over = np.int64(1), least
            else:
                classes = sort_into_classes(shard_masks, count, masks, counts, kinds, slots)
                found, over = class_load(
                    masks,
                    counts,
                    classes,
                    weights,
                    k,
                    end - start,
                    weight,
                    sent,
                    room,
                    seen,
                    parent,
                )
            shards[at], links[at] = found, over
            start = end
            at += 1
        begin[g + 1] = at
