"""Kernels that complete trees which lack nodes, by local moves of blocks of equal trees.

`enter[v, t]` is the arc by which the trees of block t enter node v, -1 where they do not yet. A
node may hang from any node that is not below it. So, at one node, trees may swap in-arcs along a
chain as long as each new arc comes from a node that is not below: as no tree moves twice, the moves
do not disturb one another. As many copies move as every block of the chain has and the last arc
takes; the others are split off into blocks of their own. Where no chain frees an arc, one of the
blocks takes an arc from below all the same, and some node on the loop this would close is cut off
to be hung elsewhere.
"""

import numpy as np

from topofinder.kernels import inner, kernel

DONE, WORK_USED_UP, NEEDS_COLUMNS = 0, 1, 2
"""Why a kernel came back: there is no more to do, its work is used up, it needs more columns."""


@inner
def split_block(t, amount, table, used):  # type: ignore[no-untyped-def]
    """Leave `amount` copies in block t, the others in a new one; how many blocks there are then."""
    enter, root, copies = table
    if copies[t] == amount:
        return used
    for v in range(len(enter)):
        enter[v, used] = enter[v, t]
    root[used], copies[used], copies[t] = root[t], copies[t] - amount, amount
    return used + 1


@kernel
def seed_moves(seed):  # type: ignore[no-untyped-def]
    """Begin the random choices of `complete_trees` anew."""
    np.random.seed(seed)


@kernel
def complete_trees(table, lack, counts, tail, room, into, patience, work):  # type: ignore[no-untyped-def]
    """Complete the trees in place, for so much work; returns why it stopped: see DONE.

    `lack`: the pairs (block, node) that are missing, as two rows. `counts`: the blocks in use, the
    pairs missing, and how many moves in a row may still complete nothing, `patience` at first.
    `into` = (start, arc): the arcs into every node; `room[e]`: in how many more trees arc e may be.
    Work is counted in entries that are looked at.
    """
    start = into[0]
    widest = 0
    for v in range(len(start) - 1):
        widest = max(widest, start[v + 1] - start[v])
    via, before = np.empty(widest, np.int64), np.empty(widest, np.int64)
    queue = np.empty(widest, np.int64)
    while counts[1] > 0 and counts[2] > 0:
        if work < 0:
            return WORK_USED_UP
        at = np.random.randint(0, counts[1])
        t, v = lack[0, at], lack[1, at]
        last, filled = _find_chain(t, v, table, counts[0], tail, room, into, via, before, queue)
        work -= counts[0] * (filled + 1)
        if last >= 0:
            free = room[into[1][start[v] + last]]
            amount, splits = _chain_amount(last, free, via, before, table[2])
            if _lacks_columns(splits, table, lack, counts):
                return NEEDS_COLUMNS
            _swap_along_chain(last, v, amount, table, lack, counts, room, into, via, before)
            counts[1] -= 1
            counts[2] = patience
            lack[0, at], lack[1, at] = lack[0, counts[1]], lack[1, counts[1]]
            continue
        counts[2] -= 1
        mover, x = _force_entry(
            t, v, table, lack, counts, tail, room, into, via, before, queue, filled
        )
        if x == -2:
            return NEEDS_COLUMNS
        if mover >= 0:
            lack[0, at], lack[1, at] = mover, x
    return DONE


@inner
def _hangs_below(x, v, t, enter, tail):  # type: ignore[no-untyped-def]
    """Whether node x hangs, over any number of arcs, from node v in block t."""
    while x != v:
        e = enter[x, t]
        if e < 0:
            return False
        x = tail[e]
    return True


@inner
def _find_chain(t, v, table, used, tail, room, into, via, before, queue):  # type: ignore[no-untyped-def]
    """Find a chain of swaps at v that lets block t in; returns (arc with room or -1, reached).

    `via[i]` is the block that would move to the i-th in-arc, `before[i]` the in-arc it leaves.
    """
    enter = table[0]
    start, arc = into
    arcs = start[v + 1] - start[v]
    done, filled = 0, 0
    for i in range(arcs):
        e = arc[start[v] + i]
        via[i] = -1
        if not _hangs_below(tail[e], v, t, enter, tail):
            via[i], before[i], queue[filled] = t, -1, i
            filled += 1
            if room[e] > 0:
                return i, filled
    while done < filled:
        i = queue[done]
        done += 1
        e = arc[start[v] + i]
        shift = np.random.randint(0, used)
        for s in range(used):
            other = s + shift if s + shift < used else s + shift - used
            if enter[v, other] != e:
                continue
            for j in range(arcs):
                to = arc[start[v] + j]
                if via[j] < 0 and not _hangs_below(tail[to], v, other, enter, tail):
                    via[j], before[j], queue[filled] = other, i, j
                    filled += 1
                    if room[to] > 0:
                        return j, filled
            if filled == arcs:
                break
    return -1, filled


@inner
def _chain_amount(last, free, via, before, copies):  # type: ignore[no-untyped-def]
    """How many copies a chain into an arc with room for `free` moves, and the splits it takes."""
    amount, i = free, last
    while i >= 0:
        amount = min(amount, copies[via[i]])
        i = before[i]
    splits, i = 0, last
    while i >= 0:
        splits += copies[via[i]] > amount
        i = before[i]
    return amount, splits


@inner
def _split_incomplete_block(t, amount, table, lack, counts):  # type: ignore[no-untyped-def]
    """Split block t; the new block lacks what t lacks."""
    enter, root, _ = table
    fresh = counts[0]
    counts[0] = split_block(t, amount, table, fresh)
    if counts[0] > fresh:
        for v in range(len(enter)):
            if enter[v, fresh] < 0 and v != root[fresh]:
                lack[0, counts[1]], lack[1, counts[1]] = fresh, v
                counts[1] += 1


@inner
def _swap_along_chain(last, v, amount, table, lack, counts, room, into, via, before):  # type: ignore[no-untyped-def]
    """Move that many copies along the chain that ends in the in-arc `last`."""
    start, arc = into
    room[arc[start[v] + last]] -= amount
    i = last
    while i >= 0:
        _split_incomplete_block(via[i], amount, table, lack, counts)
        table[0][v, via[i]] = arc[start[v] + i]
        i = before[i]


@inner
def _random_block(v, e, enter, used):  # type: ignore[no-untyped-def]
    """Some block that enters v by arc e, -1 if none does."""
    shift = np.random.randint(0, used)
    for s in range(used):
        t = s + shift if s + shift < used else s + shift - used
        if enter[v, t] == e:
            return t
    return -1


@inner
def _random_free_arc(v, room, into):  # type: ignore[no-untyped-def]
    """The position of some in-arc with room, -1 if there is none."""
    start, arc = into
    count = 0
    for at in range(start[v], start[v + 1]):
        count += room[arc[at]] > 0
    if count == 0:
        return -1
    pick = np.random.randint(0, count)
    for at in range(start[v], start[v + 1]):
        if room[arc[at]] > 0:
            if pick == 0:
                return at - start[v]
            pick -= 1
    return -1


@inner
def _force_entry(t, v, table, lack, counts, tail, room, into, via, before, queue, filled):  # type: ignore[no-untyped-def]
    """Let a block take an in-arc from below; returns it and the node it cuts off instead.

    (-1, -1) where it cannot be done, (-1, -2) where there are no columns for the splits.
    """
    enter, _, copies = table
    start, arc = into
    j = _random_free_arc(v, room, into)
    if j < 0:
        return -1, -1
    e = arc[start[v] + j]
    mover, leaves = t, -1
    pick = np.random.randint(0, filled + 1)
    if pick < filled:
        other = _random_block(v, arc[start[v] + queue[pick]], enter, counts[0])
        if other >= 0:
            mover, leaves = other, queue[pick]
    length, x = 0, tail[e]
    while x != v:
        if enter[x, mover] < 0:
            return -1, -1
        length += 1
        x = tail[enter[x, mover]]
    hop = np.random.randint(0, length)
    x = tail[e]
    for _ in range(hop):
        x = tail[enter[x, mover]]
    via[j], before[j] = mover, leaves
    amount, splits = _chain_amount(j, room[e], via, before, copies)
    if _lacks_columns(splits, table, lack, counts):
        return -1, -2
    _split_incomplete_block(mover, amount, table, lack, counts)
    room[enter[x, mover]] += amount
    enter[x, mover] = -1
    _swap_along_chain(j, v, amount, table, lack, counts, room, into, via, before)
    return mover, x


@inner
def _lacks_columns(splits, table, lack, counts):  # type: ignore[no-untyped-def]
    """Whether there is no room for so many splits."""
    n, width = table[0].shape
    return counts[0] + splits > width or counts[1] + splits * n > lack.shape[1]
