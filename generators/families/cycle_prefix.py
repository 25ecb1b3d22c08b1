"""Cycle-prefix digraphs: k-permutations of d + 1 letters, where an arc brings a letter to front.

Faber, Moore and Chen, "Cycle prefix digraphs for symmetric interconnection networks" (1993). From
x1 x2 ... xk an arc leads to y x1 ... x(k-1) for each of the d + 1 - k letters y that are not in
the word, and to xi x1 ... x(i-1) x(i+1) ... xk for i = 2 to k. Renaming the letters carries every
word to every other. The diameter is k: bring the letters of the goal to front, from the last to
the first. A goal whose last letter is new needs that: all others must come to front after it.

With k = 1 the graph is K(d+1), with k = 2 it is Kautz(d,1). An allgather is cheaper when every
arc is turned round, which `CyclePrefix(d,k,back)` asks for; reduce-scatter is dearer then.
"""

from collections.abc import Iterator
from itertools import permutations
from math import perm

import numpy as np

from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_buildable, require_exponent, require_name
from generators.topology import Int64Array, IntArray, Topology, Translation

Words = Int64Array
"""Shape (nodes, k): the letters of each node's word; nodes are in lexicographic order."""

BACK = "back"


def cycle_prefix(d: int, k: int, turned: str = "") -> Topology:
    """CyclePrefix(d,k): (d+1)!/(d+1-k)! nodes of degree d; `back` turns every arc round.

    Raises InvalidInput unless 1 <= k <= d, and for more nodes or arcs than a Topology can have.

    >>> cycle_prefix(4, 3).n, cycle_prefix(4, 3).head[:4].tolist()
    (60, [12, 24, 36, 48])
    """
    require_buildable(properties(d, k, turned))
    words = letter_words(d, k)
    forth = Topology(
        n=len(words),
        tail=np.repeat(np.arange(len(words), dtype=np.int32), d),
        head=_numbers(_successors(words, d), d),
        translation=_letter_renaming(words, d),
    )
    return forth.transpose() if turned and k > 1 else forth


def letter_words(d: int, k: int) -> Words:
    """All words of k different letters out of d + 1; node 0 is the word 0 1 ... k-1.

    >>> letter_words(2, 2).tolist()
    [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]
    """
    return np.array(list(permutations(range(d + 1), k)), dtype=np.int64)


def properties(d: int, k: int, turned: str = "") -> BaseProperties:
    """Vertex-transitive, of diameter k; both bounds are met for k = 1 only."""
    name = f"CyclePrefix({d},{k}{',' + turned if turned else ''})"
    require(turned in ("", BACK), f"{name}: the third argument is {BACK!r}, if anything")
    require(1 <= k <= d, f"{name} needs 1 <= k <= d")
    require_exponent(name, k)
    require_name(name, perm(d + 1, k), d)
    return BaseProperties(
        n=perm(d + 1, k),
        d=d,
        regular=True,
        diameter=k,
        bandwidth_optimal=True if k == 1 else None,
        reverse_symmetric=True if k <= 2 else None,
        bidirectional=k == 1,
        simple=True,
        loop_free=True,
        transitive=True,
    )


def members(n: int, d: int) -> Iterator[Arguments]:
    """CyclePrefix(d,k,back) of n nodes for k >= 3; smaller k make complete and Kautz graphs."""
    count, k = (d + 1) * d, 2
    while count < n and k < d:
        count, k = count * (d + 1 - k), k + 1
        if count == n:
            yield (d, k, BACK)


def canonical(d: int, k: int, turned: str = "") -> Arguments:
    """A complete graph, k = 1, is the same turned round.

    >>> canonical(3, 1, "back"), canonical(3, 2, "back")
    ((3, 1), (3, 2, 'back'))
    """
    return (d, k, turned) if turned and k > 1 else (d, k)


def _successors(words: Words, d: int) -> Words:
    """The d words that follow each word, by the letter brought to front; shape (nodes * d, k)."""
    n, k = words.shape
    letters = np.tile(np.arange(d + 1), (n, 1))
    front = letters[letters != words[:, :1]].reshape(n, d, 1)
    old = np.broadcast_to(words[:, None, :], (n, d, k))
    at = old == front
    # The letter that comes to front leaves its place; a new one pushes out the last.
    leaves = np.where(at.any(axis=2), at.argmax(axis=2), k - 1)
    kept = old[np.arange(k) != leaves[:, :, None]].reshape(n, d, k - 1)
    return np.concatenate([front, kept], axis=2).reshape(n * d, k)


def _numbers(words: Words, d: int) -> IntArray:
    """The node of each word: the number of words before it in lexicographic order."""
    n, k = words.shape
    number = np.zeros(n, dtype=np.int32)
    for place in range(k):
        earlier = words[:, place] - (words[:, :place] < words[:, [place]]).sum(axis=1)
        number += (earlier * perm(d - place, k - 1 - place)).astype(np.int32)
    return number


def _letter_renaming(words: Words, d: int) -> Translation:
    """The renaming of letters that carries word 0 to word u, chosen to form a group where it can.

    That is: rotations for k = 1, even permutations for k = d - 1, all of them for k = d.
    """

    def translate(u: int) -> IntArray:
        letters = (words[u, 0] + np.arange(d + 1)) % (d + 1)
        image = np.concatenate([words[u], letters[~np.isin(letters, words[u])]])
        if words.shape[1] == d - 1 and _is_odd(image):
            image[-2:] = image[:-3:-1]
        return _numbers(image[words], d)

    return translate


def _is_odd(image: Int64Array) -> bool:
    """Whether a permutation has an odd number of inversions."""
    return bool(np.triu(image[:, None] > image).sum() % 2)


register_family(
    Family(
        name="CyclePrefix",
        title="cycle-prefix digraph",
        signature="CyclePrefix(d,k), CyclePrefix(d,k,back)",
        source="Faber, Moore and Chen (1993)",
        build=cycle_prefix,
        properties=properties,
        members=members,
        canonical=canonical,
        published=False,
        samples=(
            (1, 1),
            (3, 1),
            (2, 2),
            (3, 2),
            (3, 2, BACK),
            (3, 3),
            (3, 3, BACK),
            (4, 3),
            (4, 3, BACK),
            (4, 4),
            (5, 3),
        ),
    )
)
