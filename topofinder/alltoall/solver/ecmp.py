"""The flow that splits evenly over all last arcs of shortest paths: what ECMP routing does.

Where it loads all arcs alike, as in the most symmetric graphs, it is the best there is: f is then
the hop bound, number of arcs over sum of distances.
"""

import numpy as np

from generators.topology import FloatArray
from topofinder.alltoall.network import FlowNetwork
from topofinder.alltoall.solver.reduction import Reduction
from topofinder.alltoall.solver.shortest_path_kernels import grow_tree
from topofinder.kernels import kernel


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


def ecmp_flows(small: Reduction) -> FloatArray:
    """The flows of the sources of a reduction, in its units; shape (k, m)."""
    net: FlowNetwork = small.net
    flows = np.zeros((len(small.sources), net.arcs))
    split_evenly(small.sources, small.wanted.astype(np.float64), net, flows)
    return flows
