"""What a base graph adds: the frontier points it beats, at its own size and where it expands to.

The frontier with the base graph is compared with the one without it and with the published
method's, at every size that expansions of the base alone reach, one after another in any order.
Products with other graphs reach further sizes, which are not looked at.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from expansions.cost import Cost
from expansions.recipe import Base, Recipe
from topofinder.finder.base_scope import Scope, base_properties
from topofinder.finder.enumeration import Pools, sources
from topofinder.model.candidate import Candidate, LinkMode
from topofinder.model.frontier import frontier

MOST_NODES = 2000
MOST_PORTS = 8

Reached = tuple[int, int, LinkMode]


@dataclass(frozen=True, slots=True, kw_only=True)
class Improvement:
    """A frontier point built on a base graph, and what it beats or makes needless.

    `published` and `previous` are the costs, on the published method's frontier and on ours
    without the base, that the point is at least as good as in both T_L and T_B and better in one.
    Both are empty for a point between two old ones.
    """

    n: int
    d: int
    links: LinkMode
    point: Candidate
    published: tuple[Cost, ...]
    previous: tuple[Cost, ...]


def reached_sizes(base: Base, links: LinkMode, most: int = MOST_NODES) -> list[Reached]:
    """Sizes that expansions of a base graph have, the smallest first.

    >>> from expansions.parser import parse
    >>> [size[:2] for size in reached_sizes(parse("K(3)"), LinkMode.SIMPLEX, 6)]
    [(3, 2), (3, 4), (3, 6), (3, 8), (6, 2), (6, 4), (6, 6), (6, 8)]
    """
    properties = base_properties(base)
    known = {(properties.n, properties.d, LinkMode.SIMPLEX)}
    if properties.bidirectional:
        known.add((properties.n, properties.d, LinkMode.DUPLEX))
    known = {size for size in known if size[0] <= most and size[1] <= MOST_PORTS}
    # Whatever a size draws on has fewer nodes, or as many with fewer ports.
    for n, d, mode in product(range(properties.n, most + 1), range(1, MOST_PORTS + 1), LinkMode):
        if any(source.size in known for source in sources(n, d, mode)):
            known.add((n, d, mode))
    return sorted(size for size in known if size[2] is links)


def improvements(
    base: Base, links: LinkMode = LinkMode.SIMPLEX, most: int = MOST_NODES
) -> Iterator[Improvement]:
    """Every frontier point up to `most` nodes that is built on the base graph and adds something.

    A point that ours has without the base too is among them if it beats a published one.

    >>> from expansions.parser import parse
    >>> for found in improvements(parse("Small(4,16)"), LinkMode.SIMPLEX, 16):
    ...     print(found.point.allgather, found.previous)
    Cost(steps=2, bandwidth=Fraction(1, 1)) (Cost(steps=2, bandwidth=Fraction(5, 4)),)
    """
    extended = Pools(scope=Scope(extra=(base,)))
    without = Pools(scope=Scope(without=frozenset([base])))
    published = Pools(scope=Scope(published=True, without=frozenset([base])))
    for size in reached_sizes(base, links, most):
        ours, previous, theirs = (
            frontier(pools.pool(*size)) for pools in (extended, without, published)
        )
        for point in ours:
            if uses(point.recipe, base):
                found = _improvement(size, point, theirs, previous)
                if found.published or not any(_equal(point, old) for old in previous):
                    yield found


def uses(recipe: Recipe, base: Base) -> bool:
    """Whether a base graph is inside a recipe."""
    return recipe == base or any(uses(part, base) for part in recipe.parts)


def _improvement(
    size: Reached, point: Candidate, published: Sequence[Candidate], previous: Sequence[Candidate]
) -> Improvement:
    n, d, links = size
    return Improvement(
        n=n,
        d=d,
        links=links,
        point=point,
        published=_points_beaten_by(point, published),
        previous=_points_beaten_by(point, previous),
    )


def _points_beaten_by(point: Candidate, old: Sequence[Candidate]) -> tuple[Cost, ...]:
    cost = point.allgather
    return tuple(
        other.allgather
        for other in old
        if cost.weakly_beats(other.allgather) and cost != other.allgather
    )


def _equal(one: Candidate, other: Candidate) -> bool:
    return one.allgather == other.allgather
