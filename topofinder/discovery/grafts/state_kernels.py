"""A graph under annealing: balls and loads of all receivers, kept up to date as arcs are switched.

Slots are the ends of links. With one-way links there are two tables of n d slots: in the first slot
u d + i holds the tail of the i-th arc into u, in the second, n d further on, the head of an arc out
of u; BFB on the graph and on its transpose are two searches, one over each table. With two-way
links there is one table, and one search. `partner` leads from a slot to that of the link's other
end.

Row (search (D + 1) + t) n + u of `balls` holds what u has after t steps; two rows more are
scratch. loads[search, t, u] is the load at step t in the units of `load_kernels`, and
loads[search, 0, u] how many nodes u misses after D steps. The energy is made of integers:

    PEAK (missed pairs * lcm(1..d) + sum of the largest loads of all steps) + excess,

excess being what loads have above those of `profile`, PEAK = 50 times less worth. A switch first
touches balls, step by step, only where they change; then loads, those first that were the largest.
What is overwritten goes to a log, by which it is put back when the switch is refused.
"""

from typing import Any, NamedTuple

import numpy as np

from topofinder.discovery.grafts.load_kernels import ball_size, fill_loads, step_load, widen_ball
from topofinder.kernels import copy_into, inner, kernel

PEAK = 50
"""What a unit of the largest load of a step weighs, and a unit above the profile is 1."""

REFUSED = -1

BALLS, MORE_BALLS, DEAR = 4, 12, 5
"""So many balls take the work of one load; the second number is for DEAR links a node or more."""


class AnnealedGraph(NamedTuple):
    """The arrays of a graph under annealing; see the module.

    `sums` are the missed pairs, the excess and the energy of each search (int64, (searches, 3)).
    """

    slots: Any
    partner: Any
    balls: Any
    loads: Any
    peaks: Any
    sums: Any
    profile: Any
    scale: Any
    link_counts: Any
    stamps: Any
    touched: Any
    starts: Any
    new_peaks: Any
    old_peaks: Any
    log_row: Any
    log_words: Any
    log_load: Any
    log_value: Any
    counts: Any


ROWS, LOADS, CLOCK, WORK = 0, 1, 2, 3
"""Places of `counts`: entries of both logs, the last stamp, loads computed so far."""


@kernel
def evaluate_graph(graph):  # type: ignore[no-untyped-def]
    """Fill balls, loads, peaks and sums of all searches anew."""
    searches, steps, n = graph.loads.shape[0], graph.loads.shape[1] - 1, graph.loads.shape[2]
    d = len(graph.slots) // (searches * n)
    balls = graph.balls
    for search in range(searches):
        base, table = search * (steps + 1) * n, search * n * d
        for u in range(n):
            for k in range(balls.shape[1]):
                balls[base + u, k] = 0
            balls[base + u, u >> 6] = np.uint64(1) << np.uint64(u & 63)
        for t in range(1, steps + 1):
            layer = base + (t - 1) * n
            for u in range(n):
                widen_ball(balls, layer + n + u, layer, u, graph.slots, table + u * d, d)
            fill_loads(
                graph.loads[search, t],
                balls,
                layer,
                graph.slots,
                table,
                graph.scale,
                graph.link_counts,
            )
        for u in range(n):
            graph.loads[search, 0, u] = n - ball_size(balls, base + steps * n + u)
        sum_search(graph, search)
    graph.counts[WORK] += searches * steps * n


@inner
def sum_search(graph, search):  # type: ignore[no-untyped-def]
    """Peaks, missed pairs, excess and energy of one search, from its loads."""
    steps, n = graph.loads.shape[1] - 1, graph.loads.shape[2]
    missed, excess, total = np.int64(0), np.int64(0), np.int64(0)
    for u in range(n):
        missed += graph.loads[search, 0, u]
    for t in range(1, steps + 1):
        most, bound = np.int64(0), graph.profile[search, t]
        for u in range(n):
            load = np.int64(graph.loads[search, t, u])
            most = max(most, load)
            excess += max(load - bound, 0)
        graph.peaks[search, t] = most
        total += most
    graph.sums[search, 0], graph.sums[search, 1] = missed, excess
    graph.sums[search, 2] = search_energy(graph, missed, total, excess)


@inner
def search_energy(graph, missed, total, excess):  # type: ignore[no-untyped-def]
    """The energy of one search; each pair that is missed counts in both."""
    return PEAK * (missed * graph.scale[1] + total) + excess


@inner
def exchange_slots(graph, p, q):  # type: ignore[no-untyped-def]
    """The links in slots p and q, of one table, exchange their ends elsewhere; its own inverse."""
    slots, partner = graph.slots, graph.partner
    other_p, other_q = partner[p], partner[q]
    slots[p], slots[q] = slots[q], slots[p]
    slots[other_p], slots[other_q] = slots[other_q], slots[other_p]
    partner[p], partner[q] = other_q, other_p
    partner[other_p], partner[other_q] = q, p


@inner
def may_exchange(graph, p, q):  # type: ignore[no-untyped-def]
    """Whether the exchange makes no self-loop and no parallel link, and changes the graph.

    A self-loop, which stands for a port that is free, is never exchanged.
    """
    searches, n = graph.loads.shape[0], graph.loads.shape[2]
    slots = graph.slots
    d = len(slots) // (searches * n)
    table = p // (n * d) * n * d
    u, v = (p - table) // d, (q - table) // d
    x, y = np.int64(slots[p]), np.int64(slots[q])
    if u in (v, x, y) or x in (v, y) or v == y:
        return False
    for i in range(d):
        if slots[table + u * d + i] == y or slots[table + v * d + i] == x:
            return False
    return True


@inner
def _log_row(graph, row):  # type: ignore[no-untyped-def]
    at = graph.counts[ROWS]
    graph.counts[ROWS] = at + 1
    graph.log_row[at] = row
    for k in range(graph.balls.shape[1]):
        graph.log_words[at, k] = graph.balls[row, k]


@inner
def _set_load(graph, search, t, u, load):  # type: ignore[no-untyped-def]
    at = graph.counts[LOADS]
    graph.counts[LOADS] = at + 1
    graph.log_load[at] = (search * graph.loads.shape[1] + t) * graph.loads.shape[2] + u
    graph.log_value[at] = graph.loads[search, t, u]
    graph.loads[search, t, u] = load


@inner
def undo_changes(graph):  # type: ignore[no-untyped-def]
    """Put balls and loads back as they were when the logs were cleared."""
    steps, n = graph.loads.shape[1] - 1, graph.loads.shape[2]
    for at in range(graph.counts[ROWS] - 1, -1, -1):
        row = graph.log_row[at]
        for k in range(graph.balls.shape[1]):
            graph.balls[row, k] = graph.log_words[at, k]
    for at in range(graph.counts[LOADS] - 1, -1, -1):
        place = graph.log_load[at]
        u, rest = place % n, place // n
        graph.loads[rest // (steps + 1), rest % (steps + 1), u] = graph.log_value[at]
    clear_logs(graph)


@inner
def clear_logs(graph):  # type: ignore[no-untyped-def]
    """Keep what has been changed."""
    graph.counts[ROWS] = 0
    graph.counts[LOADS] = 0


@inner
def _touch(graph, u, count):  # type: ignore[no-untyped-def]
    """Put u on the list of receivers touched at this step, once; returns how many are listed."""
    if graph.stamps[u] != graph.counts[CLOCK]:
        graph.stamps[u] = graph.counts[CLOCK]
        graph.touched[count] = u
        return count + 1
    return count


@inner
def spread_change(graph, search, p, q):  # type: ignore[no-untyped-def]
    """Bring the balls of one search up to date after an exchange; returns the missed pairs.

    The receivers whose load at step t may have changed are touched[starts[t]:starts[t + 1]].
    """
    searches, steps, n = graph.loads.shape[0], graph.loads.shape[1] - 1, graph.loads.shape[2]
    slots, balls = graph.slots, graph.balls
    size = len(slots) // searches
    d = size // n
    table, other = search * size, (searches - 1 - search) * size
    base, scratch = search * (steps + 1) * n, len(balls) - 1
    ends = (p, q, graph.partner[p], graph.partner[q])
    missed = graph.sums[search, 0]
    count = 0
    graph.starts[1] = 0
    for t in range(1, steps + 1):
        graph.counts[CLOCK] += 1
        layer = base + (t - 1) * n
        first = count
        for slot in ends:
            if slot // size == search:
                count = _touch(graph, (slot - table) // d, count)
        if t > 1:
            for at in range(graph.starts[t - 1], first):
                u = graph.touched[at]
                if u < 0:
                    continue
                count = _touch(graph, u, count)
                for slot in range(other + u * d, other + (u + 1) * d):
                    count = _touch(graph, slots[slot], count)
        graph.starts[t + 1] = count
        if t > 1:
            for at in range(graph.starts[t - 1], first):
                if graph.touched[at] < 0:
                    graph.touched[at] = ~graph.touched[at]
        for at in range(first, count):
            u = graph.touched[at]
            row = layer + n + u
            widen_ball(balls, scratch, layer, u, slots, table + u * d, d)
            same = True
            for k in range(balls.shape[1]):
                same = same and balls[scratch, k] == balls[row, k]
            if same:
                graph.touched[at] = ~u
                continue
            _log_row(graph, row)
            for k in range(balls.shape[1]):
                balls[row, k] = balls[scratch, k]
            if t == steps:
                lacking = n - ball_size(balls, row)
                missed += lacking - graph.loads[search, 0, u]
                _set_load(graph, search, 0, u, lacking)
    for at in range(graph.starts[steps], count):
        if graph.touched[at] < 0:
            graph.touched[at] = ~graph.touched[at]
    graph.counts[WORK] += 1 + count // (BALLS if d < DEAR else MORE_BALLS)
    return missed


@inner
def renew_loads(graph, search, missed, limit):  # type: ignore[no-untyped-def]
    """Bring the loads of touched receivers up to date, those first that were the largest.

    Returns the energy of the search, or REFUSED as soon as it is sure to be above `limit`.
    """
    searches, steps, n = graph.loads.shape[0], graph.loads.shape[1] - 1, graph.loads.shape[2]
    d = len(graph.slots) // (searches * n)
    table, base = search * n * d, search * (steps + 1) * n
    excess, total = graph.sums[search, 1], np.int64(0)
    peaks = graph.new_peaks
    for t in range(1, steps + 1):
        graph.counts[CLOCK] += 1
        clock, most = graph.counts[CLOCK], np.int64(0)
        if graph.starts[t + 1] == graph.starts[t]:
            most = graph.peaks[search, t]
        else:
            for at in range(graph.starts[t], graph.starts[t + 1]):
                u = graph.touched[at]
                graph.stamps[u] = clock
                excess -= max(graph.loads[search, t, u] - graph.profile[search, t], 0)
            for u in range(n):
                if graph.stamps[u] != clock:
                    most = max(most, np.int64(graph.loads[search, t, u]))
        peaks[t] = most
        total += most
    if search_energy(graph, missed, total, excess) > limit:
        return REFUSED
    for turn in range(2):
        for t in range(steps, 0, -1):
            layer, bound, old_peak = (
                base + (t - 1) * n,
                graph.profile[search, t],
                graph.peaks[search, t],
            )
            for at in range(graph.starts[t], graph.starts[t + 1]):
                u = graph.touched[at]
                if u < 0 or (turn == 0 and graph.loads[search, t, u] < old_peak):
                    continue
                graph.touched[at] = ~u
                load = step_load(
                    graph.balls, layer + n + u, layer + u, layer, graph.slots, table + u * d, d,
                    graph.scale, graph.link_counts,
                )  # fmt: skip
                graph.counts[WORK] += 1
                if load != graph.loads[search, t, u]:
                    _set_load(graph, search, t, u, load)
                excess += max(load - bound, 0)
                if load > peaks[t]:
                    total += load - peaks[t]
                    peaks[t] = load
                if search_energy(graph, missed, total, excess) > limit:
                    return REFUSED
    energy = search_energy(graph, missed, total, excess)
    graph.sums[search, 0], graph.sums[search, 1], graph.sums[search, 2] = missed, excess, energy
    for t in range(1, steps + 1):
        graph.peaks[search, t] = peaks[t]
    return energy


@inner
def try_exchange(graph, p, q, limit):  # type: ignore[no-untyped-def]
    """Exchange two slots of a table if the energy is then at most `limit`; returns whether it is.

    The search of the slots' own table comes first. The other one is followed only if the first
    alone, with the other as it was, is within the limit. When refused, all is as it was.
    """
    searches = graph.loads.shape[0]
    first = p // (len(graph.slots) // searches)
    old = graph.sums[first, 0], graph.sums[first, 1], graph.sums[first, 2]
    rest = np.int64(0) if searches == 1 else graph.sums[1 - first, 2]
    copy_into(graph.old_peaks, graph.peaks[first])
    exchange_slots(graph, p, q)
    missed = spread_change(graph, first, p, q)
    found = renew_loads(graph, first, missed, limit - rest)
    if found != REFUSED and searches == 2:
        missed = spread_change(graph, 1 - first, p, q)
        again = renew_loads(graph, 1 - first, missed, limit - found)
        if again == REFUSED:
            found = np.int64(REFUSED)
            graph.sums[first, 0], graph.sums[first, 1], graph.sums[first, 2] = old
            copy_into(graph.peaks[first], graph.old_peaks)
    if found == REFUSED:
        exchange_slots(graph, p, q)
        undo_changes(graph)
        return False
    clear_logs(graph)
    return True
