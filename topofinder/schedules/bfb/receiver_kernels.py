"""Loads of a few receivers, from breadth-first searches of their own.

Where symmetry makes one receiver speak for all, distances to it and to its in-neighbours are
enough: k + 1 searches against the arcs, instead of bit sets for every node.
"""

import numpy as np

from topofinder.kernels import count_hops, inner, kernel
from topofinder.schedules.bfb.evaluation_numpy import ALWAYS, NEVER, ONCE
from topofinder.schedules.bfb.profile_kernels import empty_slots, sort_into_classes
from topofinder.schedules.bfb.transport_kernels import class_load


@inner
def _line_level_from_hops(u, step, hops, looped, branching, out_start, out_node):  # type: ignore[no-untyped-def]
    """Line level of receiver u at a step, as in `topofinder.schedules.bfb.profile_kernels`."""
    if looped[u] or (step == 1 and branching):
        return ALWAYS
    level = NEVER
    for at in range(out_start[u], out_start[u + 1]):
        back = hops[out_node[at]]
        if back < step:
            return ALWAYS
        if back > step:
            level = ONCE
    return level


@inner
def _busiest_load(  # type: ignore[no-untyped-def]
    shard_masks, in_links, k, masks, counts, kinds, slots, sent, room, seen, parent
):
    """Least maximal load for shards of these masks, as shards and links; the rest is scratch."""
    count, weight = len(shard_masks), np.int64(0)
    classes = sort_into_classes(shard_masks, count, masks, counts, kinds, slots)
    for i in range(k):
        weight += in_links[i]
    return class_load(masks, counts, classes, in_links, k, count, weight, sent, room, seen, parent)


@kernel
def profile_by_searches(in_start, in_node, in_links, out_start, out_node, looped, receivers):  # type: ignore[no-untyped-def]
    """The same answer as `profile_kernels.profile_by_bits`, by searches from each receiver."""
    n = len(in_start) - 1
    shards, links = np.zeros(n + 1, np.int64), np.ones(n + 1, np.int64)
    levels, near = np.zeros(n + 1, np.int64), np.empty(n, np.int64)
    branching = True
    for u in range(n):
        near[u] = 0 if looped[u] else n + 1
        branching = branching and out_start[u + 1] - out_start[u] + looped[u] > 1
    hops, other = np.empty(n, np.int64), np.empty(n, np.int64)
    queue, order = np.empty(n, np.int64), np.empty(n, np.int64)
    shard_masks, kinds = np.empty(n, np.uint64), np.empty(n, np.int64)
    masks, counts = np.empty(n + 1, np.uint64), np.empty(n + 1, np.int64)
    slots = empty_slots(n)
    room, seen, parent = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64, np.int64)
    steps = 0
    for u in receivers:
        first, k = in_start[u], in_start[u + 1] - in_start[u]
        if count_hops(u, in_start, in_node, hops, order) < n:
            return -1, shards, links, levels, near
        for at in range(out_start[u], out_start[u + 1]):
            near[u] = min(near[u], hops[out_node[at]])
        if hops[order[n - 1]] > 1:
            for at in range(n):
                shard_masks[at] = 0
            for i in range(k):
                count_hops(in_node[first + i], in_start, in_node, other, queue)
                for at in range(n):
                    if other[order[at]] == hops[order[at]] - 1:
                        shard_masks[at] |= np.uint64(1) << np.uint64(i)
        sent = np.empty((n + 1, min(k, 63)), np.int64)
        begin = np.int64(1)
        while begin < n:
            step, end = hops[order[begin]], begin
            while end < n and hops[order[end]] == step:
                end += 1
            steps = max(steps, step)
            if step == 1:
                found, over = 1, 1 << 62
                for at in range(first, first + k):
                    over = min(over, in_links[at])
            else:
                weights = in_links[first : first + k]
                found, over = _busiest_load(
                    shard_masks[begin:end], weights, k, masks, counts, kinds, slots, sent,
                    room, seen, parent,
                )  # fmt: skip
            level = _line_level_from_hops(u, step, hops, looped, branching, out_start, out_node)
            if found * links[step] > shards[step] * over:
                shards[step], links[step], levels[step] = found, over, level
            elif found * links[step] == shards[step] * over:
                levels[step] = max(levels[step], level)
            begin = end
    return steps, shards, links, levels, near
