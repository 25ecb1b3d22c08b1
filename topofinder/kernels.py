"""How kernels are compiled, and the small ones that many share: bits, hashes, hops, heights.

Kernels are cached on disk, run without the GIL, and compile as little as possible. `inner` is for
functions that only other kernels call. They need no way in from Python, which takes a good part
of the time of a first run to compile. Small work is done in plain Python (`topofinder.dispatch`).
"""

import threading
from typing import Any

import numpy as np

from topofinder.dispatch.intrinsics import borrow, lowest_bit, popcount
from topofinder.dispatch.kernel import decorator

__all__ = [
    "GOLDEN",
    "always_inline",
    "borrow",
    "copy_into",
    "count_distinct",
    "count_hops",
    "hash_neighbours",
    "hop_table",
    "inner",
    "kernel",
    "lowest_bit",
    "mix64",
    "popcount",
    "random_below",
    "seed_random",
    "shuffle_entries",
    "sort_first",
    "tree_heights",
]

_options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
kernel: Any = decorator(no_cfunc_wrapper=True)
inner: Any = decorator(**_options)
always_inline: Any = decorator(forceinline=True, **_options)
"""Like `inner`, for the few lines of a hot loop: a call passes every field of every array, which
can take longer than what is called. It compiles anew wherever it stands."""


@inner
def copy_into(target, source):  # type: ignore[no-untyped-def]
    """`target[:] = source`, of as many entries, which numba compiles in a tenth of the time.

    It compiles words on shapes that do not fit along with every such line: three seconds.
    """
    for i in range(len(source)):
        target[i] = source[i]


@inner(python=lambda values, count: values[:count].sort())
def sort_first(values, count):  # type: ignore[no-untyped-def]
    """Sort the first `count` entries, ascending, in place: a heap sort.

    It takes a fifth of a second to compile, and numpy's more than one, which is faster from some
    ten thousand entries on.
    """
    last, top = count, count // 2
    while last > 1:
        if top > 0:
            top -= 1
            value = values[top]
        else:
            last -= 1
            value = values[last]
            values[last] = values[0]
        hole, below = top, 2 * top + 1
        while below < last:
            if below + 1 < last and values[below + 1] > values[below]:
                below += 1
            if values[below] <= value:
                break
            values[hole] = values[below]
            hole, below = below, 2 * below + 1
        values[hole] = value


_drawn = threading.local()
"""What is drawn from in plain Python: `random` of each thread, as each has its own compiled."""


def _seed_in_python(seed):  # type: ignore[no-untyped-def]
    from numpy.random import RandomState

    _drawn.random = RandomState(seed)


@inner(python=_seed_in_python)
def seed_random(seed):  # type: ignore[no-untyped-def]
    """Let what `random_below` and `shuffle_entries` draw follow from `seed`, 0 to 2^32 - 1.

    numba draws as numpy's RandomState does (Mersenne twister, Matsumoto and Nishimura 1998), so
    that plain Python gives the same answers. A kernel is to seed before it draws.
    """
    np.random.seed(seed)


@inner(python=lambda count: int(_drawn.random.randint(count)))
def random_below(count):  # type: ignore[no-untyped-def]
    """One of 0, ..., count - 1, each as likely."""
    return np.random.randint(count)


@inner(python=lambda values: _drawn.random.shuffle(values))
def shuffle_entries(values):  # type: ignore[no-untyped-def]
    """Bring an array of one dimension into a random order, in place."""
    np.random.shuffle(values)


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio, odd: what splitmix64 adds to its state."""


_WORD = (1 << 64) - 1


def _mix64_of_int(word):  # type: ignore[no-untyped-def]
    """`mix64` in Python, whose integers do not overflow."""
    word = int(word)
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & _WORD
    return np.uint64(word ^ (word >> 31))


@inner(python=_mix64_of_int)
def mix64(word):  # type: ignore[no-untyped-def]
    """Another 64-bit word, the same for the same word, every bit of which depends on all of it.

    The finaliser of splitmix64 (Steele, Lea and Flood, 2014), a bijection.
    """
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inner
def hash_neighbours(node, label, first, last, words, shift):  # type: ignore[no-untyped-def]
    """What one node meets along its arcs, as one 64-bit word: a round of colour refinement.

    Its arcs are first:last; arc i joins it to node[i] and is labelled label[i], uint64. `words`,
    uint64 of shape (n,), are the colours so far, and `shift` tells kinds of arcs apart, such as
    those in from those out. A node's next colour is any hash of its own and of such words
    (1-dimensional Weisfeiler-Leman). Sums of hashes stand for multisets: equal multisets always
    give equal words, so that words that differ prove that nodes differ. Words that agree by chance
    leave nodes alike that are not.
    """
    total = np.uint64(0)
    for i in range(first, last):
        total += mix64((words[node[i]] ^ label[i]) + shift)
    return total


@inner
def count_distinct(words, slots, clock, stamp):  # type: ignore[no-untyped-def]
    """How many different words there are among `words`, uint64.

    `slots` (uint64) and `stamp` (int64) are a hash table with open addressing, of 2^k entries, at
    least twice as many as words; the table is empty of all that has another stamp than `clock`.
    """
    size, count = np.uint64(len(slots) - 1), 0
    for word in words:
        slot = mix64(word) & size
        while stamp[slot] == clock and slots[slot] != word:
            slot = (slot + np.uint64(1)) & size
        if stamp[slot] != clock:
            stamp[slot], slots[slot] = clock, word
            count += 1
    return count


@inner
def count_hops(root, start, node, hops, queue):  # type: ignore[no-untyped-def]
    """Breadth-first search: hops[v] becomes the distance from `root` to v, -1 where none leads.

    From u the search goes on to node[start[u]:start[u + 1]]; for distances to `root` these are the
    in-neighbours of u. Returns how many nodes are reached; `queue`, of shape (n,), lists them in
    the order of their distances.
    """
    for v in range(len(hops)):
        hops[v] = -1
    hops[root], queue[0] = 0, root
    done, filled = 0, 1
    while done < filled:
        u = queue[done]
        done += 1
        for at in range(start[u], start[u + 1]):
            v = node[at]
            if hops[v] < 0:
                hops[v], queue[filled] = hops[u] + 1, v
                filled += 1
    return filled


@kernel
def hop_table(start, node):  # type: ignore[no-untyped-def]
    """`count_hops` from every node: `[u, v]` is the distance from u to v; int32 of shape (n, n)."""
    n = len(start) - 1
    hops, queue = np.empty((n, n), np.int32), np.empty(n, np.int64)
    for u in range(n):
        count_hops(u, start, node, hops[u], queue)
    return hops


@kernel
def tree_heights(root, start, route, tail, head, length, depth):  # type: ignore[no-untyped-def]
    """The largest distance from the root in each tree, int64 (trees,).

    Edge `route[j]` of tree i, start[i] <= j < start[i + 1], leads from `tail` to `head` and is
    `length` long; parents come first. `depth`, int64 with an entry for every node, is scratch.
    """
    heights = np.zeros(len(root), np.int64)
    for i in range(len(root)):
        depth[root[i]] = 0
        for j in range(start[i], start[i + 1]):
            r = route[j]
            depth[head[r]] = depth[tail[r]] + length[r]
            heights[i] = max(heights[i], depth[head[r]])
    return heights
