"""Kernels of the exact packer: grow one tree without spoiling the others.

Source: ForestColl (NSDI 2026), appendix E.3, algorithm 4, theorem 10 (Bérczi & Frank, Schrijver).
Let the current tree have m copies on the nodes R, and let `supply[u]` trees be still to be begun
at u. Arc (x, y) may join the current tree, x in R and y not, if all supply can still flow to y when
the arc has m less: no other sink need be asked, since the cuts that matter have y outside. What
cannot flow tells by how much m is too large.

One flow a sink is kept from test to test and brought up to date when it is needed. When a test
fails, its minimum cut bounds every arc that crosses it, for as long as the tree grows. When no
arc takes all m copies, the tree shrinks to the best that was found and the other copies are begun
anew: there is never more than one unfinished tree.
"""

import numpy as np

from topofinder.forests.optimality.flow_kernels import bring_flow
from topofinder.kernels import inner, kernel


@kernel
def grow_spanning_tree(root, state, net, residual, excess, work, tree):  # type: ignore[no-untyped-def]
    """Grow and take away one tree entry; returns its copies, or -1 if the cuts do not allow any.

    `state` = (room int64 (arcs,), supply int64 (n,), flow int64 (n, arcs), known int64 (n, n)) is
    changed in place; `tree` (n - 1,) receives the arcs, parents first.
    """
    room, supply, _, _ = state
    other = net[2]
    n = len(supply)
    copies = supply[root]
    supply[root] = 0
    member, queue = np.zeros(n, np.bool_), np.empty(n, np.int64)
    member[root], queue[0] = True, root
    bound = np.full(len(room), copies, np.int64)
    count = 0
    while count < n - 1:
        best, best_arc = _find_full_arc(
            copies, queue[: count + 1], state, net, residual, excess, work, bound, member
        )
        if 0 <= best < copies:
            best, best_arc = _find_partial_arc(
                best, best_arc, state, net, residual, excess, work, bound, member
            )
        if best <= 0:
            return -1
        if best < copies:
            for at in range(count):
                room[tree[at]] += copies - best
            supply[root] += copies - best
            copies = best
            bound[:] = copies
        room[best_arc] -= copies
        y = other[2 * best_arc]
        tree[count] = best_arc
        count += 1
        member[y], queue[count] = True, y
    return copies


@inner
def _update_flow(y, room, supply, flow, known, net, residual, excess, work):  # type: ignore[no-untyped-def]
    """Bring the flow to y up to date with the room of arcs and the supply of nodes."""
    other = net[2]
    n = len(supply)
    lack = np.zeros(n, np.int64)
    for v in range(n):
        excess[v] = 0
    for e in range(len(room)):
        carried = min(flow[y, e], room[e])
        if flow[y, e] > carried:
            excess[other[2 * e + 1]] += flow[y, e] - carried
            lack[other[2 * e]] += flow[y, e] - carried
        residual[2 * e], residual[2 * e + 1] = room[e] - carried, carried
    for u in range(n):
        change = supply[u] - known[y, u]
        known[y, u] = supply[u]
        if u != y and change > 0:
            excess[u] += change
            lack[y] += change
        elif u != y and change < 0:
            lack[u] -= change
            excess[y] -= change
    for v in range(n):
        both = min(lack[v], excess[v])
        lack[v] -= both
        excess[v] -= both
    for v in range(n):
        if lack[v] > 0 and bring_flow(v, lack[v], net, residual, excess, work) > 0:
            return False
    return True


@inner
def _store_flow(y, room, flow, residual):  # type: ignore[no-untyped-def]
    """Remember the flow to y."""
    for e in range(len(room)):
        flow[y, e] = residual[2 * e + 1]


@inner
def _allowed_copies(e, amount, state, net, residual, excess, work, bound, member):  # type: ignore[no-untyped-def]
    """How many copies, up to `amount`, arc e may carry for the tree on `member`; -1 if broken."""
    room, supply, flow, known = state
    start, _, other = net
    x, y = other[2 * e + 1], other[2 * e]
    if not _update_flow(y, room, supply, flow, known, net, residual, excess, work):
        return -1
    lack = max(amount - residual[2 * e], 0)
    residual[2 * e] = max(residual[2 * e] - amount, 0)
    residual[2 * e + 1] -= lack
    excess[x] += lack
    unmet = bring_flow(y, lack, net, residual, excess, work)
    if unmet > 0:
        mark = work[0]
        for b in range(len(room)):
            p, q = other[2 * b + 1], other[2 * b]
            if mark[q] == mark[len(start) - 1] != mark[p] and member[p]:
                bound[b] = min(bound[b], amount - unmet)
    residual[2 * e] += amount
    if bring_flow(y, unmet, net, residual, excess, work) > 0:
        return -1
    _store_flow(y, room, flow, residual)
    return amount - unmet


@inner
def _find_full_arc(copies, queue, state, net, residual, excess, work, bound, member):  # type: ignore[no-untyped-def]
    """(copies, arc) of the first arc that takes all copies, from early nodes of the tree first.

    Where none does, the best that was tried, or (0, -1); (-1, -1) if the cuts are broken.
    """
    room = state[0]
    best, best_arc = 0, -1
    for x in queue:
        while True:
            e = _widest_arc(x, room, bound, member, net, copies)
            if e < 0:
                break
            allowed = _allowed_copies(e, copies, state, net, residual, excess, work, bound, member)
            if allowed < 0:
                return -1, -1
            bound[e] = allowed
            if allowed > best:
                best, best_arc = allowed, e
            if allowed == copies:
                return best, best_arc
    return best, best_arc


@inner
def _find_partial_arc(best, best_arc, state, net, residual, excess, work, bound, member):  # type: ignore[no-untyped-def]
    """(copies, arc) of the arc that takes the most, if more than `best`; (-1, -1) if broken."""
    room, other = state[0], net[2]
    for e in range(len(room)):
        if member[other[2 * e + 1]] and not member[other[2 * e]]:
            amount = min(room[e], bound[e])
            if amount > best:
                allowed = _allowed_copies(
                    e, amount, state, net, residual, excess, work, bound, member
                )
                if allowed < 0:
                    return -1, -1
                if allowed > best:
                    best, best_arc = allowed, e
    return best, best_arc


@inner
def _widest_arc(x, room, bound, member, net, copies):  # type: ignore[no-untyped-def]
    """The arc from x with the most room that may take all copies, -1 if there is none."""
    start, ref, other = net
    best = -1
    for at in range(start[x], start[x + 1]):
        if ref[at] & 1:
            continue
        e = ref[at] >> 1
        suits = not member[other[2 * e]] and min(room[e], bound[e]) >= copies
        if suits and (best < 0 or room[e] > room[best]):
            best = e
    return best
