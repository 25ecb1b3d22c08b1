"""Flows along shortest paths: what ECMP routing sends, and rounded flows that still deliver all.

ECMP splits evenly over all last arcs of shortest paths. Where that loads all arcs alike, as in the
most symmetric graphs, it is the best there is: f is then the hop bound, number of arcs over sum of
distances. When a flow is rounded, what rounding takes from a node is sent once more along a tree
of fewest hops.
"""

import numpy as np

from generators.topology import FloatArray
from topofinder.alltoall.solver.reduction import Reduction
from topofinder.alltoall.solver.shortest_path_kernels import grow_tree
from topofinder.kernels import kernel


def ecmp_flows(small: Reduction) -> FloatArray:
    """The flows of the sources of a reduction, in its units; shape (k, m)."""
    net = small.net
    flows = np.zeros((len(small.sources), net.arcs))
    split_evenly(small.sources, small.wanted.astype(np.float64), net, flows)
    return flows


@kernel
def split_evenly(sources, wanted, net, flows):  # type: ignore[no-untyped-def]
    """Fill flows[k, e], zeros before, with what sources[k] sends over arc e.

    What a node wants or passes on comes in equal parts over its arcs from nodes one hop nearer.
    """
    n, m = wanted.shape[1], len(net.tail)
    ones = np.ones(m, np.int64)
    hops, parent, order = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    keys, nodes = np.empty(m + 1, np.int64), np.empty(m + 1, np.int64)
    through = np.empty(n)
    for k in range(len(sources)):
        grow_tree(sources[k], net, ones, hops, parent, order, keys, nodes)
        for v in range(n):
            through[v] = wanted[k, v]
        for place in range(n - 1, 0, -1):
            v, arcs = order[place], 0
            for at in range(net.in_first[v], net.in_first[v + 1]):
                arcs += hops[net.tail[net.in_arc[at]]] < hops[v]
            for at in range(net.in_first[v], net.in_first[v + 1]):
                e = net.in_arc[at]
                if hops[net.tail[e]] < hops[v]:
                    flows[k, e] = through[v] / arcs
                    through[net.tail[e]] += through[v] / arcs


@kernel
def round_flows(sources, net, wanted, rows, out, scale):  # type: ignore[no-untyped-def]
    """Fill out[k], int64 (m,), with scale * rows[k] rounded, and mended where it delivers too
    little: every node t then gets at least scale * wanted[k, t].

    `rows` is float64 (k, m), `wanted` int64 (k, n). What is lacking is sent along a tree of
    fewest hops.
    """
    n, m = wanted.shape[1], len(net.tail)
    ones = np.ones(m, np.int64)
    distance, parent = np.empty(n, np.int64), np.empty(n, np.int64)
    order, net_in = np.empty(n, np.int64), np.empty(n, np.int64)
    keys, nodes = np.empty(m + 1, np.int64), np.empty(m + 1, np.int64)
    for k in range(len(sources)):
        grow_tree(sources[k], net, ones, distance, parent, order, keys, nodes)
        for v in range(n):
            net_in[v] = -scale * wanted[k, v]
        for e in range(m):
            out[k, e] = np.int64(np.rint(max(rows[k, e], 0.0) * scale))
            net_in[net.head[e]] += out[k, e]
            net_in[net.tail[e]] -= out[k, e]
        for place in range(n - 1, 0, -1):
            v = order[place]
            if net_in[v] < 0:
                out[k, parent[v]] -= net_in[v]
                net_in[net.tail[parent[v]]] += net_in[v]
