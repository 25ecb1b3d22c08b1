"""Annealing of a graph that stays near another one: few of its links are not of that one.

The exchanges are those of `anneal_kernels`, on the same exact energy; one that leaves more links
that the other graph lacks than there may be is not tried.
"""

import numpy as np

from topofinder.discovery.grafts.anneal_kernels import (
    draw_exchange,
    find_hot,
    passes_filter,
    total_energy,
)
from topofinder.discovery.grafts.state_kernels import (
    WORK,
    may_exchange,
    try_exchange,
)
from topofinder.kernels import copy_into, inner, kernel


@inner
def _is_strange(home, first, d, link):  # type: ignore[no-untyped-def]
    """1 where a node, whose slots begin at `first`, has no such link at home, else 0."""
    for i in range(d):
        if home[first + i] == link:
            return 0
    return 1


@inner
def strange_links(graph, home, kinds):  # type: ignore[no-untyped-def]
    """How many links are not at home, each circuit counted twice where links lead both ways."""
    searches, n = graph.loads.shape[0], graph.loads.shape[2]
    size = len(graph.slots) // searches
    d, count = size // n, 0
    for slot in range(size):
        count += _is_strange(home, slot // d * d, d, kinds[slot] * n + graph.slots[slot])
    return count


@inner
def _more_strange(graph, home, kinds, p, q):  # type: ignore[no-untyped-def]
    """How many more links are strange once slots p and q, of one kind, are exchanged."""
    searches, n = graph.loads.shape[0], graph.loads.shape[2]
    d = len(graph.slots) // (searches * n)
    first, second = p // d * d, q // d * d
    x, y = kinds[p] * n + graph.slots[p], kinds[q] * n + graph.slots[q]
    after = _is_strange(home, first, d, y) + _is_strange(home, second, d, x)
    return after - _is_strange(home, first, d, x) - _is_strange(home, second, d, y)


@kernel
def anneal_near(graph, home, kinds, most, work, heats, delays, state, best, tally):  # type: ignore[no-untyped-def]
    """Anneal until so many loads are computed, with at most so many links that are not at home.

    kinds (int32, as `slots`): of the port of each slot; those of one kind alone are exchanged. home
    (int32, as `slots`): the links of the other graph, as kind * n + node, -1 where a slot has none;
    `most` counts links, or circuits. heats (int64, (2,)): the first and last temperature, in units
    of the energy. Otherwise as `anneal_graph`, without a goal. Returns the least energy met.
    """
    searches = graph.loads.shape[0]
    hot = np.empty(searches * graph.loads.shape[2], np.int32)
    count = find_hot(graph, hot)
    energy = total_energy(graph)
    least, start, idle = energy, graph.counts[WORK], 0
    strange = strange_links(graph, home, kinds)
    if searches == 1:
        strange //= 2
    copy_into(best, graph.slots)
    while graph.counts[WORK] - start < work and idle < 1 << 20:
        idle += 1
        tally[0] += 1
        p, q, delay = draw_exchange(graph, hot, count, delays, state)
        if kinds[p] != kinds[q] or not may_exchange(graph, p, q):
            continue
        more = _more_strange(graph, home, kinds, p, q)
        if strange + more > most and more > 0:
            continue
        spent = graph.counts[WORK] - start
        limit = energy + ((heats[0] - (heats[0] - heats[1]) * spent // work) * delay >> 16)
        if not passes_filter(graph, p, q, limit):
            continue
        tally[1] += 1
        if try_exchange(graph, p, q, limit):
            idle = 0
            tally[2] += 1
            strange += more
            energy = total_energy(graph)
            count = find_hot(graph, hot)
            if energy < least:
                least = energy
                copy_into(best, graph.slots)
    tally[3] += graph.counts[WORK] - start
    return least
