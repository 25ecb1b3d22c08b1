"""Numbers for the ways of joining what a removed node leaves open: permutations and matchings.

The d arcs into a node are joined to the d arcs out of it by a permutation, numbered by its Lehmer
code; the open ends of circuits are joined by a perfect matching, numbered alike: the first open end
takes the j-th of the others, and so on. What is joined are values that may be equal (the neighbours
of a node, in ascending order), so several numbers can say the same: the least one is canonical.
"""

from collections.abc import Iterable, Sequence
from math import factorial, prod

Pairs = list[tuple[int, int]]


def permutation_count(d: int) -> int:
    """How many ways there are to join d arcs to d arcs."""
    return factorial(d)


def matching_count(ends: int) -> int:
    """How many ways there are to join an even number of open ends.

    >>> matching_count(6)
    15
    """
    return prod(range(1, ends, 2))


def permuted_pairs(entering: Sequence[int], leaving: Sequence[int], rank: int) -> Pairs:
    """The pairs that permutation number `rank` joins.

    >>> permuted_pairs([1, 2, 3], [4, 5, 6], 3)
    [(1, 5), (2, 6), (3, 4)]
    """
    free, pairs = list(leaving), []
    for one in entering:
        place, rank = divmod(rank, factorial(len(free) - 1))
        pairs.append((one, free.pop(place)))
    return pairs


def permutation_rank(entering: Sequence[int], leaving: Sequence[int], pairs: Pairs) -> int:
    """The least number of a permutation that joins these pairs; both sequences ascend.

    >>> permutation_rank([1, 2, 2], [4, 5, 6], [(2, 6), (1, 5), (2, 4)])
    2
    """
    free, rank = list(leaving), 0
    for _, other in sorted(pairs):
        place = free.index(other)
        free.pop(place)
        rank += place * factorial(len(free))
    return rank


def matched_pairs(ends: Iterable[int], rank: int) -> Pairs:
    """The pairs that matching number `rank` joins; there is an even number of ends.

    >>> matched_pairs([1, 2, 3, 4], 1)
    [(1, 3), (2, 4)]
    """
    free, pairs = list(ends), []
    while free:
        one = free.pop(0)
        place, rank = divmod(rank, matching_count(len(free) - 1))
        pairs.append((one, free.pop(place)))
    return pairs


def matching_rank(ends: Iterable[int], pairs: Pairs) -> int:
    """The least number of a matching that joins these pairs; the ends ascend.

    >>> matching_rank([1, 2, 3, 4], [(2, 4), (3, 1)])
    1
    """
    free, rank = list(ends), 0
    for one, other in sorted((min(pair), max(pair)) for pair in pairs):
        free.remove(one)
        place = free.index(other)
        free.pop(place)
        rank += place * matching_count(len(free))
    return rank
