"""Layers and balanced loads of all nodes at once, on bitsets.

`reach[u]` holds, as a bit set, the nodes whose shard can have come to u within t steps: the
union of the previous sets of u's in-neighbours. What is new at step t is what u receives then,
and a shard may come over an in-link [w, u] exactly when it is in w's previous set.
"""

import numpy as np

from topofinder.kernels import GOLDEN, inner, kernel, lowest_bit, popcount
from topofinder.schedules.bfb.evaluation_numpy import ALWAYS, NEVER, ONCE
from topofinder.schedules.bfb.transport_kernels import (
    class_load,
    dense_load,
    is_load_reached,
)

DENSE = 5
"""Up to this many in-neighbours, all sets of them are counted."""

RANKS = 4
"""How many ranks of urgency `dealing_fits` tells apart."""


@inner
def identity_bits(n):  # type: ignore[no-untyped-def]
    """Each node reached by itself; uint64 of shape (n, ceil(n / 64))."""
    reach = np.zeros((n, (n + 63) // 64), np.uint64)
    for u in range(n):
        reach[u, u >> 6] = np.uint64(1) << np.uint64(u & 63)
    return reach


@inner
def advance_reach(reach, in_start, in_node, following):  # type: ignore[no-untyped-def]
    """Fill `following` with the sets one step later; returns how many members they have."""
    n, words = reach.shape
    members = 0
    for u in range(n):
        for word in range(words):
            following[u, word] = reach[u, word]
        for at in range(in_start[u], in_start[u + 1]):
            other = in_node[at]
            for word in range(words):
                following[u, word] |= reach[other, word]
        for word in range(words):
            members += popcount(following[u, word])
    return members


@inner
def count_inside(u, reach, following, in_start, in_node, k, inside, meet):  # type: ignore[no-untyped-def]
    """inside[Q]: new shards of u that no in-neighbour in Q can send (dense_load's input)."""
    for avoided in range(1 << k):
        inside[avoided] = 0
    for word in range(reach.shape[1]):
        fresh = following[u, word] & ~reach[u, word]
        if fresh == 0:
            continue
        meet[0] = fresh
        inside[0] += popcount(fresh)
        for i in range(k):
            lacking = ~reach[in_node[in_start[u] + i], word]
            for avoided in range(1 << i):
                bits = meet[avoided] & lacking
                meet[avoided | 1 << i] = bits
                inside[avoided | 1 << i] += popcount(bits)


@inner
def empty_slots(shards):  # type: ignore[no-untyped-def]
    """A hash table for `sort_into_classes`, at most half full with that many classes."""
    size = 64
    while size < 2 * shards:
        size *= 2
    slots = np.empty(size, np.int64)
    for slot in range(size):
        slots[slot] = -1
    return slots


@inner
def sort_into_classes(shard_masks, count, masks, counts, kinds, slots):  # type: ignore[no-untyped-def]
    """Group the first `count` shards by their bit sets; returns the number of classes.

    Fills masks[c], counts[c] for every class, in order of appearance, and kinds[j], the class of
    shard j. `slots` is an open hash table with a power of two of at least 2 * count entries, all
    -1 on entry and on return. It is one function: a call for each shard takes many times as long.
    """
    classes, last = np.int64(0), np.uint64(len(slots) - 1)
    for j in range(count):
        mask = shard_masks[j]
        slot = (mask * GOLDEN) >> np.uint64(32) & last
        while slots[slot] >= 0 and masks[slots[slot]] != mask:
            slot = (slot + np.uint64(1)) & last
        if slots[slot] < 0:
            slots[slot], masks[classes], counts[classes] = classes, mask, 0
            classes += 1
        kinds[j] = slots[slot]
        counts[kinds[j]] += 1
    for c in range(classes):
        slot = (masks[c] * GOLDEN) >> np.uint64(32) & last
        while slots[slot] >= 0:
            slots[slot] = -1
            slot = (slot + np.uint64(1)) & last
    return classes


@inner
def list_arrivals(u, reach, following, in_start, in_node, word_masks, shards, shard_masks):  # type: ignore[no-untyped-def]
    """List the new shards of u and the in-neighbours that hold them; returns how many.

    `word_masks`: scratch, uint64 of shape (64,), all 0 on entry and on return.
    """
    count, first = 0, in_start[u]
    for word in range(reach.shape[1]):
        fresh = following[u, word] & ~reach[u, word]
        if fresh == 0:
            continue
        for i in range(in_start[u + 1] - first):
            bits = fresh & reach[in_node[first + i], word]
            while bits:
                word_masks[lowest_bit(bits)] |= np.uint64(1) << np.uint64(i)
                bits &= bits - np.uint64(1)
        while fresh:
            bit = lowest_bit(fresh)
            fresh &= fresh - np.uint64(1)
            shards[count], shard_masks[count] = 64 * word + bit, word_masks[bit]
            word_masks[bit] = 0
            count += 1
    return count


@inner
def dealing_fits(u, reach, following, in_start, in_node, in_links, shards, links, rest, later):  # type: ignore[no-untyped-def]
    """Whether whole shards can quickly be dealt out with at most shards/links on every in-link.

    In-neighbours are served in turn. Each takes first what no later one can send, then what just
    one later one can, and so on, up to its room. True proves that the load of u is no more; False
    proves nothing. It costs a few operations a word, and settles most receivers.
    """
    first, k = in_start[u], in_start[u + 1] - in_start[u]
    words = reach.shape[1]
    for word in range(words):
        rest[word] = following[u, word] & ~reach[u, word]
        for rank in range(RANKS):
            later[k - 1, rank, word] = 0
        for i in range(k - 1, 0, -1):
            bits = reach[in_node[first + i], word]
            for rank in range(RANKS):
                known = later[i, rank, word]
                later[i - 1, rank, word] = known | bits
                bits &= known
    for i in range(k):
        w = in_node[first + i]
        room = in_links[first + i] * shards // links
        for rank in range(RANKS + 1):
            if room == 0 and rank > 0:
                break
            for word in range(words):
                bits = rest[word] & reach[w, word]
                if rank < RANKS:
                    bits &= ~later[i, rank, word]
                if bits == 0:
                    continue
                amount = popcount(bits)
                if amount > room:
                    if rank == 0:
                        return False
                    while room > 0:
                        rest[word] &= ~(bits & (~bits + np.uint64(1)))
                        bits &= bits - np.uint64(1)
                        room -= 1
                    break
                rest[word] &= ~bits
                room -= amount
    return True


@inner
def _line_level(u, step, near, branching, following, reach, out_start, out_node):  # type: ignore[no-untyped-def]
    """How far theorem 10's equality holds at receiver u, should u be the busiest at this step.

    The proof needs a walk u, u', u'', ... that meets no shard that u receives at this step. A
    return path shorter than the step gives one for ever; at the first step it is enough to avoid
    one in-neighbour; an out-neighbour at any other distance serves for one expansion.
    """
    if near[u] < step or (step == 1 and branching):
        return ALWAYS
    for at in range(out_start[u], out_start[u + 1]):
        v = out_node[at]
        fresh = following[u, v >> 6] & ~reach[u, v >> 6]
        if not fresh >> np.uint64(v & 63) & np.uint64(1):
            return ONCE
    return NEVER


@kernel
def profile_by_bits(in_start, in_node, in_links, out_start, out_node, looped, receivers):  # type: ignore[no-untyped-def]
    """Busiest in-link of each BFB step over all receivers, as exact ratios.

    `in_start`, `in_node`, `in_links`: distinct in-neighbours of each node and the number of
    parallel arcs from each (CSR, self-loops left out, at most 63 a node after the first step);
    `out_start`, `out_node`: distinct out-neighbours; `looped`: nodes with a self-loop.

    Returns (steps, shards, links, levels, near): the busiest link of step t carries
    shards[t] / links[t] shards, levels[t] is the line level of that maximum, near[u] the least
    distance back to u from an out-neighbour of u. steps is -1 when some node cannot reach another.
    """
    n = len(in_start) - 1
    reach = identity_bits(n)
    following = np.empty_like(reach)
    shards, links = np.zeros(n + 1, np.int64), np.ones(n + 1, np.int64)
    levels = np.zeros(n + 1, np.int64)
    near = np.empty(n, np.int64)
    branching = True
    widest = 1
    for u in range(n):
        near[u] = 0 if looped[u] else n + 1
        widest = max(widest, in_start[u + 1] - in_start[u])
        branching = branching and out_start[u + 1] - out_start[u] + looped[u] > 1
    inside, meet = np.empty(1 << DENSE, np.int64), np.empty(1 << DENSE, np.uint64)
    masks, counts = np.empty(n + 1, np.uint64), np.empty(n + 1, np.int64)
    slots, kinds, word_masks = empty_slots(n), np.empty(n, np.int64), np.zeros(64, np.uint64)
    fresh, fresh_masks = np.empty(n, np.int64), np.empty(n, np.uint64)
    sent = np.empty((n + 1, min(widest, 63)), np.int64)
    rest = np.empty(reach.shape[1], np.uint64)
    later = np.empty((widest, RANKS, reach.shape[1]), np.uint64)
    room, seen, parent = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64, np.int64)
    step, members = 0, n
    while members < n * n:
        before, members = members, advance_reach(reach, in_start, in_node, following)
        if members == before:
            return -1, shards, links, levels, near
        step += 1
        for u in receivers:
            level = _line_level(u, step, near, branching, following, reach, out_start, out_node)
            first, k = in_start[u], in_start[u + 1] - in_start[u]
            top, wide = shards[step], links[step]
            if step == 1:
                found, over = 1, 1 << 62
                for at in range(first, first + k):
                    over = min(over, in_links[at])
            elif k <= DENSE:
                count_inside(u, reach, following, in_start, in_node, k, inside, meet)
                found, over = dense_load(inside, in_links[first : first + k], k)
            elif level <= levels[step] and dealing_fits(
                u, reach, following, in_start, in_node, in_links, top, wide, rest, later
            ):
                continue
            else:
                count = list_arrivals(
                    u, reach, following, in_start, in_node, word_masks, fresh, fresh_masks
                )
                classes = sort_into_classes(fresh_masks, count, masks, counts, kinds, slots)
                weights = in_links[first : first + k]
                found, over = class_load(
                    masks, counts, classes, weights, k, top, wide, sent, room, seen, parent
                )
                tied = found == top and over == wide and level > levels[step]
                if tied and not is_load_reached(
                    masks, counts, classes, weights, k, top, wide, sent, room, seen, parent
                ):
                    level = NEVER
            if found * wide > top * over:
                shards[step], links[step], levels[step] = found, over, level
            elif found * wide == top * over:
                levels[step] = max(levels[step], level)
        for u in receivers:
            if near[u] > n:
                for at in range(out_start[u], out_start[u + 1]):
                    v = out_node[at]
                    if following[u, v >> 6] >> np.uint64(v & 63) & np.uint64(1):
                        near[u] = step
        reach, following = following, reach
    return step, shards, links, levels, near


@inner
def _sort_span(values, start, stop):  # type: ignore[no-untyped-def]
    """Sort values[start:stop] in place by insertion: a node has few neighbours."""
    for i in range(start + 1, stop):
        value, at = values[i], i
        while at > start and values[at - 1] > value:
            values[at] = values[at - 1]
            at -= 1
        values[at] = value


@kernel
def group_neighbours(end, other, n):  # type: ignore[no-untyped-def]
    """Group `other[e]` by `end[e]` over all arcs e, self-loops left out.

    `end`, `other`: int32 of shape (arcs,). Returns (start, node, links), int64: the neighbours of
    u are node[start[u]:start[u + 1]] in increasing order, links their numbers of parallel arcs.
    """
    first = np.zeros(n + 1, np.int64)
    for e in range(len(end)):
        if end[e] != other[e]:
            first[end[e] + 1] += 1
    for u in range(n):
        first[u + 1] += first[u]
    found, at = np.empty(first[n], np.int64), first[:n].copy()
    for e in range(len(end)):
        if end[e] != other[e]:
            found[at[end[e]]] = other[e]
            at[end[e]] += 1
    start = np.zeros(n + 1, np.int64)
    node, links = np.empty(first[n], np.int64), np.empty(first[n], np.int64)
    filled = 0
    for u in range(n):
        _sort_span(found, first[u], first[u + 1])
        for i in range(first[u], first[u + 1]):
            if i > first[u] and found[i] == found[i - 1]:
                links[filled - 1] += 1
            else:
                node[filled], links[filled] = found[i], 1
                filled += 1
        start[u + 1] = filled
    return start, node[:filled], links[:filled]
