"""Complete trees that lack nodes, by local moves.

`enter[v, t]` is the arc by which tree t enters node v, -1 where it does not yet. A node may hang
from any node that is not below it. So, at one node, trees may swap in-arcs along a chain as long
as each new arc comes from a node that is not below: as no tree moves twice, the moves do not
disturb one another. Where no chain frees an arc, one of the trees takes an arc from below all
the same, and some node on the loop this would close is cut off to be hung elsewhere.
"""

import numpy as np

from topofinder.jit import inner, kernel


@inner
def _is_below(x, v, t, enter, tail):  # type: ignore[no-untyped-def]
    """Whether node x hangs, over any number of arcs, from node v in tree t."""
    while x != v:
        e = enter[x, t]
        if e < 0:
            return False
        x = tail[e]
    return True


@inner
def _chain(t, v, enter, tail, room, start, arc, via, before, queue, choice):  # type: ignore[no-untyped-def]
    """Find a chain of swaps at v that lets tree t in; returns (arc with room or -1, reached).

    `via[i]` is the tree that would move to the i-th in-arc, `before[i]` the in-arc it leaves.
    """
    arcs = start[v + 1] - start[v]
    done, filled = 0, 0
    for i in range(arcs):
        e = arc[start[v] + i]
        via[i] = -1
        if not _is_below(tail[e], v, t, enter, tail):
            via[i], before[i], queue[filled] = t, -1, i
            filled += 1
            if room[e] > 0:
                return i, filled
    trees = enter.shape[1]
    while done < filled:
        i = queue[done]
        done += 1
        e = arc[start[v] + i]
        shift = np.random.randint(0, trees) if choice else 0
        for s in range(trees):
            other = s + shift if s + shift < trees else s + shift - trees
            if enter[v, other] != e:
                continue
            for j in range(arcs):
                to = arc[start[v] + j]
                if via[j] < 0 and not _is_below(tail[to], v, other, enter, tail):
                    via[j], before[j], queue[filled] = other, i, j
                    filled += 1
                    if room[to] > 0:
                        return j, filled
            if filled == arcs:
                break
    return -1, filled


@inner
def _swap(last, v, enter, room, start, arc, via, before):  # type: ignore[no-untyped-def]
    """Move the trees of a chain that ends in the in-arc `last`."""
    room[arc[start[v] + last]] -= 1
    i = last
    while i >= 0:
        enter[v, via[i]] = arc[start[v] + i]
        i = before[i]


@inner
def _force(t, v, enter, tail, room, start, arc, via, before, queue, filled):  # type: ignore[no-untyped-def]
    """Let a tree take an in-arc from below; returns the tree and the node it cuts off instead."""
    arcs = start[v + 1] - start[v]
    free = np.empty(arcs, np.int64)
    count = 0
    for i in range(arcs):
        if room[arc[start[v] + i]] > 0:
            free[count] = i
            count += 1
    if count == 0:
        return -1, -1
    j = free[np.random.randint(0, count)]
    e = arc[start[v] + j]
    mover, leaves = t, -1
    pick = np.random.randint(0, filled + 1)
    if pick < filled:
        i = queue[pick]
        mover = _any_tree(v, arc[start[v] + i], enter)
        leaves = i
        if mover < 0:
            mover, leaves = t, -1
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
    room[enter[x, mover]] += 1
    enter[x, mover] = -1
    if leaves >= 0:
        via[j], before[j] = mover, leaves
        _swap(j, v, enter, room, start, arc, via, before)
    else:
        enter[v, t] = e
        room[e] -= 1
    return mover, x


@inner
def _any_tree(v, e, enter):  # type: ignore[no-untyped-def]
    """Some tree that enters v by arc e, -1 if none does."""
    trees = enter.shape[1]
    shift = np.random.randint(0, trees)
    for s in range(trees):
        t = s + shift if s + shift < trees else s + shift - trees
        if enter[v, t] == e:
            return t
    return -1


@kernel
def repair(enter, tail, room, start, arc, lack_tree, lack_node, patience, seed):  # type: ignore[no-untyped-def]
    """Complete the trees in place; returns how many entries are still missing.

    It stops after `patience` moves in a row that completed nothing.

    `lack_tree`, `lack_node`: the pairs that are missing; (start, arc): the arcs into every node;
    `room[e]`: in how many more trees arc e may be.
    """
    np.random.seed(seed)
    widest = 0
    for v in range(len(start) - 1):
        widest = max(widest, start[v + 1] - start[v])
    via, before = np.empty(widest, np.int64), np.empty(widest, np.int64)
    queue = np.empty(widest, np.int64)
    lacking = len(lack_tree)
    trees, nodes = lack_tree.copy(), lack_node.copy()
    left = patience
    while lacking > 0 and left > 0:
        left -= 1
        at = np.random.randint(0, lacking)
        t, v = trees[at], nodes[at]
        last, filled = _chain(t, v, enter, tail, room, start, arc, via, before, queue, True)
        if last >= 0:
            _swap(last, v, enter, room, start, arc, via, before)
            lacking -= 1
            left = patience
            trees[at], nodes[at] = trees[lacking], nodes[lacking]
            continue
        mover, x = _force(t, v, enter, tail, room, start, arc, via, before, queue, filled)
        if mover >= 0:
            trees[at], nodes[at] = mover, x
    return lacking
