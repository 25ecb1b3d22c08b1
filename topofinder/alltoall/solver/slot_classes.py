"""Slots that some symmetry about node 0 exchanges, found by colour refinement of what node 0 sees.

Where translations keep slots, every source sees the graph as node 0 does, and its pair classes
are enough for all: an equitable partition as in `topofinder.alltoall.solver.reduction`, of one row.
"""

import numpy as np

from generators.topology import Int64Array
from topofinder.alltoall.network import FlowNetwork
from topofinder.alltoall.solver import colour_kernels


def slot_classes(net: FlowNetwork, slot: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The class of each slot, and the class of each arc as node 0 sees it.

    `slot`, of shape (m,), numbers the slots of the arcs of `net` from 0 on. In a flow of node 0
    that is averaged over classes of arcs, all slots of a class carry the same.

    >>> from generators.arrays import jump_graph
    >>> from topofinder.alltoall.network import flow_network
    >>> slots, arcs = slot_classes(flow_network(jump_graph(5, [1, 4])), np.array([0, 1] * 5))
    >>> slots.tolist(), len(set(arcs.tolist()))
    ([0, 0], 5)
    """
    own = np.zeros(1, dtype=np.int32)
    colour = np.zeros((1, net.n), dtype=np.uint64)
    colour[0, 0] = 1
    colour_kernels.mix_hops(own, net, colour)
    arc_colour = np.ones(net.arcs, dtype=np.uint64)
    seen = np.empty(net.arcs, dtype=np.uint64)
    before = (0, 0)
    while True:
        nodes = int(colour_kernels.refine_colours(net, arc_colour, colour))
        colour_kernels.fill_arc_colours(net, arc_colour, colour[0], seen)
        words = np.zeros(int(slot.max()) + 1, dtype=np.uint64)
        np.add.at(words, slot, seen ^ (seen >> np.uint64(29)))
        kinds = np.unique(words, return_inverse=True)[1]
        after = (nodes, int(kinds.max()))
        if after == before:
            return kinds, np.unique(seen, return_inverse=True)[1]
        arc_colour, before = words[slot], after
