"""Left cosets of a subgroup, numbered by their least elements, and its double cosets."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from generators.cayley.generated import reachable_elements, repeated_squares
from generators.cayley.group import Elements, Group


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cosets:
    """The cosets g H of a subgroup H; coset 0 is H itself.

    `least` holds the least element of each coset, ascending, shape (cosets,); `index` the coset
    of each element, shape (order,); `subgroup` the elements of H, ascending.
    """

    group: Group
    subgroup: Elements
    least: Elements
    index: Elements

    def translate(self, u: int) -> Elements:
        """The cosets g v for every coset v, where g is the least element of coset u."""
        return self.index[self.group.multiply(self.least[u], self.least)]

    def double(self, element: int) -> Elements:
        """The cosets within H g H of an element g, ascending."""
        return np.unique(self.index[self.group.multiply(self.subgroup, element)])

    def least_double(self, element: int) -> int:
        """The least element of H g H, which names it."""
        return int(self.least[self.double(element)[0]])


def cosets(group: Group, generators: Iterable[int]) -> Cosets:
    """The left cosets of the subgroup that some elements generate.

    >>> from generators.cayley.group import cyclic
    >>> found = cosets(cyclic(6), [3])
    >>> found.least.tolist(), found.index.tolist(), found.double(4).tolist()
    ([0, 1, 2], [0, 1, 2, 0, 1, 2], [1])
    """
    chosen = list(generators)
    columns = [group.times(stride) for stride in sorted(repeated_squares(group, chosen))]
    label, before = group.elements, np.full(group.order, -1, dtype=np.int32)
    while not np.array_equal(label, before):
        before = label
        for column in columns:
            label = np.minimum(label, label[column])
    least = np.flatnonzero(label == group.elements).astype(np.int32)
    return Cosets(
        group=group,
        subgroup=np.flatnonzero(reachable_elements(group, chosen)).astype(np.int32),
        least=least,
        index=np.searchsorted(least, label).astype(np.int32),
    )


def least_generators(group: Group, subgroup: Elements) -> tuple[int, ...]:
    """The generators of a subgroup that come first: each the least that those before do not reach.

    >>> from generators.cayley.group import cyclic
    >>> least_generators(cyclic(12), np.array([0, 2, 4, 6, 8, 10], dtype=np.int32))
    (2,)
    """
    found: list[int] = []
    while len(missing := subgroup[~reachable_elements(group, found)[subgroup]]):
        found.append(int(missing[0]))
    return tuple(found)
