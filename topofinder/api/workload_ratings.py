"""Ratings of a workload: its sizes, each by the best method, and the candidate that wins in all."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from db.rating_rows import RatingRow
from db.rows import CandidateRow
from db.store import Store
from reports.frontier import Times
from reports.workload_rating import WorkloadRating
from topofinder.api.search_ratings import RatingRequest, rate_frontier, rating_row
from topofinder.model.workload import Workload

MOST_RATED_SIZES = 4
"""Sizes of a workload that are rated by all methods, those that weigh most; others by BFB alone."""

OtherCandidates = Callable[[], Iterable[CandidateRow]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadSizes:
    """The sizes of a workload: (bytes, how often) of those that are rated, and the rest together.

    Times by BFB are linear in latency and size, so that `rest_bytes` at `rest_count` latencies take
    what the `rest_sizes` other sizes take one by one.
    """

    rated: tuple[tuple[Fraction, int], ...]
    rest_sizes: int = 0
    rest_count: int = 0
    rest_bytes: Fraction = Fraction()


def split_sizes(workload: Workload, most: int = MOST_RATED_SIZES) -> WorkloadSizes:
    """At most so many sizes, the largest first, and the rest.

    A size weighs as much as its bytes and one latency take, as often as it occurs.
    """
    counts: dict[Fraction, int] = {}
    for size, count in workload.sizes:
        counts[size] = counts.get(size, 0) + count

    def weight(size: Fraction) -> tuple[Fraction, Fraction]:
        return counts[size] * (workload.alpha + size / workload.bandwidth), size

    order = sorted(counts, key=weight, reverse=True)
    rest = order[most:]
    return WorkloadSizes(
        rated=tuple((size, counts[size]) for size in sorted(order[:most], reverse=True)),
        rest_sizes=len(rest),
        rest_count=sum(counts[size] for size in rest),
        rest_bytes=sum((counts[size] * size for size in rest), Fraction()),
    )


def is_rated(workload: Workload, methods: Sequence[str]) -> bool:
    """Whether other methods than BFB are asked for, without all-to-alls.

    What lengthens steps is known of steps alone.
    """
    hosts = workload.hosts.beside(workload.bandwidth)
    plain = not workload.exchanges and not hosts.lengthens_steps
    return plain and tuple(methods) != ("bfb",)


def rate_workload(
    request: RatingRequest,
    members: Sequence[CandidateRow],
    others: OtherCandidates,
    store: Store | None,
    most_sizes: int = MOST_RATED_SIZES,
    *,
    by_workers: bool = False,
) -> dict[str, WorkloadRating]:
    """The ratings of the members and of what may be quicker in all, the quickest first.

    Each of the sizes that weigh most is rated as a search of that size alone does it, and stored;
    `others` gives the candidates that take part; `by_workers` as for `rate_frontier`.
    """
    sizes = split_sizes(request.workload, most_sizes)
    by_size = [
        rate_frontier(request.at_size(size), members, others, store, by_workers=by_workers)
        for size, _ in sizes.rated
    ]
    if len(by_size) == 1 and not sizes.rest_sizes:
        return _join_parts(request, sizes, {name: (row,) for name, row in by_size[0].items()}, ())
    rows = tuple(dict.fromkeys([*members, *others()]))
    parts = _rate_over_sizes(request, sizes, by_size, rows)
    if store is not None:
        store.save_ratings(_later_than_known(parts, by_size, rows))
    return _join_parts(request, sizes, parts, rows)


def read_ratings(
    request: RatingRequest,
    members: Sequence[CandidateRow],
    others: OtherCandidates,
    store: Store,
) -> dict[str, WorkloadRating]:
    """What is stored of the same, by whichever methods; empty where a size is not rated."""
    sizes = split_sizes(request.workload)
    by_size: list[Mapping[str, RatingRow]] = []
    for size, _ in sizes.rated:
        stored = store.ratings(request.at_size(size).question, apart=("methods",))
        known = quickest_ratings(stored)
        if any(row.recipe not in known for row in members):
            return {}
        by_size.append(known)
    common = [name for name in by_size[0] if all(name in known for known in by_size)]
    parts = {name: tuple(known[name] for known in by_size) for name in common}
    rows = (*members, *others()) if sizes.rest_sizes else ()
    return _join_parts(request, sizes, parts, rows)


def quickest_ratings(rows: Iterable[RatingRow]) -> dict[str, RatingRow]:
    """Of each recipe the least time, of equal times the one with the closer bound."""
    found: dict[str, RatingRow] = {}
    for row in rows:
        found[row.recipe] = min(found.get(row.recipe, row), row, key=_quickness)
    return found


def _quickness(row: RatingRow) -> tuple[Fraction, Fraction, str]:
    return row.seconds, -row.bound, row.question.methods


def _rate_over_sizes(
    request: RatingRequest,
    sizes: WorkloadSizes,
    by_size: Sequence[Mapping[str, RatingRow]],
    rows: Sequence[CandidateRow],
) -> dict[str, tuple[RatingRow, ...]]:
    from topofinder.finder.rating import Rating
    from topofinder.finder.rating_over_sizes import SizeShare, rate_over_sizes

    requests = [request.at_size(size) for size, _ in sizes.rated]
    shares = [
        SizeShare(
            task=each.task,
            count=count,
            rated={
                name: Rating(recipe=name, method=row.method, seconds=row.seconds, bound=row.bound)
                for name, row in known.items()
            },
        )
        for each, known, (_, count) in zip(requests, by_size, sizes.rated, strict=True)
    ]
    if sizes.rest_sizes:
        task = _rest_request(request, sizes).task
        shares.append(SizeShare(task=task, count=1, rated={}, by_steps=True))
    return {
        name: tuple(
            rating_row(each.question, rating)
            for each, rating in zip(requests, ratings, strict=False)
        )
        for name, ratings in rate_over_sizes(shares, rows).items()
    }


def _later_than_known(
    parts: Mapping[str, Sequence[RatingRow]],
    by_size: Sequence[Mapping[str, RatingRow]],
    rows: Sequence[CandidateRow],
) -> list[RatingRow]:
    """New ratings that do not change which candidate is the first at a size."""
    found = []
    for place, known in enumerate(by_size):
        least = min(row.seconds for row in known.values())
        equals = [name for name, row in known.items() if row.seconds == least]
        for name in parts.keys() - known.keys():
            row = parts[name][place]
            first = first_of_equals([name, *equals], rows)
            if row.seconds > least or (first and first.recipe != name):
                found.append(row)
    return found


def _rest_request(request: RatingRequest, sizes: WorkloadSizes) -> RatingRequest:
    """All other sizes together, by BFB."""
    workload = replace(request.workload, alpha=request.workload.alpha * sizes.rest_count)
    return replace(request, workload=workload, methods=("bfb",)).at_size(sizes.rest_bytes)


def _join_parts(
    request: RatingRequest,
    sizes: WorkloadSizes,
    parts: Mapping[str, Sequence[RatingRow]],
    rows: Sequence[CandidateRow],
) -> dict[str, WorkloadRating]:
    """The ratings of all sizes together, the quickest first; `rows` cost the rest.

    What each collective takes besides is added here: ratings are kept without.
    """
    counts, more = [count for _, count in sizes.rated], request.workload.hosts.overhead
    found = [
        WorkloadRating(
            recipe=name,
            parts=tuple(
                (replace(row, seconds=row.seconds + more, bound=row.bound + more), count)
                for row, count in zip(ratings, counts, strict=True)
            ),
            rest_sizes=sizes.rest_sizes,
        )
        for name, ratings in parts.items()
    ]
    if sizes.rest_sizes:
        found = _add_rest(found, _rest_request(request, sizes), rows, sizes.rest_count * more)
    found.sort(key=lambda rating: (rating.seconds, rating.recipe))
    return {rating.recipe: rating for rating in found}


def _add_rest(
    found: Iterable[WorkloadRating],
    request: RatingRequest,
    rows: Iterable[CandidateRow],
    more: Fraction,
) -> list[WorkloadRating]:
    """With the rest by BFB, which takes `more` seconds besides."""
    from topofinder.finder.rating import quickest_rows, rate_candidate

    task = request.task
    known = quickest_rows(task, rows)
    added = []
    for rating in found:
        rest = rate_candidate(task, known[rating.recipe])
        seconds, bound = rest.seconds + more, rest.bound + more
        added.append(replace(rating, rest_seconds=seconds, rest_bound=bound))
    return added


def choose_winner(
    times: Times, ratings: Mapping[str, WorkloadRating], rows: Iterable[CandidateRow]
) -> Times:
    """The times with the candidate as the best that is the quickest by any method.

    `rows` are looked through for it, up to where all that are equally quick are found.
    """
    least = min((rating.seconds for rating in ratings.values()), default=None)
    if least is None:
        return times
    equals = [name for name, rating in ratings.items() if rating.seconds == least]
    first = first_of_equals(equals, rows)
    return replace(times, best=first or times.best, best_seconds=least)


def first_of_equals(recipes: Iterable[str], rows: Iterable[CandidateRow]) -> CandidateRow | None:
    """Of candidates that take equally long the one that comes first; None where no row is theirs.

    Fewest steps come first, then the least bandwidth time, both of the allgather; then the recipe
    with the fewest operators and base graphs, then its text.
    """
    missing, found = set(recipes), list[CandidateRow]()
    for row in rows:
        if row.recipe in missing:
            missing.remove(row.recipe)
            found.append(row)
        if not missing:
            break
    return found[0] if len(found) == 1 else min(found, key=_rank_among_equals, default=None)


def _rank_among_equals(row: CandidateRow) -> tuple[int, Fraction, int, str]:
    from expansions.parser import parse
    from expansions.recipe import complexity

    return row.steps, row.bandwidth, complexity(parse(row.recipe)), row.recipe
