"""Searches that look for lifts and grafts first: `effort`, about in seconds, says how long.

At the size asked for, and at those that it is grown from in one way (line graphs, hosts split off),
a search looks for lifts by cyclic groups; up to MOST_FREE nodes for graphs by annealing from random
starts, above for grafts of those lifts, of lifts at sizes beside, and of the catalogue. The search
grows all of them like others. Its other sources are the pools without, so that an answer depends on
the size and the effort alone: all budgets are counts of trials and evaluations, and none is time.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from expansions.recipe import Base, Recipe
from expansions.size import size
from generators.cayley.catalogue import shipped_digraphs
from topofinder.discovery.grafts.found import WEIGHT
from topofinder.discovery.grafts.free import find_free
from topofinder.discovery.grafts.search import FEW_TRIES, MOST_BASES, find_grafts
from topofinder.discovery.grafts.state import MOST_DEGREE
from topofinder.discovery.lifts.search import FoundLift, find_lifts
from topofinder.discovery.lifts.settings import MOST_PORTS, LiftGoal
from topofinder.finder.base_scope import Scope
from topofinder.finder.cayley_bases import quick_cayley_digraphs
from topofinder.finder.enumeration import Pools, PoolSize
from topofinder.finder.graft_bases import base_time, known_bases, neighbour_surpluses, rank_bases
from topofinder.finder.odd_sizes import has_free_port
from topofinder.model.candidate import Candidate, LinkMode, cost_lower_bound
from topofinder.model.frontier import useful_candidates

NANOSECONDS = 10**9
"""Work of one effort, in the unit of `LiftSetting.work`."""
OWN_PART = (3, 5)
"""What the size itself gets of the work where it is grown from others; they share the rest."""
LARGEST_LIFTED = 1 << 14
"""Nodes of the largest lifts that are looked for."""
LARGEST_GRAFTED = 1 << 12
"""Nodes of the largest grafts that are looked for."""
MOST_FREE = 64
"""Nodes up to which annealing from random starts is better than grafts."""
NEIGHBOURS = 3
"""Sizes beside n where lifts are looked for, to be grafted."""
NEIGHBOUR_PART = 6
"""Each of them takes a part of the work on grafts: one of so many."""
NEAR = Fraction(11, 10)
"""No lifts are looked for where a graft is expected to take no more times the lower bound."""
GOOD_ENOUGH = Fraction(51, 50)
"""A graft gains little where an allreduce takes no more than so many times its lower bound."""
SEED = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gains:
    """What a search with effort draws on beside the register: base graphs, and other recipes."""

    lifts: tuple[Base, ...] = ()
    grafts: tuple[Recipe, ...] = ()


def grown_sizes(n: int, d: int, links: LinkMode) -> list[PoolSize]:
    """The size itself, and those that it is grown from: of line graphs, and with one host more.

    >>> [size[0] for size in grown_sizes(100, 2, LinkMode.SIMPLEX)]
    [100, 50, 25]
    >>> [size[0] for size in grown_sizes(99, 3, LinkMode.DUPLEX)]
    [99, 100]
    """
    found = [(n, d, links)]
    if links is LinkMode.SIMPLEX and d > 1:
        while n % d == 0 and n // d > d:
            n //= d
            found.append((n, d, links))
    elif has_free_port(n, d, links):
        found.append((n + 1, d, links))
    return found


def find_gains(
    n: int, d: int, links: LinkMode, effort: int, least: Fraction | None = None
) -> Gains:
    """What an effort finds for a search at (n, d) that can do an allreduce in `least` already.

    In steps of 10 us at 1 MiB and 100 Gbps, as `least_time` tells. Nothing is looked for where that
    is the lower bound.

    >>> gains = find_gains(25, 2, LinkMode.SIMPLEX, 1)
    >>> str(gains.lifts[0])[:8], gains.grafts
    ('Lift(Z5;', ())
    """
    if least is not None and least <= time_bound(n, d, links):
        return Gains()
    (own, *others), work = grown_sizes(n, d, links), effort * NANOSECONDS
    if has_free_port(n, d, links):
        return _gains_at(*others[0], work, None)
    if not others:
        return _gains_at(*own, work, least)
    share = work * OWN_PART[0] // OWN_PART[1]
    rest = (work - share) // len(others)
    found = [_gains_at(*own, share, least)]
    found += [_gains_at(*other, rest, None) for other in others]
    return Gains(
        lifts=tuple(base for one in found for base in one.lifts),
        grafts=tuple(recipe for one in found for recipe in one.grafts),
    )


def least_time(pool: Iterable[Candidate]) -> Fraction | None:
    """What an allreduce takes on the best of some candidates, in steps of 10 us (1 MiB, 100 Gbps).

    None where there are none.

    >>> str(least_time(Pools().pool(8, 2)))
    '207/10'
    """
    times = [
        one.allgather.steps
        + one.reduce_scatter.steps
        + WEIGHT * (one.allgather.bandwidth + one.reduce_scatter.bandwidth)
        for one in pool
    ]
    return min(times, default=None)


def time_bound(n: int, d: int, links: LinkMode) -> Fraction:
    """The lower bound of an allreduce, in the same unit.

    >>> str(time_bound(8, 2, LinkMode.SIMPLEX))
    '207/10'
    """
    bound = cost_lower_bound(n, d, links)
    return 2 * (bound.steps + WEIGHT * bound.bandwidth)


def _gains_at(n: int, d: int, links: LinkMode, work: int, least: Fraction | None) -> Gains:
    """Half of the work on lifts, where there are some, the rest on general graphs."""
    general = d <= MOST_DEGREE and n <= LARGEST_GRAFTED
    lifts = _lifts(n, d, links, work // 2 if general else work)
    lifts += () if any(shipped_digraphs(n, d)) else quick_cayley_digraphs(n, d, links)
    names = tuple(one.recipe for one in lifts)
    known = [one.time for one in lifts] + ([] if least is None else [least])
    if not general or (known and min(known) <= GOOD_ENOUGH * time_bound(n, d, links)):
        return Gains(lifts=names)
    work -= work // 2 if _lifts(n, d, links, work // 2) else 0
    if n <= MOST_FREE:
        found = find_free(n, d, links, budget=max(1, work // _evaluation_work(n, d, links)))
        return Gains(lifts=names, grafts=tuple(one.recipe for one in found))
    return Gains(lifts=names, grafts=_grafts(n, d, links, work, lifts))


@lru_cache(maxsize=1 << 12)
def _lifts(n: int, d: int, links: LinkMode, work: int) -> tuple[FoundLift, ...]:
    """The best lifts of a size by so much work; none where no lifts are looked for."""
    if not 3 <= n <= LARGEST_LIFTED or not 2 <= d < min(n, MOST_PORTS + 1):
        return ()
    first = next(LiftGoal(n=n, d=d, links=links).settings(), None)
    if first is None:
        return ()
    return tuple(find_lifts(n, d, links, budget=max(1, work // first.work), seed=SEED))


def _grafts(
    n: int, d: int, links: LinkMode, work: int, lifts: tuple[FoundLift, ...]
) -> tuple[Recipe, ...]:
    """Grafts of the bases that are likeliest to be good, as many as the budget can try."""
    if d < 2 or has_free_port(n, d, links):
        return ()
    bases = known_bases(n, d, links, lifts)
    parts = _neighbour_parts(n, d, links, bases)
    for surplus in neighbour_surpluses(n, d, links)[:parts]:
        bases += _lifts(n + surplus, d, links, work // NEIGHBOUR_PART)
    work -= parts * (work // NEIGHBOUR_PART)
    budget = max(1, work // _evaluation_work(n, d, links))
    known = rank_bases(n, bases)
    chosen = _affordable(n, known, budget // 3)
    found = find_grafts(n, d, links, bases=chosen, known=known, budget=budget, seed=SEED)
    return tuple(one.recipe for one in found)


def _neighbour_parts(n: int, d: int, links: LinkMode, bases: Sequence[FoundLift]) -> int:
    """At how many sizes lifts are looked for: at none where there are bases as good as it gets."""
    least = min((base_time(n, one) for one in bases), default=None)
    far = least is None or least > NEAR * time_bound(n, d, links)
    return NEIGHBOURS if far else 0


def _affordable(n: int, ranked: Iterable[Recipe], budget: int) -> list[Recipe]:
    """The first bases, as many as can be edited with few tries; one in any case."""
    chosen: list[Recipe] = []
    for base in ranked:
        budget -= 2 + FEW_TRIES * abs(size(base).n - n)
        if chosen and (budget < 0 or len(chosen) == MOST_BASES):
            break
        chosen.append(base)
    return chosen


def _evaluation_work(n: int, d: int, links: LinkMode) -> int:
    """What a full evaluation both ways takes while annealing, about in nanoseconds of one core."""
    load = 150 + n // 8 if d <= 4 else 50 * (1 << (d - 2)) + n
    directions = 1 if links is LinkMode.DUPLEX else 2
    return load * directions * (cost_lower_bound(n, d, links).steps + 1) * n


def pool_with_gains(plain: Pools, n: int, d: int, links: LinkMode, gains: Gains) -> list[Candidate]:
    """The candidates kept at (n, d) where there are these; other sizes are those of `plain`.

    What is kept without them takes part: sizes in between keep other candidates with them.

    >>> gains = find_gains(50, 2, LinkMode.SIMPLEX, 1)
    >>> min(c.allgather for c in pool_with_gains(Pools(), 50, 2, LinkMode.SIMPLEX, gains))
    Cost(steps=5, bandwidth=Fraction(1, 1))
    """
    if gains == Gains():
        return plain.pool(n, d, links)
    own = grown_sizes(n, d, links)

    def load(n: int, d: int, links: LinkMode) -> list[Candidate] | None:
        return None if (n, d, links) in own else plain.pool(n, d, links)

    pools = Pools(load, Scope(extra=gains.lifts, recipes=gains.grafts))
    pools.bases.share_evaluations(plain.bases)
    return useful_candidates([*plain.pool(n, d, links), *pools.pool(n, d, links)])
