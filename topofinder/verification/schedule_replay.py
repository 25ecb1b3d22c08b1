"""The replay itself: who holds which piece of which shard, step after step.

A shard travels alone, so sources are replayed one by one. In an allgather or broadcast a node
holds what it received at an earlier step. In a reduce-scatter or reduce it holds a partial sum
of the piece, at first its own contribution; sending moves the sum away, receiving adds to it.
Contributions are then neither lost nor counted twice, and all have arrived at the destination
exactly when no other node holds anything.
"""

# mypy: disallow-untyped-decorators=False

import numpy as np
from numba import njit

from topofinder.verification.pieces import cut, holds, put, remove, run


@njit(cache=True, nogil=True)
def replay(sources, rows, start, tail, head, hosts, arc, step, begin, end, denominator, moves):  # type: ignore[no-untyped-def]
    """Replay each of `sources`; `moves` says that sending a piece gives it away.

    `rows` are row numbers sorted by source and step, those of v in rows[start[v]:start[v + 1]];
    `hosts` says of each node whether it is a host.

    Returns (row, source, node, first, beyond). `row` is the first row (by step, then number)
    whose piece its tail does not hold, -1 if there is none. Then `source` is the first whose
    shard ends wrong, -1 if there is none: `node` lacks [first, beyond) / denominator of it, or
    still holds that when `moves`.
    """
    longest = 0
    for source in sources:
        longest = max(longest, start[source + 1] - start[source])
    first, beyond = np.empty(longest, np.int64), np.empty(longest, np.int64)
    early, wrong = np.int64(-1), (np.int64(-1), np.int64(-1), np.int64(-1), np.int64(-1))
    for source in sources:
        own = rows[start[source] : start[source + 1]]
        ends = cut(own, begin, end, denominator, first, beyond)
        held = _at_first(source, hosts, len(ends) - 1, moves)
        row = _sweep(own, first, beyond, tail, head, arc, step, held, moves)
        if row >= 0:
            if early < 0 or (step[row], row) < (step[early], early):
                early = row
        elif early < 0 and wrong[0] < 0:
            node, low, high = _at_last(source, hosts, len(ends) - 1, held, moves)
            if node >= 0:
                wrong = (np.int64(source), np.int64(node), ends[low], ends[high])
    return (early, *wrong)


@njit(cache=True, nogil=True)
def _at_first(source, hosts, pieces, moves):  # type: ignore[no-untyped-def]
    """What every node holds of a shard before step 1; uint64 of shape (nodes, words)."""
    held = np.zeros((len(hosts), (pieces + 63) >> 6), np.uint64)
    for node in range(len(hosts)):
        if node == source or (moves and hosts[node]):
            put(held[node], 0, pieces)
    return held


@njit(cache=True, nogil=True)
def _sweep(own, first, beyond, tail, head, arc, step, held, moves):  # type: ignore[no-untyped-def]
    """Play one source's rows; the first one whose tail does not hold its piece, or -1."""
    at = 0
    while at < len(own):
        after = at
        while after < len(own) and step[own[after]] == step[own[at]]:
            node = tail[arc[own[after]]]
            if not holds(held[node], first[after], beyond[after]):
                return own[after]
            if moves:
                remove(held[node], first[after], beyond[after])
            after += 1
        for received in range(at, after):
            put(held[head[arc[own[received]]]], first[received], beyond[received])
        at = after
    return -1


@njit(cache=True, nogil=True)
def _at_last(source, hosts, pieces, held, moves):  # type: ignore[no-untyped-def]
    """The first node that ends wrong, and the run of pieces: (-1, 0, 0) if there is none."""
    for node in range(len(hosts)):
        if node == source if moves else not hosts[node]:
            continue
        low, high = run(held[node], moves, pieces)
        if low < high:
            return node, low, high
    return -1, 0, 0
