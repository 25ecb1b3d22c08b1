"""The replay of a timetable: chunk by chunk where it is, and arc by arc until when it is busy.

A chunk travels alone, so chunks are replayed one by one; then all sends, in the order of their
begins, take their arcs.
"""

import numpy as np

from topofinder.kernels import inner, kernel
from topofinder.verification.arc_users_kernels import add_user, drop_ended, no_users

NOTHING = -1
"""No fault."""
NOT_THERE, TOO_EARLY, TWICE, LACKING, ASTRAY = 0, 1, 2, 3, 4
"""Faults of a chunk that is spread: a send leaves a node that never has the chunk, or before it is
there; a node gets it twice, or never; it ends where it need not be."""
KEPT, SENT_TWICE, TOO_SOON, UNSENT = 5, 6, 7, 8
"""Faults of a sum: its node sends it away; a node sends its part twice, before all of it has
arrived, or never."""


@kernel
def replay_chunks(  # type: ignore[no-untyped-def]
    start, order, origin, target, host, tail, head, begin, arrive, reducing, sums, spreads
):
    """The first fault of the first chunk that has one: (fault, send, other, node, chunk).

    `order[start[x]:start[x + 1]]` are the sends of chunk x, ascending; those below `reducing`
    carry partial sums. `sums` and `spreads` say what the collective does; `target[x]` is the only
    host that must get x, -1 where all must. `host` says of each node whether it is one. `send` is
    -1 for what is missing at `node`; `other` is a second send that matters, or -1.
    """
    nodes = len(host)
    hosts = 0
    for v in range(nodes):
        hosts += host[v]
    left, came = np.full(nodes, -1, np.int64), np.full(nodes, -1, np.int64)
    left_of, came_of = np.full(nodes, -1, np.int64), np.full(nodes, -1, np.int64)
    for x in range(len(origin)):
        own, top = order[start[x] : start[x + 1]], origin[x]
        turn = 0
        while turn < len(own) and own[turn] < reducing:
            turn += 1
        ready = np.int64(0)
        if sums:
            fault, send, other, ready = _gather_sum(
                own[:turn], x, top, tail, head, begin, arrive, left, left_of
            )
            if fault == NOTHING and turn < hosts - 1:
                fault, send, other = UNSENT, np.int64(-1), np.int64(-1)
                return fault, send, other, _first_without(host, top, x, left_of), x
            if fault != NOTHING:
                return fault, send, other, np.int64(-1), x
        if spreads:
            rest = own[turn:]
            fault, send, other = _spread_chunk(
                rest, x, top, ready, tail, head, begin, arrive, came, came_of
            )
            if fault != NOTHING:
                return fault, send, other, np.int64(-1), x
            fault, send, node = _wrong_end(
                rest, x, top, target[x], hosts, host, tail, head, came_of, left_of
            )
            if fault != NOTHING:
                return fault, send, np.int64(-1), node, x
    return NOTHING, np.int64(-1), np.int64(-1), np.int64(-1), np.int64(-1)


@inner
def _gather_sum(own, x, top, tail, head, begin, arrive, left, left_of):  # type: ignore[no-untyped-def]
    """(fault, send, other, when the last part has come to node `top`) of the sends of one sum.

    Every send begins after those into its tail have arrived, so that no two wait for each other:
    when all nodes but `top` have sent once, every part has come to `top` once.
    """
    ready = np.int64(0)
    for i in own:
        u = tail[i]
        if u == top:
            return KEPT, i, np.int64(-1), ready
        if left_of[u] == x:
            return SENT_TWICE, i, left[u], ready
        left[u], left_of[u] = i, x
    for i in own:
        v = head[i]
        if v == top:
            ready = max(ready, arrive[i])
        elif left_of[v] == x and begin[left[v]] < arrive[i]:
            return TOO_SOON, left[v], i, ready
    return NOTHING, np.int64(-1), np.int64(-1), ready


@inner
def _spread_chunk(own, x, top, ready, tail, head, begin, arrive, came, came_of):  # type: ignore[no-untyped-def]
    """(fault, send, other) of the sends of one chunk that node `top` has from tick `ready` on."""
    for i in own:
        v = head[i]
        if v == top:
            return TWICE, i, np.int64(-1)
        if came_of[v] == x:
            return TWICE, i, came[v]
        came[v], came_of[v] = i, x
    for i in own:
        u = tail[i]
        if u == top:
            if begin[i] < ready:
                return TOO_EARLY, i, np.int64(-1)
        elif came_of[u] != x:
            return NOT_THERE, i, np.int64(-1)
        elif begin[i] < arrive[came[u]]:
            return TOO_EARLY, i, came[u]
    return NOTHING, np.int64(-1), np.int64(-1)


@inner
def _wrong_end(own, x, top, target, hosts, host, tail, head, came_of, passed_of):  # type: ignore[no-untyped-def]
    """(fault, send, node) where a chunk lacks at the end, or is without need.

    Every node got it once, so that as many sends as other hosts reach all of them. To one target
    it must go on from all nodes that get it: it then ends nowhere else.
    """
    if target < 0:
        if len(own) < hosts - 1:
            return LACKING, np.int64(-1), _first_without(host, top, x, came_of)
        return NOTHING, np.int64(-1), np.int64(-1)
    if target != top and came_of[target] != x:
        return LACKING, np.int64(-1), np.int64(target)
    for i in own:
        passed_of[tail[i]] = x
    for i in own:
        if head[i] != target and passed_of[head[i]] != x:
            return ASTRAY, i, np.int64(head[i])
    return NOTHING, np.int64(-1), np.int64(-1)


@inner
def _first_without(host, top, x, stamp):  # type: ignore[no-untyped-def]
    """The first host, but for `top`, that is not stamped with x; -1 if there is none."""
    for v in range(len(host)):
        if host[v] and v != top and stamp[v] != x:
            return np.int64(v)
    return np.int64(-1)


@kernel
def find_shared_arc(order, channel, start, arc, begin, busy, rate, room, entries):  # type: ignore[no-untyped-def]
    """(send, other, arc): the first send, in the order of begins, on an arc without room for it.

    `order` lists the sends by their begins; channel c takes `rate[c]` of each of
    arc[start[c]:start[c + 1]], and arc a has `room[a]`. Of those that are on the arc still, `other`
    is the last that began. (-1, -1, -1) where all have room. `entries` are as many as may be on all
    arcs at once.
    """
    users = no_users(room, entries)
    for i in order:
        c, now = channel[i], begin[i]
        for at in range(start[c], start[c + 1]):
            e = np.int64(arc[at])
            drop_ended(users, e, now)
            if users.left[e] < rate[c]:
                return i, users.send[users.first[e]], e
            add_user(users, e, i, rate[c], now + busy[i])
    return np.int64(-1), np.int64(-1), np.int64(-1)


@kernel
def find_shared_image(nodes, parent, by, maps, order, arc, begin, busy):  # type: ignore[no-untyped-def]
    """`find_shared_arc` of sends on single arcs and all their images under translations.

    `nodes` lists all nodes, parents first; the image of an arc for node u is maps[by[u]] of that
    for parent[u].
    """
    count = maps.shape[1]
    free, last = np.zeros(count, np.int64), np.full(count, -1, np.int64)
    image = np.empty(len(nodes), np.int64)
    for i in order:
        now = begin[i]
        for place in range(len(nodes)):
            u = nodes[place]
            e = np.int64(arc[i])
            if place > 0:
                e = np.int64(maps[by[u], image[parent[u]]])
            image[u] = e
            if now < free[e]:
                return i, last[e], e
            free[e], last[e] = now + busy[i], i
    return np.int64(-1), np.int64(-1), np.int64(-1)
