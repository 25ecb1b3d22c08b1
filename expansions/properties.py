"""What the theorems say of a recipe's graph, of any size: nothing is built.

Families declare it of their members (`generators.registry.BaseProperties`), and every expansion
says what becomes of it. None means not known. All base graphs are strongly connected, and
expansions keep them so.
"""

from collections.abc import Iterable
from dataclasses import fields
from functools import lru_cache

from expansions.base_graphs import family_named
from expansions.recipe import Base, Recipe
from expansions.register import expansion_of, last_application
from generators.registry import GraphProperties

UNKNOWN = GraphProperties()
"""What is known of a graph of which nobody said anything."""


@lru_cache(maxsize=1 << 14)
def properties(recipe: Recipe) -> GraphProperties:
    """The properties of the graph that the recipe names.

    Raises InvalidInput for what an expansion is known not to take, such as the line graph of a
    graph with nodes of unequal degree, and for recipes that have no `size`.

    >>> from expansions.recipe import Base, Line
    >>> properties(Line(Base("K", (4, 4)), 8))
    GraphProperties(regular=True, bidirectional=False, simple=True, loop_free=True, transitive=None)
    """
    if isinstance(recipe, Base):
        return _graph_properties(recipe)
    expansion = expansion_of(recipe)
    expansion.require(recipe)
    if expansion.properties is None:
        return UNKNOWN
    parts, numbers = last_application(recipe)
    found: GraphProperties = expansion.properties(*parts, *numbers)
    return found


def _graph_properties(base: Base) -> GraphProperties:
    known = family_named(base.name).properties(*base.arguments)
    names = [field.name for field in fields(GraphProperties)]
    return GraphProperties(**{name: getattr(known, name) for name in names})


@lru_cache(maxsize=1 << 14)
def is_own_transpose(recipe: Recipe) -> bool:
    """Whether the graph is known to be isomorphic to its transpose.

    Two-way graphs are, and expansions of such graphs, for these commute with transposition; edits
    of a graph do not.

    >>> from expansions.recipe import Base, Line
    >>> is_own_transpose(Line(Base("UniRing", (1, 4)), 2)), is_own_transpose(Base("Diamond"))
    (True, False)
    """
    if isinstance(recipe, Base):
        known = family_named(recipe.name).properties(*recipe.arguments)
        return bool(known.reverse_symmetric or known.bidirectional)
    if properties(recipe).bidirectional:
        return True
    return not expansion_of(recipe).edits and all(map(is_own_transpose, recipe.parts))


def inherited_transitivity(inner: GraphProperties) -> bool | None:
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
