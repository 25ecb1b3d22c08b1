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
    72: ("Z3^2:Dic2[(0,2),(1,0)|(1,2),(2,2)]", "Z3^2:D4[(1,2),(2,2)|(1,2),(0,2)]"),
    144: ("A4^2", "Z3^2:(Z8:Z2[3])[(1,2),(2,2)|(2,0),(1,1)]"),
    150: ("Z5^2:S3[(3,1),(2,1)|(1,4),(0,4)]",),
    160: (
        "Z2^4:D5[(0,1,1,1),(1,1,1,1),(1,1,1,0),(1,0,1,1)|(0,1,1,1),(1,1,0,1),(1,0,1,1),(1,1,1,0)]",
    ),
    168: ("Z2^3:(Z7:Z3[2])[(0,1,0),(1,1,1),(1,1,0)|(0,1,0),(0,1,1),(1,1,1)]",),
    200: ("Z5^2:Dic2[(2,0),(3,3)|(1,2),(4,4)]", "Z5^2:D4[(0,1),(4,0)|(0,1),(1,0)]"),
    216: (f"Z3^2:({SL23})[(2,1),(1,1)|(0,2),(1,0)|(2,2),(1,0)]",),
    288: (
        "Z2^4:(S3xZ3)[(0,0,1,1),(1,0,0,1),(0,1,0,1),(1,1,1,0)"
        "|(1,0,1,1),(0,1,0,0),(0,1,0,1),(0,1,1,0)"
        "|(1,1,0,1),(0,1,1,1),(1,0,1,1),(1,1,1,1)]",
    ),
    294: ("Z7^2:S3[(0,2),(3,6)|(0,2),(4,0)]",),
    300: ("Z5^2:Dic3[(2,4),(3,4)|(2,0),(1,3)]", "Z5^2:D6[(4,4),(1,0)|(1,1),(0,4)]"),
    320: (
        "Z2^4:(Z5:Z4[2])[(1,1,0,1),(1,0,0,1),(1,1,1,0),(1,0,1,1)"
        "|(1,0,1,0),(1,1,0,0),(1,0,1,1),(0,0,1,1)]",
    ),
    324: ("Z3^3:A4[(1,0,1),(2,0,1),(1,1,2)|(1,2,0),(0,1,0),(1,0,1)]",),
    392: ("Z7^2:Dic2[(5,3),(3,2)|(6,6),(2,1)]",),
    400: ("Z5^2:(Z4:Z2[3]xZ2)[(3,0),(2,2)|(1,2),(0,4)|(4,0),(0,4)]",),
    480: (
        "Z2^4:(Z15:Z2[4])[(1,1,0,1),(0,1,1,1),(1,1,1,0),(0,1,1,0)"
        "|(1,1,0,0),(0,1,0,0),(1,1,1,1),(0,1,0,1)]",
    ),
    504: ("P[(0,1)(2,3)(4,5)(6,7),(1,2,4,3,6,7,5),(0,8)(2,5)(3,6)(4,7)]",),
    576: ("S4^2",),
    600: (f"Z5^2:({SL23})[(2,0),(3,3)|(4,3),(1,1)|(3,4),(3,1)]",),
    648: ("Z3^3:S4[(1,2,0),(0,1,2),(2,0,0)|(1,2,0),(0,2,0),(0,0,1)]",),
    960: (
        "Z2^4:A5[(0,1,1,0),(0,0,1,1),(0,0,1,0),(1,0,0,0)"
        "|(1,0,0,0),(0,1,1,1),(0,1,1,0),(0,0,1,0)"
        "|(1,0,0,0),(0,0,1,1),(0,0,1,0),(1,1,0,1)]",
        "Z2^4:(Z15:Z4[2])[(0,1,0,0),(0,0,0,1),(1,1,0,0),(0,0,1,0)"
        "|(1,0,1,1),(1,0,0,0),(1,1,0,0),(0,0,0,1)]",
    ),
    1053: ("Z3^3:(Z13:Z3[3])[(1,0,2),(2,0,0),(2,1,0)|(1,0,2),(0,2,1),(0,2,0)]",),
    1344: ("Z2^3:P[(0,1,2,3,4,5,6),(1,2)(3,6)][(0,0,1),(1,0,0),(0,1,1)|(0,0,1),(1,1,1),(1,0,0)]",),
    1512: ("P[(0,1)(2,3)(4,5)(6,7),(1,2,4,3,6,7,5),(0,8)(2,5)(3,6)(4,7),(2,4,6)(3,5,7)]",),
    1920: (
        "Z2^4:S5[(0,1,1,0),(0,0,1,1),(1,0,0,0),(1,0,0,1)|(0,1,1,1),(1,0,1,1),(0,0,1,0),(0,0,0,1)]",
    ),
}
"""Texts of groups by their order."""

PARTNERS = 4
"""How many groups each type is multiplied with."""


def product_groups(n: int, groups_of: Callable[[int], Iterable[str]]) -> Iterator[Group]:
    """Direct products of types with the first groups of what is left of n.

    `groups_of` lists groups of a smaller order; large types come first.

    >>> [str(group) for group in product_groups(48, lambda n: [f"Z{n}"])]
    ['S4xZ2', 'Dic2:Z3[(0,1),(1,1)]xZ2', 'A4xZ4']
    """
    sizes = [m for m in range(n // 2, 11, -1) if n % m == 0 and types_of(m)]
    for turn in range(PARTNERS):
        for m in sizes:
            for partner in islice(groups_of(n // m), turn, turn + 1):
                for text in types_of(m):
                    yield direct(parse_group(text), parse_group(partner))


def types_of(n: int) -> list[str]:
    """The types of order n, those that are not solvable first.

    >>> types_of(24)
    ['S4', 'Dic2:Z3[(0,1),(1,1)]']
    """
    return [*projective_texts(n), *TYPES.get(n, ())]
