"""Small groups that recur as building blocks of good Cayley digraphs, and their direct products.

These are types that cyclic extensions reach late or never: A4, S4, SL(2,3), A5, S5 and other small
groups that are not solvable, PSL(2,8), and elementary abelian groups with actions that are not
cyclic, such as Z5^2:SL(2,3) or Z2^4:A5. The actions were found by a search through pairs and
triples of matrices that keep the relations; the parser checks them whenever one is read.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from generators.cayley.group import Group
from generators.cayley.notation import parse_group
from generators.cayley.products import direct
from topofinder.discovery.group_families import projective_texts

SL23 = "Dic2:Z3[(0,1),(1,1)]"

TYPES: dict[int, tuple[str, ...]] = {
    12: ("A4",),
    24: ("S4", SL23),
    56: ("Z2^3:Z7[(0,1,0),(0,0,1),(1,1,0)]",),
@@@
}
"""Texts of groups by their order."""

PARTNERS = 4
"""How many groups each type is multiplied with."""


def typed_groups(n: int, groups_of: Callable[[int], Iterable[str]]) -> Iterator[Group]:
    """Types of order n, then products of types with the first groups of what is left of n.

    `groups_of` lists groups of a smaller order.

    >>> [str(group) for group in typed_groups(48, lambda n: [f"Z{n}"])]
    ['S4xZ2', 'Dic2:Z3[(0,1),(1,1)]xZ2', 'A4xZ4']
    """
    yield from map(parse_group, types_of(n))
    for turn in range(PARTNERS):
        for m in range(n // 2, 11, -1):
            if n % m == 0 and (texts := types_of(m)):
                for partner in islice(groups_of(n // m), turn, turn + 1):
                    yield from (direct(parse_group(t), parse_group(partner)) for t in texts)


def types_of(n: int) -> list[str]:
    """The types of order n, those that are not solvable first.

    >>> types_of(120)
    ['S5', 'P[(0,4,8,12,16)(1,10,19,5,14)(2,15,9,22,11)(3,21,18,14,6)]']
    """
    return [*projective_texts(n), *TYPES.get(n, ())]
