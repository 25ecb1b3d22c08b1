"""Cayley digraphs, and those expansions of them that are Cayley digraphs too, without a graph.

A generator s stands for the arcs from every g to g s. So Bi(Cay(G; S)) is Cay(G; S, S^-1);
Cay(G; S)*k is Cay(G x Zk; S x Zk), for every copy of u leads to every copy of v; and Cay(G; S)||k
lists every generator k times. Circulants and one-way rings are Cayley digraphs of cyclic groups.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from expansions.recipe import Base, Recipe
from generators.cayley.group import Group, cyclic
from generators.cayley.notation import parse_group
from generators.topology import IntArray

Arc = tuple[IntArray, IntArray, int]
"""Of a generator s: g s and g s^-1 for every element g, and how often s is listed."""


@dataclass(frozen=True, slots=True)
class TranslatedArcs:
    """The generators of a Cayley digraph, by number; element 0 is the identity."""

    order: int
    arcs: dict[int, Arc]

    @property
    def degree(self) -> int:
        """Arcs from a node."""
        return sum(times for _, _, times in self.arcs.values())

    @property
    def has_loops(self) -> bool:
        """Whether the identity is a generator."""
        return 0 in self.arcs

    @property
    def proper(self) -> list[Arc]:
        """The arcs of generators other than the identity."""
        return [arc for s, arc in self.arcs.items() if s]

    def transpose(self) -> "TranslatedArcs":
        """All arcs turned round."""
        return _join(self.order, ((back, forth, times) for forth, back, times in self._all))

    def two_way(self) -> "TranslatedArcs":
        """All arcs, and all of them turned round."""
        return _join(self.order, [*self._all, *self.transpose()._all])

    def copies(self, count: int) -> "TranslatedArcs":
        """All copies of a node joined to all copies of another."""
        own = np.arange(count, dtype=np.int32)

        def lift(image: IntArray, shift: int) -> IntArray:
            return (image[:, None] * np.int32(count) + (own + shift) % count).ravel()

        found = (
            (lift(forth, shift), lift(back, -shift), times)
            for forth, back, times in self._all
            for shift in range(count)
        )
        return _join(self.order * count, found)

    def parallel(self, count: int) -> "TranslatedArcs":
        """So many arcs in place of each."""
        return _join(self.order, ((forth, back, count * times) for forth, back, times in self._all))

    @property
    def _all(self) -> Iterable[Arc]:
        return self.arcs.values()


def arcs_of_generators(group: Group, generators: Sequence[int]) -> TranslatedArcs:
    """The arcs of Cay(group; generators), elements by number.

    >>> found = arcs_of_generators(cyclic(5), [1, 1, 3])
    >>> found.degree, found.transpose().arcs[2][0].tolist()
    (3, [2, 3, 4, 0, 1])
    """
    inverses = group.inverses
    found = (
        (group.times(s), group.times(int(inverses[s])), times)
        for s, times in Counter(generators).items()
    )
    return _join(group.order, found)


def translated_arcs(recipe: Recipe) -> TranslatedArcs | None:
    """The arcs of a recipe that is a Cayley digraph by what it is made of; None for others.

    >>> from expansions.parser import parse
    >>> sorted(translated_arcs(parse("Bi(Cay(Z6;1,2))*2")).arcs)
    [2, 3, 4, 5, 8, 9, 10, 11]
    >>> translated_arcs(parse("L(K(3))")) is None
    True
    """
    if isinstance(recipe, Base):
        known = _BASES.get(recipe.name)
        return known(*recipe.arguments) if known else None
    rule = _RULES.get(recipe.symbol)
    inner = translated_arcs(recipe.parts[0]) if rule else None
    return None if rule is None or inner is None else rule(inner, *recipe.numbers)


def _join(order: int, arcs: Iterable[Arc]) -> TranslatedArcs:
    """One entry a generator, which is where the identity is carried."""
    found: dict[int, Arc] = {}
    for forth, back, times in arcs:
        s = int(forth[0])
        known = found[s][2] if s in found else 0
        found[s] = forth, back, known + times
    return TranslatedArcs(order, found)


def _cayley(text: str, *generators: int) -> TranslatedArcs:
    return arcs_of_generators(parse_group(text), generators)


def _circulant(n: int, jumps: Sequence[int]) -> TranslatedArcs:
    return arcs_of_generators(cyclic(n), [turn % n for j in jumps for turn in {j, n - j}])


def _ring(d: int, m: int) -> TranslatedArcs:
    return arcs_of_generators(cyclic(m), [1] * d)


_BASES: dict[str, Callable[..., TranslatedArcs]] = {
    "Cay": _cayley,
    "C": _circulant,
    "UniRing": _ring,
}
_RULES: dict[str, Callable[..., Any]] = {
    "Bi": TranslatedArcs.two_way,
    "*": TranslatedArcs.copies,
    "||": TranslatedArcs.parallel,
}
