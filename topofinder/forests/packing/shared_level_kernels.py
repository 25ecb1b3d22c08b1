"""Kernels of level forests whose trees share links: who enters where, so that no link is too full.

With a rank of the nodes for each root, the root first, any choice of in-arcs from nodes of smaller
rank makes a tree (`level_kernels`). Where several nodes draw on one link, as both ends of a circuit
that carries out-trees one way and in-trees the other, the choices no longer fall apart into one
transport a node: it is one transport from (root, place) to links, here with integers, solved by
shortest augmenting chains of links (Hall's theorem: where none is left, all that is on the links
reached can be on these alone).

A *place* is a node, once for out-trees and, on one-way networks, once more for in-trees. Place x
has the options start[x] <= i < start[x + 1]: option i enters it from place `above[i]` by `link[i]`,
and every link has one option of a place at most. `rank[x, u]` ranks place x for root u, and option
i suits root u at place x where rank[above[i], u] < rank[x, u]. `given[i, u]` are the trees of root
u that take it, `load` those on each link, `room` how many it may have.
"""

import numpy as np

from topofinder.kernels import inner, kernel

UNSUITED = -(1 << 62)
"""The room of an option that does not suit: less than any other."""


@kernel
def fill_links(start, above, link, rank, need, room):  # type: ignore[no-untyped-def]
    """(given, load): every place entered `need[x, u]` times, by the link that has the most left.

    Roots with a single option come before all others. int64 of shape (options, roots), (links,).
    """
    places, roots = need.shape
    given, left = np.zeros((len(link), roots), np.int64), room.copy()
    suits = np.zeros((places, roots), np.int32)
    for x in range(places):
        here, fits = rank[x], suits[x]
        for i in range(start[x], start[x + 1]):
            there = rank[above[i]]
            for u in range(roots):
                fits[u] += there[u] < here[u]
        for u in range(roots):
            if fits[u] == 1 and need[x, u] > 0:
                i = start[x]
                while rank[above[i], u] >= here[u]:
                    i += 1
                given[i, u] += need[x, u]
                left[link[i]] -= need[x, u]
    own = np.empty(len(link), np.int64)
    for x in range(places):
        for u in range(roots):
            if need[x, u] > 0 and suits[x, u] > 1:
                _enter_place(x, u, need[x, u], start, above, link, rank, given, left, own)
    return given, room - left


@kernel
def relieve_links(start, above, link, rank, room, given, load):  # type: ignore[no-untyped-def]
    """Move trees to other links until none has more than its room; in place.

    Returns bool (links,): no link if all fit, else those that cannot be relieved together: what is
    on them fits no other link, for every option of it is on one of them.
    """
    links = len(room)
    first, listed, owner = _options_by_link(start, link, links)
    pair, movable = _movable_trees(start, above, rank, given, owner)
    reached = np.zeros(links, np.bool_)
    queue, grow, shrink = (
        np.empty(links, np.int64),
        np.empty(links, np.int64),
        np.empty(links, np.int64),
    )
    while True:
        filled = 0
        for e in range(links):
            reached[e] = load[e] > room[e]
            if reached[e]:
                queue[filled], shrink[e] = e, -1
                filled += 1
        if filled == 0:
            return reached
        done, last = 0, -1
        while done < filled and last < 0:
            e = queue[done]
            done += 1
            for at in range(first[e], first[e + 1]):
                i = listed[at]
                x = owner[i]
                for j in range(start[x], start[x + 1]):
                    f = link[j]
                    if not reached[f] and movable[pair[i] + j - start[x]] > 0:
                        reached[f], grow[f], shrink[f], queue[filled] = True, j, i, f
                        filled += 1
                        if load[f] < room[f]:
                            last = f
                            break
                if last >= 0:
                    break
        if last < 0:
            return reached
        _shift_trees(
            last, start, above, link, rank, room, given, load, owner, pair, movable, grow, shrink
        )


@kernel
def link_distances(start, above, link, length, roots):  # type: ignore[no-untyped-def]
    """Distances of places from each root over links of this length; float64 (places, roots).

    Place x is that of node x modulo `roots`. Rounds over all options until nothing is nearer
    (Bellman and Ford), all roots at once: tables are read in order. Places that cannot be reached
    stay at infinity.
    """
    places = len(start) - 1
    far = np.full((places, roots), np.inf)
    for x in range(places):
        far[x, x % roots] = 0.0
    changed = True
    while changed:
        changed = False
        for x in range(places):
            for i in range(start[x], start[x + 1]):
                p, more = above[i], length[link[i]]
                nearer = 0
                for u in range(roots):
                    through = far[p, u] + more
                    nearer += through < far[x, u]
                    far[x, u] = min(through, far[x, u])
                changed = changed or nearer > 0
    return far


@kernel
def level_height(start, above, given):  # type: ignore[no-untyped-def]
    """The most hops from a place to its root, in trees that take any of the options `given`.

    Rounds over all options until nothing is deeper, all roots at once: tables are read in order.
    """
    places, roots = len(start) - 1, given.shape[1]
    depth = np.zeros((places, roots), np.int32)
    changed = True
    while changed:
        changed = False
        for x in range(places):
            for i in range(start[x], start[x + 1]):
                p = above[i]
                deeper = 0
                for u in range(roots):
                    through = depth[p, u] + 1 if given[i, u] > 0 else 0
                    if through > depth[x, u]:
                        depth[x, u] = through
                        deeper += 1
                changed = changed or deeper > 0
    highest = 0
    for x in range(places):
        for u in range(roots):
            highest = max(highest, depth[x, u])
    return highest


@inner
def _enter_place(x, u, trees, start, above, link, rank, given, left, own):  # type: ignore[no-untyped-def]
    """Let so many trees of root u enter place x, each by the option with the most room left.

    Without branches that depend on ranks and rooms, which no processor foresees.
    """
    begin, count, limit = start[x], start[x + 1] - start[x], rank[x, u]
    for at in range(count):
        room = left[link[begin + at]]
        own[at] = room if rank[above[begin + at], u] < limit else UNSUITED
    for _ in range(trees):
        best, most = 0, own[0]
        for at in range(1, count):
            here = own[at]
            better = here > most
            best = at if better else best
            most = here if better else most
        own[best] = most - 1
        given[begin + best, u] += 1
        left[link[begin + best]] = most - 1


@inner
def _options_by_link(start, link, links):  # type: ignore[no-untyped-def]
    """The options of each link as compressed sparse rows (first, option), and their places."""
    first, listed = np.zeros(links + 1, np.int64), np.empty(len(link), np.int64)
    owner = np.empty(len(link), np.int64)
    for x in range(len(start) - 1):
        for i in range(start[x], start[x + 1]):
            owner[i] = x
            first[link[i] + 1] += 1
    for e in range(links):
        first[e + 1] += first[e]
    filled = first[:-1].copy()
    for i in range(len(link)):
        listed[filled[link[i]]] = i
        filled[link[i]] += 1
    return first, listed, owner


@inner
def _movable_trees(start, above, rank, given, owner):  # type: ignore[no-untyped-def]
    """(pair, movable): movable[pair[i] + j - start[x]] trees are on option i of x and suit j."""
    pair = np.empty(len(owner), np.int64)
    total = 0
    for i in range(len(owner)):
        x = owner[i]
        pair[i] = total
        total += start[x + 1] - start[x]
    movable = np.zeros(total, np.int64)
    for i in range(len(owner)):
        x = owner[i]
        for j in range(start[x], start[x + 1]):
            p, trees = above[j], 0
            for u in range(given.shape[1]):
                trees += given[i, u] * (rank[p, u] < rank[x, u])
            movable[pair[i] + j - start[x]] = trees if j != i else 0
    return pair, movable


@inner
def _shift_trees(  # type: ignore[no-untyped-def]
    last, start, above, link, rank, room, given, load, owner, pair, movable, grow, shrink
):
    """Move along the chain that ends in link `last` as many trees as each part of it allows."""
    amount, f = room[last] - load[last], last
    while shrink[f] >= 0:
        i, j = shrink[f], grow[f]
        amount = min(amount, movable[pair[i] + j - start[owner[i]]])
        f = link[i]
    amount = min(amount, load[f] - room[f])
    load[last] += amount
    load[f] -= amount
    f = last
    while shrink[f] >= 0:
        _shift_at_place(shrink[f], grow[f], amount, start, above, rank, given, owner, pair, movable)
        f = link[shrink[f]]


@inner
def _shift_at_place(i, j, amount, start, above, rank, given, owner, pair, movable):  # type: ignore[no-untyped-def]
    """Move so many trees from option i of a place to option j, and count what can move anew."""
    x = owner[i]
    base = start[x]
    u = 0
    while amount > 0:
        if given[i, u] > 0 and rank[above[j], u] < rank[x, u]:
            some = min(amount, given[i, u])
            given[i, u] -= some
            given[j, u] += some
            amount -= some
            for other in range(base, start[x + 1]):
                if rank[above[other], u] < rank[x, u]:
                    if other != i:
                        movable[pair[i] + other - base] -= some
                    if other != j:
                        movable[pair[j] + other - base] += some
        u += 1
