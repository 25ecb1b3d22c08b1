"""When rows through a switch run short: prefix sums over time, swept along the shard."""

import numpy as np

from topofinder.kernels import inner, kernel


@kernel
def find_overdrafts(start, weight, event, place, sign, spare):  # type: ignore[no-untyped-def]
    """The first event of each group whose running sum falls below -spare anywhere; -1 for none.

    Event i adds `weight[i]`, 1 or -1, to all events of its group from itself on, at the places of
    its piece; those of group g are start[g] to start[g + 1] - 1, in order of time. Change j begins
    (sign 1) or ends (sign -1) the piece of event event[j] at place[j]; those of group g are
    2 start[g] to 2 start[g + 1] - 1, in order of places. All are int64.

    A segment tree over a group's events holds sums and least prefix sums: so a group of m events
    takes O(m log m) steps, however finely its shard is cut.
    """
    found = np.full(len(start) - 1, -1, np.int64)
    longest = 1
    for group in range(len(found)):
        longest = max(longest, start[group + 1] - start[group])
    size = _leaves(longest)
    total, least = np.zeros(2 * size, np.int64), np.zeros(2 * size, np.int64)
    for group in range(len(found)):
        first, last = start[group], 2 * start[group + 1] - 1
        leaves = _leaves(start[group + 1] - first)
        for j in range(2 * first, last + 1):
            _set_leaf(total, least, leaves + event[j] - first, weight[event[j]] * (sign[j] > 0))
            if (j == last or place[j + 1] != place[j]) and least[1] < -spare:
                early = first + _first_below(total, least, leaves, -spare)
                if found[group] < 0 or early < found[group]:
                    found[group] = early
    return found


@inner
def _leaves(count):  # type: ignore[no-untyped-def]
    """The least power of two that is no less than the count."""
    leaves = np.int64(1)  # a literal is a type of its own
    while leaves < count:
        leaves *= 2
    return leaves


@inner
def _set_leaf(total, least, node, value):  # type: ignore[no-untyped-def]
    """Set a leaf, and bring all above it up to date; the root is node 1."""
    total[node], least[node] = value, min(value, 0)
    while node > 1:
        node >>= 1
        left, right = 2 * node, 2 * node + 1
        total[node] = total[left] + total[right]
        least[node] = min(least[left], total[left] + least[right])


@inner
def _first_below(total, least, leaves, limit):  # type: ignore[no-untyped-def]
    """The first leaf at which the sum of all up to it is below a limit, which is at most 0."""
    node, before = np.int64(1), np.int64(0)
    while node < leaves:
        node *= 2
        if before + least[node] >= limit:
            before += total[node]
            node += 1
    return node - leaves
