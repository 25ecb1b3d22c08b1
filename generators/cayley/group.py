"""The noun Group: a finite group whose elements are the numbers 0..order-1.

The identity is 0. Most groups have several coordinates, the first most significant: with radix
(64, 16), element (a, i) is number 16 a + i. All products are vectorised over numpy arrays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from generators.errors import InvalidInput
from generators.topology import IntArray

Elements = IntArray
Law = Callable[[Elements, Elements], Elements]
"""A product, elementwise; both arrays are broadcast against each other."""
Extension = Callable[[Law, Elements, Sequence[Elements]], Elements]
"""From a product, its identity and an image of each generator: the image of every element."""

Element = int | tuple[int, ...]
"""An element of a group by number, or by coordinates."""

MAX_ORDER = 1 << 20
MAX_TABLE = 1 << 12
"""Largest order of a group whose whole multiplication table is made: 64 MiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A finite group, identified by its canonical text; `parse_group` makes one.

    `radix` holds the size of each coordinate. `generators` are the standard generators, in the
    order in which an action lists their images. `inverses` has shape (order,), read-only.
    `factors` are the direct factors, none for a group that is not written as a direct product.

    >>> from generators.cayley.notation import parse_group
    >>> group = parse_group("Z64:Z16[3]")
    >>> group.order, group.coordinates(group.multiply(group.number((1, 1)), 16))
    (1024, (4, 1))
    """

    text: str
    radix: tuple[int, ...] = field(compare=False, repr=False)
    generators: tuple[int, ...] = field(compare=False, repr=False)
    law: Law = field(compare=False, repr=False)
    inverses: Elements = field(compare=False, repr=False)
    extension: Extension = field(compare=False, repr=False)
    factors: tuple["Group", ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        self.inverses.setflags(write=False)

    def __str__(self) -> str:
        return self.text

    @property
    def order(self) -> int:
        """Number of elements."""
        return prod(self.radix)

    @property
    def elements(self) -> Elements:
        """All elements, ascending; shape (order,)."""
        return np.arange(self.order, dtype=np.int32)

    @property
    def is_abelian(self) -> bool:
        """Whether all elements commute: it is enough that the generators do."""
        chosen = np.array(self.generators, dtype=np.int32)
        forth = self.multiply(chosen[:, None], chosen)
        return bool(np.array_equal(forth, forth.T))

    def multiply(self, left: ArrayLike, right: ArrayLike) -> Elements:
        """The products left * right, elementwise and broadcast; elements must be in range."""
        return self.law(np.asarray(left, dtype=np.int32), np.asarray(right, dtype=np.int32))

    def times(self, right: int) -> Elements:
        """g * right for every element g; shape (order,): the heads of a generator's arcs."""
        return self.multiply(self.elements, right)

    def translate(self, left: int) -> Elements:
        """left * g for every element g; shape (order,): an automorphism of all Cayley digraphs."""
        return self.multiply(left, self.elements)

    def power(self, element: ArrayLike, exponent: int) -> Elements:
        """element ** exponent, elementwise, exponent >= 0.

        >>> from generators.cayley.notation import parse_group
        >>> parse_group("Z10").power([1, 3], 4).tolist()
        [4, 2]
        """
        base = np.asarray(element, dtype=np.int32)
        result = np.zeros_like(base)
        while exponent:
            if exponent & 1:
                result = self.multiply(result, base)
            base, exponent = self.multiply(base, base), exponent >> 1
        return result

    def element_orders(self) -> Elements:
        """The order of every element; shape (order,).

        >>> from generators.cayley.notation import parse_group
        >>> parse_group("Z6").element_orders().tolist()
        [1, 6, 3, 2, 3, 6]
        """
        orders = np.zeros(self.order, dtype=np.int32)
        for exponent in (k for k in range(1, self.order + 1) if self.order % k == 0):
            orders[(orders == 0) & (self.power(self.elements, exponent) == 0)] = exponent
        return orders

    def table(self) -> Elements:
        """The multiplication table; [g, h] is g * h. Raises InvalidInput above MAX_TABLE."""
        if self.order > MAX_TABLE:
            raise InvalidInput(f"{self}: a table has at most {MAX_TABLE} rows, not {self.order}")
        return np.stack([self.translate(g) for g in range(self.order)])

    def coordinates(self, element: ArrayLike) -> tuple[int, ...]:
        """The coordinates of one element."""
        return tuple(int(c) for c in np.unravel_index(int(np.asarray(element)), self.radix))

    def number(self, element: int | Sequence[int]) -> int:
        """The number of an element given by number or coordinates; InvalidInput if out of range.

        >>> from generators.cayley.notation import parse_group
        >>> parse_group("Z64:Z16[3]").number((1, 3))
        19
        """
        if isinstance(element, Sequence):
            inside = [0 <= c < size for c, size in zip(element, self.radix, strict=False)]
            if len(element) == len(self.radix) and all(inside):
                return int(np.ravel_multi_index(tuple(element), self.radix))
            shown = ",".join(map(str, element))
            sizes = ",".join(map(str, self.radix))
            raise InvalidInput(f"{self}: element ({shown}) is not within the sizes ({sizes})")
        if not 0 <= element < self.order:
            raise InvalidInput(f"{self}: element {element} is not in 0..{self.order - 1}")
        return element


@lru_cache(maxsize=256)
def cyclic(n: int) -> Group:
    """Z_n: sums modulo n, generated by 1.

    >>> cyclic(5).times(3).tolist()
    [3, 4, 0, 1, 2]
    """
    if not 2 <= n <= MAX_ORDER:
        raise InvalidInput(f"Z{n}: a cyclic group has 2 to {MAX_ORDER} elements")

    def law(left: Elements, right: Elements) -> Elements:
        return (left + right) % np.int32(n)

    def extension(product: Law, one: Elements, images: Sequence[Elements]) -> Elements:
        return powers(product, one, images[0], n)

    inverses = (-np.arange(n, dtype=np.int32)) % np.int32(n)
    return Group(
        text=f"Z{n}", radix=(n,), generators=(1,), law=law, inverses=inverses, extension=extension
    )


def powers(product: Law, one: Elements, base: Elements, count: int) -> Elements:
    """one, base, base^2, ... of a product, by doubling; shape (count, *one.shape).

    >>> powers(cyclic(7).law, np.int32(0), np.int32(3), 4).tolist()
    [0, 3, 6, 2]
    """
    found, step = one[None], base
    while len(found) < count:
        found = np.concatenate([found, product(found, step[None])])
        step = product(step, step)
    return found[:count]
