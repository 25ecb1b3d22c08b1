"""How the words of a ball move when a group element is multiplied from the left.

Elements are written t c^q, with c of the greatest order a and t one of b representatives of the
left cosets of <c>. With h t = t' c^p, h moves t c^q to t' c^(p + q): the bits of a coset, q = 0,
1, ..., a - 1, go to another coset as a whole, turned by p among a bits. So a ball that is stored
coset by coset needs no table of elements, whatever the group is; a cyclic one is one coset.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from generators.cayley.notation import parse_group
from generators.topology import Int64Array

WORD = 64


class Translations(NamedTuple):
    """A group as the kernels of lifts take it; the identity is the first bit of coset 0.

    `bits` is a; `words` are those of a coset. coset[h, t] is where h moves coset t, and turn[h, t]
    by how many bits it is turned: int64 of shape (s, b). `inverse`, int64 of shape (s,), and
    `involutions`, those elements of order two, ascending.
    """

    bits: int
    words: int
    coset: Int64Array
    turn: Int64Array
    inverse: Int64Array
    involutions: Int64Array

    @property
    def columns(self) -> int:
        """Words of a fibre."""
        return self.words * int(self.coset.shape[1])


@lru_cache(maxsize=256)
def translations_of(text: str) -> Translations:
    """The translations of a group that is named.

    >>> cyclic = translations_of("Z6")
    >>> cyclic.bits, cyclic.coset.shape, cyclic.turn[:, 0].tolist(), cyclic.involutions.tolist()
    (6, (6, 1), [0, 1, 2, 3, 4, 5], [3])
    >>> dihedral = translations_of("D4")
    >>> dihedral.bits, dihedral.coset.shape, dihedral.involutions.size
    (4, (8, 2), 5)
    """
    group = parse_group(text)
    orders = group.element_orders()
    bits = int(orders.max())
    powers = [0]
    for _ in range(bits - 1):
        powers.append(int(group.multiply(powers[-1], int(orders.argmax()))))
    place = np.full(group.order, -1, dtype=np.int64)
    first: list[int] = []
    for element in range(group.order):
        if place[element] < 0:
            place[group.multiply(element, powers)] = len(first) * bits + np.arange(bits)
            first.append(element)
    moved = place[group.multiply(group.elements[:, None], first)]
    return Translations(
        bits=bits,
        words=-(-bits // WORD),
        coset=moved // bits,
        turn=moved % bits,
        inverse=group.inverses.astype(np.int64),
        involutions=np.flatnonzero(orders == 2).astype(np.int64),
    )
