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

from expansions.recipe import Base, Recipe
from topofinder.discovery.grafts.found import FoundGraft
from topofinder.discovery.grafts.free_port_random import MOST_NODES
from topofinder.discovery.lifts.search import FoundLift
from topofinder.dispatch.kernel import expect_work
from topofinder.finder.base_scope import Scope
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
from topofinder.finder.graft_bases import annealed_bases, known_bases, known_grafts, known_lifts
from topofinder.finder.odd_sizes import has_free_port
from topofinder.finder.size_searches import (
    grafts_by_work,
    is_grafted,
    lifts_by_work,
    line_grafts_by_work,
    may_graft,
    neighbour_lifts,
    quick_digraphs,
    random_graphs,
    split_off_by_work,
)
from topofinder.model.candidate import Candidate, LinkMode
from topofinder.model.frontier import useful_candidates

OWN_PART = (3, 5)
"""What the size itself gets of the work where it is grown from others; they share the rest."""
FREE_PART = 4
"""Graphs are annealed from random starts by one of so many parts of the work."""
LINES_PART = 4
"""Line graphs are grafted by one of so many parts of it."""
SHIPPED_PART = 4
"""Where lifts ship, others get one part of so many of the work; else the half."""


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
    found = [*grown_sizes(n, d, links), *(source.size for source in sources(n, d, links))]
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
    own, left = _own_lifts(n, d, links, work, step)
    names = tuple(one.recipe for one in own)
    lifts = (*annealed_bases(n, d, links), *own)
    known = [one.time for one in lifts] + ([] if least is None else [least])
    if known and min(known) <= GOOD_ENOUGH * time_bound(n, d, links):
        return Gains(lifts=names)
    lines = left // LINES_PART
    found = line_grafts_by_work(n, d, links, lines, min(known, default=None), step.seed)
    left -= lines if found else 0
    general = is_grafted(n, d)
    free = left // FREE_PART if general and n <= MOST_FREE else 0
    if general:
        found += _grafts(n, d, links, left - free, lifts, step)
    if free:
        found += random_graphs(n, d, links, free, step.seed)
    return Gains(lifts=names, grafts=tuple(one.recipe for one in found))


def _free_port_gains(n: int, d: int, work: int, step: EffortStep) -> Gains:
    """Gains where a port is left free: those of one node more, and splittings off of such graphs.

    Both get half of the work; where there are no grafts, the first all. Small graphs are made from
    random starts, too.
    """
    if not is_grafted(n + 1, d):
        return _gains_at(n + 1, d, LinkMode.DUPLEX, work, None, step)
    free = work // FREE_PART if n <= MOST_NODES else 0
    found = random_graphs(n, d, LinkMode.DUPLEX, free, step.seed) if free else []
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
    found = split_off_by_work(n, d, work // 2, bases, step.seed)
    return Gains(
        lifts=tuple(one.recipe for one in own),
        grafts=tuple(one.recipe for one in (*grafts, *found)),
    )


def _own_lifts(
    n: int, d: int, links: LinkMode, work: int, step: EffortStep
) -> tuple[tuple[FoundLift, ...], int]:
    """Lifts and Cayley digraphs that do not ship, and what is left of the work."""
    shipped = any(annealed_bases(n, d, links))
    part = (SHIPPED_PART if shipped else 2) if is_grafted(n, d) else 1
    own = lifts_by_work(n, d, links, work // part, step.seed, step.others)
    return (*own, *quick_digraphs(n, d, links)), work - (work // part if own else 0)


def _grafts(
    n: int,
    d: int,
    links: LinkMode,
    work: int,
    lifts: tuple[FoundLift, ...],
    step: EffortStep,
) -> list[FoundGraft]:
    """Grafts of these lifts, of what is known, and of lifts at sizes beside."""
    if not may_graft(n, d, links):
        return []
    bases = known_bases(n, d, links, lifts)
    beside, left = neighbour_lifts(n, d, links, work, bases, seed=0)
    return grafts_by_work(n, d, links, left, [*bases, *known_lifts(beside)], step.seed)


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
