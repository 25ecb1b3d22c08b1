"""Kernels of maximum flows by Dinic's method, and the test of every cut in one pass over targets.

A network is a tuple (start, ref, other): at node v are the residual arcs ref[start[v]:start[v+1]].
Arc e of the network is residual arc 2e from its tail to its head and 2e + 1 back; `other[a]` is the
node that residual arc a leads to, and `residual[a]` what it can still take. Instead of a source
there is `excess[v]`, what node v can still give.

The search runs backwards from the node in need (one level graph and blocking flow a round), so that
it stays near the node when supplies are near. After a failure the nodes with `mark[v] == mark[n]`
are the sink side of a minimum cut, the least one.

No cut is violated if every compute node y can receive all that is supplied (ForestColl, theorem 1).
A violated cut has a first node outside it in the order of testing; all earlier nodes are inside,
so they may count as one source without limit once they have passed. That makes all flows but the
first small. What flowed to earlier nodes may stay, for it ends in the source.
"""

import numpy as np

from topofinder.kernels import inner, kernel

PLENTY = 1 << 62
"""Excess that no need can use up."""


@kernel
def residual_arcs(tail, head, n):  # type: ignore[no-untyped-def]
    """The residual arcs of a digraph by node: (start, ref, other), all int64."""
    arcs = len(tail)
    start = np.zeros(n + 1, np.int64)
    other = np.empty(2 * arcs, np.int64)
    for e in range(arcs):
        start[tail[e] + 1] += 1
        start[head[e] + 1] += 1
        other[2 * e] = head[e]
        other[2 * e + 1] = tail[e]
    for v in range(n):
        start[v + 1] += start[v]
    filled = start[:-1].copy()
    ref = np.empty(2 * arcs, np.int64)
    for e in range(arcs):
        u, v = tail[e], head[e]
        ref[filled[u]] = 2 * e
        filled[u] += 1
        ref[filled[v]] = 2 * e + 1
        filled[v] += 1
    return start, ref, other


@kernel
def flow_scratch(n):  # type: ignore[no-untyped-def]
    """Working arrays for `bring_flow`, all 0: (mark, level, pointer, queue, path)."""
    return (
        np.zeros(n + 1, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
    )


@inner
def level_graph(y, net, residual, excess, work):  # type: ignore[no-untyped-def]
    """Hops to y, up to the nearest nodes with excess; returns their level, or -1."""
    start, ref, other = net
    mark, level, pointer, queue, _ = work
    n = len(start) - 1
    mark[n] += 1
    stamp = mark[n]
    mark[y], level[y], pointer[y], queue[0] = stamp, 0, start[y], y
    done, filled, nearest = 0, 1, -1
    while done < filled:
        v = queue[done]
        done += 1
        if nearest >= 0 and level[v] >= nearest:
            break
        for at in range(start[v], start[v + 1]):
            a = ref[at]
            u = other[a]
            if residual[a ^ 1] > 0 and mark[u] != stamp:
                mark[u], level[u], pointer[u], queue[filled] = stamp, level[v] + 1, start[u], u
                filled += 1
                if excess[u] > 0:
                    nearest = level[u]
    return nearest


@inner
def bring_flow(y, need, net, residual, excess, work):  # type: ignore[no-untyped-def]
    """Bring `need` units to y; changes residual and excess, returns what cannot be brought.

    `excess[y]` must be 0: what y has itself is to be taken off the need before.
    """
    while need > 0:
        nearest = level_graph(y, net, residual, excess, work)
        if nearest < 0:
            return need
        need = _blocking_flow(y, need, nearest, net, residual, excess, work)
    return need


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


@inner
def _blocking_flow(y, need, nearest, net, residual, excess, work):  # type: ignore[no-untyped-def]
    """Push along shortest paths until every one is blocked; returns what is still needed."""
    start, ref, other = net
    mark, level, pointer, _, path = work
    stamp, depth, v = mark[len(start) - 1], 0, y
    while need > 0:
        if depth == nearest and excess[v] > 0:
            amount = min(need, excess[v])
            for i in range(depth):
                amount = min(amount, residual[path[i]])
            excess[v] -= amount
            need -= amount
            keep = depth
            for i in range(depth - 1, -1, -1):
                residual[path[i]] -= amount
                residual[path[i] ^ 1] += amount
                if residual[path[i]] == 0:
                    keep = i
            if keep == depth and excess[v] > 0:
                keep = 0
            elif keep == depth:
                keep = depth - 1
            depth = keep
            v = y if depth == 0 else other[path[depth - 1] ^ 1]
            continue
        advanced = False
        if depth < nearest:
            while pointer[v] < start[v + 1]:
                a = ref[pointer[v]]
                u = other[a]
                if residual[a ^ 1] > 0 and mark[u] == stamp and level[u] == depth + 1:
                    path[depth] = a ^ 1
                    depth += 1
                    v = u
                    advanced = True
                    break
                pointer[v] += 1
        if not advanced:
            if depth == 0:
                return need
            level[v] = -1
            depth -= 1
            v = y if depth == 0 else other[path[depth - 1] ^ 1]
            pointer[v] += 1
    return need
