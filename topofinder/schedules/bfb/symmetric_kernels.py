"""Automorphisms of a vertex-transitive topology at work: products, inverses, images of rows.

Automorphisms h_u (`expansions.automorphisms`) carry receiver 0 to every other: what u gets is the
image of what 0 gets, and so is the load of its in-arcs. Rows come step after step, within a step
receiver after receiver.
"""

import numpy as np

from topofinder.kernels import kernel


@kernel
def invert_products(table, backward):  # type: ignore[no-untyped-def]
    """Follow colours: h_v = h_u g for v = h_u(g(0)), so h_v^-1(0) = g^-1(h_u^-1(0))."""
    n = len(table)
    inverse, queue = np.full(n, -1, np.int64), np.zeros(n, np.int64)
    inverse[0], filled = 0, 1
    for done in range(n):
        u = queue[done]
        for g in range(len(backward)):
            v = table[u, g]
            if inverse[v] < 0:
                inverse[v], queue[filled] = backward[g, inverse[u]], v
                filled += 1
    return inverse


@kernel
def in_arc_table(tails, neighbours):  # type: ignore[no-untyped-def]
    """`[u, p]` is the arc that h_u makes of the p-th in-arc of node 0; int32, (n, in-arcs of 0).

    `tails[u, i]` is the image of the i-th in-neighbour of node 0; `neighbours` is as in
    `topofinder.schedules.bfb.row_kernels`. The first entry is -1 when some h_u is no automorphism.
    """
    in_start, in_node, in_links, arcs, first_arc = neighbours
    n, k = tails.shape
    table = np.empty((n, in_links[:k].sum()), np.int32)
    for u in range(n):
        p = 0
        for i in range(k):
            at, stop = in_start[u], in_start[u + 1]
            while at < stop and in_node[at] != tails[u, i]:
                at += 1
            if at == stop or in_links[at] != in_links[i]:
                table[0, 0] = -1
                return table
            for r in range(in_links[i]):
                table[u, p] = arcs[first_arc[at] + r]
                p += 1
    return table


@kernel
def spread_sources(first, last, ends, images, order, parent, by, sources, out):  # type: ignore[no-untyped-def]
    """Fill column `out` with the sources of all receivers, for the rows first:last of receiver 0.

    `sources` are those of receiver 0, of which ends[t] belong to the steps up to t. The image
    under h_u is found from that under h_parent[u], which `out` holds already.
    """
    n = len(order)
    for t in range(1, len(ends)):
        begin, width = max(first, ends[t - 1]), ends[t] - ends[t - 1]
        base, stop = ends[t - 1] * n - ends[t - 1], min(last, ends[t])
        if begin >= stop:
            continue
        for row in range(begin, stop):
            out[base + row] = sources[row]
        for u in order[1:]:
            g, old, new = by[u], base + parent[u] * width, base + u * width
            for row in range(begin, stop):
                out[new + row] = images[g, out[old + row]]


@kernel
def spread_rows(first, last, ends, table, places, begins, stops, out):  # type: ignore[no-untyped-def]
    """Fill columns (arc, step, begin, end) of `out` for the receivers first:last.

    `places`: which in-arc of node 0 each of its rows uses; `table`: the answer of `in_arc_table`.
    """
    n = len(table)
    arc, step, begin, end = out
    for t in range(1, len(ends)):
        width = ends[t] - ends[t - 1]
        for u in range(first, last):
            at = ends[t - 1] * n + u * width
            for row in range(ends[t - 1], ends[t]):
                arc[at], step[at] = table[u, places[row]], t
                begin[at], end[at] = begins[row], stops[row]
                at += 1
