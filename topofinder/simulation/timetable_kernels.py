"""When every send of a timetable is there, if each goes as early as its arcs and chunks allow."""

import numpy as np

from topofinder.kernels import kernel
from topofinder.verification.arc_users_kernels import add_user, drop_ended, no_users


@kernel
def number_places(start, order, tail, head, nodes):  # type: ignore[no-untyped-def]
    """(leaves, comes, count): the place, a chunk at a node, of every send's tail and of its head.

    `order[start[x]:start[x + 1]]` are the sends of chunk x. Shapes (sends,); places are
    0..count - 1.
    """
    leaves, comes = np.empty(len(tail), np.int64), np.empty(len(tail), np.int64)
    place, stamp = np.empty(nodes, np.int64), np.full(nodes, -1, np.int64)
    count = 0
    for x in range(len(start) - 1):
        for i in order[start[x] : start[x + 1]]:
            for v in (tail[i], head[i]):
                if stamp[v] != x:
                    stamp[v], place[v] = x, count
                    count += 1
            leaves[i], comes[i] = place[tail[i]], place[head[i]]
    return leaves, comes, count


@kernel
def play_sends(  # type: ignore[no-untyped-def]
    order, channel, start, arc, leaves, comes, taken, busy, ready, rate, room, entries
):
    """The tick at which every send is there, int64 (sends,); they are played in this order.

    Send i is there `taken[i]` ticks after it begins, and for `busy[i]` takes `rate[c]` of each of
    the arcs arc[start[c]:start[c + 1]] of its channel c, of `room` of each arc. It begins when they
    have room, not before those that went over one of them before it, and when all is there that
    came before to the place `leaves[i]`. `ready`, zeros for every place, is scratch; `entries` are
    as many as may be on all arcs at once.
    """
    arrive, last = np.empty(len(order), np.int64), np.zeros(len(room), np.int64)
    users = no_users(room, entries)
    for i in order:
        c, now = channel[i], ready[leaves[i]]
        for at in range(start[c], start[c + 1]):
            now = max(now, last[arc[at]])
            soonest = drop_ended(users, arc[at], now)
            while users.left[arc[at]] < rate[c]:
                now = soonest
                soonest = drop_ended(users, arc[at], now)
        for at in range(start[c], start[c + 1]):
            drop_ended(users, arc[at], now)
            add_user(users, arc[at], i, rate[c], now + busy[i])
            last[arc[at]] = now
        arrive[i] = now + taken[i]
        ready[comes[i]] = max(ready[comes[i]], arrive[i])
    return arrive


@kernel
def play_arc_sends(order, arc, leaves, comes, taken, busy, ready, free):  # type: ignore[no-untyped-def]
    """The same where each send has one arc, `arc[i]`, to itself; `free`, zeros, is scratch too.

    `free` is of shape (arcs,): when each is idle again.
    """
    arrive = np.empty(len(order), np.int64)
    for i in order:
        now = max(ready[leaves[i]], free[arc[i]])
        free[arc[i]] = now + busy[i]
        arrive[i] = now + taken[i]
        ready[comes[i]] = max(ready[comes[i]], arrive[i])
    return arrive
