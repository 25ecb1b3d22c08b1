"""Deferred schedules of the graphs that a search with an effort keeps.

On shortest paths a graph needs no more bandwidth time than breadth-first broadcast takes, and
often much less where it has no symmetry, as grafts have none. So graphs of few steps are worth
more than their breadth-first broadcast says.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import inf
from time import monotonic

from expansions.build import build
from expansions.lower_bounds import least_bandwidth
from expansions.recipe import Application, Base, Recipe
from generators.searched_sizes import are_finds_shipped
from topofinder.discovery.grafts.found import WEIGHT
from topofinder.finder.effort import climb_ladder, known_times, pool_with_gains
from topofinder.finder.effort_work import FIRST_ENOUGH, MOST_FREE, least_time, time_bound
from topofinder.finder.enumeration import Pools
from topofinder.finder.shipped_finds import with_shipped_deferrals
from topofinder.model.candidate import Candidate, LinkMode, Method
from topofinder.model.frontier import useful_candidates
from topofinder.schedules.deferral.least_costs import is_deferred_in_passing, least_costs

MOST_WITH_ONE, MOST = 2, 8
"""Of so many graphs they are at most, with an effort of one and with any."""
FIRST_WORK, MORE_WORK = 1 << 24, 1 << 26
"""The most n^2 d of all of them together, with an effort of one, and more for each with a larger
one: the first is deferred within half a second."""
FEW_STEPS, WASTE = 2, Fraction(21, 20)
"""Where all that take up to so many times the fewest steps take more than so many times the least
bandwidth, the one that takes least is deferred too."""
GAIN = Fraction(1, 200)
"""They are looked for where an allreduce may take less by such a part."""


def pool_with_effort(plain: Pools, n: int, d: int, links: LinkMode, effort: int) -> list[Candidate]:
    """The candidates that a search with an effort keeps: with its finds, and deferred schedules.

    >>> pool = pool_with_effort(Pools(), 41, 2, LinkMode.SIMPLEX, 1)
    >>> min((one.allgather, one.method.value) for one in pool)
    (Cost(steps=6, bandwidth=Fraction(1, 1)), 'deferred')
    """
    return pool_within(plain, n, d, links, effort, inf)[1]


def pool_within(
    plain: Pools, n: int, d: int, links: LinkMode, effort: int, seconds: float
) -> tuple[int, list[Candidate]]:
    """How much of an effort there was time for, one at least, and the candidates that it keeps."""
    end = monotonic() + seconds
    ladder = climb_ladder(n, d, links, effort, known_times(plain, n, d, links))
    reached, gains = next(ladder)
    while monotonic() < end and (higher := next(ladder, None)):
        reached, gains = higher
    return reached, with_deferrals(pool_with_gains(plain, n, d, links, gains), links, reached)


def with_deferrals(pool: Iterable[Candidate], links: LinkMode, effort: int) -> list[Candidate]:
    """The candidates of one size, and deferred schedules of those that may gain by them.

    An effort of one leaves sizes alone that are near the bound, as it does where it looks for
    grafts, and generalized Kautz digraphs, which have one shortest path between most nodes.

    >>> pool = Pools().pool(100, 4)
    >>> with_deferrals(pool, LinkMode.SIMPLEX, 1) == pool
    True
    """
    kept = with_shipped_deferrals(pool, links)
    most = _most_deferred(kept, links, effort)
    if not most or (effort == 1 and _is_near(kept, links)):
        return kept
    offered = kept if effort > 1 else [one for one in kept if not _is_kautz(one.recipe)]
    tried, better = defer_hopeful(offered, min(MOST_WITH_ONE * effort, MOST, most))
    wasteful = _least_wasteful([*kept, *better]) if len(tried) < most else None
    if wasteful is not None and wasteful not in tried:
        better += filter(None, [deferred_candidate(wasteful)])
    return useful_candidates([*kept, *better]) if better else kept


def _most_deferred(pool: list[Candidate], links: LinkMode, effort: int) -> int:
    """How many graphs of a size may be deferred: of large ones few, and none above a limit.

    An effort of one defers none where what it would find ships.
    """
    if not pool or not is_deferred_in_passing(pool[0].n, pool[0].d):
        return 0
    if effort == 1 and are_finds_shipped(pool[0].n, pool[0].d, links.value):
        return 0
    n, d = pool[0].n, pool[0].d
    return (FIRST_WORK if effort == 1 else effort * MORE_WORK) // (n * n * d)


def defer_hopeful(pool: list[Candidate], most: int) -> tuple[list[Candidate], list[Candidate]]:
    """Candidates that may be the quickest of all if deferred, and what is better of these.

    One a graph, the quickest first; `most` are tried, as long as one may be quicker than all are.
    """
    quickest = least_time(pool) or Fraction()
    tried, better = list[Candidate](), list[Candidate]()
    for one in sorted(pool, key=lambda one: (_allreduce_time(one), one.preference())):
        if len(tried) == most:
            break
        if _hope(one) > (1 - GAIN) * quickest or any(one.recipe == it.recipe for it in tried):
            continue
        tried.append(one)
        if (found := deferred_candidate(one)) is not None:
            better.append(found)
            quickest = min(quickest, _allreduce_time(found))
    return tried, better


def _least_wasteful(known: list[Candidate]) -> Candidate | None:
    """The candidate of least bandwidth in few steps, where that is far above the bound."""
    most = FEW_STEPS * min((one.allgather.steps for one in known), default=0)
    few = [one for one in known if one.allgather.steps <= most]
    best = min(few, key=lambda one: (one.allreduce.bandwidth, one.preference()), default=None)
    if best is None or best.method is Method.DEFERRED:
        return None
    least = least_bandwidth(best.n, best.d, two_way=best.two_way)
    return best if best.allreduce.bandwidth > 2 * WASTE * least else None


def _is_near(pool: list[Candidate], links: LinkMode) -> bool:
    """Whether the best allreduce is near the bound, at a size of more than MOST_FREE nodes."""
    quickest = least_time(pool)
    if quickest is None or pool[0].n <= MOST_FREE:
        return quickest is None
    return quickest <= FIRST_ENOUGH * time_bound(pool[0].n, pool[0].d, links)


def _allreduce_time(one: Candidate) -> Fraction:
    """In steps of 10 us, at 1 MiB and 100 Gbps."""
    return one.allreduce.steps + WEIGHT * one.allreduce.bandwidth


def _hope(one: Candidate) -> Fraction:
    """The same, if links were never idle, in as many steps as the graph's diameter."""
    steps = one.diameter or min(one.allgather.steps, one.reduce_scatter.steps)
    return 2 * (steps + WEIGHT * least_bandwidth(one.n, one.d, two_way=one.two_way))


def _is_kautz(recipe: Recipe) -> bool:
    """Whether it is a generalized Kautz digraph, or the transpose of one."""
    if isinstance(recipe, Application) and recipe.symbol == "T":
        [recipe] = recipe.parts
    return isinstance(recipe, Base) and recipe.name == "Pi"


def deferred_candidate(candidate: Candidate) -> Candidate | None:
    """The candidate of a graph's deferred schedule; None where that costs no less than it does."""
    found = evaluate_deferred(candidate.recipe)
    return found if _allreduce_time(found) < _allreduce_time(candidate) else None


def evaluate_deferred(recipe: Recipe) -> Candidate:
    """The candidate of a graph's deferred schedule, with the cost on the graph and its transpose.

    Those of breadth-first broadcast where deferring gains nothing, or the graph is too large for
    it. Raises as `least_costs` does.

    >>> from expansions.parser import parse
    >>> evaluate_deferred(parse("Pi(4,100)")).allgather
    Cost(steps=4, bandwidth=Fraction(86, 75))
    """
    topology = build(recipe)
    two_way, costs = topology.is_bidirectional, least_costs(topology)
    return Candidate(
        recipe=recipe,
        n=topology.n,
        d=topology.degree,
        method=Method.DEFERRED,
        allgather=costs.forth,
        reduce_scatter=costs.back,
        simple=topology.is_simple,
        loop_free=not topology.has_loops,
        two_way=two_way,
        symmetric=two_way,
        diameter=costs.forth.steps,
    )
