"""Which elements some generators reach: in a finite group, the subgroup that they generate."""

from collections.abc import Iterable

import numpy as np

from generators.cayley.group import Group
from generators.topology import BoolArray


def reachable_elements(group: Group, generators: Iterable[int]) -> BoolArray:
    """Whether each element is a product of the generators; shape (order,).

    Searched breadth-first along g, g^2, g^4, ... of each generator and along one element of every
    round, which keeps the rounds few in large cyclic and dihedral groups.

    >>> from generators.cayley.group import cyclic
    >>> reachable_elements(cyclic(6), [2]).tolist()
    [True, False, True, False, True, False]
    """
    strides = sorted(repeated_squares(group, generators))
    found = np.zeros(group.order, dtype=np.bool_)
    found[0] = True
    fresh = np.zeros(1, dtype=np.int32)
    while len(fresh):
        new = []
        for stride in strides:
            heads = group.multiply(fresh, stride)
            new.append(heads[~found[heads]])
            found[new[-1]] = True
        fresh = np.concatenate(new) if new else fresh[:0]
        strides.extend(fresh[-1:])
    return found


def repeated_squares(group: Group, generators: Iterable[int]) -> set[int]:
    """The generators, their squares, the squares of those, up to exponents of the group's order.

    A power of a generator is then a product of few of them.
    """
    found: set[int] = set()
    for element in generators:
        for _ in range(group.order.bit_length()):
            if element in found:
                break
            found.add(element)
            element = int(group.multiply(element, element))
    return found
