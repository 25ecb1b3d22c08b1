"""Kernels that grow trees and move their edges until no arc carries more than it can.

A local search as for unsplittable flows: all trees are whole at all times, and arcs may be over
their capacity. A step takes such an arc and some trees that use it, and hangs the part of a tree
below it elsewhere: from any host outside, by any route, with the host it hangs from as the part's
root or a child of that (the edge between is then turned). The move that helps the most is made,
even if it helps nothing. Then the arcs that are over their capacity cost more from now on (breakout
local search, Morris 1993), and what was moved stays for some steps (tabu search, Glover 1989).

`trees` = (enter, root, weight): `enter[t, v]` is the route by which tree t enters host v, -1 at its
root. `routes` and `into` are columns of `EdgeRoutes`. `arcs` = (load, capacity, price). `tables` =
(depth, below, trail), scratch of an entry a host: `below[x]` is 1 for hosts in the part of a tree
that is moved, whose depth counts from the part's root. All int64.
"""

import numpy as np

from topofinder.kernels import inner, kernel, random_below, seed_random

SAMPLES = 12
"""Trees on an arc that are looked at in a step."""
REST, MORE_REST = 3, 7
"""Steps for which what was moved stays: so many, and up to so many more."""
FAR = 1 << 60
DELTA, TREE, TOP, JOINT, ROUTE, TIES = 0, 1, 2, 3, 4, 5
"""Entries of the best move: what it costs, the tree, the part's root, the host that is hung
elsewhere, by which route, and how many moves are as good."""


@kernel
def grow_trees(enter, root, routes, outof, height, seed):  # type: ignore[no-untyped-def]
    """Fill `enter` by trees that grow over short routes at random, none higher than `height`.

    Where that ends before all hosts are there, the tree is grown anew, level by level. `outof` =
    (start, route): the routes out of every host. Returns the height of the highest.
    """
    seed_random(seed)
    hosts = enter.shape[1]
    depth = np.empty(hosts, np.int64)
    highest = 0
    for t in range(len(root)):
        if not _grow_tree(t, enter, root, routes, outof, height, depth, False):
            _grow_tree(t, enter, root, routes, outof, hosts, depth, True)
        highest = max(highest, depth.max())
    return highest


@inner
def _grow_tree(t, enter, root, routes, outof, height, depth, level):  # type: ignore[no-untyped-def]
    tail, head, start = routes[0], routes[1], routes[2]
    hosts = len(depth)
    for v in range(hosts):
        enter[t, v], depth[v] = -1, -1
    depth[root[t]] = 0
    for _ in range(hosts - 1):
        least, ties, chosen = FAR, 0, -1
        anywhere = random_below(10) == 0
        for u in range(hosts):
            if depth[u] < 0 or depth[u] >= height:
                continue
            for i in range(outof[0][u], outof[0][u + 1]):
                r = outof[1][i]
                if depth[head[r]] >= 0:
                    continue
                key = depth[u] if level else 0 if anywhere else start[r + 1] - start[r]
                if key < least:
                    least, ties = key, 0
                if key == least:
                    ties += 1
                    if random_below(ties) == 0:
                        chosen = r
        if chosen < 0:
            return False
        v = head[chosen]
        enter[t, v], depth[v] = chosen, depth[tail[chosen]] + 1
    return True


@kernel
def put_loads(trees, routes, load):  # type: ignore[no-untyped-def]
    """What the trees put on every arc, in `load`."""
    enter, _, weight = trees
    load[:] = 0
    for t in range(enter.shape[0]):
        for v in range(enter.shape[1]):
            if enter[t, v] >= 0:
                _carry(enter[t, v], weight[t], routes, load)


@kernel
def move_edges(trees, routes, into, arcs, height, rest, tally, steps, seed):  # type: ignore[no-untyped-def]
    """Move edges for so many steps, or until no arc is over its capacity; whether that is so.

    `rest[t, v]` is the step until which host v stays in tree t. `tally`: the steps taken so far,
    the least excess over capacities so far, and the step at which it was reached.
    """
    seed_random(seed)
    enter, load, capacity, price = trees[0], arcs[0], arcs[1], arcs[2]
    hosts = enter.shape[1]
    tables = (np.empty(hosts, np.int64), np.empty(hosts, np.int64), np.empty(hosts, np.int64))
    over = np.empty(len(load), np.int64)
    users = np.empty((enter.size, 2), np.int64)
    best = np.empty(6, np.int64)
    for _ in range(steps):
        count, excess = 0, 0
        for a in range(len(load)):
            if load[a] > capacity[a]:
                over[count] = a
                count += 1
                excess += load[a] - capacity[a]
        tally[0] += 1
        if excess < tally[1]:
            tally[1], tally[2] = excess, tally[0]
        if count == 0:
            return True
        used = _list_users(over[random_below(count)], enter, routes, users)
        best[DELTA], best[TIES] = FAR, 0
        for _ in range(min(used, SAMPLES)):
            at = random_below(used)
            t, v = users[at, 0], users[at, 1]
            if rest[t, v] <= tally[0]:
                _look_for_moves(t, v, trees, routes, into, arcs, height, tables, best)
        if best[DELTA] == FAR:
            continue
        if best[DELTA] >= 0:
            for i in range(count):
                price[over[i]] += 1
        _make_move(trees, routes, load, best)
        until = tally[0] + REST + random_below(MORE_REST)
        rest[best[TREE], best[TOP]], rest[best[TREE], best[JOINT]] = until, until
    return False


@inner
def _carry(r, amount, routes, load):  # type: ignore[no-untyped-def]
    for i in range(routes[2][r], routes[2][r + 1]):
        load[routes[3][i]] += amount


@inner
def _cost(r, amount, routes, arcs):  # type: ignore[no-untyped-def]
    """What it costs that route r carries so much more."""
    load, capacity, price = arcs
    total = 0
    for i in range(routes[2][r], routes[2][r + 1]):
        a = routes[3][i]
        past = load[a] + amount - capacity[a]
        if past > 0:
            total += price[a] * min(past, amount)
    return total


@inner
def _list_users(a, enter, routes, users):  # type: ignore[no-untyped-def]
    """The pairs (tree, host) that are entered over arc a; how many."""
    count = 0
    for t in range(enter.shape[0]):
        for v in range(enter.shape[1]):
            r = enter[t, v]
            if r < 0:
                continue
            for i in range(routes[2][r], routes[2][r + 1]):
                if routes[3][i] == a:
                    users[count, 0], users[count, 1] = t, v
                    count += 1
                    break
    return count


@inner
def _look_for_moves(t, v, trees, routes, into, arcs, height, tables, best):  # type: ignore[no-untyped-def]
    """Keep in `best` the best of all moves of what hangs from host v in tree t."""
    enter, _, weight = trees
    depth, below, _ = tables
    _measure_part(t, v, trees, routes[0], tables)
    tall = 0
    for x in range(len(depth)):
        if below[x] == 1:
            tall = max(tall, depth[x])
    old, amount, load = enter[t, v], weight[t], arcs[0]
    _carry(old, -amount, routes, load)
    base = -_cost(old, amount, routes, arcs)
    _look_for_entries(t, v, v, old, tall, base, amount, routes, into, arcs, height, tables, best)
    for s in range(len(depth)):
        if below[s] == 1 and depth[s] == 1 and routes[4][enter[t, s]] >= 0:
            edge = enter[t, s]
            turned = _turned_height(t, v, s, enter, routes[0], tables)
            _carry(edge, -amount, routes, load)
            more = base - _cost(edge, amount, routes, arcs)
            more += _cost(routes[4][edge], amount, routes, arcs)
            _carry(routes[4][edge], amount, routes, load)
            _look_for_entries(
                t, v, s, -1, turned, more, amount, routes, into, arcs, height, tables, best
            )
            _carry(routes[4][edge], -amount, routes, load)
            _carry(edge, amount, routes, load)
    _carry(old, amount, routes, load)


@inner
def _measure_part(t, v, trees, tail, tables):  # type: ignore[no-untyped-def]
    """Fill `below` and `depth` for the part of tree t that hangs from host v."""
    enter, root, _ = trees
    depth, below, trail = tables
    for x in range(len(depth)):
        depth[x] = -1
    depth[root[t]], below[root[t]] = 0, 0
    depth[v], below[v] = 0, 1
    for x in range(len(depth)):
        y, count = x, 0
        while depth[y] < 0:
            trail[count] = y
            count += 1
            y = tail[enter[t, y]]
        for i in range(count - 1, -1, -1):
            depth[trail[i]], below[trail[i]] = depth[y] + 1, below[y]
            y = trail[i]


@inner
def _turned_height(t, v, s, enter, tail, tables):  # type: ignore[no-untyped-def]
    """The height of the part when its root is s, a child of its root v."""
    depth, below, _ = tables
    tall = 1
    for x in range(len(depth)):
        if below[x] == 1:
            y = x
            while y != v and y != s:
                y = tail[enter[t, y]]
            tall = max(tall, depth[x] - 1 if y == s else depth[x] + 1)
    return tall


@inner
def _look_for_entries(t, v, s, old, tall, base, amount, routes, into, arcs, height, tables, best):  # type: ignore[no-untyped-def]
    """Keep in `best` the best route by which the part, so `tall` from s, may be entered at s."""
    depth, below, _ = tables
    for i in range(into[0][s], into[0][s + 1]):
        r = into[1][i]
        u = routes[0][r]
        if r == old or below[u] == 1 or depth[u] + 1 + tall > height:
            continue
        delta = base + _cost(r, amount, routes, arcs)
        if delta < best[DELTA]:
            best[DELTA], best[TIES] = delta, 0
        if delta == best[DELTA]:
            best[TIES] += 1
            if random_below(best[TIES]) == 0:
                best[TREE], best[TOP], best[JOINT], best[ROUTE] = t, v, s, r


@inner
def _make_move(trees, routes, load, best):  # type: ignore[no-untyped-def]
    enter, _, weight = trees
    t, v, s = best[TREE], best[TOP], best[JOINT]
    amount = weight[t]
    _carry(enter[t, v], -amount, routes, load)
    if s != v:
        edge = enter[t, s]
        _carry(edge, -amount, routes, load)
        enter[t, v] = routes[4][edge]
        _carry(routes[4][edge], amount, routes, load)
    enter[t, s] = best[ROUTE]
    _carry(best[ROUTE], amount, routes, load)
