"""Several sizes together: as if each candidate were rated at every one of them."""

from fractions import Fraction

import pytest

from expansions.collective import Collective
from topofinder.api.shared.frontiers import all_candidates
from topofinder.finder.rating import RatingTask, rate_candidate, rate_candidates
from topofinder.finder.rating_over_sizes import SizeShare, rate_over_sizes, total_seconds

SIZES = {1 << 12: 4, 1 << 16: 3, 1 << 20: 1}


def tasks(collective: Collective) -> list[tuple[RatingTask, int]]:
    return [
        (
            RatingTask(
                collective=collective,
                alpha=Fraction(10, 10**6),
                size=Fraction(size),
                bandwidth=Fraction(10**9),
            ),
            count,
        )
        for size, count in SIZES.items()
    ]


@pytest.mark.parametrize("collective", [Collective.ALLGATHER, Collective.REDUCE_SCATTER])
def test_none_that_is_left_out_takes_less_in_all(collective: Collective) -> None:
    rows = all_candidates(8, 2)
    asked = tasks(collective)
    shares = [
        SizeShare(task=task, count=count, rated=rate_candidates(task, rows[:2], rows))
        for task, count in asked
    ]
    found = rate_over_sizes(shares, rows)
    every = {row.recipe: [rate_candidate(task, row) for task, _ in asked] for row in rows}
    totals = {name: total_seconds(shares, ratings) for name, ratings in every.items()}
    assert min(totals[name] for name in found) == min(totals.values())
    for name, ratings in found.items():
        assert list(ratings) == every[name]
    assert {row.recipe for row in rows[:2]} <= set(found)


def test_what_only_bounds_are_known_of_is_rated_where_it_may_win() -> None:
    """The least at each size is another candidate's, and a third one is the best in all."""
    rows = all_candidates(8, 2)
    (small, _), _, (large, _) = tasks(Collective.ALLGATHER)
    of_small, of_large = (rate_candidates(task, rows[:1], rows) for task in (small, large))
    shares = [
        SizeShare(task=small, count=1, rated=of_small),
        SizeShare(task=large, count=1, rated=of_large),
    ]
    apart = set(of_small) ^ set(of_large)
    assert apart  # some candidates are rated at one size only
    found = rate_over_sizes(shares, rows)
    for name in apart - set(found):
        row = next(row for row in rows if row.recipe == name)
        each = [rate_candidate(task, row) for task in (small, large)]
        best = min(total_seconds(shares, ratings) for ratings in found.values())
        assert total_seconds(shares, each) >= best


def test_the_rest_is_costed_in_steps_as_its_sizes_one_by_one() -> None:
    rows = all_candidates(8, 2)
    (one, _), (two, _), (three, _) = tasks(Collective.ALLREDUCE)
    together = RatingTask(
        collective=Collective.ALLREDUCE,
        alpha=5 * one.alpha,
        size=2 * one.size + 3 * two.size,
        bandwidth=one.bandwidth,
        methods=("bfb",),
    )
    shares = [
        SizeShare(task=three, count=1, rated=rate_candidates(three, rows[:2])),
        SizeShare(task=together, count=1, rated={}, by_steps=True),
    ]
    for name, ratings in rate_over_sizes(shares, rows).items():
        row = next(row for row in rows if row.recipe == name)
        cost = row.allreduce
        alone = [cost.runtime(task.alpha, task.size, task.bandwidth) for task in (one, two)]
        assert ratings[1].seconds == 2 * alone[0] + 3 * alone[1]
        assert ratings[1].bound <= ratings[1].seconds
