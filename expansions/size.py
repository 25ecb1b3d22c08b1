"""Nodes and degree of a recipe, without building it (table 3)."""

from functools import lru_cache
from typing import NamedTuple

from expansions.member import family_named
from expansions.recipe import Base, Bi, Degree, Line, Power, Product, Recipe
from generators.errors import InvalidInput
from generators.topology import MAX_ARCS, MAX_NODES

LARGEST_BUILT = 1 << 16
"""Nodes of the largest graph that is built, unless more are asked for."""
MAX_TIMES = 64
"""Largest exponent of L^n and G^n: more than any graph of MAX_NODES nodes can use."""


class Size(NamedTuple):
    """`n` nodes of `d` ports each; a self-loop uses a port."""

    n: int
    d: int


@lru_cache(maxsize=1 << 14)
def size(recipe: Recipe) -> Size:
    """Nodes and degree of the graph that the recipe names.

    Raises InvalidInput when the graph, or a part of it, has more than MAX_NODES nodes or
    MAX_ARCS arcs, or when an exponent is above MAX_TIMES.

    >>> from expansions.recipe import Base, Degree, Line, Power
    >>> size(Line(Power(Base("K", (4, 4)), 2), 2))
    Size(n=4096, d=8)
    >>> size(Degree(Base("K", (4, 4)), 3))
    Size(n=24, d=12)
    """
    found = _counted(recipe)
    if found.n > MAX_NODES:
        raise InvalidInput(f"the graph would have more than {MAX_NODES} nodes")
    if found.n * found.d > MAX_ARCS:
        raise InvalidInput(f"the graph would have more than {MAX_ARCS} arcs")
    return found


def _counted(recipe: Recipe) -> Size:
    match recipe:
        case Base(name, arguments):
            promise = family_named(name).promise(*arguments)
            return Size(promise.n, promise.d)
        case Line(inner, times):
            n, d = size(inner)
            return Size(n * d ** _bounded("times", times), d)
        case Degree(inner, copies):
            n, d = size(inner)
            return Size(n * copies, d * copies)
        case Power(inner, exponent):
            n, d = size(inner)
            return Size(n ** _bounded("exponent", exponent), d * exponent)
        case Product(factors):
            return _multiplied(factors)
        case Bi(inner):
            n, d = size(inner)
            return Size(n, 2 * d)


def _multiplied(factors: tuple[Recipe, ...]) -> Size:
    n, d = 1, 0
    for factor in map(size, factors):
        n, d = n * factor.n, d + factor.d
    return Size(n, d)


def _bounded(name: str, value: int) -> int:
    if value > MAX_TIMES:
        raise InvalidInput(f"{name}: at most {MAX_TIMES}, not {value}")
    return value
