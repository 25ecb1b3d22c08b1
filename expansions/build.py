"""Makes the graph that a recipe names."""

from functools import lru_cache
from math import prod

from expansions.base_graphs import family_named
from expansions.recipe import Base, Expanded, Recipe
from expansions.register import expansion_of
from expansions.size import size
from generators.errors import InvalidInput
from generators.limits import LARGEST_BUILT
from generators.topology import Topology

BYTES_OF_ARC = 8
"""Tail and head."""

KEPT_ARCS = 1 << 14
"""Up to this many, graphs of edits are kept: at most 128 KiB each."""


def build(recipe: Recipe, limit: int = LARGEST_BUILT) -> Topology:
    """The topology of the recipe, if it has at most `limit` nodes.

    Raises InvalidInput for a larger one before anything is made, for a line graph of a graph
    that is not regular (theorem 7 asks for d-regular), and for a degree expansion of a graph
    with self-loops.

    >>> from expansions.parser import parse
    >>> build(parse("L^2(K(4,4))")).n
    128
    """
    n, d = size(recipe)
    if n > limit:
        memory = n * d * BYTES_OF_ARC / (1 << 30)
        raise InvalidInput(
            f"{recipe} has {n} nodes, more than the limit of {limit}; "
            f"its {n * d} arcs alone would take {memory:.2g} GiB"
        )
    return _graph(recipe)


def _graph(recipe: Recipe) -> Topology:
    if isinstance(recipe, Base):
        return family_named(recipe.name).build(*recipe.arguments)
    if expansion_of(recipe).edits and prod(size(recipe)) <= KEPT_ARCS:
        return _edited_graph(recipe)
    return _expanded_graph(recipe)


@lru_cache(maxsize=1 << 8)
def _edited_graph(recipe: Expanded) -> Topology:
    """A graph that takes long to edit, and of which several expansions are made."""
    return _expanded_graph(recipe)


def _expanded_graph(recipe: Expanded) -> Topology:
    expansion, parts = expansion_of(recipe), tuple(map(_graph, recipe.parts))
    expansion.require(recipe, *parts)
    made: Topology = expansion.apply(expansion.build, parts, *recipe.numbers)
    return made
