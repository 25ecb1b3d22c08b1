"""Kernels of the level forest: a root may enter a node from any in-neighbour that ranks before it.

With a rank of the nodes for each root, the root first, *any* choice of in-arcs from nodes of
smaller rank makes a tree. So the packing falls apart into one small transport a node, and is
exact when all of them are met. With hop distances as ranks every tree is as high as its root is
eccentric, the least there is. In a vertex-transitive graph with a bandwidth-optimal BFB schedule
the intervals of that schedule are one such choice, so this finds a packing wherever they do.

The transport (a bipartite flow) decides which trees enter one node by which of its in-arcs. Root u
has `supply[u]` trees that must enter the node. It may use the in-arcs in `suits[first[u]:first[u +
1]]`, of which arc i has room for `room[i]` trees; `given[at]` is what it uses of `suits[at]`. First
greedily, roots with few choices before others and the widest arc first; then along shortest
augmenting chains of arcs. Arcs reached by a search that fails stay full for good, so they are not
searched again.
"""

import numpy as np

from topofinder.kernels import inner, kernel


@kernel
def level_choices(tail, capacity, start, arc, supply, rank):  # type: ignore[no-untyped-def]
    """Who enters where: (root, arc, amount) of every choice, node after node, and what is unmet.

    `rank[v, u]` ranks node v for root u. Returns (root int32, arc int32, amount int64, where the
    choices of every node begin, what is unmet as rows (root, node, amount)).
    """
    n = len(supply)
    roots, arcs, amounts = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int64)
    short = np.empty(48, np.int64)
    first = np.zeros(n + 1, np.int64)
    filled, missing = 0, 0
    wanted, begin = np.empty(n, np.int64), np.empty(n + 1, np.int64)
    for v in range(n):
        here = arc[start[v] : start[v + 1]]
        room = capacity[here]
        for u in range(n):
            wanted[u] = supply[u] if u != v else 0
        suits = _suitable_arcs(v, tail, here, wanted, rank, begin)
        given, unmet = solve_transport(wanted, room, begin, suits)
        if filled + len(given) > len(roots):
            roots, arcs = (
                _grow_array(roots, filled + len(given)),
                _grow_array(arcs, filled + len(given)),
            )
            amounts = _grow_array(amounts, filled + len(given))
        for u in range(n):
            for at in range(begin[u], begin[u + 1]):
                if given[at] > 0:
                    roots[filled], arcs[filled], amounts[filled] = u, here[suits[at]], given[at]
                    filled += 1
            if unmet[u] > 0:
                if 3 * missing + 3 > len(short):
                    short = _grow_array(short, 3 * missing)
                short[3 * missing], short[3 * missing + 1] = u, v
                short[3 * missing + 2] = unmet[u]
                missing += 1
        first[v + 1] = filled
    return (
        roots[:filled],
        arcs[:filled],
        amounts[:filled],
        first,
        short[: 3 * missing].reshape(-1, 3),
    )


@kernel
def solve_transport(supply, room, first, suits):  # type: ignore[no-untyped-def]
    """(given, unmet): int64 as long as `suits` and `supply`; what is used is taken off `room`."""
    roots, arcs = len(supply), len(room)
    given, unmet = np.zeros(len(suits), np.int64), supply.copy()
    order = _order_by_choices(first, arcs)
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
def _grow_array(array, least):  # type: ignore[no-untyped-def]
    """The same entries in an array with room for more than `least`."""
    wider = np.empty(2 * least + 16, array.dtype)
    for i in range(len(array)):  # slices would take seconds to compile
        wider[i] = array[i]
    return wider


@inner
def _suitable_arcs(v, tail, here, wanted, rank, begin):  # type: ignore[no-untyped-def]
    """The in-arcs of v that suit each root, by position in `here`; fills where each begins."""
    n = len(wanted)
    begin[:] = 0
    own = rank[v]
    for i in range(len(here)):
        other = rank[tail[here[i]]]
        for u in range(n):
            begin[u + 1] += other[u] < own[u]
    for u in range(n):
        if wanted[u] == 0:
            begin[u + 1] = 0
        begin[u + 1] += begin[u]
    suits = np.empty(begin[n], np.int32)
    following = begin[:-1].copy()
    for i in range(len(here)):
        other = rank[tail[here[i]]]
        for u in range(n):
            if other[u] < own[u] and wanted[u] > 0:
                suits[following[u]] = i
                following[u] += 1
    return suits


@inner
def _order_by_choices(first, arcs):  # type: ignore[no-untyped-def]
    """The roots, those with few choices first: a counting sort."""
    roots = len(first) - 1
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
    return order


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
