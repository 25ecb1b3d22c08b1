"""Tight sets: node sets that exactly as many trees must enter as can.

A set B with as much capacity in as there are trees rooted outside is entered once by every such
tree and never again. So its inside can be packed alone, and the rest with B as a single node.
After a flow of all supplies to y, the nodes from which y can still be reached make the least
tight set around y, unless some of them have supply left.
"""

import numpy as np

from topofinder.forests.optimality.flow_kernels import (
    bring_flow,
    flow_scratch,
    level_graph,
    residual_arcs,
)
from topofinder.kernels import kernel


@kernel
def tight_set_labels(tail, head, capacity, supply):  # type: ignore[no-untyped-def]
    """A label for every node, int64: nodes of one tight set share it, others have their own.

    The sets are disjoint; they are labelled from 0 in the order of their first node.
    """
    n = len(supply)
    net, work = residual_arcs(tail, head, n), flow_scratch(n)
    into = np.zeros(n, np.int64)
    for e in range(len(tail)):
        into[head[e]] += capacity[e]
    total = supply.sum()
    label = np.full(n, -1, np.int64)
    residual = np.empty(2 * len(tail), np.int64)
    labels = 0
    for y in range(n):
        if label[y] >= 0:
            continue
        label[y] = labels
        labels += 1
        if into[y] <= total - supply[y]:
            continue
        excess = supply.copy()
        excess[y] = 0
        for e in range(len(tail)):
            residual[2 * e], residual[2 * e + 1] = capacity[e], 0
        if bring_flow(y, total - supply[y], net, residual, excess, work) > 0:
            continue
        if level_graph(y, net, residual, excess, work) >= 0:
            continue
        mark = work[0]
        free = True
        for v in range(n):
            free &= mark[v] != mark[n] or label[v] < 0 or v == y
        if free:
            for v in range(n):
                if mark[v] == mark[n]:
                    label[v] = label[y]
    return label
