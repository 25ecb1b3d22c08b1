"""Words behind the nodes of de Bruijn and Kautz graphs, and the orbits of renaming letters.

Both graphs have words as nodes and shifts as arcs, so every permutation of the letters is an
automorphism. Two words lie in one orbit exactly when the same places hold equal letters.
"""

import numpy as np

from generators.topology import Int64Array, IntArray

Words = Int64Array
"""Shape (nodes, length): the letters of the word of every node."""


def de_bruijn_words(d: int, n: int) -> Words:
    """The words of DBJ(d,n): the n digits of a node in base d.

    >>> de_bruijn_words(2, 2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    powers = d ** np.arange(n - 1, -1, -1, dtype=np.int64)
    return np.arange(d**n, dtype=np.int64)[:, None] // powers % d


def kautz_words(d: int, n: int) -> Words:
    """The words of Kautz(d,n) in the numbering of Pi(d, d^n(d+1)); adjacent letters differ.

    Node z of Pi(d,dm) is the arc of Pi(d,m) with tail z // d and head -(z + 1) mod m, because
    L(Pi(d,m)) = Pi(d,dm). A word is therefore the first letter of its tail, followed by the
    word of its head.

    >>> kautz_words(2, 1).tolist()
    [[0, 2], [0, 1], [1, 0], [1, 2], [2, 1], [2, 0]]
    """
    node = np.arange(d**n * (d + 1), dtype=np.int64)
    letters = []
    for level in range(n, 0, -1):
        letters.append(node // d**level)
        node = -(node + 1) % (d ** (level - 1) * (d + 1))
    return np.stack([*letters, node], axis=1)


def pattern_representatives(words: Words) -> IntArray:
    """The least node of every orbit of words under renaming of the letters; shape (orbits,).

    >>> pattern_representatives(de_bruijn_words(3, 2)).tolist()
    [0, 1]
    """
    # The pattern of a word says, for each place, where its letter occurs first.
    pattern = np.empty_like(words)
    for place in range(words.shape[1]):
        pattern[:, place] = (words[:, : place + 1] == words[:, [place]]).argmax(axis=1)
    _, first = np.unique(pattern, axis=0, return_index=True)
    return np.sort(first).astype(np.int32)
