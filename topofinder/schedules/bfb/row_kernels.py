"""What receivers get in a BFB allgather: the rows of all of them at a step, or of one at all steps.

`schedules.bfb.transport_kernels` says how many pieces of each class come from which in-neighbour.
Each shard takes its consecutive pieces in order, from the neighbours of its class in turn, and the
parallel arcs of a neighbour share what it sends as evenly as whole pieces allow. `neighbours` is
the answer of `schedules.bfb.in_arcs.in_arcs`.
"""

import numpy as np

from topofinder.kernels import count_hops, inner, kernel
from topofinder.schedules.bfb.profile_kernels import (
    advance_reach,
    empty_slots,
    identity_bits,
    list_arrivals,
    sort_into_classes,
)
from topofinder.schedules.bfb.transport_kernels import deal_pieces


@kernel
def initial_reach(n):  # type: ignore[no-untyped-def]
    """What each node holds before the first step, as bit sets; uint64 of shape (n, n / 64)."""
    return identity_bits(n)


@kernel
def fill_next_reach(reach, in_start, in_node, following):  # type: ignore[no-untyped-def]
    """Fill `following` with what each node holds one step after it held `reach`."""
    advance_reach(reach, in_start, in_node, following)


@kernel
def receive_step(receiver, step, pieces, reach, following, neighbours, out, filled):  # type: ignore[no-untyped-def]
    """Write the rows of all receivers from `receiver` on at one step, while there is room.

    `reach`, `following`: bit sets of the shards that each node holds before and after the step;
    `out`: columns (source, arc, begin, end), of which `filled` entries are taken; begin and end
    count pieces, `pieces` a shard. Returns (first receiver not done, filled).
    """
    in_start, in_node, in_links, arcs, first_arc = neighbours
    n, widest = len(in_start) - 1, 1
    for u in range(n):
        widest = max(widest, in_start[u + 1] - in_start[u])
    scratch = make_scratch(n, widest)
    shards, shard_masks = np.empty(n, np.int64), np.empty(n, np.uint64)
    word_masks = np.zeros(64, np.uint64)
    for u in range(receiver, n):
        first, k = in_start[u], in_start[u + 1] - in_start[u]
        here, weights = first_arc[first : first + k], in_links[first : first + k]
        count = 1
        if step > 1:
            count = list_arrivals(
                u, reach, following, in_start, in_node, word_masks, shards, shard_masks
            )
        if filled + count * weights.sum() > len(out[0]):
            return u, filled
        if step == 1:
            nodes = in_node[first : first + k]
            filled = cut_own_shards(nodes, weights, arcs, here, k, pieces, out, filled)
        elif count:
            filled = cut_shards(
                shards, shard_masks, count, weights, arcs, here, k, pieces, scratch, out, filled
            )
    return n, filled


@kernel
def receive_all(u, pieces, neighbours, out, ends):  # type: ignore[no-untyped-def]
    """Write the rows of receiver u at all steps; pieces[t - 1] a shard at step t.

    `out` is as in `receive_step`, with room for all rows; ends[t] becomes the number of rows up
    to step t, ends[0] 0. Every node reaches u, in len(pieces) steps at most.
    """
    in_start, in_node, in_links, arcs, first_arc = neighbours
    n, first, k = len(in_start) - 1, in_start[u], in_start[u + 1] - in_start[u]
    hops, other = np.empty(n, np.int64), np.empty(n, np.int64)
    order, queue = np.empty(n, np.int64), np.empty(n, np.int64)
    count_hops(u, in_start, in_node, hops, order)
    shard_masks = np.zeros(n, np.uint64)
    steps = hops[order[n - 1]]
    if steps > 1:
        for i in range(k):
            count_hops(in_node[first + i], in_start, in_node, other, queue)
            for at in range(n):
                if other[order[at]] == hops[order[at]] - 1:
                    shard_masks[at] |= np.uint64(1) << np.uint64(i)
    here, weights = first_arc[first : first + k], in_links[first : first + k]
    nodes = in_node[first : first + k]
    filled = cut_own_shards(nodes, weights, arcs, here, k, pieces[0], out, 0)
    ends[1] = filled
    scratch, begin = make_scratch(n, k), 1 + k
    for step in range(2, len(pieces) + 1):
        stop = begin
        while stop < n and hops[order[stop]] == step:
            stop += 1
        filled = cut_shards(
            order[begin:stop], shard_masks[begin:stop], stop - begin, weights, arcs, here, k,
            pieces[step - 1], scratch, out, filled,
        )  # fmt: skip
        ends[step], begin = filled, stop


@inner
def cut_shards(  # type: ignore[no-untyped-def]
    shards, shard_masks, count, weights, arcs, first_arc, k, pieces, scratch, out, filled
):
    """Write the rows of one receiver and step; returns the new `filled`.

    `shards`, `shard_masks`: the `count` sources and the in-neighbours (bit sets) each can come
    from; `weights`, `first_arc`, int64 of shape (k,): parallel arcs from each in-neighbour, and
    where they begin in `arcs`. Every shard is of `pieces` pieces. `out` is (source, arc, begin,
    end), columns with room for count * weights.sum() rows more; begin and end count pieces.
    """
    masks, counts, kinds, slots, sent, room, seen, parent, queue, at = scratch
    classes = sort_into_classes(shard_masks, count, masks, counts, kinds, slots)
    deal_pieces(masks, counts, classes, weights, k, pieces, sent, room, seen, parent, queue)
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
def cut_own_shards(neighbours, weights, arcs, first_arc, k, pieces, out, filled):  # type: ignore[no-untyped-def]
    """As `cut_shards` at the first step, where neighbours send their own shards; any k will do."""
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
    """Scratch arrays of `cut_shards` for up to `most` shards at once and `widest` in-neighbours."""
    narrow = min(widest, 63)
    return (
        np.empty(most, np.uint64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        empty_slots(most),
        np.empty((most, narrow), np.int64),
        np.empty(narrow, np.int64),
        np.empty(narrow, np.int64),
        np.empty(narrow, np.int64),
        np.empty(narrow, np.int64),
        np.empty(most, np.int64),
    )
