"""Kernels of routing: flow decomposition, and the rounding of it to one path for each pair."""

# mypy: disallow-untyped-decorators=False

from typing import Any

import numpy as np

from topofinder.kernels import inner, kernel

BUFFER_FULL = -1
FLOW_LACKING = -2


@kernel
def peel_paths(
    tail: Any, start: Any, into: Any, row: Any, wanted: Any, source: int,
    sink: Any, weight: Any, end: Any, hops: Any,
) -> int:  # fmt: skip
    """Take paths from a source off its flow until every node has what it wants.

    Shapes: `tail` (arcs,); `into[start[v]:start[v + 1]]` are the arcs into v but self-loops;
    `row` (arcs,) and `wanted` (n,) are used up. Path i is written to sink[i], weight[i] and
    hops[end[i - 1]:end[i]]. Gives the number of paths, BUFFER_FULL when `hops` is too short for
    them, FLOW_LACKING when the flow does not deliver what is wanted.
    """
    place = np.full(len(wanted), -1, np.int64)
    trail = np.empty(len(wanted) + 1, np.int32)
    count = used = 0
    for node in range(len(wanted)):
        while wanted[node] > 0 and node != source:
            depth = _walk_back(tail, start, into, row, node, source, place, trail)
            if depth < 0:
                return FLOW_LACKING
            if used + depth > len(hops):
                return BUFFER_FULL
            amount = wanted[node]
            for step in range(depth):
                amount = min(amount, row[trail[step]])
            for step in range(depth):
                row[trail[step]] -= amount
                hops[used + depth - 1 - step] = trail[step]
            wanted[node] -= amount
            used += depth
            sink[count], weight[count], end[count] = node, amount, used
            count += 1
    return count


@inner
def _walk_back(
    tail: Any, start: Any, into: Any, row: Any, node: int, source: int, place: Any, trail: Any
) -> int:
    """A path to `node` over the fullest arcs, last arc first; cycles on the way are cancelled."""
    depth = 0
    at = node
    place[at] = 0
    while at != source:
        best = -1
        for arc in into[start[at] : start[at + 1]]:
            if row[arc] > 0 and (best < 0 or row[arc] > row[best]):
                best = arc
        if best < 0:
            return FLOW_LACKING
        trail[depth] = best
        depth += 1
        at = tail[best]
        if place[at] >= 0:
            depth = _cancel_cycle(tail, row, place, trail, place[at], depth)
        else:
            place[at] = depth
    place[node] = -1
    for arc in trail[:depth]:
        place[tail[arc]] = -1
    return depth


@inner
def _cancel_cycle(tail: Any, row: Any, place: Any, trail: Any, since: int, depth: int) -> int:
    """Take the cycle trail[since:depth] out of the flow; the walk goes on where it began."""
    amount = row[trail[since]]
    for step in range(since, depth):
        amount = min(amount, row[trail[step]])
    for step in range(since, depth):
        row[trail[step]] -= amount
        if step + 1 < depth:
            place[tail[trail[step]]] = -1
    return since


@kernel
def choose_paths(
    order: Any, pair: Any, first: Any, arc: Any, part: Any, asked: Any, room: Any,
    load: Any, chosen: Any,
) -> None:  # fmt: skip
    """For every pair in turn, choose the path on which it adds least to the sum of load^64.

    Shapes: `order` a permutation of the pairs; `pair`, `first`, `arc` as in Paths; `part` (k,)
    the shares; `asked` (pairs,); `room` (arcs,) capacities; `load` (arcs,) and `chosen` (pairs,)
    are changed. A pair with chosen -1 lies on all of its paths by their shares; any other on
    the chosen one.
    """
    for number in order:
        begin, end = pair[number], pair[number + 1]
        for path in range(begin, end):
            if chosen[number] < 0 or chosen[number] == path:
                taken = asked[number] * (part[path] if chosen[number] < 0 else 1.0)
                for arc_number in arc[first[path] : first[path + 1]]:
                    load[arc_number] -= taken
        best, least = begin, np.inf
        for path in range(begin, end):
            rise = 0.0
            for arc_number in arc[first[path] : first[path + 1]]:
                before = max(load[arc_number], 0.0) / room[arc_number]
                rise += _power64(before + asked[number] / room[arc_number]) - _power64(before)
            if rise < least:
                best, least = path, rise
        chosen[number] = best
        for arc_number in arc[first[best] : first[best + 1]]:
            load[arc_number] += asked[number]


@inner
def _power64(load: float) -> float:
    """load^64: near the largest load, a small part more counts for much."""
    for _ in range(6):
        load *= load
    return load
