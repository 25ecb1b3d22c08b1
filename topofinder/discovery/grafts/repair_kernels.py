"""Repair of pairs that are a step too far, by exchanges of two links' ends.

Every proposal gives one missed pair a path: an arc from a node that the source reaches early enough
to one at, or up to two hops before, the receiver. What it costs is balls alone, those of one
search, where they change; loads are left as they were.
"""

import numpy as np

from topofinder.discovery.grafts.anneal_kernels import total_energy
from topofinder.discovery.grafts.load_kernels import ball_size, widen_ball
from topofinder.discovery.grafts.state_kernels import (
    BALLS,
    DEAR,
    MORE_BALLS,
    WORK,
    clear_logs,
    exchange_slots,
    may_exchange,
    spread_change,
    try_exchange,
    undo_changes,
)
from topofinder.discovery.search_kernels import draw_integer
from topofinder.kernels import inner, kernel

DRAWS = 64
"""Links that are drawn until one starts at a node that the source reaches early enough."""


@kernel
def fill_balls(graph):  # type: ignore[no-untyped-def]
    """Fill the balls of the first search, and the pairs that it misses; returns how many."""
    searches, steps, n = graph.loads.shape[0], graph.loads.shape[1] - 1, graph.loads.shape[2]
    d = len(graph.slots) // (searches * n)
    balls = graph.balls
    for u in range(n):
        balls[u] = 0
        balls[u, u >> 6] = np.uint64(1) << np.uint64(u & 63)
    for t in range(1, steps + 1):
        layer = (t - 1) * n
        for u in range(n):
            widen_ball(balls, layer + n + u, layer, u, graph.slots, u * d, d)
    missed = np.int64(0)
    for u in range(n):
        graph.loads[0, 0, u] = n - ball_size(balls, steps * n + u)
        missed += graph.loads[0, 0, u]
    graph.sums[0, 0] = missed
    graph.counts[WORK] += steps * n // (BALLS if d < DEAR else MORE_BALLS)
    return missed


@kernel
def repair_pairs(graph, work, state):  # type: ignore[no-untyped-def]
    """Exchange links of a graph with filled balls until it misses no pair; how many it misses.

    It stops after so much work too, in loads, and after a quarter of it as soon as it is behind:
    when more is missed than would be if it fell evenly to none. `state` (uint64, (1,)):
    random state.
    """
    n = graph.loads.shape[2]
    lacking = np.empty(n, np.int32)
    count, start, idle = list_lacking(graph, lacking), graph.counts[WORK], 0
    begun = graph.sums[0, 0]
    while count > 0 and idle < 1 << 12:
        spent = graph.counts[WORK] - start
        if 4 * spent >= work and (work - spent) * begun < work * graph.sums[0, 0]:
            break
        idle += 1
        p, q = draw_path(graph, lacking, count, state)
        if q < 0 or not may_exchange(graph, p, q):
            continue
        idle = 0
        exchange_slots(graph, p, q)
        missed = spread_change(graph, 0, p, q)
        if missed > graph.sums[0, 0]:
            exchange_slots(graph, p, q)
            undo_changes(graph)
            continue
        clear_logs(graph)
        graph.sums[0, 0] = missed
        count = list_lacking(graph, lacking)
    return graph.sums[0, 0]


@kernel
def repair_loads(graph, work, heat, delays, state):  # type: ignore[no-untyped-def]
    """As repair_pairs, but of an evaluated graph, by exchanges that its energy allows.

    A missed pair counts as a shard on a busiest link, both ways. `heat`: the temperature, in units
    of the energy; delays (int64): quantiles of the exponential distribution, times 2^16.
    """
    lacking = np.empty(graph.loads.shape[2], np.int32)
    count, start, idle = list_lacking(graph, lacking), graph.counts[WORK], 0
    while count > 0 and graph.counts[WORK] - start < work and idle < 1 << 12:
        idle += 1
        p, q = draw_path(graph, lacking, count, state)
        delay = delays[draw_integer(state, len(delays))]
        if q < 0 or not may_exchange(graph, p, q):
            continue
        idle = 0
        if try_exchange(graph, p, q, total_energy(graph) + (heat * delay >> 16)):
            count = list_lacking(graph, lacking)
    return graph.sums[0, 0]


@inner
def list_lacking(graph, lacking):  # type: ignore[no-untyped-def]
    """List the receivers that miss a node; how many."""
    count = 0
    for u in range(graph.loads.shape[2]):
        if graph.loads[0, 0, u] > 0:
            lacking[count] = u
            count += 1
    return count


@inner
def draw_path(graph, lacking, count, state):  # type: ignore[no-untyped-def]
    """Two slots whose exchange gives a missed pair a path; the second is -1 where none is found."""
    searches, steps, n = graph.loads.shape[0], graph.loads.shape[1] - 1, graph.loads.shape[2]
    size = len(graph.slots) // searches
    d = size // n
    receiver = np.int64(lacking[draw_integer(state, count)])
    source = draw_missed(graph, receiver, state)
    hops, u = draw_integer(state, min(3, steps)), receiver
    for _ in range(hops):
        u = np.int64(graph.slots[u * d + draw_integer(state, d)])
    p, layer = u * d + draw_integer(state, d), (steps - 1 - hops) * n
    word, bit = source >> 6, np.uint64(1) << np.uint64(source & 63)
    for _ in range(DRAWS):
        q = draw_integer(state, size)
        if graph.balls[layer + graph.slots[q], word] & bit:
            return p, q
    return p, np.int64(-1)


@inner
def draw_missed(graph, receiver, state):  # type: ignore[no-untyped-def]
    """A node that the receiver misses: the first from a random one on."""
    steps, n = graph.loads.shape[1] - 1, graph.loads.shape[2]
    row, source = steps * n + receiver, draw_integer(state, n)
    while graph.balls[row, source >> 6] >> np.uint64(source & 63) & np.uint64(1):
        source = source + 1 if source + 1 < n else np.int64(0)
    return source
