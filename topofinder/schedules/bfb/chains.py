"""Augmenting chains of the transport problem between classes of shards and in-neighbours.

What a class cannot send over a full in-link may still go if others, one after another, move to
links of their own that have room. A shortest such chain is found breadth first; if there is none,
the links that were reached are a cut.
"""

import numpy as np

from topofinder.kernels import inner, lowest_bit


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
            return _shift(origin, link, left, sent, room, seen, parent)
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
def _shift(origin, link, left, sent, room, seen, parent):  # type: ignore[no-untyped-def]
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
