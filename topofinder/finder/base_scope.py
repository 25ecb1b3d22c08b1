"""Which base graphs a search draws on: all of the register, the published ones, or a choice."""

from dataclasses import dataclass
from functools import lru_cache

from expansions.recipe import Base, Recipe
from expansions.register import EXPANSIONS
from expansions.searched_graphs import searched_graphs
from expansions.size import size
from generators.families.register_all import FAMILIES
from generators.limits import LARGE_WORK, LARGEST_BUILT
from generators.registry import BaseProperties
from generators.searched_sizes import are_finds_shipped
from topofinder.model.candidate import LinkMode

KAUTZ_WORK = 1 << 21
"""Steps of all receivers, both ways, that a large search spends on one graph: half a second."""

SPLITS = 8
"""Pairs of sizes of whose graphs a search tries products: with the pools of all of them it takes a
second at some sizes with fifteen ports and more."""

EVALUATED_FAMILIES = {"Pi": LinkMode.SIMPLEX, "Chords": LinkMode.DUPLEX}
"""Families that no theorem costs, whose large members take long to evaluate, with the links of the
searches that have them."""

MOST_EVALUATED = 32
"""Nodes up to which graphs are evaluated by every search: it takes next to no time."""

FEW_NODES = 64
"""Nodes up to which what is split off ships among the graphs that were evaluated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The register's members, with `extra` ones and without some.

    `recipes` are graphs of any kind, expanded ones too, which count with their own BFB schedules;
    so do those that ship (`expansions.searched_graphs`).

    With `published` only families that the published method has, none of what ships, and every
    expansion costed by its theorem, with no exact evaluation of expanded graphs. A search above
    `largest_built` nodes is large: of base graphs that no theorem costs, it evaluates those of up
    to `large_work`; a generalized Kautz graph that takes more than `kautz_work` steps has a bound
    alone. Products of any two graphs are tried at `splits` pairs of sizes, or at all.

    >>> [str(base) for base in Scope(published=True).members(12, 4, LinkMode.DUPLEX)]
    ['BiRing(4,12)', 'C(12,{2,3})', 'Torus(2,2,3)', 'Torus(3,4)']
    """

    published: bool = False
    without: frozenset[Base] = frozenset()
    extra: tuple[Base, ...] = ()
    recipes: tuple[Recipe, ...] = ()
    largest_built: int = LARGEST_BUILT
    large_work: int = LARGE_WORK
    kautz_work: int = KAUTZ_WORK
    splits: int | None = SPLITS

    def is_large(self, n: int) -> bool:
        """Whether a search at n nodes leaves out what is too large to evaluate."""
        return n > self.largest_built

    def is_light(self, n: int, d: int) -> bool:
        """Whether a graph of that size may be evaluated in a large search.

        >>> Scope().is_light(16384, 4), Scope().is_light(16385, 4)
        (True, False)
        """
        return n * n * d <= self.large_work

    def members(self, n: int, d: int, links: LinkMode) -> tuple[Base, ...]:
        """The base graphs of that size and degree which a search considers."""
        found = [
            Base(name, arguments)
            for name, family in FAMILIES.items()
            if (family.published or not self.published)
            and (links is LinkMode.DUPLEX or not family.only_duplex)
            for arguments in family.members(n, d)
        ]
        found += [base for base in self.extra if base not in found and _fits(base, n, d)]
        return tuple(
            base
            for base in found
            if base not in self.without
            and (links is LinkMode.SIMPLEX or base_properties(base).bidirectional)
        )

    def recipes_at(self, n: int, d: int, links: LinkMode) -> tuple[Recipe, ...]:
        """Those of `recipes` that have n nodes and degree d, and those that ship of that size.

        >>> from expansions.parser import parse
        >>> scope = Scope(recipes=(parse("L(K(4,4))"), parse("L(K(3))")))
        >>> scope.recipes_at(32, 4, LinkMode.SIMPLEX)
        (Line(inner=Base(name='K', arguments=(4, 4)), times=1),)
        """
        own = (recipe for recipe in self.recipes if size(recipe) == (n, d))
        return tuple(dict.fromkeys((*own, *self.shipped_at(n, d, links))))

    def shipped_at(self, n: int, d: int, links: LinkMode) -> tuple[Recipe, ...]:
        """Those that ship of that size, unless the scope is published."""
        return () if self.published else searched_graphs(n, d, links.value)

    def is_settled(self, n: int, d: int, links: LinkMode) -> bool:
        """Whether no graph of a size need be evaluated: what is kept of them ships with its cost.

        So it is where all finds of searches ship, above MOST_EVALUATED nodes, unless this scope has
        graphs of its own, or lacks some, or others registered families or expansions.

        >>> [Scope().is_settled(n, 8, LinkMode.SIMPLEX) for n in (32, 1000, 9999)]
        [False, True, False]
        """
        own = self.published or self.extra or self.recipes or self.without
        if own or n <= MOST_EVALUATED:
            return False
        return are_finds_shipped(n, d, links.value) and not _has_plugins()

    def is_base_settled(self, base: Base) -> bool:
        """Whether a base graph need not be evaluated: it ships where it is of use."""
        links = EVALUATED_FAMILIES.get(base.name)
        known = base_properties(base)
        return links is not None and self.is_settled(known.n, known.d, links)

    def splits_off(self, n: int, d: int, links: LinkMode) -> bool:
        """Whether nodes are split off graphs of one node more, where that leaves a port free.

        None need be where what a search makes so ships, but for graphs that this scope has beside.

        >>> [Scope().splits_off(n, 3, LinkMode.DUPLEX) for n in (31, 101, 9999)]
        [True, False, True]
        """
        few = n <= FEW_NODES and not self.is_settled(n, d, links)
        own = self.extra or self.recipes or few
        return not self.published and bool(own or not are_finds_shipped(n, d, links.value))


EVERYTHING = Scope()
"""What a search draws on as a rule."""


def _has_plugins() -> bool:
    """Whether a search draws on families or expansions that do not come with topofinder."""
    members = (family.members.__module__ for family in FAMILIES.values())
    sources = (expansion.sources.__module__ for expansion in EXPANSIONS.values())
    own = ("generators.", "expansions.")
    return not all(module.startswith(own) for module in (*members, *sources))


@lru_cache(maxsize=1 << 17)
def base_properties(base: Base) -> BaseProperties:
    """What the register says of a base graph."""
    return FAMILIES[base.name].properties(*base.arguments)


def cost_is_proved(properties: BaseProperties) -> bool:
    """Whether the theorem alone fixes the BFB cost, so that nothing need be built."""
    return bool(properties.bandwidth_optimal) and properties.diameter is not None


def _fits(base: Base, n: int, d: int) -> bool:
    properties = base_properties(base)
    return (properties.n, properties.d) == (n, d)
