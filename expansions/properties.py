"""What the theorems say of a recipe's graph, of any size: nothing is built.

Families declare it of their members (`generators.registry.Promise`), and every expansion says what
becomes of it. None means not known. All base graphs are strongly connected, and expansions keep
them so.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from expansions.base_graphs import family_named
from expansions.recipe import Base, Recipe
from expansions.register import expansion_of, last_application


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    """As the properties of Topology of these names; `transitive` is vertex-transitivity."""

    regular: bool | None = None
    two_way: bool | None = None
    simple: bool | None = None
    loop_free: bool | None = None
    transitive: bool | None = None


UNKNOWN = Properties()
"""What is known of a graph of which nobody said anything."""


@lru_cache(maxsize=1 << 14)
def properties(recipe: Recipe) -> Properties:
    """The properties of the graph that the recipe names.

    Raises InvalidInput for what an expansion is known not to take, such as the line graph of a
    graph with nodes of unequal degree, and for recipes that have no `size`.

    >>> from expansions.recipe import Base, Line
    >>> properties(Line(Base("K", (4, 4)), 8))
    Properties(regular=True, two_way=False, simple=True, loop_free=True, transitive=None)
    """
    if isinstance(recipe, Base):
        return _promised_properties(recipe)
    expansion = expansion_of(recipe)
    expansion.require(recipe)
    if expansion.properties is None:
        return UNKNOWN
    parts, numbers = last_application(recipe)
    found: Properties = expansion.properties(*parts, *numbers)
    return found


def _promised_properties(base: Base) -> Properties:
    promise = family_named(base.name).promise(*base.arguments)
    return Properties(
        regular=promise.regular,
        two_way=promise.bidirectional,
        simple=promise.simple,
        loop_free=promise.loop_free,
        transitive=promise.transitive,
    )


def inherited_transitivity(inner: Properties) -> bool | None:
    """Vertex-transitivity of an expansion to which automorphisms of the graph inside carry over.

    It may have more of them.
    """
    return inner.transitive or None


def all_of(values: Iterable[bool | None]) -> bool | None:
    """Whether all are true: False if one is false, None if that is not known.

    >>> all_of([True, None]), all_of([None, False]), all_of([True, True])
    (None, False, True)
    """
    known = set(values)
    return False if False in known else None if None in known else True
