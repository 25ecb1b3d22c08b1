"""What a report of one size needs: from the database, or worked out where it is missing."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import chain
from os import PathLike

from db.rows import CandidateRow, SizeRow
from db.store import Store
from db.throughput_rows import ThroughputRow
from expansions.build import build
from expansions.collective import Collective
from expansions.cost import Cost
from expansions.parser import parse
from generators.errors import InvalidInput, Unsupported
from reports.baselines import BaselineRow
from reports.frontier import LeftOut
from reports.mapped_baselines import MappedTable
from reports.size_report import (
    Failing,
    LimitedPoint,
    Point,
    Reach,
    Rival,
    SizeReport,
    WorkloadSummary,
)
from reports.workload_rating import WorkloadRating
from topofinder.api.report_ratings import rate_sizes, rated_times, sizes_to_rate
from topofinder.api.report_wirings import (
    chosen_times,
    steps_drawing,
    trees_of_best,
    wiring_drawing,
)
from topofinder.api.search_ratings import RatingRequest, read_methods
from topofinder.api.shared.allreduce_bounds import recipe_record
from topofinder.api.shared.candidate_rows import candidate_row
from topofinder.api.shared.forest_times import Transfer
from topofinder.api.shared.frontiers import all_candidates, search_size
from topofinder.api.shared.left_out import left_out
from topofinder.api.shared.stored_throughputs import stored_rates
from topofinder.api.sweep import Progress
from topofinder.api.train_records import readable_trainings
from topofinder.api.workload_ratings import first_of_equals, rate_workload, read_ratings
from topofinder.finder.base_scope import Scope
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode, cost_lower_bound
from topofinder.model.frontier import frontier
from topofinder.model.quickest_by_size import envelope
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import RATING_METHODS, Workload
from topofinder.schedules.baselines.register import baselines_at

DRAWN = 1 << 14
"""Largest number of hosts whose graph is built to be drawn."""

FEW_FAILING, ALIKE_FAILING = 32, 128
"""Largest numbers of hosts that failures are rated of: any, and such that are alike."""

FEW_MAPPED = 256
"""Largest number of hosts that customary collectives are mapped on, which takes seconds."""

USUAL = Workload(
    alpha=Fraction(1, 10**5),
    bandwidth=Fraction(100 * 10**9, 8),
    sizes=((Fraction(2**20), 1),),
)
"""The workload of the paper's table 4: allreduce of 1 MiB, 10 us a hop, 100 Gbps a host."""


def size_report(
    n: int,
    d: int,
    links: LinkMode | str = LinkMode.SIMPLEX,
    db: str | PathLike[str] = ":memory:",
    workload: Workload | None = None,
    *,
    methods: Sequence[str] | None = None,
    model: TimeModel = TimeModel.PIPELINED,
    progress: Progress = lambda done, total: None,
) -> SizeReport:
    """The report of one size; a frontier that is not stored is searched for and stored.

    With `methods` the frontier is rated by the best of them at some sizes, which `progress` counts,
    in a time `model`; without, only ratings that are stored are told. Raises InvalidInput for
    impossible sizes, unknown methods and files that are no topofinder database.

    >>> size_report(16, 4).best
    'F1'
    """
    found = search_size(n, d, links, db)
    asked = asked_of(workload)
    request = RatingRequest(
        n=n,
        d=d,
        links=LinkMode(links).value,
        workload=workload or USUAL,
        model=model,
        methods=read_methods(RATING_METHODS if methods is None else methods),
    )
    with Store(db) as store:
        stored = store.identities(n, d, str(links))
        ours, others = _mark_points(found, asked, stored)
        published = _points("P", _published_frontier(n, d, LinkMode(links)), stored)
        rates = stored_rates(store, [point.row.recipe for point in (*ours, *others, *published)])
        names = found.frontier.names
        ours, others, published = (
            _with_rates(some, rates, names) for some in (ours, others, published)
        )
        reaches = _reaches([*ours, *others], asked)
        best = min((*ours, *others), key=lambda point: asked.seconds(asked.cost(point.row)))
        every = cache(partial(all_candidates, n, d, links, db))
        members = found.frontier.members
        if methods is not None:
            sizes = sizes_to_rate(request)
            rate_sizes(request, members, every, store, progress, sizes)
            ratings = rate_workload(request, members, every, store)
        else:
            ratings = read_ratings(request, members, every, store)
        winner, others = _mark_choice(ratings, ours, others, (found.pool or (), every), stored)
        rated = rated_times(request, store, ours, others, any_methods=methods is None)
        named = dict.fromkeys([*(reach.mark for reach in reaches), best.mark])
        named |= dict.fromkeys([winner.mark] if winner else [])
        chosen = [point for mark in named for point in (*ours, *others) if point.mark == mark]
        plans = [plan for point in chosen for plan in store.plans(recipe=point.row.recipe)]
        trainings = readable_trainings(store, n, d, LinkMode(links).value)
    bound = cost_lower_bound(n, d, LinkMode(links))
    wirings = tuple(map(wiring_drawing, chosen)) if n <= DRAWN else ()
    return SizeReport(
        n=n,
        d=d,
        links=str(links),
        bound=bound,
        least=least_cost(bound, asked.collective),
        asked=asked,
        frontier=ours,
        others=others,
        published=published,
        rivals=_rivals(n, d, workload or USUAL),
        reaches=reaches,
        best=best.mark,
        wirings=wirings,
        plans=tuple(plan for plan in plans if (plan.n, plan.d) == (n, d)),
        left_out=LeftOut(recipes=tuple(map(str, left_out(n, d, LinkMode(links))))),
        rated=rated,
        model=model.value,
        chosen=ratings[winner.row.recipe] if winner else None,
        chosen_mark=winner.mark if winner else "",
        trainings=tuple(trainings),
        failing=_rate_failing(ours, LinkMode(links)),
        limited=tuple(_limit_points(ours)),
        mapped=_map_baselines(best, asked),
        steps=steps_drawing(best, wirings),
        trees=trees_of_best(best),
        times=chosen_times(winner.mark, ratings[winner.row.recipe]) if winner else None,
    )


def asked_of(workload: Workload | None) -> WorkloadSummary:
    """The workload as a report tells it; the usual one where none is given."""
    given = workload or USUAL
    return WorkloadSummary(
        collective=given.collective.value,
        alpha=given.alpha,
        bandwidth=given.bandwidth,
        sizes=given.sizes,
        assumed=workload is None,
    )


def _mark_points(
    found: SizeRow, asked: WorkloadSummary, stored: frozenset[str]
) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """The frontier, and of the rest of the pool what is the quickest at some size."""
    members = found.frontier.members
    rest = [row for row in found.pool or () if row not in members]
    spans = envelope(
        ((asked.cost(row), row) for row in (*members, *rest)), asked.alpha, asked.bandwidth
    )
    quick = [span.choice for span in spans if span.choice not in members]
    return _points("F", members, stored), _points("A", quick, stored)


def _mark_choice(
    ratings: Mapping[str, WorkloadRating],
    ours: tuple[Point, ...],
    others: tuple[Point, ...],
    rest: tuple[Iterable[CandidateRow], Callable[[], Iterable[CandidateRow]]],
    stored: frozenset[str],
) -> tuple[Point | None, tuple[Point, ...]]:
    """The candidate that is the quickest by any method, and the others with it.

    It is looked for among those that are listed, then among the pool and all of a search (`rest`).
    """
    least = min((rating.seconds for rating in ratings.values()), default=None)
    equals = [name for name, rating in ratings.items() if rating.seconds == least]
    listed = [point.row for point in (*ours, *others)]
    pool, every = rest
    rows = chain(listed, pool, (row for some in [every] for row in some()))
    first = first_of_equals(equals, rows) if equals else None
    if first is None:
        return None, others
    for point in (*ours, *others):
        if point.row.recipe == first.recipe:
            return point, others
    added = Point(mark=f"A{len(others) + 1}", row=first, stored=first.id in stored)
    return added, (*others, added)


def _points(letter: str, rows: Iterable[CandidateRow], stored: frozenset[str]) -> tuple[Point, ...]:
    return tuple(
        Point(mark=f"{letter}{place}", row=row, stored=row.id in stored)
        for place, row in enumerate(rows, 1)
    )


def _with_rates(
    points: Sequence[Point], rates: Mapping[str, ThroughputRow], names: Mapping[str, str]
) -> tuple[Point, ...]:
    """The points with what is known of their recipes: throughputs, and names."""
    return tuple(
        replace(point, rate=rates.get(point.row.recipe), name=names.get(point.row.recipe, ""))
        for point in points
    )


def _published_frontier(n: int, d: int, links: LinkMode) -> list[CandidateRow]:
    """The frontier of the published method: its families, theorems alone."""
    pools = Pools(scope=Scope(published=True))
    return [candidate_row(candidate, links) for candidate in frontier(pools.pool(n, d, links))]


def _reaches(points: Sequence[Point], asked: WorkloadSummary) -> tuple[Reach, ...]:
    choices = ((asked.cost(point.row), point.mark) for point in points)
    spans = envelope(choices, asked.alpha, asked.bandwidth)
    return tuple(Reach(least=span.least, most=span.most, mark=span.choice) for span in spans)


def _rivals(n: int, d: int, workload: Workload) -> tuple[Rival, ...]:
    """The baselines that have a schedule for the collective, the quickest first."""
    found = []
    for baseline, base in baselines_at(n, d):
        try:
            costs = baseline.costs(base, workload.collective)
        except Unsupported:
            continue
        once = baseline.cost(base) if baseline.cost else None
        seconds = sum(
            count * min(cost.runtime(workload.alpha, size, workload.bandwidth) for cost in costs)
            for size, count in workload.sizes
        )
        found.append((Fraction(seconds), baseline.name, str(base), once, costs))
    found.sort(key=lambda one: one[:3])
    return tuple(
        Rival(
            mark=f"B{place}",
            row=BaselineRow(
                name=name,
                recipe=recipe,
                collective=workload.collective.value,
                cost=costs[0] if len(costs) == 1 else None,
                seconds=seconds,
            ),
            allgather=once,
            costs=costs,
        )
        for place, (seconds, name, recipe, once, costs) in enumerate(found, 1)
    )


def _rate_failing(points: Iterable[Point], links: LinkMode) -> tuple[Failing, ...]:
    """What an allreduce takes after failures, of the points that are rated quickly."""
    from topofinder.api.failure_costs import FailureCostsByRecipe

    costs, found = FailureCostsByRecipe(links), []
    for point in points:
        if point.row.n <= FEW_FAILING or (point.row.n <= ALIKE_FAILING and _is_alike(point)):
            with suppress(InvalidInput):  # a single host
                found.append(Failing(mark=point.mark, after=costs.row(point.row.recipe)))
    return tuple(found)


def _limit_points(points: Iterable[Point]) -> Iterator[LimitedPoint]:
    for point in points:
        limits = recipe_record(parse(point.row.recipe))
        if limits is not None:
            yield LimitedPoint(mark=point.mark, limits=limits)


def _map_baselines(point: Point, asked: WorkloadSummary) -> MappedTable | None:
    """Customary collectives on a wiring, timed for a workload of one size."""
    from topofinder.api.mapped_baselines import compare_baselines

    if not 1 < point.row.n <= FEW_MAPPED:
        return None
    transfer = None
    if len(asked.sizes) == 1:
        size, _ = asked.sizes[0]
        transfer = Transfer(size=size, alpha=asked.alpha, bandwidth=asked.bandwidth)
    return compare_baselines(point.row.recipe, asked.collective, transfer).table


def _is_alike(point: Point) -> bool:
    """Whether translations make all hosts alike, so that few failures stand for all."""
    return build(parse(point.row.recipe)).translation is not None


def least_cost(bound: Cost, collective: str) -> Cost:
    """The lower bound of a collective, from that of an allgather."""
    return bound + bound if collective == Collective.ALLREDUCE else bound
