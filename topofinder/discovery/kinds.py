"""The kinds of graphs that a discovery looks for, and which of them a recipe is."""

from collections.abc import Iterable
from enum import StrEnum

from generators.errors import InvalidInput
from generators.excerpts import excerpt

GRAFT_NAMES = "Graft(", "SplitOff("


class GraphKind(StrEnum):
    """What a discovery looks for."""

    CAYLEY = "cayley"
    """Cayley digraphs, by groups and generator lists."""
    LIFTS = "lifts"
    """Lifts of small graphs, by cyclic groups and others."""
    GRAFTS = "grafts"
    """Graphs without symmetry: grafts, repaired, and graphs from random starts."""


def kind_of(recipe: str) -> GraphKind:
    """The kind of a find, line graphs and transposes of it included.

    >>> kind_of("L(Lift(Z5;0.1,1.0|1.2,0.3))").value
    'lifts'
    >>> kind_of("Graft(Lift(Z5;0.1,1.0|1.2,0.3);-4.1)").value, kind_of("Cay(Z17;1,3)").value
    ('grafts', 'cayley')
    """
    if any(name in recipe for name in GRAFT_NAMES):
        return GraphKind.GRAFTS
    return GraphKind.LIFTS if "Lift(" in recipe else GraphKind.CAYLEY


def read_kinds(kinds: str | Iterable[str] | None) -> tuple[GraphKind, ...]:
    """The kinds that are named, in their own order; all of them where none is.

    Raises InvalidInput for any other name.

    >>> [kind.value for kind in read_kinds("grafts,lifts")]
    ['lifts', 'grafts']
    """
    if kinds is None:
        return tuple(GraphKind)
    named = kinds.split(",") if isinstance(kinds, str) else list(kinds)
    words = [word.strip() for word in named]
    for word in words or [""]:
        if word not in set(GraphKind):
            raise InvalidInput(f"kind: {', '.join(GraphKind)}, or several, not {excerpt(word)}")
    return tuple(kind for kind in GraphKind if kind in words)
