"""Ratings of a search: the best method for a workload on each member, and the winner of all."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from db.rating_rows import RatingQuestion, RatingRow
from db.rows import CandidateRow
from db.store import Store
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.frontier import Times
from topofinder.model.chunk_times import TimeModel
from topofinder.model.host_costs import NO_HOST_COSTS
from topofinder.model.workload import RATING_METHODS, Workload

RATING_ENGINE = 1
"""Version of the makers of schedules. It grows whenever a rating can change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRequest:
    """A workload of one size at (n, d), by some methods in a time model."""

    n: int
    d: int
    links: str
    workload: Workload
    model: TimeModel
    methods: tuple[str, ...]

    @property
    def question(self) -> RatingQuestion:
        """Under which the database keeps the ratings."""
        return RatingQuestion(
            n=self.n,
            d=self.d,
            links=self.links,
            collective=self.workload.collective.value,
            model=self.model.value,
            methods=",".join(self.methods),
            alpha=Fraction(self.workload.alpha),
            size=Fraction(self.workload.sizes[0][0]),
            bandwidth=Fraction(self.workload.bandwidth),
            engine=RATING_ENGINE,
        )


def read_methods(methods: str | Sequence[str]) -> tuple[str, ...]:
    """Names of methods, in the order of RATING_METHODS; InvalidInput for others and for none.

    >>> read_methods("timed,bfb")
    ('bfb', 'timed')
    """
    names = (
        [*(part.strip() for part in methods.split(","))] if isinstance(methods, str) else methods
    )
    for name in names:
        if name not in RATING_METHODS:
            known = ", ".join(RATING_METHODS)
            raise InvalidInput(f"--methods: some of {known}, not {excerpt(name)}")
    if not names:
        raise InvalidInput(f"--methods: at least one of {', '.join(RATING_METHODS)}")
    return tuple(name for name in RATING_METHODS if name in names)


def is_rated(workload: Workload, methods: Sequence[str]) -> bool:
    """Whether other methods than BFB are asked for one size without all-to-alls.

    What hosts add is known of steps alone.
    """
    one = len(workload.sizes) == 1 and not workload.exchanges
    one = one and workload.hosts == NO_HOST_COSTS
    return one and tuple(methods) != ("bfb",)


def choose_winner(
    times: Times, ratings: Mapping[str, RatingRow], rows: Iterable[CandidateRow]
) -> Times:
    """The times with the candidate as the best that is the quickest by any method."""
    first = min(ratings.values(), key=lambda row: (row.seconds, row.recipe), default=None)
    if first is None:
        return times
    best = next((row for row in rows if row.recipe == first.recipe), times.best)
    return replace(times, best=best, best_seconds=first.seconds * times.sizes[0][1])


def rate_frontier(
    request: RatingRequest,
    members: Iterable[CandidateRow],
    others: Callable[[], Iterable[CandidateRow]],
    store: Store | None,
) -> dict[str, RatingRow]:
    """The ratings of the members and of what may be quicker than all of them, quickest first.

    What a store holds is looked up; else `others` gives the candidates that take part, and the
    ratings are stored.
    """
    wanted = tuple(members)
    question = request.question
    known = {} if store is None else {row.recipe: row for row in store.ratings(question)}
    if known and all(row.recipe in known for row in wanted):
        return known
    found = _rate(request, question, wanted, others())
    if store is not None:
        store.save_ratings(found.values())
    return found


def _rate(
    request: RatingRequest,
    question: RatingQuestion,
    members: tuple[CandidateRow, ...],
    others: Iterable[CandidateRow],
) -> dict[str, RatingRow]:
    from topofinder.finder.rating import RatingTask, rate_candidates

    task = RatingTask(
        collective=request.workload.collective,
        alpha=question.alpha,
        size=question.size,
        bandwidth=question.bandwidth,
        model=request.model,
        methods=request.methods,
    )
    return {
        recipe: RatingRow(
            question=question,
            recipe=recipe,
            method=rating.method,
            seconds=rating.seconds,
            bound=rating.bound,
        )
        for recipe, rating in rate_candidates(task, members, others).items()
    }
