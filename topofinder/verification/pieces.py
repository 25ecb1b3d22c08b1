"""Elementary pieces of a shard, and sets of them as bit sets.

The ends of all pieces of one source's rows cut its shard into elementary pieces: every row
carries a run of them, whole. A set of elementary pieces is a bit set of 64-bit words. Ends, up to
2^63 - 1, are sorted and compared, never added; pieces are counted by their ends, two a row.
"""

# mypy: disallow-untyped-decorators=False

import numpy as np
from numba import njit

FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
GRID = 64
"""Up to this denominator every grid point counts as an end: one word, and nothing to sort."""


@njit(cache=True, nogil=True)
def cut(rows, begin, end, denominator, first, beyond):  # type: ignore[no-untyped-def]
    """The ends of the elementary pieces that these rows of one source cut, ascending.

    Row rows[i] carries the elementary pieces first[i] to beyond[i] - 1, filled in here; piece k
    is [ends[k], ends[k + 1]) / denominator.
    """
    if denominator <= GRID:
        for i in range(len(rows)):
            first[i], beyond[i] = begin[rows[i]], end[rows[i]]
        return np.arange(denominator + 1)
    offered = np.empty(2 * len(rows) + 2, np.int64)
    offered[0], offered[1] = 0, denominator
    for i in range(len(rows)):
        offered[2 * i + 2], offered[2 * i + 3] = begin[rows[i]], end[rows[i]]
    offered.sort()
    count = 1
    for value in offered:
        if value != offered[count - 1]:
            offered[count] = value
            count += 1
    ends = offered[:count].copy()
    for i in range(len(rows)):
        first[i] = np.searchsorted(ends, begin[rows[i]])
        beyond[i] = np.searchsorted(ends, end[rows[i]])
    return ends


@njit(cache=True, nogil=True)
def word_mask(word, first, beyond):  # type: ignore[no-untyped-def]
    """The bits of one word that stand for the elementary pieces first to beyond - 1."""
    mask = FULL
    if word == first >> 6:
        mask &= FULL << np.uint64(first & 63)
    if word == (beyond - 1) >> 6:
        mask &= FULL >> np.uint64(63 - ((beyond - 1) & 63))
    return mask


@njit(cache=True, nogil=True)
def holds(held, first, beyond):  # type: ignore[no-untyped-def]
    """Whether the set `held`, uint64 of shape (words,), has all pieces first to beyond - 1."""
    for word in range(first >> 6, ((beyond - 1) >> 6) + 1):
        if word_mask(word, first, beyond) & ~held[word]:
            return False
    return True


@njit(cache=True, nogil=True)
def put(held, first, beyond):  # type: ignore[no-untyped-def]
    """Add the pieces first to beyond - 1 to the set."""
    for word in range(first >> 6, ((beyond - 1) >> 6) + 1):
        held[word] |= word_mask(word, first, beyond)


@njit(cache=True, nogil=True)
def remove(held, first, beyond):  # type: ignore[no-untyped-def]
    """Take the pieces first to beyond - 1 out of the set."""
    for word in range(first >> 6, ((beyond - 1) >> 6) + 1):
        held[word] &= ~word_mask(word, first, beyond)


@njit(cache=True, nogil=True)
def run(held, inside, pieces):  # type: ignore[no-untyped-def]
    """The first run of pieces that are in the set, or that are not: (first, beyond).

    `inside` chooses which; first == beyond == pieces when there is none.
    """
    first = 0
    while first < pieces and holds(held, first, first + 1) != inside:
        first += 1
    beyond = first
    while beyond < pieces and holds(held, beyond, beyond + 1) == inside:
        beyond += 1
    return first, beyond
