"""Which trees enter one node by which of its in-arcs: a small transport, solved exactly.

Root u has `supply[u]` trees that must enter node v; in-arc i can be in `room[i]` of them and suits
root u where `suits[u, i]`. First greedily, roots with few choices before others and the widest
arc first; then along shortest chains of arcs. Arcs reached by a search that fails stay full for
good, so they are not searched again.
"""

import numpy as np

from topofinder.jit import inner, kernel


@inner
def transport(supply, room, suits, given, unmet):  # type: ignore[no-untyped-def]
    """Fill `given[u, i]` and `unmet[u]`, take from `room`; returns the sum of what is unmet."""
    roots, arcs = suits.shape
    choices = np.zeros(roots, np.int64)
    first = np.zeros(arcs + 2, np.int64)
    for u in range(roots):
        if supply[u] > 0:
            for i in range(arcs):
                choices[u] += suits[u, i]
        first[choices[u] + 1] += 1
    for i in range(arcs + 1):
        first[i + 1] += first[i]
    order = np.empty(roots, np.int64)
    for u in range(roots):
        order[first[choices[u]]] = u
        first[choices[u]] += 1
    for at in range(roots):
        _greedy(order[at], supply, room, suits, given, unmet)
    total = 0
    dead = np.zeros(arcs, np.bool_)
    via = np.empty(arcs, np.int64)
    before = np.empty(arcs, np.int64)
    for at in range(roots):
        u = order[at]
        while unmet[u] > 0 and _augment(u, room, suits, given, unmet, dead, via, before):
            pass
        total += unmet[u]
    return total


@inner
def _greedy(u, supply, room, suits, given, unmet):  # type: ignore[no-untyped-def]
    """Give root u the widest arcs that suit it, as far as they have room."""
    need = supply[u]
    for i in range(len(room)):
        given[u, i] = 0
    while need > 0:
        best = -1
        for i in range(len(room)):
            if suits[u, i] and room[i] > 0 and (best < 0 or room[i] > room[best]):
                best = i
        if best < 0:
            break
        amount = min(need, room[best])
        given[u, best] += amount
        room[best] -= amount
        need -= amount
    unmet[u] = need


@inner
def _augment(root, room, suits, given, unmet, dead, via, before):  # type: ignore[no-untyped-def]
    """Free room for a root by moving others along a shortest chain of arcs.

    `via[i]` becomes the root that is to move to arc i, `before[i]` the arc it leaves.
    """
    roots, arcs = suits.shape
    queue = np.empty(arcs, np.int64)
    filled = 0
    for i in range(arcs):
        via[i] = -1
        if suits[root, i] and not dead[i]:
            via[i], before[i], queue[filled] = root, -1, i
            filled += 1
    done = 0
    while done < filled:
        i = queue[done]
        done += 1
        if room[i] > 0:
            _shift(i, room, given, unmet, root, via, before)
            return True
        for u in range(roots):
            if given[u, i] == 0:
                continue
            for j in range(arcs):
                if suits[u, j] and via[j] < 0 and not dead[j]:
                    via[j], before[j], queue[filled] = u, i, j
                    filled += 1
    for at in range(filled):
        dead[queue[at]] = True
    return False


@inner
def _shift(last, room, given, unmet, root, via, before):  # type: ignore[no-untyped-def]
    """Move along the chain that ends in arc `last` as much as each link of it allows."""
    amount, i = min(unmet[root], room[last]), last
    while before[i] >= 0:
        amount = min(amount, given[via[i], before[i]])
        i = before[i]
    i = last
    while i >= 0:
        given[via[i], i] += amount
        if before[i] >= 0:
            given[via[i], before[i]] -= amount
        i = before[i]
    room[last] -= amount
    unmet[root] -= amount


@kernel
def solve_transport(supply, room, suits):  # type: ignore[no-untyped-def]
    """One transport: (given, unmet), for the tests."""
    given = np.zeros(suits.shape, np.int64)
    unmet = np.zeros(len(supply), np.int64)
    left = room.copy()
    transport(supply, left, suits, given, unmet)
    return given, unmet
