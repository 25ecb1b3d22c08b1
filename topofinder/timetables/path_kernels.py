"""Kernels of paths: shortest ones through switches by rotation, and balanced ones for chunks."""

from typing import Any, NamedTuple

import numpy as np

from topofinder.kernels import inner, kernel

Array = Any
MOST_PATHS = 1 << 32
"""Equally short paths are counted up to this number."""


class PathWeights(NamedTuple):
    """Scratch of `_weigh_paths`; int64 of shape (nodes,)."""

    total: Array
    via: Array
    stamp: Array
    place: Array
    stack: Array


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


@inner
def _zeros(n):  # type: ignore[no-untyped-def]
    return np.zeros(n, np.int64)


@kernel
def balanced_paths(order, origin, target, amount, cost, unit, tail, head, out, into, passes):  # type: ignore[no-untyped-def]
    """A cheapest path for each chunk, of which the arcs together have least to carry.

    So the sum of squared loads falls with each choice; chunks choose in the given order, and in
    further passes again. An arc has a `cost` of at least 1 and takes `unit` ticks for an amount of
    1. `out` and `into`: CSR (start, arc) by tail and by head.

    Returns (a chunk whose target is out of reach or -1, where the room of each path begins, int64
    (chunks + 1,), the arcs of all paths int32, -1 in front where a path is shorter than its room).
    """
    n, chunks, stamp = len(out[0]) - 1, len(target), 0
    far, most = np.empty((n, n), np.int64), np.empty(n, np.int64)
    times, nodes = np.empty(len(tail) + 1, np.int64), np.empty(len(tail) + 1, np.int64)
    room = np.zeros(chunks + 1, np.int64)
    start, by_origin = _group_chunks(origin, n)
    for u in range(n):
        if start[u] < start[u + 1]:
            _find_costs(u, cost, head, out, far[u], most, times, nodes)
        for place in range(start[u], start[u + 1]):
            x = by_origin[place]
            if far[u, target[x]] < 0:
                return x, room, np.empty(0, np.int32)
            room[x + 1] = most[target[x]]
    for x in range(chunks):
        room[x + 1] += room[x]
    path, load = np.full(room[-1], -1, np.int32), np.zeros(len(tail), np.int64)
    weigh = PathWeights(_zeros(n), _zeros(n), _zeros(n), _zeros(n), _zeros(n))
    for _ in range(passes):
        for x in order:
            for at in range(room[x], room[x + 1]):
                if path[at] >= 0:
                    load[path[at]] -= amount[x] * unit[path[at]]
                    path[at] = -1
            stamp += 1
            u, node, at = origin[x], target[x], room[x + 1]
            _weigh_paths(u, node, far[u], cost, tail, into, load, weigh, stamp)
            while node != u:
                arc = weigh.via[node]
                load[arc] += amount[x] * unit[arc]
                at -= 1
                path[at], node = arc, tail[arc]
    return -1, room, path


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
def _group_chunks(origin, n):  # type: ignore[no-untyped-def]
    """CSR of chunks by origin."""
    start, order = np.zeros(n + 1, np.int64), np.empty(len(origin), np.int64)
    for u in origin:
        start[u + 1] += 1
    for u in range(n):
        start[u + 1] += start[u]
    filled = start[:-1].copy()
    for x in range(len(origin)):
        order[filled[origin[x]]] = x
        filled[origin[x]] += 1
    return start, order


@inner
def _weigh_paths(u, v, far, cost, tail, into, load, weigh, stamp):  # type: ignore[no-untyped-def]
    """Set weigh.via[w] to the last arc of the cheapest path from u to w that has the least load.

    For w = v and all nodes on those paths; the load of a path is the sum of its arcs' loads.
    """
    weigh.total[u], weigh.stamp[u] = 0, stamp
    depth, weigh.stack[0] = 0, v
    if weigh.stamp[v] != stamp:
        weigh.stamp[v], weigh.via[v], weigh.place[v] = stamp, -1, into[0][v]
    while depth >= 0:
        node = weigh.stack[depth]
        if node == u or weigh.place[node] == into[0][node + 1]:
            depth -= 1
            continue
        arc = into[1][weigh.place[node]]
        before = tail[arc]
        if far[before] < 0 or far[before] + cost[arc] != far[node]:
            weigh.place[node] += 1
        elif weigh.stamp[before] != stamp:
            weigh.stamp[before], weigh.via[before] = stamp, -1
            weigh.place[before] = into[0][before]
            depth += 1
            weigh.stack[depth] = before
        else:
            total = weigh.total[before] + load[arc]
            if weigh.via[node] < 0 or total < weigh.total[node]:
                weigh.via[node], weigh.total[node] = arc, total
            weigh.place[node] += 1


@inner
def _find_costs(u, cost, head, out, far, most, times, nodes):  # type: ignore[no-untyped-def]
    """Dijkstra's search: the least cost to every node, -1 where none leads, and most hops for it.

    `times` and `nodes`, of shape (arcs + 1,), are the heap.
    """
    for v in range(len(far)):
        far[v], most[v] = -1, -1
    far[u], most[u] = 0, 0
    times[0], nodes[0], size = 0, u, 1
    while size > 0:
        now, node = times[0], nodes[0]
        size = drop_first(times, nodes, size)
        if now > far[node]:
            continue
        for place in range(out[0][node], out[0][node + 1]):
            arc = out[1][place]
            v, then = head[arc], now + cost[arc]
            if far[v] < 0 or then < far[v]:
                far[v], most[v] = then, most[node] + 1
                size = add_entry(times, nodes, size, then, v)
            elif then == far[v]:
                most[v] = max(most[v], most[node] + 1)


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
