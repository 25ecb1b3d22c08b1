"""The replay of a block of sends of a timetable in rounds; it goes on where the last one ended."""

import numpy as np

from topofinder.kernels import inner, kernel

NOTHING, NOT_IN_ORDER, BUSY, NOT_THERE, TWICE = 0, 1, 2, 3, 4
"""Faults of a send: it begins before the one before it, while its arc is busy, at a node where the
chunk is not, or brings it to a node that has it or is about to get it."""
ONE = np.uint64(1)


@kernel
def replay_sends(chunk, channel, begin, tail, head, late, busy, tables, state):  # type: ignore[no-untyped-def]
    """(fault, send) of the first send that is at fault; (0, -1) if none is.

    Send i puts a chunk on arc `channel[i]` at tick `begin[i]`, keeps the arc for `busy` ticks, and
    is there `late` ticks after its begin. `state` = (sends replayed without fault in all, begin of
    the last of them). `tables` = (coming, free, lack, in_start, in_arc, flying, until, sent), of
    which all but those of in-arcs are changed in place, as `state` is: bit x of `coming[v]` tells
    that node v has chunk x or is sent it; uint64 of shape (n, words). `free` is the tick from which
    each arc is free, `lack` how many chunks each node still lacks. Arcs into v are
    in_arc[in_start[v]:in_start[v + 1]]; `flying[e]` are the last chunks sent on arc e, as many as
    may be under way at once, which are there from tick `until[e]` on; the next one takes place
    sent[e] of that ring.
    """
    coming, free, lack, in_start, in_arc, flying, until, sent = tables
    for i in range(len(chunk)):
        now, e, x = begin[i], channel[i], chunk[i]
        if now < state[1]:
            return NOT_IN_ORDER, i
        if now < free[e]:
            return BUSY, i
        u = tail[e]
        if not _has_bit(coming, u, x):
            return NOT_THERE, i
        if _is_under_way(x, now, in_start[u], in_start[u + 1], in_arc, flying, until):
            return NOT_THERE, i
        if _has_bit(coming, head[e], x):
            return TWICE, i
        free[e] = now + busy
        _set_bit(coming, head[e], x)
        lack[head[e]] -= 1
        slot = sent[e] % flying.shape[1]
        flying[e, slot], until[e, slot] = x, now + late
        sent[e] += 1
        state[0] += 1
        state[1] = now
    return NOTHING, -1


@inner
def _is_under_way(x, now, first, stop, in_arc, flying, until):  # type: ignore[no-untyped-def]
    """Whether one of these arcs carries chunk x now."""
    for at in range(first, stop):
        e = in_arc[at]
        for slot in range(flying.shape[1]):
            if flying[e, slot] == x and until[e, slot] > now:
                return True
    return False


@inner
def _has_bit(rows, v, x):  # type: ignore[no-untyped-def]
    return rows[v, x >> 6] >> np.uint64(x & 63) & ONE != 0


@inner
def _set_bit(rows, v, x):  # type: ignore[no-untyped-def]
    rows[v, x >> 6] |= ONE << np.uint64(x & 63)
