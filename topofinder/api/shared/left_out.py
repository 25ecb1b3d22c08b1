"""Which base graphs a search leaves out, since they are too large to evaluate.

Above the largest size that is built, a search takes in base graphs that a theorem costs, and
evaluates light ones only. Its answer lacks heavy base graphs, and what expands them.
"""

from collections.abc import Iterator

from expansions.recipe import Base
from generators.divisors import divisors
from topofinder.finder.base_candidates import too_large
from topofinder.finder.base_scope import EVERYTHING, Scope, base_properties
from topofinder.finder.enumeration import PoolSize, sources
from topofinder.finder.factors import may_be_factor
from topofinder.finder.odd_sizes import has_free_port
from topofinder.model.candidate import LinkMode


def left_out(n: int, d: int, links: LinkMode, scope: Scope = EVERYTHING) -> tuple[Base, ...]:
    """The base graphs that a search at (n, d) would draw on if they could be evaluated.

    The largest first. It depends on the size alone, not on what is stored.

    >>> [str(base) for base in left_out(1 << 17, 2, LinkMode.SIMPLEX)]
    ['DBJ(2,17)', 'DBJ(2,16)', 'DBJ(2,15)']
    """
    if not scope.is_large(n):
        return ()
    found: set[Base] = set()
    for size in _drawn_on((n, d, links), scope):
        considered = {*scope.members(*size), *_factors(*size, scope)}
        found.update(base for base in considered if too_large(base, scope))
    return tuple(sorted(found, key=lambda base: (-base_properties(base).n, str(base))))


def _drawn_on(largest: PoolSize, scope: Scope) -> set[PoolSize]:
    """The size and all smaller ones that it draws on, as far as they are not light."""
    seen: set[PoolSize] = set()
    open_ = [largest]
    while open_:
        n, d, links = open_.pop()
        if (n, d, links) not in seen and not scope.is_light(n, d):
            seen.add((n, d, links))
            open_ += (source.size for source in sources(n, d, links))
            open_ += [(n + 1, d, links)] if has_free_port(n, d, links) else []
    return seen


def _factors(n: int, d: int, links: LinkMode, scope: Scope) -> Iterator[Base]:
    """Base graphs that could be factors of a Cartesian product of that size."""
    for nodes in divisors(n)[1:-1]:
        for ports in range(1, d):
            if not scope.is_light(nodes, ports):
                yield from filter(_fits_product, scope.members(nodes, ports, links))


def _fits_product(base: Base) -> bool:
    properties = base_properties(base)
    return may_be_factor(properties) and properties.simple is True
