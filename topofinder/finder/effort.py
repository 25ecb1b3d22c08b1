"""Searches that look for lifts first: `effort`, about in seconds, says how long.

Lifts are base graphs beside those of the register, at the size asked for and at those of which it
is an iterated line graph: the search grows them like all others. Its other sources are the pools
without lifts, so that an answer depends on the size and the effort alone.
"""

from functools import lru_cache

from expansions.recipe import Base
from topofinder.discovery.lifts.search import find_lifts
from topofinder.discovery.lifts.settings import MOST_PORTS, LiftGoal
from topofinder.finder.base_scope import Scope
from topofinder.finder.enumeration import Pools, PoolSize
from topofinder.model.candidate import Candidate, LinkMode

NANOSECONDS = 10**9
"""Work of one effort, in the unit of `LiftSetting.work`."""
OWN_PART = (3, 5)
"""What the size itself gets of the work where it has line graph roots; they share the rest."""
LARGEST_LIFTED = 1 << 14
"""Nodes of the largest lifts that are looked for."""
SEED = 0


def lifted_sizes(n: int, d: int, links: LinkMode) -> list[PoolSize]:
    """The size itself, and those of which it is an iterated line graph, the largest first.

    >>> [size[0] for size in lifted_sizes(100, 2, LinkMode.SIMPLEX)]
    [100, 50, 25]
    """
    found = [(n, d, links)]
    if links is LinkMode.SIMPLEX and d > 1:
        while n % d == 0 and n // d > d:
            n //= d
            found.append((n, d, links))
    return found


def find_lifted_bases(n: int, d: int, links: LinkMode, effort: int) -> tuple[Base, ...]:
    """The lifts that an effort finds for a search at (n, d)."""
    (own, *roots), work = lifted_sizes(n, d, links), effort * NANOSECONDS
    if not roots:
        return _lifts(*own, work)
    share = work * OWN_PART[0] // OWN_PART[1]
    rest = (work - share) // len(roots)
    return (*_lifts(*own, share), *(base for root in roots for base in _lifts(*root, rest)))


@lru_cache(maxsize=1 << 12)
def _lifts(n: int, d: int, links: LinkMode, work: int) -> tuple[Base, ...]:
    """The best lifts of a size by so much work; none where no lifts are looked for."""
    if not 3 <= n <= LARGEST_LIFTED or not 2 <= d < min(n, MOST_PORTS + 1):
        return ()
    first = next(LiftGoal(n=n, d=d, links=links).settings(), None)
    if first is None:
        return ()
    budget = max(1, work // first.work)
    return tuple(found.recipe for found in find_lifts(n, d, links, budget=budget, seed=SEED))


def pool_with_lifts(
    plain: Pools, n: int, d: int, links: LinkMode, lifts: tuple[Base, ...]
) -> list[Candidate]:
    """The candidates kept at (n, d) where there are these lifts; other sizes are those of `plain`.

    >>> lifts = find_lifted_bases(50, 2, LinkMode.SIMPLEX, 1)
    >>> min(c.allgather for c in pool_with_lifts(Pools(), 50, 2, LinkMode.SIMPLEX, lifts))
    Cost(steps=5, bandwidth=Fraction(1, 1))
    """
    own = lifted_sizes(n, d, links)

    def load(n: int, d: int, links: LinkMode) -> list[Candidate] | None:
        return None if (n, d, links) in own else plain.pool(n, d, links)

    pools = Pools(load, Scope(extra=lifts))
    pools.bases.share_evaluations(plain.bases)
    return pools.pool(n, d, links)
