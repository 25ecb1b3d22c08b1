"""What several sizes of a collective take together on candidates, each size by its best method.

The time of a candidate is the sum over the sizes of how often each occurs times the least time of
all methods there. Every size is rated by itself first, completely: what is not rated there takes no
less than the least that is. So a candidate has a lower bound in all, and is rated at the sizes that
it lacks only while that is below the least time of those that are rated at every size.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from topofinder.finder.rating import (
    RatedCandidate,
    Rating,
    RatingTask,
    least_time,
    quickest_rows,
    rate_candidate,
    rate_candidate_below,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeShare:
    """A task that occurs `count` times, and its ratings by recipe, complete as said above.

    With `by_steps` it is rated by BFB alone, which is known of every candidate.
    """

    task: RatingTask
    count: int
    rated: Mapping[str, Rating]
    by_steps: bool = False

    def find_rating(self, row: RatedCandidate) -> Rating | None:
        """The rating of a candidate, if there is one."""
        if self.by_steps:
            return rate_candidate(self.task, row)
        return self.rated.get(row.recipe)

    def least(self, row: RatedCandidate) -> Fraction:
        """What a candidate that is not rated takes at least, as often as the size occurs."""
        found = min((rating.seconds for rating in self.rated.values()), default=Fraction())
        return self.count * max(least_time(self.task, row), found)


def rate_over_sizes(
    shares: Sequence[SizeShare], rows: Iterable[RatedCandidate]
) -> dict[str, tuple[Rating, ...]]:
    """Ratings at every size, in their order, of all that are rated at each or may take least.

    The candidates are those of `rows`; the one that takes the least time in all is among them.
    """
    candidates = tuple(rows)
    by_share = [quickest_rows(share.task, candidates) for share in shares]
    found: dict[str, tuple[Rating, ...]] = {}
    open_rows: list[tuple[Fraction, str, Sequence[RatedCandidate]]] = []
    for recipe in by_share[0]:
        alike: Sequence[RatedCandidate] = [each[recipe] for each in by_share]
        known = [share.find_rating(row) for share, row in zip(shares, alike, strict=True)]
        if all(known):
            found[recipe] = tuple(each for each in known if each is not None)
        else:
            open_rows.append((_least_total(shares, alike, known), recipe, alike))
    best = min((total_seconds(shares, each) for each in found.values()), default=None)
    for low, recipe, open_row in sorted(open_rows, key=lambda each: each[:2]):
        if best is not None and low >= best:
            break
        ratings = _rate_missing(shares, open_row, low, best)
        if ratings is not None:
            found[recipe] = ratings
            seconds = total_seconds(shares, ratings)
            best = seconds if best is None else min(best, seconds)
    return found


def total_seconds(shares: Sequence[SizeShare], ratings: Sequence[Rating]) -> Fraction:
    """What all sizes take, as often as they occur."""
    pairs = zip(shares, ratings, strict=True)
    return sum((share.count * rating.seconds for share, rating in pairs), Fraction())


def _least_total(
    shares: Sequence[SizeShare], rows: Sequence[RatedCandidate], known: Sequence[Rating | None]
) -> Fraction:
    return sum(
        (
            share.least(row) if rating is None else share.count * rating.seconds
            for share, row, rating in zip(shares, rows, known, strict=True)
        ),
        Fraction(),
    )


def _rate_missing(
    shares: Sequence[SizeShare],
    rows: Sequence[RatedCandidate],
    low: Fraction,
    best: Fraction | None,
) -> tuple[Rating, ...] | None:
    """The ratings at all sizes; None as soon as they take no less than `best` in all."""
    found = []
    for share, row in zip(shares, rows, strict=True):
        rating = share.find_rating(row)
        if rating is None:
            others = low - share.least(row)
            beat = None if best is None else (best - others) / share.count
            rating = rate_candidate_below(share.task, row, beat)
            if rating is None:
                return None
            low = others + share.count * rating.seconds
            if best is not None and low >= best:
                return None
        found.append(rating)
    return tuple(found)
