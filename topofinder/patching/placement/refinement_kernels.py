"""Hashed colour refinement: tells nodes apart by their circuits, the same way in two graphs.

The colour of a node is a 64-bit word. A round replaces it by a hash of itself and of the multiset
of its neighbours' words with the colours and numbers of the circuits to them (1-dimensional
Weisfeiler-Leman). Sums of hashes stand for multisets, so equal multisets always get equal words:
words that differ prove that nodes differ. Words that agree by chance can only cost time, since
what is built on them is checked circuit by circuit.
"""

from typing import Any

import numpy as np

from topofinder.kernels import GOLDEN, copy_into, count_distinct, inner, kernel, mix64


@inner
def refine_once(rows: Any, words: Any, fresh: Any) -> Any:
    """One round: `fresh` (n,) receives the new words; returns a hash of their multiset."""
    whole = np.uint64(0)
    for v in range(len(words)):
        total = np.uint64(0)
        for entry in range(rows.start[v], rows.start[v + 1]):
            circuit = np.uint64(rows.colour[entry] * 1024 + rows.mult[entry])
            total += mix64((words[rows.end[entry]] ^ mix64(circuit + GOLDEN)) + GOLDEN)
        fresh[v] = mix64(words[v] + mix64(total + GOLDEN) + GOLDEN)
        whole += mix64(fresh[v] + GOLDEN)
    return whole


@kernel
def refine_words(one: Any, two: Any, ours: Any, theirs: Any) -> tuple[bool, int]:
    """Refine the words of two graphs, in place, until the number of words stops growing.

    `ours` and `theirs` (n,) are uint64. Returns whether the multisets of words agree (if not, no
    isomorphism keeps the words that were given) and how many nodes were visited.
    """
    fresh_ours, fresh_theirs = np.empty_like(ours), np.empty_like(theirs)
    size, clock = 2, 0
    while size < 2 * len(ours):
        size *= 2
    slots, stamp = np.empty(size, dtype=np.uint64), np.zeros(size, dtype=np.int64)
    before, visited = 0, 0
    while True:
        # The words are counted after some rounds only: that costs as much as a round.
        for _ in range(3):
            visited += 2 * len(ours)
            alike = refine_once(one, ours, fresh_ours) == refine_once(two, theirs, fresh_theirs)
            copy_into(ours, fresh_ours)
            copy_into(theirs, fresh_theirs)
            if not alike:
                return False, visited
        clock += 2
        now = count_distinct(ours, slots, clock - 1, stamp)
        if now == before or now == len(ours):
            return bool(now == count_distinct(theirs, slots, clock, stamp)), visited
        before = now
