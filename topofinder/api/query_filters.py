"""The words of `topofinder query`: families that a word means, and rows in the order of a column.

A stored family tells what a recipe is built from and with, see `expansions.recipe.family`:
`LC` is a line graph of a circulant, `CxDistReg` a product.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from expansions.register import EXPANSIONS, split_family
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.families.register_all import FAMILIES
from reports.query_columns import QueryColumn
from reports.query_row import FoundCandidate

_KIND = re.compile(r" (di)?graph( .*)?$")


def base_families(family: str) -> list[str]:
    """The families of base graphs in a stored family.

    >>> base_families("LDirCxUniRing"), base_families("*^BiRing")
    (['DirC', 'UniRing'], ['BiRing'])
    """
    return [word for word in split_family(family) if word not in EXPANSIONS]


def matching_families(word: str, stored: Iterable[str]) -> tuple[str, ...]:
    """The stored families that a word means: the family itself, or all with that base graph.

    A base graph is named as in recipes or by its title. Raises InvalidInput for any other word,
    with the choices.

    >>> matching_families("circulant", ["C", "LC", "DirC", "CxDistReg"])
    ('C', 'LC', 'CxDistReg')
    """
    stored = list(stored)
    named = _base(word)
    if named is None and word not in stored:
        known = ", ".join(f"{name} ({family.title})" for name, family in sorted(FAMILIES.items()))
        raise InvalidInput(f"family: no family {excerpt(word)}; the choices are {known}")
    return tuple(each for each in stored if each == word or named in base_families(each))


def _base(word: str) -> str | None:
    """The name in recipes of a family of base graphs that is named or titled so."""
    if word in FAMILIES:
        return word
    for name, family in FAMILIES.items():
        titles = {name.lower(), *family.title.lower().split(", ")}
        if word.lower() in titles | {_KIND.sub("", title) for title in titles}:
            return name
    return None


def sort_rows(
    found: Sequence[FoundCandidate], key: QueryColumn, *, descending: bool = False
) -> list[FoundCandidate]:
    """By the values of a column; rows without a value come last. Equals keep their order.

    Floats that come from one correct rounding are never in the wrong order, but may be equal
    where the fractions are not; only those are compared as fractions.

    >>> from reports.query_columns import column
    >>> sort_rows([], column("bandwidth"), descending=True)
    []
    """
    if key.rounded is None:
        rows = [each for each in found if key.value(each) is not None]
        rest = [each for each in found if key.value(each) is None]
        return sorted(rows, key=key.value, reverse=descending) + rest
    floats = list(map(key.rounded, found))
    places = sorted(range(len(floats)), key=floats.__getitem__, reverse=descending)
    exact: list[FoundCandidate] = []
    for _, run in groupby(places, key=floats.__getitem__):
        exact.extend(_by_fraction([found[place] for place in run], key, descending))
    return exact


def _by_fraction(
    equal: list[FoundCandidate], key: QueryColumn, descending: bool
) -> list[FoundCandidate]:
    """Rows whose rounded values are equal; most often they cost the same in every respect."""
    if not all(_alike(equal[0], each) for each in equal[1:]):
        equal.sort(key=key.value, reverse=descending)
    return equal


def _alike(one: FoundCandidate, other: FoundCandidate) -> bool:
    """Whether rows cost the same, with a look at the objects first: equal ones are often shared."""
    a, b = one.row, other.row
    return (
        one.scaled == other.scaled
        and a.n == b.n
        and (a.bandwidth is b.bandwidth or a.bandwidth == b.bandwidth)
        and (a.rs_bandwidth is b.rs_bandwidth or a.rs_bandwidth == b.rs_bandwidth)
    )
