"""The least possible load of the busiest link, and shards dealt to in-links that reach it.

At one step a receiver takes whole shards over its in-links; a shard may be split among the links
it is eligible on. The least maximal load is max over non-empty link sets P of
#{shards eligible on links of P only} / |P|: Hall's condition as a number (theorem 19). Links from
one in-neighbour share their shards, so sets of in-neighbours, weighted by their parallel arcs,
suffice. A class holds the shards that may come over the same set of in-neighbours.

`dense_load` finds the load from the counts of all 2^k sets, and `class_load` by cut improvement
(Dinkelbach): try to route all shards below a guess, and when that fails take the ratio of the cut.
`deal_pieces` deals whole pieces: a transport problem with integral data, so augmenting paths keep
every amount an integer, and a cut proves when the busiest link must carry more. That solves the
integer program (13) of Zhao et al., appendix E.2, exactly.
"""

import numpy as np

from topofinder.kernels import inner, lowest_bit, popcount


@inner
def dense_load(inside, weights, k):  # type: ignore[no-untyped-def]
    """Largest inside[P] / weight(P) over non-empty P, as (shards, links).

    `inside[Q]`, int64 of shape (2^k,): shards whose links avoid every in-neighbour in bit set Q;
    `weights`, int64 of shape (k,): parallel arcs from each in-neighbour.
    """
    full = (1 << k) - 1
    shards, links = 0, 1
    for avoided in range(full):
        count = inside[avoided]
        if count * links <= shards:
            continue
        weight = 0
        for i in range(k):
            if not avoided >> i & 1:
                weight += weights[i]
        if count * links > shards * weight:
            shards, links = count, weight
    return shards, links


@inner
def class_load(masks, counts, classes, weights, k, shards, links, sent, room, seen, parent):  # type: ignore[no-untyped-def]
    """Least maximal load if it exceeds shards/links, else shards/links itself; as a ratio.

    Class c holds counts[c] shards eligible on the in-neighbours in bit set masks[c] (k < 64).
    `sent` (int64, (classes, k)), `room`, `seen`, `parent` (int64, (k,) or more) are scratch.
    Amounts are in units of 1/links of a shard, so that everything stays an integer.
    """
    while True:
        cut = _route_classes(
            masks, counts, classes, weights, k, shards, links, sent, room, seen, parent
        )
        if cut == 0:
            return shards, links
        inside = 0
        for c in range(classes):
            if masks[c] & ~cut == 0:
                inside += counts[c]
        weight = 0
        for i in range(k):
            if cut >> np.uint64(i) & np.uint64(1):
                weight += weights[i]
        shards, links = inside, weight


@inner
def is_load_reached(masks, counts, classes, weights, k, shards, links, sent, room, seen, parent):  # type: ignore[no-untyped-def]
    """Whether the least maximal load is shards/links itself, where `class_load` gave that back.

    It gives that back where the load is less, too. A load is a ratio over at most the sum of the
    weights, so one that is less is less by 1 / (links * sum): half of that tells them apart.
    """
    total = 0
    for i in range(k):
        total += weights[i]
    finer, below = 2 * links * total, 2 * shards * total - 1
    found, _ = class_load(
        masks, counts, classes, weights, k, below, finer, sent, room, seen, parent
    )
    return found != below


@inner
def _route_classes(masks, counts, classes, weights, k, shards, links, sent, room, seen, parent):  # type: ignore[no-untyped-def]
    """Route every class with room shards/links a link: 0, or the in-neighbour set of a cut.

    Classes after the one in turn are not routed yet: what `sent` holds for them is void.
    """
    queue = np.empty(k, np.int64)
    for i in range(k):
        room[i] = weights[i] * shards
    for c in range(classes):
        left = counts[c] * links
        for i in range(k):
            sent[c, i] = 0
            if left > 0 and masks[c] >> np.uint64(i) & np.uint64(1) and room[i] > 0:
                amount = min(left, room[i])
                sent[c, i] = amount
                room[i] -= amount
                left -= amount
        while left > 0:
            moved = augment(masks, c + 1, c, k, left, sent, room, seen, parent, queue)
            if moved == 0:
                cut = np.uint64(0)
                for i in range(k):
                    if seen[i]:
                        cut |= np.uint64(1) << np.uint64(i)
                return cut
            left -= moved
    return np.uint64(0)


@inner
def deal_pieces(masks, counts, classes, weights, k, pieces, sent, room, seen, parent, queue):  # type: ignore[no-untyped-def]
    """Least number of pieces on the busiest link; fills `sent`.

    Class c (of `classes`) holds counts[c] shards of `pieces` pieces each, eligible on the
    in-neighbours in bit set masks[c] (never empty; k <= 63 neighbours, weights[i] parallel links
    from neighbour i). On return sent[c, i] pieces of class c come from neighbour i, and no
    neighbour sends more than weights[i] times the answer. `room`, `seen`, `parent`, `queue`:
    scratch, int64 of shape (k,) or more.
    """
    total = 0
    for c in range(classes):
        total += counts[c]
        for i in range(k):
            sent[c, i] = 0
    weight = 0
    for i in range(k):
        weight += weights[i]
    busiest = -(-total * pieces // weight)
    for i in range(k):
        room[i] = weights[i] * busiest
    for width in range(1, k + 1):
        for c in range(classes):
            if popcount(masks[c]) != width:
                continue
            left = fill_roomiest(masks[c], counts[c] * pieces, c, sent, room)
            while left > 0:
                moved = augment(masks, classes, c, k, left, sent, room, seen, parent, queue)
                left -= moved
                if moved == 0:
                    least = _cut_bound(masks, counts, classes, weights, k, pieces, seen)
                    for i in range(k):
                        room[i] += weights[i] * (least - busiest)
                    busiest = least
    return busiest


@inner
def fill_roomiest(mask, left, c, sent, room):  # type: ignore[no-untyped-def]
    """Send what fits of class c, by the neighbours with the most room; returns what is left."""
    while left > 0:
        best = -1
        word = mask
        while word:
            i = lowest_bit(word)
            word &= word - np.uint64(1)
            if room[i] > 0 and (best < 0 or room[i] > room[best]):
                best = i
        if best < 0:
            return left
        amount = min(left, room[best])
        sent[c, best] += amount
        room[best] -= amount
        left -= amount
    return 0


@inner
def _cut_bound(masks, counts, classes, weights, k, pieces, seen):  # type: ignore[no-untyped-def]
    """Pieces on the busiest link if all shards confined to the seen neighbours share them evenly.

    The seen neighbours are full of such shards when no path leads on, so this exceeds the present
    answer, and no dealing does better.
    """
    cut, weight, inside = np.uint64(0), 0, 0
    for i in range(k):
        if seen[i]:
            cut |= np.uint64(1) << np.uint64(i)
            weight += weights[i]
    for c in range(classes):
        if masks[c] & ~cut == 0:
            inside += counts[c]
    return -(-inside * pieces // weight)


@inner
def augment(masks, classes, origin, k, left, sent, room, seen, parent, queue):  # type: ignore[no-untyped-def]
    """Send up to `left` of class `origin` by moving others along a shortest chain of neighbours.

    sent[c, i] of class c (of `classes`) come from neighbour i, which has room[i] left. Returns
    how much was sent; after 0, seen[i] tells which neighbours were reached. Else seen[i] is 1 +
    the class through which neighbour i was reached, parent[i] the neighbour before it. `queue`:
    scratch, int64 of shape (k,) or more.
    """
    filled = 0
    for i in range(k):
        seen[i] = 0
        if masks[origin] >> np.uint64(i) & np.uint64(1):
            seen[i], parent[i], queue[filled] = origin + 1, -1, i
            filled += 1
    done = 0
    while done < filled:
        link = queue[done]
        done += 1
        if room[link] > 0:
            return _shift_along(origin, link, left, sent, room, seen, parent)
        for c in range(classes):
            if sent[c, link] == 0:
                continue
            word = masks[c]
            while word:
                other = lowest_bit(word)
                word &= word - np.uint64(1)
                if not seen[other]:
                    seen[other], parent[other], queue[filled] = c + 1, link, other
                    filled += 1
    return 0


@inner
def _shift_along(origin, link, left, sent, room, seen, parent):  # type: ignore[no-untyped-def]
    """Move as much as the chain that ends at `link` allows; returns the amount."""
    amount, at = min(left, room[link]), link
    while parent[at] >= 0:
        amount = min(amount, sent[seen[at] - 1, parent[at]])
        at = parent[at]
    room[link] -= amount
    at = link
    while parent[at] >= 0:
        sent[seen[at] - 1, at] += amount
        sent[seen[at] - 1, parent[at]] -= amount
        at = parent[at]
    sent[origin, at] += amount
    return amount
