"""Kernel that grows the trees of one node so that their translates never meet on a link.

The links of a colour are the translates of one another. If in a round each colour is used once at
most in the trees of node 0, then the translates to all nodes use each link once at most. So a round
adds one tree edge a colour: the colour with the fewest candidates first, and of some candidates one
whose head has the fewest in-neighbours in the tree, for that one has the fewest other ways in.

Place x n + v stands for node v in tree x. A candidate of colour g is a place outside the tree to
which a link of that colour leads from inside.
"""

import numpy as np

from topofinder.kernels import GOLDEN, inner, kernel, mix64

MOST_LOOKS = 24
"""Candidates of a colour that are compared."""


@kernel
def grow_translated(head, tail, state, tables, log, rule, work):  # type: ignore[no-untyped-def]
    """Add edges until so many are looked at, or all are there, or none can be added any more.

    `head[g, v]` is where the link of colour g leads from v, `tail[g, v]` whence it comes; int32 of
    shape (colours, n). `state`, int64 (4,): the round, edges so far, how many of them have arrived,
    and a state of luck. Changed in place, and so are `tables` = (inside, near, pool, counts) and
    `log` = (place, colour, round). `inside[place]` is 0 outside the tree, 1 on the way, 2 there;
    `near[place]` counts in-neighbours there. `pool[g, :counts[0, g]]` are the candidates of colour
    g, and former ones; counts[1, g] are candidates. `rule` = (seed, in how many rounds what is sent
    can be passed on). Returns whether edges are left that could be added.
    """
    inside, _, pool, counts = tables
    place, _, when = log
    n = head.shape[1]
    order = np.empty(len(head), np.int64)
    while work > 0 and state[1] < len(place):
        while state[2] < state[1] and when[state[2]] + rule[1] <= state[0]:
            _arrive(place[state[2]], n, head, inside, tables[1], pool, counts)
            state[2] += 1
        sent = state[1]
        _order_colours(order, counts[1])
        for g in order:
            if counts[1, g] > 0:
                work -= _add_edge(g, n, tail, state, tables, log, rule)
        work -= len(order)
        state[0] += 1
        if state[1] == sent:
            if state[2] == sent:
                return False
            state[0] = when[state[2]] + rule[1]
    return state[1] < len(place)


@inner
def _arrive(place, n, head, inside, near, pool, counts):  # type: ignore[no-untyped-def]
    """Let a place be in its tree from now on, and its links lead on."""
    inside[place] = 2
    v = place % n
    for g in range(len(head)):
        to = place - v + head[g, v]
        near[to] += 1
        if inside[to] == 0:
            pool[g, counts[0, g]] = to
            counts[0, g] += 1
            counts[1, g] += 1


@inner
def _order_colours(order, numbers):  # type: ignore[no-untyped-def]
    """The colours, those with the fewest candidates first."""
    for g in range(len(order)):
        i = g
        while i > 0 and numbers[order[i - 1]] > numbers[g]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = g


@inner
def _add_edge(g, n, tail, state, tables, log, rule):  # type: ignore[no-untyped-def]
    """Add an edge of colour g, which has a candidate; returns how many were looked at."""
    inside, near, pool, counts = tables
    best, least, looks, looked = np.int64(-1), np.int64(0), 0, 0
    while looks < MOST_LOOKS and least != 1:
        looked += 1
        state[3] += 1
        luck = mix64(np.uint64(rule[0]) + np.uint64(state[3]) * GOLDEN) >> np.uint64(32)
        at = np.int64(luck * np.uint64(counts[0, g]) >> np.uint64(32))
        to = np.int64(pool[g, at])
        if inside[to]:
            counts[0, g] -= 1
            pool[g, at] = pool[g, counts[0, g]]
            continue
        looks += 1
        if best < 0 or near[to] < least:
            best, least = to, np.int64(near[to])
    inside[best] = 1
    v = best % n
    for i in range(len(tail)):
        counts[1, i] -= inside[best - v + tail[i, v]] == 2
    log[0][state[1]], log[1][state[1]], log[2][state[1]] = best, g, state[0]
    state[1] += 1
    return looked
