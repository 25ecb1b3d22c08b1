"""Test every cut of a network in one pass over the compute nodes.

No cut is overwhelmed if every compute node y can receive all that is supplied (theorem 1). A cut
that is overwhelmed has a first node outside it in the order of testing; all earlier nodes are
inside, so they may count as one source without limit once they have passed. That makes all flows
but the first small. What flowed to earlier nodes may stay, for it ends in the source.
"""

import numpy as np

from topofinder.forests.optimality.flow_kernels import PLENTY, bring_flow
from topofinder.kernels import kernel


@kernel
def check_targets(first, total, order, net, residual, excess, work):  # type: ignore[no-untyped-def]
    """Test the targets order[first:]; returns (position of the first that fails, unmet need).

    All pass: (len(order), 0). Nodes order[:first] must have excess PLENTY, other nodes their
    supply, which sums to `total`. After a failure the marked nodes (see `flow`) are the sink side
    of the cut, and the target keeps excess 0: with more capacity, go on by `resume_target`.
    """
    start, ref, other = net
    for position in range(first, len(order)):
        y = order[position]
        need = total - excess[y]
        excess[y] = 0
        near = 0
        for at in range(start[y], start[y + 1]):
            a = ref[at]
            if excess[other[a]] > PLENTY >> 1:
                near += residual[a ^ 1]
                if near >= need:
                    break
        if near < need:
            need = bring_flow(y, need, net, residual, excess, work)
            if need > 0:
                return position, need
        excess[y] = PLENTY
    return len(order), 0


@kernel
def resume_target(y, need, net, residual, excess, work):  # type: ignore[no-untyped-def]
    """Go on with the target y that failed with this need; returns what is still unmet."""
    need = bring_flow(y, need, net, residual, excess, work)
    if need == 0:
        excess[y] = PLENTY
    return need


@kernel
def target_order(compute, net):  # type: ignore[no-untyped-def]
    """The compute nodes in breadth-first order along the arcs, started anew where it ends."""
    start, ref, other = net
    n = len(start) - 1
    seen = np.zeros(n, np.bool_)
    queue = np.empty(n, np.int64)
    order = np.empty(len(compute), np.int64)
    is_compute = np.zeros(n, np.bool_)
    for v in compute:
        is_compute[v] = True
    done, filled, found = 0, 0, 0
    for root in compute:
        if not seen[root]:
            seen[root], queue[filled] = True, root
            filled += 1
        while done < filled:
            v = queue[done]
            done += 1
            if is_compute[v]:
                order[found] = v
                found += 1
            for at in range(start[v], start[v + 1]):
                u = other[ref[at]]
                if not seen[u] and ref[at] & 1 == 0:
                    seen[u], queue[filled] = True, u
                    filled += 1
    return order
