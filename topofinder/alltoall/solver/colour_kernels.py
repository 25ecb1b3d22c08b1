"""Weisfeiler-Leman colour refinement of pairs (source, node).

A round gives a node a new 64-bit word for its own and what it meets along the arcs into it and out
of it (`hash_neighbours`). Two nodes, of the same or of different sources, keep one colour only
while nothing tells them apart. Should two words collide by chance, classes too large make for a
poor flow, never for a wrong bound.
"""

import numpy as np

from topofinder.kernels import (
    GOLDEN,
    count_distinct,
    count_hops,
    hash_neighbours,
    inner,
    kernel,
    mix64,
)


@inner
def pair_arc_colour(tail, head, arc):  # type: ignore[no-untyped-def]
    """The colour of an arc as one source sees it."""
    return mix64(mix64(tail + GOLDEN) ^ mix64(head * np.uint64(3) + arc))


@kernel
def mix_hops(sources, net, colour):  # type: ignore[no-untyped-def]
    """Mix into colour[k, v] the hops from sources[k] to v."""
    n = colour.shape[1]
    hops, queue = np.empty(n, np.int64), np.empty(n, np.int64)
    follower = np.empty(len(net.head), np.int32)
    for at in range(len(follower)):
        follower[at] = net.head[net.out_arc[at]]
    for k in range(len(sources)):
        count_hops(sources[k], net.out_first, follower, hops, queue)
        for v in range(n):
            colour[k, v] = mix64(colour[k, v] + np.uint64(hops[v] + 1) * GOLDEN)


@inner
def far_ends(arc, end, arc_colour, factor):  # type: ignore[no-untyped-def]
    """The ends of the arcs listed in `arc`, and their colours times `factor`; shapes (m,)."""
    node, label = np.empty(len(arc), np.int32), np.empty(len(arc), np.uint64)
    for at in range(len(arc)):
        node[at], label[at] = end[arc[at]], arc_colour[arc[at]] * factor
    return node, label


@kernel
def refine_colours(net, arc_colour, colour):  # type: ignore[no-untyped-def]
    """One round, in place. Returns how many colours the sources see, summed over sources."""
    rows, n = colour.shape
    fresh, total, size = np.empty(n, np.uint64), 0, 2
    while size < 2 * n:
        size *= 2
    slots, stamp = np.empty(size, np.uint64), np.zeros(size, np.int64)
    before, before_label = far_ends(net.in_arc, net.tail, arc_colour, np.uint64(5))
    after, after_label = far_ends(net.out_arc, net.head, arc_colour, np.uint64(1))
    for k in range(rows):
        old = colour[k]
        for v in range(n):
            word = mix64(old[v] + GOLDEN)
            first, last = net.in_first[v], net.in_first[v + 1]
            word += hash_neighbours(before, before_label, first, last, old, np.uint64(0))
            first, last = net.out_first[v], net.out_first[v + 1]
            word += hash_neighbours(after, after_label, first, last, old, np.uint64(1))
            fresh[v] = mix64(word)
        for v in range(n):
            old[v] = fresh[v]
        total += count_distinct(old, slots, k + 1, stamp)
    return total


@kernel
def sum_signatures(net, arc_colour, colour, of_source, of_arc):  # type: ignore[no-untyped-def]
    """Sum up colours: over the nodes each source sees, and over the sources that see each arc."""
    rows, n = colour.shape
    of_arc[:] = 0
    for k in range(rows):
        own = np.uint64(0)
        for v in range(n):
            own += mix64(colour[k, v])
        of_source[k] = own
        for e in range(len(of_arc)):
            of_arc[e] += pair_arc_colour(
                colour[k, net.tail[e]], colour[k, net.head[e]], arc_colour[e]
            )


@kernel
def fill_arc_colours(net, arc_colour, row, out):  # type: ignore[no-untyped-def]
    """Fill out[e] with the colours of arcs as one source sees them."""
    for e in range(len(out)):
        out[e] = pair_arc_colour(row[net.tail[e]], row[net.head[e]], arc_colour[e])
