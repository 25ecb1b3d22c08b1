"""The replay of a block of sends of a timetable in rounds; it goes on where the last one ended."""

import numpy as np

from topofinder.kernels import inner, kernel

NOTHING, NOT_IN_ORDER, BUSY, NOT_THERE, TWICE = 0, 1, 2, 3, 4
"""Faults of a send: it begins before the one before it, while its arc is busy, at a node where the
chunk is not, or brings it to a node that has it or is about to get it."""
ONE = np.uint64(1)


@kernel
def replay_sends(chunk, channel, begin, tail, head, late, busy, tables, state):  # type: ignore[no-untyped-def]
    """(fault, send) of the first send from `state[0]` on that is at fault; (0, -1) if none is.

    Send i puts a chunk on arc `channel[i]` at tick `begin[i]`, keeps the arc for `busy` ticks, and
    is there `late` ticks after its begin. Sends before `state[1]` are there already. `tables` =
    (there, coming, free, lack), changed in place as `state` is: bit x of `there[v]` tells that
    node v has chunk x, of `coming[v]` that it has it or is sent it; uint64 of shape (n, words).
    `free` is the tick from which each arc is free, `lack` how many chunks each node still lacks.
    """
    there, coming, free, lack = tables
    for i in range(state[0], len(chunk)):
        now, e, x = begin[i], channel[i], chunk[i]
        if i > 0 and now < begin[i - 1]:
            return NOT_IN_ORDER, i
        while begin[state[1]] + late <= now and state[1] < i:
            _set_bit(there, head[channel[state[1]]], chunk[state[1]])
            state[1] += 1
        if now < free[e]:
            return BUSY, i
        if not _has_bit(there, tail[e], x):
            return NOT_THERE, i
        if _has_bit(coming, head[e], x):
            return TWICE, i
        free[e] = now + busy
        _set_bit(coming, head[e], x)
        lack[head[e]] -= 1
        state[0] = i + 1
    return NOTHING, -1


@inner
def _has_bit(rows, v, x):  # type: ignore[no-untyped-def]
    return rows[v, x >> 6] >> np.uint64(x & 63) & ONE != 0


@inner
def _set_bit(rows, v, x):  # type: ignore[no-untyped-def]
    rows[v, x >> 6] |= ONE << np.uint64(x & 63)
