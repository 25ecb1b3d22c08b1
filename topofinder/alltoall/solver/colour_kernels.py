"""Weisfeiler-Leman colour refinement of pairs (source, node).

Colours are 64-bit words. A round gives a node a new one from its own and from the sums, over the
arcs into it and out of it, of words drawn from the neighbour's colour and the arc's. Two nodes,
of the same or of different sources, keep one colour only while nothing tells them apart. Should
two words collide by chance, classes too large make for a poor flow, never for a wrong bound.
"""

import numpy as np

from topofinder.kernels import GOLDEN, count_distinct, count_hops, inner, kernel, mix64


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


@kernel
def refine_colours(net, arc_colour, colour):  # type: ignore[no-untyped-def]
    """One round, in place. Returns how many colours the sources see, summed over sources."""
    rows, n = colour.shape
    fresh, total, size = np.empty(n, np.uint64), 0, 2
    while size < 2 * n:
        size *= 2
    slots, stamp = np.empty(size, np.uint64), np.zeros(size, np.int64)
    for k in range(rows):
        old = colour[k]
        for v in range(n):
            word = mix64(old[v] + GOLDEN)
            for at in range(net.in_first[v], net.in_first[v + 1]):
                e = net.in_arc[at]
                word += mix64(old[net.tail[e]] ^ (arc_colour[e] * np.uint64(5)))
            for at in range(net.out_first[v], net.out_first[v + 1]):
                e = net.out_arc[at]
                word += mix64((old[net.head[e]] ^ arc_colour[e]) + np.uint64(1))
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
