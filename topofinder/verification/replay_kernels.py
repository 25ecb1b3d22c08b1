"""The replay itself: who holds which piece of which shard, step after step.

A shard travels alone, so sources are replayed one by one. In an allgather or broadcast a node
holds what it received at an earlier step. In a reduce-scatter or reduce it holds a partial sum
of the piece, at first its own contribution; sending moves the sum away, receiving adds to it.
Contributions are then neither lost nor counted twice, and all have arrived at the destination
exactly when no other node holds anything.

The ends of all pieces of one source's rows cut its shard into elementary pieces: every row
carries a run of them, whole. A set of elementary pieces is a bit set of 64-bit words. Ends, up to
2^63 - 1, are sorted and compared, never added; pieces are counted by their ends, two a row. Rows
are put in order by counting sorts.
"""

import numpy as np

from topofinder.kernels import inner, kernel, sort_first

FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
GRID = 64
"""Up to this denominator every grid point counts as an end: one word, and nothing to sort."""


@kernel
def replay_shards(  # type: ignore[no-untyped-def]
    sources, rows, start, tail, head, hosts, arc, step, begin, end, denominator, moves
):
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
        ends = cut_shard(own, begin, end, denominator, first, beyond)
        held = _initial_holdings(source, hosts, len(ends) - 1, moves)
        row = _play_rows(own, first, beyond, tail, head, arc, step, held, moves)
        if row >= 0:
            if early < 0 or (step[row], row) < (step[early], early):
                early = row
        elif early < 0 and wrong[0] < 0:
            node, low, high = _first_wrong_end(source, hosts, len(ends) - 1, held, moves)
            if node >= 0:
                wrong = (np.int64(source), np.int64(node), ends[low], ends[high])
    return (early, *wrong)


@inner
def _initial_holdings(source, hosts, pieces, moves):  # type: ignore[no-untyped-def]
    """What every node holds of a shard before step 1; uint64 of shape (nodes, words)."""
    held = np.zeros((len(hosts), (pieces + 63) >> 6), np.uint64)
    for node in range(len(hosts)):
        if node == source or (moves and hosts[node]):
            add_pieces(held[node], np.int64(0), pieces)  # a literal is a type of its own
    return held


@inner
def _play_rows(own, first, beyond, tail, head, arc, step, held, moves):  # type: ignore[no-untyped-def]
    """Play one source's rows; the first one whose tail does not hold its piece, or -1."""
    at = 0
    while at < len(own):
        after = at
        while after < len(own) and step[own[after]] == step[own[at]]:
            node = tail[arc[own[after]]]
            if not holds_pieces(held[node], first[after], beyond[after]):
                return own[after]
            if moves:
                remove_pieces(held[node], first[after], beyond[after])
            after += 1
        for received in range(at, after):
            add_pieces(held[head[arc[own[received]]]], first[received], beyond[received])
        at = after
    return -1


@inner
def _first_wrong_end(source, hosts, pieces, held, moves):  # type: ignore[no-untyped-def]
    """The first node that ends wrong, and the run of pieces: (-1, 0, 0) if there is none."""
    for node in range(len(hosts)):
        if node == source if moves else not hosts[node]:
            continue
        low, high = first_run(held[node], moves, pieces)
        if low < high:
            return node, low, high
    return -1, 0, 0


@inner
def cut_shard(rows, begin, end, denominator, first, beyond):  # type: ignore[no-untyped-def]
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
    sort_first(offered, len(offered))
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


@inner
def word_mask(word, first, beyond):  # type: ignore[no-untyped-def]
    """The bits of one word that stand for the elementary pieces first to beyond - 1."""
    mask = FULL
    if word == first >> 6:
        mask &= FULL << np.uint64(first & 63)
    if word == (beyond - 1) >> 6:
        mask &= FULL >> np.uint64(63 - ((beyond - 1) & 63))
    return mask


@inner
def holds_pieces(held, first, beyond):  # type: ignore[no-untyped-def]
    """Whether the set `held`, uint64 of shape (words,), has all pieces first to beyond - 1."""
    for word in range(first >> 6, ((beyond - 1) >> 6) + 1):
        if word_mask(word, first, beyond) & ~held[word]:
            return False
    return True


@inner
def add_pieces(held, first, beyond):  # type: ignore[no-untyped-def]
    """Add the pieces first to beyond - 1 to the set."""
    for word in range(first >> 6, ((beyond - 1) >> 6) + 1):
        held[word] |= word_mask(word, first, beyond)


@inner
def remove_pieces(held, first, beyond):  # type: ignore[no-untyped-def]
    """Take the pieces first to beyond - 1 out of the set."""
    for word in range(first >> 6, ((beyond - 1) >> 6) + 1):
        held[word] &= ~word_mask(word, first, beyond)


@inner
def first_run(held, inside, pieces):  # type: ignore[no-untyped-def]
    """The first run of pieces that are in the set, or that are not: (first, beyond).

    `inside` chooses which; first == beyond == pieces when there is none.
    """
    first = np.int64(0)  # a literal is a type of its own
    while first < pieces and holds_pieces(held, first, first + 1) != inside:
        first += 1
    beyond = first
    while beyond < pieces and holds_pieces(held, beyond, beyond + 1) == inside:
        beyond += 1
    return first, beyond


@kernel
def sort_row_numbers(rows, key, keys):  # type: ignore[no-untyped-def]
    """Sort row numbers by key[row], in 0..keys - 1; rows of one key stay in order.

    Returns (ordered, start): those of key k are ordered[start[k]:start[k + 1]]. Sums are of rows.
    """
    start = np.zeros(keys + 1, np.int64)
    for row in rows:
        start[key[row] + 1] += 1
    for k in range(keys):
        start[k + 1] += start[k]
    free, ordered = start.copy(), np.empty_like(rows)
    for row in rows:
        ordered[free[key[row]]] = row
        free[key[row]] += 1
    return ordered, start


@kernel
def group_messages(ordered, start, arc, arcs, count):  # type: ignore[no-untyped-def]
    """Number the (step, arc) pairs of rows ordered by step, in order of first appearance.

    Returns the number of every row's pair, of shape (count,), and the first row of every pair.
    """
    of, firsts = np.full(count, -1, np.int64), np.empty(len(ordered), np.int64)
    latest, found = np.full(arcs, -1, np.int64), 0
    for step in range(len(start) - 1):
        before = found
        for at in range(start[step], start[step + 1]):
            row = ordered[at]
            if latest[arc[row]] < before:
                latest[arc[row]], firsts[found] = found, row
                found += 1
            of[row] = latest[arc[row]]
    return of, firsts[:found].copy()
