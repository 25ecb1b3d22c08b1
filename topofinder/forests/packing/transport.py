"""Which trees enter one node by which of its in-arcs: a small transport, solved exactly.

Root u has `supply[u]` trees that must enter the node. It may use the in-arcs in
`suits[first[u]:first[u + 1]]`, of which arc i has room for `room[i]` trees; `given[at]` is what it
uses of `suits[at]`. First greedily, roots with few choices before others and the widest arc first;
then along shortest chains of arcs. Arcs reached by a search that fails stay full for good, so
they are not searched again.
"""

import numpy as np

from topofinder.kernels import inner, kernel


@kernel
def solve_transport(supply, room, first, suits):  # type: ignore[no-untyped-def]
    """(given, unmet): int64 as long as `suits` and `supply`; what is used is taken off `room`."""
    roots, arcs = len(supply), len(room)
    given, unmet = np.zeros(len(suits), np.int64), supply.copy()
    begin = np.zeros(arcs + 2, np.int64)
    for u in range(roots):
        begin[first[u + 1] - first[u] + 1] += 1
    for i in range(arcs + 1):
        begin[i + 1] += begin[i]
    order = np.empty(roots, np.int64)
    for u in range(roots):
        choices = first[u + 1] - first[u]
        order[begin[choices]] = u
        begin[choices] += 1
    for at in range(roots):
        _assign_greedily(order[at], room, first, suits, given, unmet)
    dead = np.zeros(arcs, np.bool_)
    chain = np.empty((3, arcs), np.int64)
    for at in range(roots):
        u = order[at]
        while unmet[u] > 0 and _augment_root(u, room, first, suits, given, unmet, dead, chain):
            pass
    return given, unmet


@inner
def _assign_greedily(u, room, first, suits, given, unmet):  # type: ignore[no-untyped-def]
    """Give root u the widest arcs that suit it, as far as they have room."""
    while unmet[u] > 0:
        best = -1
        for at in range(first[u], first[u + 1]):
            if room[suits[at]] > 0 and (best < 0 or room[suits[at]] > room[suits[best]]):
                best = at
        if best < 0:
            break
        amount = min(unmet[u], room[suits[best]])
        given[best] += amount
        room[suits[best]] -= amount
        unmet[u] -= amount


@inner
def _augment_root(root, room, first, suits, given, unmet, dead, chain):  # type: ignore[no-untyped-def]
    """Free room for a root by moving others along a shortest chain of arcs.

    Rows of `chain`, by arc: the entry that would grow, the one that would shrink for it or -1,
    and the queue of arcs.
    """
    grow, shrink, queue = chain
    filled, alive = 0, 0
    for i in range(len(room)):
        grow[i] = -1
        alive += not dead[i]
    for at in range(first[root], first[root + 1]):
        i = suits[at]
        if not dead[i]:
            grow[i], shrink[i], queue[filled] = at, -1, i
            filled += 1
            if room[i] > 0:
                _shift_along_chain(i, root, room, suits, given, unmet, grow, shrink)
                return True
    done = 0
    while done < filled and filled < alive:
        i = queue[done]
        done += 1
        for u in range(len(unmet)):
            for held in range(first[u], first[u + 1]):
                if suits[held] != i or given[held] == 0:
                    continue
                for at in range(first[u], first[u + 1]):
                    j = suits[at]
                    if grow[j] < 0 and not dead[j]:
                        grow[j], shrink[j], queue[filled] = at, held, j
                        filled += 1
                        if room[j] > 0:
                            _shift_along_chain(j, root, room, suits, given, unmet, grow, shrink)
                            return True
    for at in range(filled):
        dead[queue[at]] = True
    return False


@inner
def _shift_along_chain(last, root, room, suits, given, unmet, grow, shrink):  # type: ignore[no-untyped-def]
    """Move along the chain that ends in arc `last` as much as each link of it allows."""
    amount, i = min(unmet[root], room[last]), last
    while shrink[i] >= 0:
        amount = min(amount, given[shrink[i]])
        i = suits[shrink[i]]
    room[last] -= amount
    unmet[root] -= amount
    i = last
    given[grow[i]] += amount
    while shrink[i] >= 0:
        given[shrink[i]] -= amount
        i = suits[shrink[i]]
        given[grow[i]] += amount
