"""Which elements some generators reach: in a finite group, the subgroup that they generate."""

from collections.abc import Iterable

import numpy as np

from generators.cayley.group import Group
from generators.topology import BoolArray


def reachable_elements(group: Group, generators: Iterable[int]) -> BoolArray:
    """Whether each element is a product of the generators; shape (order,).

    Searched breadth-first along g, g^2, g^4, ... of each generator, which keeps the number of
    rounds small even in large cyclic groups.

    >>> from generators.cayley.group import cyclic
    >>> reachable_elements(cyclic(6), [2]).tolist()
    [True, False, True, False, True, False]
    """
    strides = np.array(sorted(repeated_squares(group, generators)), dtype=np.int32)
    found = np.zeros(group.order, dtype=np.bool_)
    found[0] = True
    fresh = np.zeros(1, dtype=np.int32)
    while len(fresh):
        heads = np.zeros(group.order, dtype=np.bool_)
        heads[group.multiply(fresh[:, None], strides)] = True
        fresh = np.flatnonzero(heads & ~found).astype(np.int32)
        found[fresh] = True
    return found


def repeated_squares(group: Group, generators: Iterable[int]) -> set[int]:
    """The generators, their squares, the squares of those, and so on."""
    found: set[int] = set()
    for element in generators:
        while element not in found:
            found.add(element)
            element = int(group.multiply(element, element))
    return found
