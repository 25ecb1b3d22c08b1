"""What the theorems say of a recipe's graph, of any size: nothing is built.

Families declare it of their members (`generators.registry.Promise`), and every expansion says what
becomes of it. None means not known. All base graphs are strongly connected, and expansions keep
them so.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from expansions.member import family_named
from expansions.recipe import Base, Bi, Degree, Line, Power, Product, Recipe
from expansions.size import size
from generators.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    """As the properties of Topology of these names; `transitive` is vertex-transitivity."""

    regular: bool | None
    two_way: bool | None
    simple: bool | None
    loop_free: bool | None
    transitive: bool | None


@lru_cache(maxsize=1 << 14)
def properties(recipe: Recipe) -> Properties:
    """The properties of the graph that the recipe names.

    Raises InvalidInput for the line graph of a graph with nodes of unequal degree, and for
    recipes that have no `size`.

    >>> from expansions.recipe import Base, Line
    >>> properties(Line(Base("K", (4, 4)), 8))
    Properties(regular=True, two_way=False, simple=True, loop_free=True, transitive=None)
    """
    match recipe:
        case Base(name, arguments):
            promise = family_named(name).promise(*arguments)
            return Properties(
                regular=promise.regular,
                two_way=promise.bidirectional,
                simple=promise.simple,
                loop_free=promise.loop_free,
                transitive=promise.transitive,
            )
        case Line():
            return _of_line(recipe)
        case Degree(inner):
            # [u_i, v_j] is as often an arc of G*n as [u, v] of G.
            known = properties(inner)
            return replace(known, transitive=_kept(known))
        case Power(inner):
            return _of_product([properties(inner)] * 2)
        case Product(factors):
            return _of_product(list(map(properties, factors)))
        case Bi(inner):
            return _of_two_way(inner)


def require_line(recipe: Line) -> None:
    """Refuse a line graph of a graph with nodes of unequal degree, which theorem 7 excludes."""
    if properties(recipe.inner).regular is False:
        raise InvalidInput(f"{recipe}: the graph inside has nodes of unequal degree")


def _of_line(recipe: Line) -> Properties:
    """L^k(G): arc e leads to f at most once, and to itself if it is a self-loop.

    It is two-way where all walks of two arcs return: where G has two nodes, with parallel arcs
    from either to the other. Of a ring, L(G) is the ring.
    """
    require_line(recipe)
    inner, (n, d) = properties(recipe.inner), size(recipe.inner)
    if d == 1:
        return inner
    returning = inner.loop_free if n == 2 and recipe.times == 1 else False
    return replace(inner, two_way=returning, simple=True, transitive=None)


def _of_product(factors: list[Properties]) -> Properties:
    """An arc moves along one factor, and is as often there as in the factor: only self-loops of
    two factors are parallel.
    """
    loop_free = all_of(factor.loop_free for factor in factors)
    looped = [factor.loop_free for factor in factors if not factor.loop_free]
    simple = all_of(factor.simple for factor in factors)
    if len(looped) > 1 and simple is not False:
        simple = False if looped.count(False) > 1 else None
    return Properties(
        regular=all_of(factor.regular for factor in factors),
        two_way=all_of(factor.two_way for factor in factors),
        simple=simple,
        loop_free=loop_free,
        transitive=all_of(map(_kept, factors)) or None,
    )


def _of_two_way(recipe: Recipe) -> Properties:
    """Bi(G): an arc is parallel to the one that returns, and a self-loop to itself.

    Degrees of a graph that is not two-way may become equal, since arcs in and out add up.
    """
    inner, (n, d) = properties(recipe), size(recipe)
    doubled = inner.two_way or inner.simple is False or inner.loop_free is False
    one_way_ring = d == 1 and n > 2
    return Properties(
        regular=inner.regular if inner.regular or inner.two_way else None,
        two_way=True,
        simple=False if doubled else True if one_way_ring else None,
        loop_free=inner.loop_free,
        transitive=_kept(inner),
    )


def _kept(inner: Properties) -> bool | None:
    """Automorphisms of a graph are some of its expansion's, which may have more."""
    return inner.transitive or None


def all_of(values: Iterable[bool | None]) -> bool | None:
    """Whether all are true: False if one is false, None if that is not known.

    >>> all_of([True, None]), all_of([None, False]), all_of([True, True])
    (None, False, True)
    """
    known = set(values)
    return False if False in known else None if None in known else True
