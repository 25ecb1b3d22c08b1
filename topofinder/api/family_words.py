"""From the word for a family of base graphs to the families that candidates are stored with.

A stored family tells what a recipe is built from and with, see `topofinder.model.candidate.family`:
`LC` is a line graph of a circulant, `CxDistReg` a product.
"""

import re
from collections.abc import Iterable

from generators.errors import InvalidInput
from generators.families.register_all import FAMILIES
from generators.shown import shown

_NAMES = sorted(FAMILIES, key=len, reverse=True)
_TOKEN = re.compile("|".join([*map(re.escape, _NAMES), "Bi", r"[L*^x]"]))
_KIND = re.compile(r" (di)?graph( .*)?$")
_MARKS = {"Bi", "L", "*", "^", "x"}


def bases(family: str) -> list[str]:
    """The families of base graphs in a stored family.

    >>> bases("LDirCxUniRing"), bases("*^BiRing")
    (['DirC', 'UniRing'], ['BiRing'])
    """
    return [word for word in _TOKEN.findall(family) if word not in _MARKS]


def matching(word: str, stored: Iterable[str]) -> tuple[str, ...]:
    """The stored families that a word means: the family itself, or all with that base graph.

    A base graph is named as in recipes or by its title. Raises InvalidInput for any other word,
    with the choices.

    >>> matching("circulant", ["C", "LC", "DirC", "CxDistReg"])
    ('C', 'LC', 'CxDistReg')
    """
    stored = list(stored)
    named = _base(word)
    if named is None and word not in stored:
        known = ", ".join(f"{name} ({family.title})" for name, family in FAMILIES.items())
        raise InvalidInput(f"family: no family {shown(word)}; the choices are {known}")
    return tuple(each for each in stored if each == word or named in bases(each))


def _base(word: str) -> str | None:
    """The name in recipes of a family of base graphs that is named or titled so."""
    if word in FAMILIES:
        return word
    for name, family in FAMILIES.items():
        titles = {name.lower(), *family.title.lower().split(", ")}
        if word.lower() in titles | {_KIND.sub("", title) for title in titles}:
            return name
    return None
