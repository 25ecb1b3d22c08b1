"""Kernels of edge splitting: take splits back, and replay them to find the routes.

Source: ForestColl (NSDI 2026), theorem 6, and the routing table of algorithm 3. A split is (arc in,
arc out, logical arc or -1, amount). To replay, every arc has a list of bundles (amount, route); an
arc of the network begins with all its capacity on itself. A split takes bundles off both arcs,
joins their routes end to end and adds them to the logical arc. Where a route comes back to a
switch, the way round is left out: that only takes load off links.
"""

import numpy as np

from topofinder.kernels import inner, kernel


@kernel
def give_back(into, out, made, amount, guilty, lacking, residual):  # type: ignore[no-untyped-def]
    """Take up to `lacking` units off the guilty splits, and move their flow to the old way."""
    for s in guilty:
        if lacking == 0:
            break
        back = min(amount[s], lacking)
        lacking -= back
        amount[s] -= back
        carried = 0
        if made[s] >= 0:
            carried = back - min(back, residual[2 * made[s]])
            residual[2 * made[s]] -= back - carried
            residual[2 * made[s] + 1] -= carried
        for e in (into[s], out[s]):
            residual[2 * e] += back - carried
            residual[2 * e + 1] += carried
    return lacking


@kernel
def replay_splits(head, capacity, splits, wanted):  # type: ignore[no-untyped-def]
    """Rows of `held`: (amount, route, next bundle of the arc); of `joined`: the two halves."""
    m = len(capacity)
    top = np.full(len(head), -1, np.int64)
    held = np.empty((2 * m + 16, 3), np.int64)
    joined = np.empty((m + 16, 2), np.int64)
    for e in range(m):
        held[e, 0], held[e, 1], held[e, 2] = capacity[e], -1 - e, -1
        top[e] = e if capacity[e] > 0 else -1
    filled, joints = m, np.int64(0)  # a literal is a type of its own
    for s in range(len(splits)):
        e, f, g, left = splits[s]
        while left > 0:
            a, b = top[e], top[f]
            amount = min(left, held[a, 0], held[b, 0])
            left -= amount
            if g >= 0:
                joined = _grow_table(joined, joints)
                joined[joints, 0], joined[joints, 1] = held[a, 1], held[b, 1]
                held = _grow_table(held, filled)
                held[filled, 0], held[filled, 1], held[filled, 2] = amount, joints, top[g]
                top[g] = filled
                joints += 1
                filled += 1
            for arc, bundle in ((e, a), (f, b)):
                held[bundle, 0] -= amount
                if held[bundle, 0] == 0:
                    top[arc] = held[bundle, 2]
    return _list_bundles(top, held, joined, wanted, head)


@inner
def _grow_table(table, filled):  # type: ignore[no-untyped-def]
    """The table itself where it has room for a row more, else a copy of twice the length."""
    if filled < len(table):
        return table
    wider = np.empty((2 * len(table) + 16, table.shape[1]), np.int64)
    for i in range(len(table)):  # as a slice it would take three seconds to compile
        for j in range(table.shape[1]):
            wider[i, j] = table[i, j]
    return wider


@inner
def _list_bundles(top, held, joined, wanted, head):  # type: ignore[no-untyped-def]
    """The bundles of the wanted arcs, flat."""
    count = _count_bundles(top, held, wanted)
    bundle_start = np.zeros(len(wanted) + 1, np.int64)
    amount, route_start = np.empty(count, np.int64), np.zeros(count + 1, np.int64)
    route = np.empty(4 * count + 16, np.int32)
    stack = np.empty(len(joined) + 2, np.int64)
    count, filled = 0, np.int64(0)
    for i in range(len(wanted)):
        bundle = top[wanted[i]]
        while bundle >= 0:
            amount[count] = held[bundle, 0]
            route, filled = _unfold_route(held[bundle, 1], joined, stack, route, filled)
            filled = _cut_loops(route, route_start[count], filled, head)
            count += 1
            route_start[count] = filled
            bundle = held[bundle, 2]
        bundle_start[i + 1] = count
    return bundle_start, amount, route_start, route[:filled]


@inner
def _count_bundles(top, held, wanted):  # type: ignore[no-untyped-def]
    """How many bundles the wanted arcs have together."""
    count = 0
    for arc in wanted:
        bundle = top[arc]
        while bundle >= 0:
            count += 1
            bundle = held[bundle, 2]
    return count


@inner
def _unfold_route(root, joined, stack, route, filled):  # type: ignore[no-untyped-def]
    """Write the arcs of one route, from left to right, behind `route[:filled]`; its new end."""
    depth = 1
    stack[0] = root
    while depth > 0:
        depth -= 1
        part = stack[depth]
        if part >= 0:
            stack[depth], stack[depth + 1] = joined[part, 1], joined[part, 0]
            depth += 2
            continue
        if filled == len(route):
            wider = np.empty(2 * filled, np.int32)
            for at in range(filled):
                wider[at] = route[at]
            route = wider
        route[filled] = -1 - part
        filled += 1
    return route, filled


@inner
def _cut_loops(route, begin, end, head):  # type: ignore[no-untyped-def]
    """Leave out the loops of the route in `route[begin:end]`, in place; returns its new end."""
    kept = begin
    for at in range(begin, end):
        e = route[at]
        before = begin
        while before < kept and head[route[before]] != head[e]:
            before += 1
        if before == kept:
            route[kept] = e
            kept += 1
        else:
            kept = before + 1
    return kept
