"""The generator lists of a group: any, or closed under inverses for two-way circuits."""

from math import comb
from typing import NamedTuple

import numpy as np

from generators.topology import Int64Array
from topofinder.model.candidate import LinkMode


class ListLayout(NamedTuple):
    """Lists of `pairs` pairs s, s^-1 with s out of `paired`, then elements out of `singles`.

    `paired` holds one element of each pair of inverses.
    """

    singles: Int64Array
    paired: Int64Array
    pairs: int

    def count(self, d: int) -> int:
        """Number of lists of d generators, order apart.

        >>> ListLayout(np.arange(1, 4), np.arange(0), 0).count(2)
        6
        """
        paired = _count_multisets(len(self.paired), self.pairs)
        return paired * _count_multisets(len(self.singles), d - 2 * self.pairs)


def _count_multisets(kinds: int, size: int) -> int:
    return comb(kinds + size - 1, size) if kinds else int(size == 0)


def list_layouts(inverse: Int64Array, d: int, links: LinkMode) -> list[ListLayout]:
    """The layouts that have lists, given the inverse of every element, the identity 0 first.

    >>> [layout.pairs for layout in list_layouts(np.array([0, 2, 1]), 2, LinkMode.DUPLEX)]
    [1]
    """
    elements = np.arange(1, len(inverse))
    if links is LinkMode.SIMPLEX:
        return [ListLayout(elements, elements[:0], 0)]
    involutions = elements[inverse[1:] == elements]
    paired = elements[inverse[1:] > elements]
    found = [ListLayout(involutions, paired, pairs) for pairs in range(d // 2, -1, -1)]
    return [layout for layout in found if layout.count(d)]
