"""Hashed colour refinement: tells nodes apart by their circuits, the same way in two graphs.

A round replaces the word of a node by a hash of itself and of what it meets along its circuits,
which are labelled by their colours and numbers (`hash_neighbours`). Words that agree by chance can
only cost time, since what is built on them is checked circuit by circuit.
"""

from typing import Any

import numpy as np

from topofinder.kernels import (
    GOLDEN,
    borrow,
    copy_into,
    count_distinct,
    hash_neighbours,
    inner,
    kernel,
    mix64,
)


@inner
def circuit_labels(rows: Any) -> Any:
    """A word for the colour and the number of every entry's circuits; uint64 (entries,)."""
    label = np.empty(len(rows.end), dtype=np.uint64)
    for entry in range(len(label)):
        circuit = np.uint64(rows.colour[entry] * 1024 + rows.mult[entry])
        label[entry] = mix64(circuit + GOLDEN)
    return label


@inner
def refine_once(rows: Any, label: Any, words: Any, fresh: Any) -> Any:
    """One round: `fresh` (n,) receives the new words; returns a hash of their multiset."""
    whole = np.uint64(0)
    end, label, words = borrow(rows.end), borrow(label), borrow(words)
    for v in range(len(words)):
        first, last = rows.start[v], rows.start[v + 1]
        total = hash_neighbours(end, label, first, last, words, GOLDEN)
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
    label_one, label_two = circuit_labels(one), circuit_labels(two)
    while True:
        # The words are counted after some rounds only: that costs as much as a round.
        for _ in range(3):
            visited += 2 * len(ours)
            mine = refine_once(one, label_one, ours, fresh_ours)
            alike = mine == refine_once(two, label_two, theirs, fresh_theirs)
            copy_into(ours, fresh_ours)
            copy_into(theirs, fresh_theirs)
            if not alike:
                return False, visited
        clock += 2
        now = count_distinct(ours, slots, clock - 1, stamp)
        if now == before or now == len(ours):
            return bool(now == count_distinct(theirs, slots, clock, stamp)), visited
        before = now
