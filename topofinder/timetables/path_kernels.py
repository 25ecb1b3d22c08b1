"""Kernels of paths: shortest ones through switches by rotation, and shares moved among them."""

from typing import Any

import numpy as np

from topofinder.kernels import inner, kernel

Array = Any
MOST_PATHS = 1 << 32
"""Equally short paths are counted up to this number."""


@kernel
def rotated_routes(host, is_switch, out, into, tail, head, each, room):  # type: ignore[no-untyped-def]
    """Shortest routes from host to host through at least one switch, and switches alone.

    `out` and `into`: CSR (start, arc) by tail and by head.
    Up to `each` routes a pair: of the equally short ones from u to v those of numbers u + v and
    on, modulo their count. Returns (whether they have at most `room` arcs in
    all, length of each route int64, arcs of all routes int32).
    """
    n = len(is_switch)
    hops, count, queue = np.empty(n, np.int64), np.zeros(n, np.int64), np.empty(n, np.int64)
    length, arcs = np.empty(16, np.int64), np.empty(64, np.int32)
    routes, filled = 0, 0
    for u in host:
        _search_switches(u, is_switch, out, head, hops, count, queue)
        for v in range(n):
            if is_switch[v] or hops[v] < 2:
                continue
            for turn in range(min(each, count[v])):
                if filled + hops[v] > room:
                    return False, length, arcs
                if routes == len(length):
                    length = np.concatenate((length, length))
                while filled + hops[v] > len(arcs):
                    arcs = np.concatenate((arcs, arcs))
                node, rank, at = v, (u + v + turn) % count[v], filled + hops[v]
                while node != u:
                    at -= 1
                    for place in range(into[0][node], into[0][node + 1]):
                        arc = into[1][place]
                        before = tail[arc]
                        if hops[before] != hops[node] - 1 or not (is_switch[before] or before == u):
                            continue
                        if rank < count[before]:
                            arcs[at], node = arc, before
                            break
                        rank -= count[before]
                length[routes] = hops[v]
                routes += 1
                filled += hops[v]
    return True, length[:routes].copy(), arcs[:filled].copy()


@inner
def _search_switches(u, is_switch, out, head, hops, count, queue):  # type: ignore[no-untyped-def]
    """Breadth-first from u on through switches: hops, -1 where none lead, and shortest paths."""
    for v in range(len(hops)):
        hops[v], count[v] = -1, 0
    hops[u], count[u], queue[0] = 0, 1, u
    done, filled = 0, 1
    while done < filled:
        node = queue[done]
        done += 1
        if node != u and not is_switch[node]:
            continue
        for place in range(out[0][node], out[0][node + 1]):
            v = head[out[1][place]]
            if hops[v] < 0:
                hops[v], queue[filled] = hops[node] + 1, v
                filled += 1
            if hops[v] == hops[node] + 1:
                count[v] = min(count[v] + count[node], MOST_PATHS)


@kernel
def move_shares(first, arc, pair, unit, share, load):  # type: ignore[no-untyped-def]
    """Move parts of a pair's data to another of its paths where squared loads then sum to less.

    Path i takes the arcs arc[first[i]:first[i + 1]] and carries `share[i]`; those of pair q are
    pair[q]..pair[q + 1] - 1. An amount of 1 takes `unit[a]` on arc a, of whose `load[a]` that is
    part; `share` and `load` are changed. An eighth is moved at once, at least 1; returns moves.
    """
    moves = 0
    for q in range(len(pair) - 1):
        for i in range(pair[q], pair[q + 1]):
            if share[i] == 0:
                continue
            step = (share[i] + 7) // 8
            for at in range(first[i], first[i + 1]):
                load[arc[at]] -= step * unit[arc[at]]
            best, least = i, _added_square(first, arc, unit, load, i, step)
            for j in range(pair[q], pair[q + 1]):
                added = _added_square(first, arc, unit, load, j, step)
                if added < least:
                    best, least = j, added
            for at in range(first[best], first[best + 1]):
                load[arc[at]] += step * unit[arc[at]]
            share[i] -= step
            share[best] += step
            moves += best != i
    return moves


@inner
def _added_square(first, arc, unit, load, path, step):  # type: ignore[no-untyped-def]
    """By how much squared loads rise when a path carries `step` more, divided by `step`."""
    found = 0
    for at in range(first[path], first[path + 1]):
        e = arc[at]
        found += unit[e] * (2 * load[e] + step * unit[e])
    return found


@inner
def add_entry(times, nodes, size, time, node):  # type: ignore[no-untyped-def]
    """Add to a heap by time; the new size."""
    at = size
    while at > 0 and times[(at - 1) >> 1] > time:
        times[at], nodes[at] = times[(at - 1) >> 1], nodes[(at - 1) >> 1]
        at = (at - 1) >> 1
    times[at], nodes[at] = time, node
    return size + 1


@inner
def drop_first(times, nodes, size):  # type: ignore[no-untyped-def]
    """Take the earliest from a heap; the new size."""
    size -= 1
    time, node, at = times[size], nodes[size], 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and times[below + 1] < times[below]:
            below += 1
        if times[below] >= time:
            break
        times[at], nodes[at] = times[below], nodes[below]
        at = below
    times[at], nodes[at] = time, node
    return size
