"""Which base graphs a search leaves out, since they are too large to evaluate.

Above the size that is built, only what theorems settle takes part. The answer at a size then lacks
base graphs of that size, and expansions of those of smaller sizes that are above it too.
"""

from collections.abc import Iterator

from expansions.build import LIMIT
from expansions.recipe import Base
from topofinder.candidate import Links
from topofinder.finder.bases import too_large
from topofinder.finder.factors import divisors, may_be_factor
from topofinder.finder.pool import PoolSize, sources
from topofinder.finder.promises import promise_of
from topofinder.finder.scope import EVERYTHING, Scope


def left_out(n: int, d: int, links: Links, scope: Scope = EVERYTHING) -> tuple[Base, ...]:
    """The base graphs that a search at (n, d) would draw on if they could be evaluated.

    In order of size, the largest first. It depends on the size alone, not on what is stored.

    >>> [str(base) for base in left_out(70000, 4, Links.SIMPLEX)]
    ['Pi(4,70000)']
    """
    found: dict[Base, None] = {}
    for size in sorted(_drawn_on(n, d, links), reverse=True):
        members = scope.members(*size)
        found |= dict.fromkeys(filter(too_large, members))
        found |= dict.fromkeys(filter(too_large, _factors(*size, scope)))
    return tuple(sorted(found, key=lambda base: -promise_of(base).n))


def _drawn_on(n: int, d: int, links: Links) -> set[PoolSize]:
    """The size and all smaller ones that it draws on, as far as they are too large to build."""
    seen: set[PoolSize] = set()
    open_: list[PoolSize] = [(n, d, links)]
    while open_:
        size = open_.pop()
        if size[0] > LIMIT and size not in seen:
            seen.add(size)
            open_ += (inner for _, inner in sources(*size))
    return seen


def _factors(n: int, d: int, links: Links, scope: Scope) -> Iterator[Base]:
    """Base graphs that could be factors of a Cartesian product of that size."""
    for nodes in divisors(n)[:-1]:
        for ports in range(1, d) if nodes > LIMIT else ():
            for base in scope.members(nodes, ports, links):
                if may_be_factor(promise_of(base)):
                    yield base
