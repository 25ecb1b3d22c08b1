"""Ratings of a search at one size of data: the members, and what may be quicker than all."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import starmap
from typing import TYPE_CHECKING

from db.rating_rows import RatingQuestion, RatingRow
from db.rows import CandidateRow
from db.store import Store
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import NAMED_RATING_METHODS, Workload

if TYPE_CHECKING:
    from topofinder.finder.rating import Rating, RatingTask

RATING_ENGINE = 5
"""Version of the makers of schedules. It grows whenever a rating can change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRequest:
    """A workload at (n, d), by some methods in a time model."""

    n: int
    d: int
    links: str
    workload: Workload
    model: TimeModel
    methods: tuple[str, ...]

    @property
    def question(self) -> RatingQuestion:
        """Under which the database keeps the ratings of the first size."""
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

    def at_size(self, size: Fraction) -> "RatingRequest":
        """The same for one collective of `size` bytes."""
        workload = replace(self.workload, sizes=((size, 1),), exchanges=())
        return replace(self, workload=workload)

    @property
    def task(self) -> "RatingTask":
        """What a rating of one size is asked for."""
        from topofinder.finder.rating import RatingTask

        asked = self.question
        return RatingTask(
            collective=self.workload.collective,
            alpha=asked.alpha,
            size=asked.size,
            bandwidth=asked.bandwidth,
            model=self.model,
            methods=self.methods,
        )


def read_methods(methods: str | Sequence[str]) -> tuple[str, ...]:
    """Names of methods, in the order of NAMED_RATING_METHODS; InvalidInput for others and for none.

    >>> read_methods("timed,bfb")
    ('bfb', 'timed')
    """
    names = (
        [*(part.strip() for part in methods.split(","))] if isinstance(methods, str) else methods
    )
    for name in names:
        if name not in NAMED_RATING_METHODS:
            known = ", ".join(NAMED_RATING_METHODS)
            raise InvalidInput(f"--methods: some of {known}, not {excerpt(name)}")
    if not names:
        raise InvalidInput(f"--methods: at least one of {', '.join(NAMED_RATING_METHODS)}")
    return tuple(name for name in NAMED_RATING_METHODS if name in names)


def rate_frontier(
    request: RatingRequest,
    members: Iterable[CandidateRow],
    others: Callable[[], Iterable[CandidateRow]],
    store: Store | None,
    *,
    by_workers: bool = False,
) -> dict[str, RatingRow]:
    """The ratings of the members and of what may be quicker than all of them, quickest first.

    What a store holds is looked up; else `others` gives the candidates that take part, and the
    ratings are stored. With `by_workers` those of joblib's backend rate, side by side.
    """
    wanted = tuple(members)
    question = request.question
    known = {} if store is None else {row.recipe: row for row in store.ratings(question)}
    if known and all(row.recipe in known for row in wanted):
        return known
    from topofinder.finder.rating import rate_candidates
    from topofinder.finder.side_by_side import results_by_workers

    results = results_by_workers if by_workers else starmap
    ratings = rate_candidates(request.task, wanted, others(), results)
    found = {recipe: rating_row(question, rating) for recipe, rating in ratings.items()}
    if store is not None:
        store.save_ratings(found.values())
    return found


def rating_row(question: RatingQuestion, rating: "Rating") -> RatingRow:
    """A rating as the database keeps it."""
    return RatingRow(
        question=question,
        recipe=rating.recipe,
        method=rating.method,
        seconds=rating.seconds,
        bound=rating.bound,
    )
