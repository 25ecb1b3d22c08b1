"""Loads of graphs whose translations carry one receiver to all, by one search each.

Of circulants the distance from x to the in-neighbour w of node 0 is the one from x - w to 0. Of a
Cayley digraph the shard that is v away, for an element v, comes over the arc of a generator s
exactly when v s^-1 is nearer to the identity. Neither needs a graph.
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


@inner
def _profile_layers(hops, queue, shard_masks, weights, scratch, shards, links, at):  # type: ignore[no-untyped-def]
    """Busiest in-link of node 0 at every step; returns the place after the last step's.

    `queue` lists the nodes by hops, shard_masks[j] are the in-neighbours that may send queue[j]'s
    shard, `weights` the parallel arcs from each. Fills shards and links from `at` on.
    """
    masks, counts, kinds, slots, sent, room, seen, parent = scratch
    n, k, start = len(queue), len(weights), np.int64(1)
    weight, least = np.int64(0), weights[0]
    for i in range(k):
        weight += weights[i]
        least = min(least, weights[i])
    while start < n:
        end = start
        while end < n and hops[queue[end]] == hops[queue[start]]:
            end += 1
        if hops[queue[start]] == 1:
            found, over = np.int64(1), least
        else:
            arrivals, count = shard_masks[start:end], end - start
            classes = sort_into_classes(arrivals, count, masks, counts, kinds, slots)
            found, over = class_load(
                masks, counts, classes, weights, k, count, weight, sent, room, seen, parent
            )
        shards[at], links[at] = found, over
        start, at = end, at + 1
    return at


@inner
def _empty_scratch(n):  # type: ignore[no-untyped-def]
    """What `_profile_layers` works in, for up to n nodes; few pages of it are touched."""
    return (
        np.empty(n, np.uint64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        empty_slots(n),
        np.empty((n, 63), np.int64),
        np.empty(64, np.int64),
        np.empty(64, np.int64),
        np.empty(64, np.int64),
    )


@kernel
def profile_circulants(orders, first, shifts, arcs, begin, shards, links):  # type: ignore[no-untyped-def]
    """Busiest in-link of node 0 at every step, for circulants of orders[g] nodes.

    first[g]:first[g + 1] are the entries of graph g in `shifts`, the different in-neighbours of
    node 0 (at most 63, with every one its inverse), and in `arcs`, the parallel arcs from each. All
    int64. Fills begin (graphs + 1,) and, from begin[g] to begin[g + 1], shards and links of the
    steps of graph g; no graph has as many as nodes.
    """
    most = orders[0]
    for g in range(len(orders)):
        most = max(most, orders[g])
    hops, queue = np.empty(most, np.int64), np.empty(most, np.int64)
    shard_masks, scratch = np.empty(most, np.uint64), _empty_scratch(most)
    begin[0] = 0
    for g in range(len(orders)):
        n, here = orders[g], shifts[first[g] : first[g + 1]]
        weights = arcs[first[g] : first[g + 1]]
        _search_shifts(n, here, hops, queue)
        for j in range(n):
            shard_masks[j] = np.uint64(0)
            if hops[queue[j]] >= 2:
                shard_masks[j] = _mask_senders(n, here, hops, queue[j])
        begin[g + 1] = _profile_layers(
            hops, queue[:n], shard_masks, weights, scratch, shards, links, begin[g]
        )


@kernel
def profile_elements(forth, back, weights, shards, links):  # type: ignore[no-untyped-def]
    """Busiest in-link of a receiver at every step, for the Cayley digraph of a group.

    forth[i, v] and back[i, v], int32 of shape (k, n), are v s and v s^-1 for the different
    generators s, none the identity; `weights`, int64, how often each is listed. Fills shards and
    links, int64 of shape (n,), and returns the steps with the length of every s^-1.
    """
    k, n = forth.shape
    hops, queue = np.full(n, -1, np.int64), np.empty(n, np.int64)
    shard_masks = np.zeros(n, np.uint64)
    hops[0], queue[0] = 0, 0
    done, filled = 0, 1
    while done < filled:
        x = queue[done]
        done += 1
        for i in range(k):
            y = forth[i, x]
            if hops[y] < 0:
                hops[y], queue[filled] = hops[x] + 1, y
                filled += 1
    for j in range(filled):
        v = queue[j]
        for i in range(k):
            nearer = hops[back[i, v]] < hops[v]
            shard_masks[j] |= np.uint64(nearer) << np.uint64(i)
    scratch = _empty_scratch(n)
    steps = _profile_layers(hops, queue[:filled], shard_masks, weights, scratch, shards, links, 0)
    return steps, hops[back[:, 0]]
