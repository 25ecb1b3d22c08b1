"""Times by size for a report: the best schedule method on each member of a stored frontier."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache

from db.rating_rows import RatingRow
from db.rows import CandidateRow
from db.store import Store
from reports.size_report import Point, RatedTime
from topofinder.api.search_ratings import RatingRequest, rate_frontier
from topofinder.api.sweep import Progress
from topofinder.api.workload_ratings import quickest_ratings, split_sizes

RATED_SIZES = tuple(Fraction(2**power) for power in (12, 16, 20, 25, 30))
"""Bytes at which a report rates a frontier: 4 KiB, 64 KiB, 1 MiB, 32 MiB and 1 GiB."""


def rate_sizes(
    request: RatingRequest,
    members: Sequence[CandidateRow],
    others: Callable[[], Iterable[CandidateRow]],
    store: Store,
    progress: Progress = lambda done, total: None,
    sizes: Sequence[Fraction] = RATED_SIZES,
) -> None:
    """Rate a frontier at some sizes (bytes); store each as soon as it is known, as a search does.

    What is stored is not made again. `others` are the candidates of the search: ratings count as
    complete for a size only once those have taken part that may be quicker than all members.
    """
    every = cache(lambda: tuple(others()))
    for done, size in enumerate(sizes):
        progress(done, len(sizes))
        rate_frontier(request.at_size(size), members, every, store)
    progress(len(sizes), len(sizes))


def sizes_to_rate(request: RatingRequest) -> tuple[Fraction, ...]:
    """The sizes of a report, and those of its workload that are rated, the least first."""
    asked = (size for size, _ in split_sizes(request.workload).rated)
    return tuple(sorted({*RATED_SIZES, *asked}))


def rated_times(
    request: RatingRequest,
    store: Store,
    frontier: Sequence[Point],
    others: Sequence[Point] = (),
    *,
    any_methods: bool = False,
) -> tuple[RatedTime, ...]:
    """The stored times of the frontier by size, the least size first; empty where there are none.

    A candidate off the frontier comes behind it at the sizes at which it is quicker than all of
    it. Of a candidate that was rated by several choices of methods (`any_methods`) the least time
    counts.
    """
    apart = ("size", "methods") if any_methods else ("size",)
    by_size: dict[Fraction, list[RatingRow]] = {}
    for row in store.ratings(request.question, apart=apart):
        if row.question.size and row.bound:
            by_size.setdefault(row.question.size, []).append(row)
    return tuple(
        time
        for size in sorted(by_size)
        for time in _times_at(quickest_ratings(by_size[size]), frontier, others)
    )


def _times_at(
    ratings: Mapping[str, RatingRow], frontier: Sequence[Point], others: Sequence[Point]
) -> list[RatedTime]:
    rated = [point for point in frontier if point.row.recipe in ratings]
    if not rated:
        return []
    found = [_rated_time(ratings[point.row.recipe], point) for point in rated]
    first = min(ratings.values(), key=lambda row: (row.seconds, row.recipe))
    if first.seconds < min(time.rating.seconds for time in found):
        known = (point for point in others if point.row.recipe == first.recipe)
        found.append(_rated_time(first, next(known, None)))
    return found


def _rated_time(rating: RatingRow, point: Point | None) -> RatedTime:
    if point is None:
        return RatedTime(rating=rating)
    return RatedTime(rating=rating, mark=point.mark, key=point.row.id)
