"""Nodes and degree of a recipe, without building it (table 3)."""

from functools import lru_cache
from typing import NamedTuple

from expansions.base_graphs import family_named
from expansions.recipe import Base, Recipe
from expansions.register import expansion_of, require_few
from generators.errors import InvalidInput
from generators.limits import MAX_NAMED_ARCS, MAX_NAMED_NODES


class Size(NamedTuple):
    """`n` nodes of `d` ports each; a self-loop uses a port."""

    n: int
    d: int


@lru_cache(maxsize=1 << 16)
def size(recipe: Recipe) -> Size:
    """Nodes and degree of the graph that the recipe names.

    Raises InvalidInput when the graph, or a part of it, has more than MAX_NAMED_NODES nodes
    or MAX_NAMED_ARCS arcs, or when an exponent is above `register.MAX_TIMES`.

    >>> from expansions.recipe import Base, Degree, Line, Power
    >>> size(Line(Power(Base("K", (4, 4)), 2), 2))
    Size(n=4096, d=8)
    >>> size(Degree(Base("K", (4, 4)), 3))
    Size(n=24, d=12)
    """
    found = _compute_size(recipe)
    if found.n > MAX_NAMED_NODES:
        raise InvalidInput(f"the graph would have more than {MAX_NAMED_NODES} nodes")
    if found.n * found.d > MAX_NAMED_ARCS:
        raise InvalidInput(f"the graph would have more than {MAX_NAMED_ARCS} arcs")
    return found


def _compute_size(recipe: Recipe) -> Size:
    if isinstance(recipe, Base):
        properties = family_named(recipe.name).properties(*recipe.arguments)
        return Size(properties.n, properties.d)
    expansion, parts = expansion_of(recipe), tuple(map(size, recipe.parts))
    if expansion.repeats:
        require_few(expansion.numbers[0], recipe.numbers[0])
    return Size(*expansion.apply(expansion.size, parts, *recipe.numbers))
