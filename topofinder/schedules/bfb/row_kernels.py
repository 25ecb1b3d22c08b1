"""What receivers get in a BFB allgather: the rows of all of them at a step, or of one at all steps.

`neighbours` is the answer of `topofinder.schedules.bfb.in_arcs.in_arcs`.
"""

import numpy as np

from topofinder.kernels import count_hops, inner, kernel, lowest_bit
from topofinder.schedules.bfb.cutting import cut, cut_first, make_scratch
from topofinder.schedules.bfb.profile_kernels import advance, identity_bits


@kernel
def own_shards(n):  # type: ignore[no-untyped-def]
    """What each node holds before the first step, as bit sets; uint64 of shape (n, n / 64)."""
    return identity_bits(n)


@kernel
def pass_on(reach, in_start, in_node, following):  # type: ignore[no-untyped-def]
    """Fill `following` with what each node holds one step after it held `reach`."""
    advance(reach, in_start, in_node, following)


@inner
def _arrivals(u, reach, following, in_start, in_node, shards, shard_masks):  # type: ignore[no-untyped-def]
    """List the new shards of u and the in-neighbours that hold them; returns how many."""
    count, first = 0, in_start[u]
    masks = np.empty(64, np.uint64)
    for word in range(reach.shape[1]):
        fresh = following[u, word] & ~reach[u, word]
        if fresh == 0:
            continue
        masks[:] = 0
        for i in range(in_start[u + 1] - first):
            bits = fresh & reach[in_node[first + i], word]
            while bits:
                masks[lowest_bit(bits)] |= np.uint64(1) << np.uint64(i)
                bits &= bits - np.uint64(1)
        while fresh:
            bit = lowest_bit(fresh)
            fresh &= fresh - np.uint64(1)
            shards[count], shard_masks[count] = 64 * word + bit, masks[bit]
            count += 1
    return count


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
    for u in range(receiver, n):
        first, k = in_start[u], in_start[u + 1] - in_start[u]
        here, weights = first_arc[first : first + k], in_links[first : first + k]
        count = 1
        if step > 1:
            count = _arrivals(u, reach, following, in_start, in_node, shards, shard_masks)
        if filled + count * weights.sum() > len(out[0]):
            return u, filled
        if step == 1:
            nodes = in_node[first : first + k]
            filled = cut_first(nodes, weights, arcs, here, k, pieces, out, filled)
        elif count:
            filled = cut(
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
    filled = cut_first(nodes, weights, arcs, here, k, pieces[0], out, 0)
    ends[1] = filled
    scratch, begin = make_scratch(n, k), 1 + k
    for step in range(2, len(pieces) + 1):
        stop = begin
        while stop < n and hops[order[stop]] == step:
            stop += 1
        filled = cut(
            order[begin:stop], shard_masks[begin:stop], stop - begin, weights, arcs, here, k,
            pieces[step - 1], scratch, out, filled,
        )  # fmt: skip
        ends[step], begin = filled, stop
