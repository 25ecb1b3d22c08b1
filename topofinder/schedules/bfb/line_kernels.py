"""Balanced loads of all nodes of a line graph, from bit sets of the nodes of the graph itself.

The shards of the arcs into b come to an arc out of u one step after b's shard comes to u, over the
in-links of u that bring that: each of G's loads d times, as d arcs end in b. Only the receiver's
own shard is not due: an arc u -> v lacks one of the d shards that come by v. That is all that tells
the arcs out of u apart (theorem 10 holds with equality where it is not felt).
"""

import numpy as np

from topofinder.kernels import inner, kernel
from topofinder.schedules.bfb.evaluation_numpy import ALWAYS, NEVER, ONCE
from topofinder.schedules.bfb.profile_kernels import (
    DENSE,
    RANKS,
    advance_reach,
    count_inside,
    dealing_fits,
    empty_slots,
    identity_bits,
    list_arrivals,
    sort_into_classes,
)
from topofinder.schedules.bfb.transport_kernels import (
    class_load,
    dense_load,
    is_load_reached,
)

BEFORE, NOW, LATER = 0, 1, 2


@inner
def _arrival(u, v, reach, following):  # type: ignore[no-untyped-def]
    """Whether v's shard came to u before this step, comes now, or later."""
    word, bit = v >> 6, np.uint64(v & 63)
    if reach[u, word] >> bit & np.uint64(1):
        return BEFORE
    return NOW if following[u, word] >> bit & np.uint64(1) else LATER


@inner
def _whole_level(u, reach, following, out_start, out_node, looped):  # type: ignore[no-untyped-def]
    """The line level of an arc out of u to which all shards are due; -1 if there is none."""
    if looped[u]:
        return ALWAYS
    level = -1
    for at in range(out_start[u], out_start[u + 1]):
        v = out_node[at]
        arrival = _arrival(u, v, reach, following)
        if arrival == BEFORE:
            return ALWAYS
        if arrival == LATER:
            level = max(level, NEVER)
            if looped[v]:
                level = ONCE
            for past in range(out_start[v], out_start[v + 1]):
                if _arrival(u, out_node[past], reach, following) != NOW:
                    level = ONCE
    return level


@inner
def _has_arrivals(u, reach, following, out_start, out_node):  # type: ignore[no-untyped-def]
    """Whether an arc out of u has its own shard among those of this step."""
    for at in range(out_start[u], out_start[u + 1]):
        if _arrival(u, out_node[at], reach, following) == NOW:
            return True
    return False


@inner
def _senders(u, v, reach, in_start, in_node):  # type: ignore[no-untyped-def]
    """The in-neighbours of u, as bits, that can send what comes by v."""
    found = np.uint64(0)
    for i in range(in_start[u + 1] - in_start[u]):
        if reach[in_node[in_start[u] + i], v >> 6] >> np.uint64(v & 63) & np.uint64(1):
            found |= np.uint64(1) << np.uint64(i)
    return found


@inner
def _keep_busiest(step, found, over, level, shards, links, levels):  # type: ignore[no-untyped-def]
    """Take in the load of one receiver at a step."""
    if found * links[step] > shards[step] * over:
        shards[step], links[step], levels[step] = found, over, level
    elif found * links[step] == shards[step] * over:
        levels[step] = max(levels[step], level)


@inner
def _keep_class_load(  # type: ignore[no-untyped-def]
    step, level, masks, counts, classes, weights, k, sent, room, seen, parent, shards, links, levels
):
    """Take in the load of one receiver whose shards are sorted into classes."""
    top, wide = shards[step], links[step]
    found, over = class_load(
        masks, counts, classes, weights, k, top, wide, sent, room, seen, parent
    )
    tied = found * wide == top * over
    if tied and (
        level <= levels[step]
        or not is_load_reached(
            masks, counts, classes, weights, k, top, wide, sent, room, seen, parent
        )
    ):
        return
    _keep_busiest(step, found, over, level, shards, links, levels)


@kernel
def profile_line_graph(in_start, in_node, in_links, out_start, out_node, looped, receivers, degree):  # type: ignore[no-untyped-def]
    """Busiest in-link of each BFB step on L(G), for a `degree`-regular G of degree 2 and more.

    The arguments are those of `profile_by_bits` for G, its answer that for L(G), with the largest
    `near` of an arc out of a receiver in place of all: (steps, shards, links, levels, near).
    """
    n = len(in_start) - 1
    reach = identity_bits(n)
    following = np.empty_like(reach)
    shards, links = np.zeros(n + 2, np.int64), np.ones(n + 2, np.int64)
    levels = np.zeros(n + 2, np.int64)
    widest = 1
    for u in range(n):
        widest = max(widest, in_start[u + 1] - in_start[u])
    inside, meet = np.empty(1 << DENSE, np.int64), np.empty(1 << DENSE, np.uint64)
    less = np.empty(1 << DENSE, np.int64)
    masks, counts = np.empty(n + 1, np.uint64), np.empty(n + 1, np.int64)
    slots, kinds, word_masks = empty_slots(n), np.empty(n, np.int64), np.zeros(64, np.uint64)
    fresh, fresh_masks = np.empty(n, np.int64), np.empty(n, np.uint64)
    sent = np.empty((n + 1, min(widest, 63)), np.int64)
    rest = np.empty(reach.shape[1], np.uint64)
    later = np.empty((widest, RANKS, reach.shape[1]), np.uint64)
    room, seen, parent = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64, np.int64)
    shards[1], levels[1] = 1, ALWAYS
    step, members, near = 1, n, 0
    while members < n * n:
        before, members = members, advance_reach(reach, in_start, in_node, following)
        if members == before:
            return -1, shards, links, levels, near
        step += 1
        for u in receivers:
            whole = _whole_level(u, reach, following, out_start, out_node, looped)
            partly = _has_arrivals(u, reach, following, out_start, out_node)
            if partly:
                near = step - 1
            first, k = in_start[u], in_start[u + 1] - in_start[u]
            weights = in_links[first : first + k]
            best = ALWAYS if partly else whole
            if k <= DENSE:
                count_inside(u, reach, following, in_start, in_node, k, inside, meet)
                for avoided in range(1 << k):
                    inside[avoided] *= degree
                if whole >= 0:
                    found, over = dense_load(inside, weights, k)
                    _keep_busiest(step, found, over, whole, shards, links, levels)
            elif best <= levels[step] and dealing_fits(
                u, reach, following, in_start, in_node, in_links,
                shards[step], links[step] * degree, rest, later,
            ):  # fmt: skip
                continue
            else:
                count = list_arrivals(
                    u, reach, following, in_start, in_node, word_masks, fresh, fresh_masks
                )
                classes = sort_into_classes(fresh_masks, count, masks, counts, kinds, slots)
                for c in range(classes):
                    counts[c] *= degree
                if whole >= 0:
                    _keep_class_load(
                        step, whole, masks, counts, classes, weights, k, sent, room, seen, parent,
                        shards, links, levels,
                    )  # fmt: skip
            if not partly or (whole == ALWAYS):
                continue
            for at in range(out_start[u], out_start[u + 1]):
                v = out_node[at]
                if _arrival(u, v, reach, following) != NOW:
                    continue
                own = _senders(u, v, reach, in_start, in_node)
                if k <= DENSE:
                    for avoided in range(1 << k):
                        less[avoided] = inside[avoided]
                        if own & np.uint64(avoided) == 0:
                            less[avoided] -= 1
                    found, over = dense_load(less, weights, k)
                    _keep_busiest(step, found, over, ALWAYS, shards, links, levels)
                    continue
                mine = 0
                while masks[mine] != own:
                    mine += 1
                counts[mine] -= 1
                _keep_class_load(
                    step, ALWAYS, masks, counts, classes, weights, k, sent, room, seen, parent,
                    shards, links, levels,
                )  # fmt: skip
                counts[mine] += 1
        reach, following = following, reach
    return step, shards, links, levels, near
