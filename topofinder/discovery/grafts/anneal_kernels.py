"""Annealing by exchanges of two links' ends, on the exact energy of `state_kernels`.

Nine of ten proposals are at a node that misses something or has a largest load, or up to two hops
before it. Once no pair is missed, a proposal is first filtered: the loads of the nodes whose links
change are computed on the balls as they are. That is no proof, for the balls may change, but it
settles most proposals in a hundredth of the time.
"""

import numpy as np

from topofinder.discovery.grafts.load_kernels import ball_size, step_load, widen_ball
from topofinder.discovery.grafts.state_kernels import (
    PEAK,
    WORK,
    exchange_slots,
    may_exchange,
    try_exchange,
)
from topofinder.discovery.search_kernels import draw_integer
from topofinder.kernels import copy_into, inner, kernel


@inner
def find_hot(graph, hot):  # type: ignore[no-untyped-def]
    """List, as search * n + u, receivers that miss a node or have a largest load; how many."""
    searches, steps, n = graph.loads.shape[0], graph.loads.shape[1] - 1, graph.loads.shape[2]
    count = 0
    for search in range(searches):
        for u in range(n):
            is_hot = graph.loads[search, 0, u] > 0
            for t in range(2, steps + 1):
                is_hot = is_hot or graph.loads[search, t, u] == graph.peaks[search, t]
            if is_hot:
                hot[count] = search * n + u
                count += 1
    return count


@inner
def draw_slot(graph, hot, count, state):  # type: ignore[no-untyped-def]
    """A slot: as a rule of a hot node, or of one up to two hops before it; else any."""
    searches, n = graph.loads.shape[0], graph.loads.shape[2]
    d = len(graph.slots) // (searches * n)
    if count == 0 or draw_integer(state, 10) == 0:
        return draw_integer(state, len(graph.slots))
    place = np.int64(hot[draw_integer(state, count)])
    table, u = place // n * n * d, place % n
    for _ in range(draw_integer(state, 3)):
        u = np.int64(graph.slots[table + u * d + draw_integer(state, d)])
    return table + u * d + draw_integer(state, d)


@inner
def estimate_energy(graph, p, q):  # type: ignore[no-untyped-def]
    """The energy after an exchange that has been made of slots, on the balls as they are.

    Only the nodes whose links have changed are looked at, and missed pairs only at these.
    """
    searches, steps, n = graph.loads.shape[0], graph.loads.shape[1] - 1, graph.loads.shape[2]
    size, balls = len(graph.slots) // searches, graph.balls
    d = size // n
    ends = (p, q, graph.partner[p], graph.partner[q])
    energy = np.int64(0)
    for search in range(searches):
        base, table = search * (steps + 1) * n, search * size
        missed, excess = graph.sums[search, 0], graph.sums[search, 1]
        for t in range(1, steps + 1):
            graph.new_peaks[t] = graph.peaks[search, t]
            for slot in ends:
                if slot // size == search:
                    u = (slot - table) // d
                    if graph.loads[search, t, u] == graph.peaks[search, t]:
                        graph.new_peaks[t] = 0
        for slot in ends:
            if slot // size != search:
                continue
            u = (slot - table) // d
            before, now = base + u, len(balls) - 1
            for t in range(1, steps + 1):
                layer = base + (t - 1) * n
                widen_ball(balls, now, layer, u, graph.slots, table + u * d, d)
                load = step_load(
                    balls, now, before, layer, graph.slots, table + u * d, d,
                    graph.scale, graph.link_counts,
                )  # fmt: skip
                graph.counts[WORK] += 1
                bound = graph.profile[search, t]
                excess += max(load - bound, 0) - max(graph.loads[search, t, u] - bound, 0)
                graph.new_peaks[t] = max(graph.new_peaks[t], load)
                before = now
                now = 2 * len(balls) - 3 - now
            missed += n - ball_size(balls, before) - graph.loads[search, 0, u]
        total = np.int64(0)
        for t in range(1, steps + 1):
            total += graph.new_peaks[t]
        energy += PEAK * (missed * graph.scale[1] + total) + excess
    return energy


@inner
def total_energy(graph):  # type: ignore[no-untyped-def]
    """The energy of all searches."""
    energy = np.int64(0)
    for search in range(len(graph.sums)):
        energy += graph.sums[search, 2]
    return energy


@inner
def draw_exchange(graph, hot, count, delays, state):  # type: ignore[no-untyped-def]
    """Two slots of one search, the first of a hot node, and a delay, all drawn from `state`."""
    searches = graph.loads.shape[0]
    size = len(graph.slots) // searches
    p = draw_slot(graph, hot, count, state)
    q = p // size * size + draw_integer(state, size)
    delay = delays[draw_integer(state, len(delays))]
    if searches == 1 and draw_integer(state, 2):
        q = np.int64(graph.partner[q])
    return p, q, delay


@inner
def passes_filter(graph, p, q, limit):  # type: ignore[no-untyped-def]
    """Whether an exchange may end within the limit, by old balls; always where pairs are missed."""
    if graph.sums[0, 0] != 0:
        return True
    exchange_slots(graph, p, q)
    estimate = estimate_energy(graph, p, q)
    exchange_slots(graph, p, q)
    return estimate <= limit


@kernel
def anneal_graph(graph, work, hottest, coldest, delays, goal, state, best, tally):  # type: ignore[no-untyped-def]
    """Anneal until so many loads are computed; returns the least energy met.

    The temperature falls evenly from `hottest` to `coldest`, in units of the energy; delays
    (int64): quantiles of the exponential distribution, times 2^16. It stops at an energy of at most
    `goal`. `state` (uint64, (1,)): random state; `best`: the slots of the best graph, filled;
    `tally` (int64, (4,)): proposals, those that pass the filter, exchanges, and loads computed.
    """
    hot = np.empty(graph.loads.shape[0] * graph.loads.shape[2], np.int32)
    count = find_hot(graph, hot)
    energy = total_energy(graph)
    least, start, idle = energy, graph.counts[WORK], 0
    copy_into(best, graph.slots)
    while graph.counts[WORK] - start < work and least > goal and idle < 1 << 16:
        idle += 1
        tally[0] += 1
        p, q, delay = draw_exchange(graph, hot, count, delays, state)
        if not may_exchange(graph, p, q):
            continue
        spent = graph.counts[WORK] - start
        heat = hottest - (hottest - coldest) * spent // work
        limit = energy + (heat * delay >> 16)
        if not passes_filter(graph, p, q, limit):
            continue
        tally[1] += 1
        idle = 0
        if try_exchange(graph, p, q, limit):
            tally[2] += 1
            energy = total_energy(graph)
            count = find_hot(graph, hot)
            if energy < least:
                least = energy
                copy_into(best, graph.slots)
    tally[3] += graph.counts[WORK] - start
    return least
