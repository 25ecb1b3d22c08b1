"""The routes behind logical arcs, found by replaying the splits.

Source: ForestColl (NSDI 2026), the routing table of algorithm 3. Every arc has a list of bundles
(amount, route); an arc of the network begins with all its capacity on itself. A split takes
bundles off both arcs, joins their routes end to end and adds them to the logical arc. Where a route
comes back to a switch, the way round is left out: that only takes load off links.
"""

from typing import Any

import numpy as np

from generators.topology import Int64Array
from topofinder.forests.switch_removal.split_state import Splitting
from topofinder.kernels import inner, kernel

Bundles = tuple[Int64Array, Int64Array, Int64Array, Any]


def route_bundles(state: Splitting, capacity: list[int], wanted: Int64Array) -> Bundles:
    """Routes of the arcs `wanted`: (bundle_start, amount, route_start, route) as in `PackedForest`.

    `capacity` is that of the network's arcs before the first split; they come first in `state`. No
    route visits a node twice.
    """
    first = np.array(capacity, dtype=np.int64)
    if not state.splits:
        start = np.arange(len(wanted) + 1)
        return start, first[wanted], start, wanted
    none = np.empty(0, np.int64)
    columns = [np.concatenate([none, *column]) for column in zip(*state.splits, strict=True)]
    splits = np.stack(columns or [none] * 4, axis=1)
    found: Bundles = replay_splits(state.head, first, np.ascontiguousarray(splits), wanted)
    return found


@inner
def _grow_table(table, filled):  # type: ignore[no-untyped-def]
    if filled < len(table):
        return table
    wider = np.empty((2 * len(table) + 16, table.shape[1]), np.int64)
    for i in range(len(table)):  # as a slice it would take three seconds to compile
        for j in range(table.shape[1]):
            wider[i, j] = table[i, j]
    return wider


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
    filled, joints = m, 0
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
def _list_bundles(top, held, joined, wanted, head):  # type: ignore[no-untyped-def]
    """The bundles of the wanted arcs, flat."""
    count = 0
    for arc in wanted:
        bundle = top[arc]
        while bundle >= 0:
            count += 1
            bundle = held[bundle, 2]
    bundle_start = np.zeros(len(wanted) + 1, np.int64)
    amount, route_start = np.empty(count, np.int64), np.zeros(count + 1, np.int64)
    route = np.empty(4 * count + 16, np.int32)
    stack = np.empty(len(joined) + 2, np.int64)
    count, filled = 0, 0
    for i in range(len(wanted)):
        bundle = top[wanted[i]]
        while bundle >= 0:
            amount[count] = held[bundle, 0]
            depth = 1
            stack[0] = held[bundle, 1]
            while depth > 0:
                depth -= 1
                part = stack[depth]
                if part < 0:
                    if filled == len(route):
                        wider = np.empty(2 * filled, np.int32)
                        for at in range(filled):
                            wider[at] = route[at]
                        route = wider
                    route[filled] = -1 - part
                    filled += 1
                else:
                    stack[depth], stack[depth + 1] = joined[part, 1], joined[part, 0]
                    depth += 2
            count += 1
            filled = _cut_loops(route, route_start[count - 1], filled, head)
            route_start[count] = filled
            bundle = held[bundle, 2]
        bundle_start[i + 1] = count
    return bundle_start, amount, route_start, route[:filled]


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
