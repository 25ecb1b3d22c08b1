"""Loads of generalized Kautz graphs Pi(d,m) by interval arithmetic, without a graph.

The arcs of Pi(d,m) are [x, -d x - a mod m] for 1 <= a <= d. So the walks of t arcs from x end in
d^t consecutive nodes; if these are the ones from f on, walks of t + 1 arcs end in those from
-d f - d^(t+1) on. A shard that is new to u at step t may come from an in-neighbour exactly where a
walk of t - 1 arcs joins the two. Put on a circle of m positions, every in-link then carries what
lies on an arc of d^(t-1) of them. On the transpose the position of a shard is the shard itself,
and the walks lead to it from the in-neighbour; on Pi(d,m) they lead from the shard to the
in-neighbour, and its position is the first node in which they end.

Arcs of one length cover any position by neighbours in the order of their starts. Hall's condition
(theorem 19) need only be asked of runs of neighbours: what is confined to several runs is confined
to one of them, and no mean exceeds the largest of its terms. Confined to the run between the arcs
h and j is what lies after the end of h and before the start of j.

All is int64: for m <= 2^20 and d < 64 the walks of a step end in less than d m < 2^26 nodes, and
no product exceeds d^2 m < 2^32.
"""

import numpy as np

from topofinder.kernels import inner, kernel, sort_first
from topofinder.schedules.bfb.evaluation_numpy import ALWAYS, NEVER, ONCE


@inner
def _run_load(starts, ends, k, total, shards, links):  # type: ignore[no-untyped-def]
    """Least maximal load of k links, as a ratio, if it is at least shards/links; else 0/1.

    starts[i], ends[i]: new shards before the start and before the end of arc i, which both ascend;
    on the whole circle there are `total`.
    """
    reached = total * links >= shards * k
    if reached:
        shards, links = total, k
    for h in range(k):
        for j in range(h + 2, h + k + 1):
            inside, width = -ends[h], j - h - 1
            inside += starts[j] if j < k else starts[j - k] + total
            if inside * links >= shards * width:
                shards, links, reached = inside, width, True
    return (shards, links) if reached else (0, 1)


@inner
def _single_load(starts, ends, k, shards):  # type: ignore[no-untyped-def]
    """The same for arcs that do not meet, whose loads are integers."""
    most = 0
    for i in range(k):
        most = max(most, ends[i] - starts[i])
    return (most, 1) if most >= shards else (0, 1)


@inner
def _set_walks(d, m, first, shift):  # type: ignore[no-untyped-def]
    """first[t]: where the ends of walks of t arcs from node 0 begin; from u + 1 by shift[t] on."""
    begin, power, size = 0, 1, 1
    for t in range(len(first)):
        first[t], shift[t] = begin, power
        size *= d
        begin, power = (-d * begin - size) % m, -d * power % m


@inner
def _advance_walks(first, shift, m):  # type: ignore[no-untyped-def]
    """From the walks of one node to those of the next."""
    for t in range(len(first)):
        first[t] += shift[t]
        if first[t] >= m:
            first[t] -= m


@inner
def _fill_returns(d, m, first, shift, near):  # type: ignore[no-untyped-def]
    """near[u]: arcs of the shortest closed walk through u, less one; returns the most of them."""
    _set_walks(d, m, first, shift)
    most = 0
    for u in range(len(near)):
        t, size = 1, d
        while (u - first[t]) % m >= size:
            t += 1
            size *= d
        near[u] = t - 1
        most = max(most, t - 1)
        _advance_walks(first, shift, m)
    return most


@inner
def _all_return(d, m, u, step, back):  # type: ignore[no-untyped-def]
    """Whether walks of `step` arcs join u to all its in-neighbours (`back`), or all its
    out-neighbours to u."""
    for i in range(1, d + 1):
        begin, end, size = (-d * u - i) % m, u, 1
        if back:
            begin, end = u, (i * m - u - 1) // d
        for _ in range(step):
            size *= d
            begin = (-d * begin - size) % m
        if (end - begin) % m >= size:
            return False
    return True


@inner
def _line_level(d, m, u, step, near, back):  # type: ignore[no-untyped-def]
    """Line level of receiver u at a step, as in `topofinder.schedules.bfb.profile_kernels`."""
    if near < step:
        return ALWAYS
    return NEVER if near == step and _all_return(d, m, u, step, back) else ONCE


@inner
def _list_known(first, step, d, m, low, high):  # type: ignore[no-untyped-def]
    """Positions, from first[step] on, of shards known before, as spans low <= p < high.

    They ascend and do not touch; returns how many there are.
    """
    count, size = 0, 1
    for t in range(step):
        begin = (first[t] - first[step]) % m
        for part in range(2):
            start, end = begin, min(begin + size, m)
            if part == 1:
                start, end = 0, begin + size - m
            if start >= end:
                continue
            at = count
            while at > 0 and low[at - 1] > start:
                low[at], high[at] = low[at - 1], high[at - 1]
                at -= 1
            low[at], high[at] = start, end
            count += 1
        size *= d
    last = 0
    for i in range(1, count):
        if low[i] <= high[last]:
            high[last] = max(high[last], high[i])
        else:
            last += 1
            low[last], high[last] = low[i], high[i]
    return last + 1


@inner
def _count_below(points, low, high, spans, below):  # type: ignore[no-untyped-def]
    """below[i]: positions below points[i] that are in no span."""
    for i in range(len(points)):
        below[i] = points[i]
    for span in range(spans):
        start, width = low[span], high[span] - low[span]
        for i in range(len(points)):
            below[i] -= min(max(points[i] - start, 0), width)


@inner
def _set_arcs(d, m, size, points):  # type: ignore[no-untyped-def]
    """points: starts of the arcs of `size` positions one after another, ascending, then their ends.

    Returns the first arc that ends beyond m.
    """
    for i in range(d):
        points[i] = i * size % m
    sort_first(points, d)
    turned = d
    for i in range(d):
        points[d + i] = points[i] + size
        if points[d + i] >= m:
            points[d + i] -= m
            turned = min(turned, i)
    return turned


@inner
def _leave_out_loop(points, starts, ends, own, k):  # type: ignore[no-untyped-def]
    """Drop the arc that starts at `own`: a self-loop carries nothing."""
    at = 0
    while points[at] != own:
        at += 1
    for i in range(at, k - 1):
        starts[i], ends[i] = starts[i + 1], ends[i + 1]


@inner
def _back_step(d, m, step, size, near, first, shift, scratch):  # type: ignore[no-untyped-def]
    """Busiest in-link of the transpose at a step: (shards, links, level); `size` is d^(step-1)."""
    points, below, low, high = scratch
    starts, ends = below[:d], below[d:]
    turned = _set_arcs(d, m, size, points)
    _set_walks(d, m, first, shift)
    shards, links, level = 0, 1, NEVER
    for u in range(len(near)):
        spans = _list_known(first, step, d, m, low, high)
        _count_below(points, low, high, spans, below)
        total, k = m, d
        for span in range(spans):
            total -= high[span] - low[span]
        for i in range(turned, d):
            ends[i] += total
        if near[u] == 0:
            _leave_out_loop(points, starts, ends, (first[step - 1] - first[step]) % m, k)
            k -= 1
        if size * d <= m:
            found, over = _single_load(starts, ends, k, shards)
        else:
            found, over = _run_load(starts, ends, k, total, shards, links)
        if found > 0:
            reached = _line_level(d, m, u, step, near[u], True)
            if found * links == shards * over:
                reached = max(reached, level)
            shards, links, level = found, over, reached
            if level == ALWAYS and shards == size * links:
                break  # no link can carry more
        _advance_walks(first, shift, m)
    return shards, links, level


@inner
def _find_sources(d, m, t, begins, source):  # type: ignore[no-untyped-def]
    """source[y]: the least x whose walks of t arcs end in y and further on; -1 where there is none.

    `begins`, which says so of walks of t - 1 arcs for every x, is brought to t. Returns how far
    such x are apart.
    """
    size, one, other = d**t, d**t, m
    while other:
        one, other = other, one % other
    for y in range(m):
        source[y] = -1
    for x in range(m - 1, -1, -1):
        begins[x] = x if t == 0 else (-d * begins[x] - size) % m
        source[begins[x]] = x
    return m // one


@inner
def _count_shard(position, sign, d, m, u, size, new, starts, ends, sums):  # type: ignore[no-untyped-def]
    """Count a shard that becomes new to u (sign 1), or one that no longer is (-1).

    ends[i]: new shards between the ends of the arcs i and i + 1, counted from position 0 on;
    starts[i]: between their starts, positions being `size` more; sums: all, and those beyond m so.
    """
    new[position] += sign
    ends[(d * position + u) // m] += sign
    sums[0] += sign
    position += size
    if position >= m:
        position -= m
        sums[1] += sign
    starts[(d * position + u) // m] += sign


@inner
def _move_arcs(d, m, size, link, rest, new, starts, ends):  # type: ignore[no-untyped-def]
    """From the in-neighbours of u to those of u + 1, each of them or the node before it.

    In-neighbour i (from 0) is link[i], (i + 1) m - u - 1 over d, which leaves rest[i].
    """
    for i in range(d):
        if rest[i] > 0:
            rest[i] -= 1
            continue
        old, rest[i] = link[i], d - 1
        link[i] -= 1
        ends[i] -= new[old]
        ends[i + 1] += new[old]
        old = old - size if old >= size else old - size + m
        starts[i] -= new[old]
        starts[i + 1] += new[old]


@inner
def _begin_forth(d, m, step, size, begins, source, period, counts):  # type: ignore[no-untyped-def]
    """Count what is new to node 0: held[x] is how often it was known before (`_forth_step`)."""
    held, new, link, rest, starts, ends, sums = counts
    for x in range(m):
        held[x] = new[x] = 0
    for i in range(d + 1):
        starts[i] = ends[i] = 0
    for i in range(d):
        link[i], rest[i] = ((i + 1) * m - 1) // d, ((i + 1) * m - 1) % d
    sums[0] = sums[1] = 0
    width = 1
    for t in range(step):
        for back in range(width):
            x = source[t, (m - back) % m]
            while 0 <= x < m:
                held[x] += 1
                x += period[t]
        width *= d
    for x in range(m):
        if held[x] == 0:
            _count_shard(begins[x], 1, d, m, 0, size, new, starts, ends, sums)


@inner
def _advance_new(d, m, u, step, size, begins, source, period, counts):  # type: ignore[no-untyped-def]
    """From what is new to u - 1 to what is new to u, for arcs that have been moved."""
    held, new, _, _, starts, ends, sums = counts
    width = 1
    for t in range(step):
        gone = u - width
        x = source[t, gone if gone >= 0 else gone + m]
        while 0 <= x < m:
            held[x] -= 1
            if held[x] == 0:
                _count_shard(begins[x], 1, d, m, u, size, new, starts, ends, sums)
            x += period[t]
        x = source[t, u]
        while 0 <= x < m:
            if held[x] == 0:
                _count_shard(begins[x], -1, d, m, u, size, new, starts, ends, sums)
            held[x] += 1
            x += period[t]
        width *= d


@inner
def _forth_step(d, m, step, size, near, begins, source, period, counts, below):  # type: ignore[no-untyped-def]
    """Busiest in-link of Pi(d,m) at a step, as `_back_step`.

    From one receiver to the next every known interval loses a position and gains one, and an
    in-neighbour moves by one at most, so that counts need not be taken anew.
    """
    _, new, link, rest, starts, ends, sums = counts
    before_start, before_end = below
    _begin_forth(d, m, step, size, begins, source, period, counts)
    shards, links, level = 0, 1, NEVER
    for u in range(len(near)):
        start, end, k = -sums[1], 0, 0
        for i in range(d):
            start += starts[i]
            end += ends[i]
            if link[i] != u:
                before_start[k], before_end[k] = start, end
                k += 1
        if size * d <= m:
            found, over = _single_load(before_start, before_end, k, shards)
        else:
            found, over = _run_load(before_start, before_end, k, sums[0], shards, links)
        if found > 0:
            reached = _line_level(d, m, u, step, near[u], False)
            if found * links == shards * over:
                reached = max(reached, level)
            shards, links, level = found, over, reached
            if level == ALWAYS and shards == size * links:
                break  # no link can carry more
        _move_arcs(d, m, size, link, rest, new, starts, ends)
        _advance_new(d, m, u + 1, step, size, begins, source, period, counts)
    return shards, links, level


@kernel
def profile_kautz(degrees, orders, receivers, steps, shards, links, line_exact, cycle):  # type: ignore[no-untyped-def]
    """BFB of graphs Pi(degrees[g], orders[g]), forth and on the transpose; 2 <= d < m - 1.

    Asked are the nodes below receivers[g]. All int64. Fills steps (graphs, 2); shards and links
    (graphs, 2, most steps + 1), of which entry t is the busiest link's at step t; line_exact
    (graphs, 2), the least of their line levels; cycle (graphs,), the longest of the shortest closed
    walks.
    """
    for g in range(len(degrees)):
        d, m = degrees[g], orders[g]
        last, reach = 1, d
        while reach < m:
            last += 1
            reach *= d
        first, shift = np.empty(last + 1, np.int64), np.empty(last + 1, np.int64)
        near = np.empty(receivers[g], np.int64)
        cycle[g] = _fill_returns(d, m, first, shift, near) + 1
        begins, source = np.empty(m, np.int32), np.empty((last, m), np.int32)
        period = np.empty(last, np.int64)
        of_shards, few = np.empty((2, m), np.int64), np.empty((5, d + 1), np.int64)
        spans = np.empty((2, 2 * last), np.int64)
        below = np.empty((4, 2 * d), np.int64)
        forth = (of_shards[0], of_shards[1], few[0], few[1], few[2], few[3], few[4])
        back = (below[0], below[1], spans[0], spans[1])
        period[0] = _find_sources(d, m, 0, begins, source[0])
        for way in range(2):
            steps[g, way] = shards[g, way, 1] = links[g, way, 1] = 1
            line_exact[g, way] = ALWAYS
        size = 1
        for step in range(2, last + 1):
            size *= d
            period[step - 1] = _find_sources(d, m, step - 1, begins, source[step - 1])
            for way in range(2):
                if way == 0:
                    found, over, level = _forth_step(
                        d, m, step, size, near, begins, source, period, forth, below[2:]
                    )
                else:
                    found, over, level = _back_step(d, m, step, size, near, first, shift, back)
                if found > 0:
                    steps[g, way] = step
                    shards[g, way, step], links[g, way, step] = found, over
                    line_exact[g, way] = min(line_exact[g, way], level)
