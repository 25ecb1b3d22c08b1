"""Where a candidate comes from: the register and its theorems, the catalogue, or a search.

A recipe tells it by its parts: those of `Cay(...)`, `Lift(...)` and grafts ship, or were found.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from types import MappingProxyType

from db.rows import CandidateRow
from generators.cayley.catalogue import is_shipped
from generators.lifts.annealed import is_annealed_lift
from generators.lifts.catalogue import is_shipped_lift
from generators.searched_graphs import all_searched_lines
from reports.text import cut_recipe, plain

SEARCHED = ("Cay(", "Lift(")
"""Families whose members are too many to list: some ship, others are found."""
GRAFT = "Graft("
NAME = re.compile(r"([A-Za-z]+)(?:\^(\d+))?\(")


class Origin(StrEnum):
    """How a recipe came among the candidates of a search."""

    FAMILY = "family"
    CATALOGUE = "catalogue"
    EFFORT = "effort"
    DISCOVER = "discover"
    MERGED = "merged"


TOLD = {
    Origin.EFFORT: "Found by search effort",
    Origin.DISCOVER: "Found by discover, in this database",
    Origin.MERGED: "Merged by name, in this database",
}
"""What is said of candidates that anybody else would not be offered; the rest is as ever."""


def base_texts(recipe: str) -> list[str]:
    """The base graphs in the text of a recipe that are of a searched family.

    >>> base_texts("L(Cay(Z4.Z4[(7,0)];1,7)) x Lift(Z5;0:1,1:0|1:2) x K(4)")
    ['Cay(Z4.Z4[(7,0)];1,7)', 'Lift(Z5;0:1,1:0|1:2)']
    """
    found = []
    for at in range(len(recipe)):
        if recipe.startswith(SEARCHED, at) and not recipe[at - 1 : at].isalnum():
            found.append(recipe[at : _end_of_group(recipe, recipe.index("(", at))])
    return found


def _end_of_group(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at + 1
    return len(text)


def origin_of(
    recipe: str, discovered: Collection[str] = (), merged: Collection[str] = ()
) -> Origin:
    """Where a recipe comes from; `discovered` are graphs that `discover` found, `merged` recipes
    that were merged by name.

    >>> origin_of("L(K(4,4))").value, origin_of("L(Cay(Z17;1,3))").value
    ('family', 'catalogue')
    >>> origin_of("Lift(Z5;0:1,1:0|1:2)").value
    'effort'
    >>> origin_of("L(Cay(Z17;1,4))", {"Cay(Z17;1,4)"}).value
    'discover'
    >>> origin_of("L(Graft(K(5);-4.7,~0.10))", {"T(Graft(K(5);-4.7,~0.10))"}).value
    'discover'
    """
    if recipe in merged:
        return Origin.MERGED
    plain_text = without_transposes(recipe)
    rest = without_shipped(plain_text)
    named = base_texts(rest)
    if any(text in discovered and not _ships(text) for text in named):
        return Origin.DISCOVER
    if GRAFT in rest and any(
        GRAFT in text and without_transposes(text) in rest for text in discovered
    ):
        return Origin.DISCOVER
    if GRAFT in rest or not all(map(_ships, named)):
        return Origin.EFFORT
    return Origin.CATALOGUE if named or rest != plain_text else Origin.FAMILY


def without_transposes(recipe: str) -> str:
    """The text without T(...): a graph and its transpose come from the same search.

    >>> without_transposes("L(T(Cay(Z17;1,4))) x K(4)")
    'L(Cay(Z17;1,4)) x K(4)'
    """
    for name in NAME.finditer(recipe) if "T(" in recipe else ():
        if name[0] == "T(":
            end = _end_of_group(recipe, name.end() - 1)
            inner = recipe[name.end() : end - 1]
            return without_transposes(recipe[: name.start()] + inner + recipe[end:])
    return recipe


@cache
def _shipped_texts() -> frozenset[str]:
    """The expanded graphs that ship, without T(...)."""
    texts = [line.split(" ", 8)[-1] for line in all_searched_lines()]
    return frozenset(without_transposes(one) if "T(" in one else one for one in texts)


def without_shipped(recipe: str) -> str:
    """The text, which has no T(...), without the expanded graphs that ship.

    >>> without_shipped("L(K(4,4))")
    'L(K(4,4))'
    """
    for name in NAME.finditer(recipe):
        end = _end_of_group(recipe, name.end() - 1)
        inner = recipe[name.end() - 1 : end]
        powers = [f"^{power}" for power in range(int(name[2] or 1), 1, -1)]
        if any(f"{name[1]}{power}{inner}" in _shipped_texts() for power in (*powers, "")):
            return without_shipped(recipe[: name.start()] + recipe[end:])
    return recipe


@lru_cache(maxsize=1 << 12)
def _ships(text: str) -> bool:
    name, _, rest = text.partition("(")
    group, _, arguments = rest.removesuffix(")").rpartition(";")
    if name == "Lift":
        return is_shipped_lift(group, arguments) or is_annealed_lift(group, arguments)
    return is_shipped(group, arguments.split(","))


def origin_lines(
    rows: Sequence[CandidateRow],
    origins: Mapping[str, Origin],
    names: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """A line for each kind of search that found some of the candidates; `names` are by recipe."""
    lines = []
    for origin, words in TOLD.items():
        found = [row for row in rows if origins.get(row.recipe) is origin]
        if found:
            told = ", ".join(_named_recipe(row, names) for row in found)
            lines.append(f"{words}: {told}")
    return lines


def _named_recipe(row: CandidateRow, names: Mapping[str, str]) -> str:
    """The recipe, behind its name where it has one: `golf is BiGraft(...)`."""
    name = names.get(row.recipe)
    recipe = plain(cut_recipe(row.recipe, row.id))
    return recipe if name is None else f"{plain(name)} is {recipe}"
