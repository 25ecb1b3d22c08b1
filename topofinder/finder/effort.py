"""Searches that look for lifts and grafts first: `effort`, about in seconds, says how long.

The first second is for all that an effort brings: kernels to load, deferred schedules, and lifts
and grafts for a quarter of it. More effort goes up a ladder, 1, 2, 4 and so on, and keeps what each
step finds, so that it never finds less than half of it does.

At the size asked for, and at those that it is grown from in one way (line graphs, hosts split off),
a search looks for lifts by cyclic groups, with an effort of two or more by others too; for grafts
of those lifts, of lifts at sizes beside, and of the catalogue; up to MOST_FREE nodes for graphs by
annealing from random starts, too. The search grows all of them like others. Its other sources are
the pools without, so that an answer depends on the size and the effort alone: all budgets are
counts of trials and evaluations, and none is time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from expansions.recipe import Base, Recipe
from generators.cayley.catalogue import shipped_digraphs
from topofinder.discovery.grafts.found import FoundGraft
from topofinder.discovery.grafts.free import find_free
from topofinder.discovery.grafts.free_port import find_free_port_grafts
from topofinder.discovery.grafts.free_port_random import MOST_NODES, find_free_port_graphs
from topofinder.discovery.grafts.search import MOST_BASES, find_grafts
from topofinder.discovery.grafts.state import MOST_DEGREE
from topofinder.discovery.grafts.state_kernels import DEAR
from topofinder.discovery.lifts.search import FoundLift, find_lifts
from topofinder.discovery.lifts.settings import MOST_PORTS, LiftGoal
from topofinder.dispatch.kernel import expect_work
from topofinder.finder.base_scope import Scope
from topofinder.finder.cayley_bases import quick_cayley_digraphs
from topofinder.finder.effort_work import (
    GOOD_ENOUGH,
    MOST_FREE,
    EffortStep,
    effort_steps,
    least_time,
    time_bound,
    useful_work,
    worthwhile_work,
)
from topofinder.finder.enumeration import Pools, PoolSize, sources
from topofinder.finder.graft_bases import (
    KnownBase,
    annealed_bases,
    base_time,
    known_bases,
    known_grafts,
    known_lifts,
    neighbour_surpluses,
    rank_bases,
)
from topofinder.finder.odd_sizes import has_free_port
from topofinder.model.candidate import Candidate, LinkMode, cost_lower_bound
from topofinder.model.frontier import useful_candidates

OWN_PART = (3, 5)
"""What the size itself gets of the work where it is grown from others; they share the rest."""
LARGEST_LIFTED = 1 << 14
"""Nodes of the largest lifts that are looked for."""
LARGEST_GRAFTED = 1 << 12
"""Nodes of the largest grafts that are looked for."""
FREE_PART = 4
"""Graphs are annealed from random starts by one of so many parts of the work."""
NEIGHBOURS = 3
"""Sizes beside n where lifts are looked for, to be grafted."""
NEIGHBOUR_PART = 6
"""Each of them takes a part of the work on grafts: one of so many."""
BASE_PART = 4
"""Evaluations that there must be for each base which is grafted; one where loads are dear."""
SHIPPED_PART = 4
"""Where lifts ship, others get one part of so many of the work; else the half."""
NEAR = Fraction(11, 10)
"""No lifts are looked for where a graft is expected to take no more times the lower bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gains:
    """What a search with effort draws on beside the register: base graphs, and other recipes."""

    lifts: tuple[Base, ...] = ()
    grafts: tuple[Recipe, ...] = ()

    @classmethod
    def of(cls, recipes: Iterable[Recipe]) -> "Gains":
        """These recipes, base graphs apart."""
        found = tuple(recipes)
        return cls(
            lifts=tuple(one for one in found if isinstance(one, Base)),
            grafts=tuple(one for one in found if not isinstance(one, Base)),
        )


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


def source_sizes(n: int, d: int, links: LinkMode) -> list[PoolSize]:
    """The `grown_sizes`, and all others that it is grown from by one expansion.

    >>> [size[:2] for size in source_sizes(10, 2, LinkMode.SIMPLEX)]
    [(10, 2), (5, 2), (5, 1), (10, 1)]
    """
    found = [*grown_sizes(n, d, links), *(inner for _, inner in sources(n, d, links))]
    return list(dict.fromkeys(size for size in found if min(size[0] - 1, size[1]) >= 1))


def find_gains(
    n: int,
    d: int,
    links: LinkMode,
    effort: int,
    known: Sequence[Fraction | None] = (),
) -> Gains:
    """What an effort finds for a search at (n, d).

    `known` are the times of an allreduce that can be reached already, in steps of 10 us at 1 MiB
    and 100 Gbps, at the `grown_sizes`: `known_times` tells them. Nothing is looked for where that
    is the lower bound, and less where it is near it.

    >>> gains = find_gains(25, 2, LinkMode.SIMPLEX, 2)
    >>> str(gains.lifts[0])[:8], gains.grafts
    ('Lift(Z5;', ())
    """
    *_, (_, found) = climb_ladder(n, d, links, effort, known)
    return found


def climb_ladder(
    n: int, d: int, links: LinkMode, effort: int, known: Sequence[Fraction | None] = ()
) -> Iterator[tuple[int, Gains]]:
    """The efforts on the way to one, each with what it finds; as `find_gains` otherwise.

    >>> [effort for effort, _ in climb_ladder(9, 2, LinkMode.SIMPLEX, 3)]
    [1, 2, 3]
    """
    sizes = grown_sizes(n, d, links)
    times = dict(zip(sizes, [*known, *[None] * len(sizes)], strict=False))
    if not useful_work(sizes[0], times[sizes[0]], effort):
        yield effort, Gains()
        return
    expect_work()
    found = Gains()
    for step in effort_steps(effort):
        more = _find_step(sizes, times, step)
        found = Gains(
            lifts=tuple(dict.fromkeys((*found.lifts, *more.lifts))),
            grafts=tuple(dict.fromkeys((*found.grafts, *more.grafts))),
        )
        yield step.effort, found


def _find_step(
    sizes: Sequence[PoolSize], times: Mapping[PoolSize, Fraction | None], step: EffortStep
) -> Gains:
    """What a step of the ladder finds at the first of the sizes, and at those it is grown from."""
    n, d, links = sizes[0]
    work = worthwhile_work(sizes[0], times[sizes[0]], step.work(n), step.enough)
    if not work:
        return Gains()
    if has_free_port(n, d, links):
        return _free_port_gains(n, d, work, step)
    others = [size for size in sizes[1:] if worthwhile_work(size, times[size], work, step.enough)]
    share = work * OWN_PART[0] // OWN_PART[1] if others else work
    found = [_gains_at(*sizes[0], share, times[sizes[0]], step)]
    rest = (work - share) // max(len(others), 1)
    found += [_gains_at(*size, rest, times[size], step) for size in others]
    return Gains(
        lifts=tuple(base for one in found for base in one.lifts),
        grafts=tuple(recipe for one in found for recipe in one.grafts),
    )


def known_times(pools: Pools, n: int, d: int, links: LinkMode) -> list[Fraction | None]:
    """What an allreduce takes at the `grown_sizes` so far; None where no search has been there.

    >>> pools = Pools()
    >>> len(pools.pool(12, 2)) > 0
    True
    >>> list(map(str, known_times(pools, 12, 2, LinkMode.SIMPLEX)))
    ['117/5', '20', '66/5']
    """
    return [
        least_time(pools.pool(*size)) if pools.has_pool(*size) else None
        for size in grown_sizes(n, d, links)
    ]


def _gains_at(
    n: int, d: int, links: LinkMode, work: int, least: Fraction | None, step: EffortStep
) -> Gains:
    """Half of the work on lifts, where there are some, the rest on general graphs."""
    general = _is_grafted(n, d)
    own, left = _own_lifts(n, d, links, work, step)
    names = tuple(one.recipe for one in own)
    lifts = (*annealed_bases(n, d, links), *own)
    known = [one.time for one in lifts] + ([] if least is None else [least])
    if not general or (known and min(known) <= GOOD_ENOUGH * time_bound(n, d, links)):
        return Gains(lifts=names)
    free = left // FREE_PART if n <= MOST_FREE else 0
    found = _grafts(n, d, links, left - free, lifts, step)
    if free:
        budget = max(1, free // _evaluation_work(n, d, links))
        found += find_free(n, d, links, budget=budget, seed=step.seed)
    return Gains(lifts=names, grafts=tuple(one.recipe for one in found))


def _free_port_gains(n: int, d: int, work: int, step: EffortStep) -> Gains:
    """Gains where a port is left free: those of one node more, and splittings off of such graphs.

    Both get half of the work; where there are no grafts, the first all. Small graphs are made from
    random starts, too.
    """
    if not _is_grafted(n + 1, d):
        return _gains_at(n + 1, d, LinkMode.DUPLEX, work, None, step)
    free = work // FREE_PART if n <= MOST_NODES else 0
    budget = max(1, free // _evaluation_work(n, d, LinkMode.DUPLEX))
    found = find_free_port_graphs(n, d, budget=budget, seed=step.seed) if free else []
    random = tuple(one.recipe for one in found)
    if n <= MOST_FREE:
        larger = _gains_at(n + 1, d, LinkMode.DUPLEX, work - free, None, step)
        return replace(larger, grafts=(*larger.grafts, *random))
    larger = _split_off_gains(n, d, work - free, step)
    return replace(larger, grafts=(*larger.grafts, *random))


def _split_off_gains(n: int, d: int, work: int, step: EffortStep) -> Gains:
    """Gains at one node more, and grafts with that node split off."""
    larger = n + 1, d, LinkMode.DUPLEX
    own, left = _own_lifts(*larger, work // 2, step)
    lifts = (*annealed_bases(*larger), *own)
    grafts = _grafts(*larger, left, lifts, step)
    bases = [*known_bases(*larger, lifts), *known_grafts(grafts)]
    chosen = sorted(set(bases), key=lambda one: (one.forth.steps, base_time(n + 1, one)))
    known = rank_bases(n + 1, chosen[:MOST_BASES])
    budget = max(1, work // 2 // _evaluation_work(*larger))
    found = find_free_port_grafts(n, d, bases=known, known=known, budget=budget, seed=step.seed)
    return Gains(
        lifts=tuple(one.recipe for one in own),
        grafts=tuple(one.recipe for one in (*grafts, *found)),
    )


def _is_grafted(n: int, d: int) -> bool:
    """Whether graphs without symmetry are looked for."""
    return d <= MOST_DEGREE and n <= LARGEST_GRAFTED


def _own_lifts(
    n: int, d: int, links: LinkMode, work: int, step: EffortStep
) -> tuple[tuple[FoundLift, ...], int]:
    """Lifts and Cayley digraphs that do not ship, and what is left of the work."""
    shipped = any(annealed_bases(n, d, links))
    part = (SHIPPED_PART if shipped else 2) if _is_grafted(n, d) else 1
    own = _lifts(n, d, links, work // part, step)
    quick = () if any(shipped_digraphs(n, d)) else quick_cayley_digraphs(n, d, links)
    return (*own, *quick), work - (work // part if own else 0)


@lru_cache(maxsize=1 << 12)
def _lifts(n: int, d: int, links: LinkMode, work: int, step: EffortStep) -> tuple[FoundLift, ...]:
    """The best lifts of a size by so much work; none where no lifts are looked for."""
    if not 3 <= n <= LARGEST_LIFTED or not 2 <= d < min(n, MOST_PORTS + 1):
        return ()
    first = next(LiftGoal(n=n, d=d, links=links).settings(), None)
    if first is None:
        return ()
    budget = max(1, work // first.work)
    return tuple(find_lifts(n, d, links, budget=budget, seed=step.seed, others=step.others))


def _grafts(
    n: int,
    d: int,
    links: LinkMode,
    work: int,
    lifts: tuple[FoundLift, ...],
    step: EffortStep,
) -> list[FoundGraft]:
    """Grafts of the bases that are likeliest to be good, as many as the budget can try."""
    if not 2 <= d < n - 1 or has_free_port(n, d, links):
        return []
    bases = known_bases(n, d, links, lifts)
    parts = _neighbour_parts(n, d, links, bases)
    for surplus in neighbour_surpluses(n, d, links)[:parts]:
        more = _lifts(n + surplus, d, links, work // NEIGHBOUR_PART, replace(step, before=0))
        bases += known_lifts(more)
    work -= parts * (work // NEIGHBOUR_PART)
    budget = max(1, work // _evaluation_work(n, d, links))
    known = rank_bases(n, bases)
    part = BASE_PART if d < DEAR else 1
    chosen = list(known)[: max(1, min(MOST_BASES, budget // part))]
    return find_grafts(n, d, links, bases=chosen, known=known, budget=budget, seed=step.seed)


def _neighbour_parts(n: int, d: int, links: LinkMode, bases: Sequence[KnownBase]) -> int:
    """At how many sizes lifts are looked for: at none where there are bases as good as it gets."""
    if any(annealed_bases(n + surplus, d, links) for surplus in neighbour_surpluses(n, d, links)):
        return 0
    least = min((base_time(n, one) for one in bases), default=None)
    far = least is None or least > NEAR * time_bound(n, d, links)
    return NEIGHBOURS if far else 0


def _evaluation_work(n: int, d: int, links: LinkMode) -> int:
    """What a full evaluation both ways takes while annealing, about in nanoseconds of one core."""
    load = 75 + n // 32 if d < DEAR else n + 60 * (1 << (d - 4))
    directions = 1 if links is LinkMode.DUPLEX else 2
    return load * directions * (cost_lower_bound(n, d, links).steps + 1) * n


def pool_with_gains(
    plain: Pools,
    n: int,
    d: int,
    links: LinkMode,
    gains: Gains,
    sizes: Sequence[PoolSize] | None = None,
) -> list[Candidate]:
    """The candidates kept at (n, d) where there are these; other sizes are those of `plain`.

    They count at `sizes`, by default the `grown_sizes`. What is kept without them takes part: sizes
    in between keep other candidates with them.

    >>> gains = find_gains(50, 2, LinkMode.SIMPLEX, 2)
    >>> min(c.allgather for c in pool_with_gains(Pools(), 50, 2, LinkMode.SIMPLEX, gains))
    Cost(steps=5, bandwidth=Fraction(1, 1))
    """
    if gains == Gains():
        return plain.pool(n, d, links)
    own = grown_sizes(n, d, links) if sizes is None else sizes

    def load(n: int, d: int, links: LinkMode) -> list[Candidate] | None:
        return None if (n, d, links) in own else plain.pool(n, d, links)

    pools = Pools(load, Scope(extra=gains.lifts, recipes=gains.grafts))
    pools.bases.share_evaluations(plain.bases)
    return useful_candidates([*plain.pool(n, d, links), *pools.pool(n, d, links)])
