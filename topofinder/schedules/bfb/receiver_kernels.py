"""Loads of a few receivers, from breadth-first searches of their own.

Where symmetry makes one receiver speak for all, one search against the arcs is enough, instead of
bit sets for every node: a shard may come over those in-links over which it comes from the nodes one
step nearer that its own node leads to.
"""

import numpy as np

from topofinder.kernels import inner, kernel
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
def _search_senders(u, in_start, in_node, hops, order, senders):  # type: ignore[no-untyped-def]
    """`count_hops` to u, and senders[v]: the in-links of u, as bits, that shortest walks end with.

    Returns how many nodes reach u.
    """
    for v in range(len(hops)):
        hops[v], senders[v] = -1, 0
    for i in range(in_start[u + 1] - in_start[u]):
        senders[in_node[in_start[u] + i]] = np.uint64(1) << np.uint64(i)
    hops[u], order[0] = 0, u
    done, filled = 0, 1
    while done < filled:
        v = order[done]
        done += 1
        away, links = hops[v] + 1, senders[v]
        for at in range(in_start[v], in_start[v + 1]):
            w = in_node[at]
            if hops[w] < 0:
                hops[w], order[filled] = away, w
                filled += 1
            if hops[w] == away:
                senders[w] |= links
    return filled


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
    hops, order, kinds = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    senders, shard_masks = np.empty(n, np.uint64), np.empty(n, np.uint64)
    masks, counts = np.empty(n + 1, np.uint64), np.empty(n + 1, np.int64)
    slots = empty_slots(n)
    room, seen, parent = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64, np.int64)
    steps = 0
    for u in receivers:
        first, k = in_start[u], in_start[u + 1] - in_start[u]
        if _search_senders(u, in_start, in_node, hops, order, senders) < n:
            return -1, shards, links, levels, near
        for at in range(out_start[u], out_start[u + 1]):
            near[u] = min(near[u], hops[out_node[at]])
        for at in range(n):
            shard_masks[at] = senders[order[at]]
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
