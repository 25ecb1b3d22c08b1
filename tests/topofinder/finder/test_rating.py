"""Ratings by the best method: each as if it were rated alone, and only bounds leave some out."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from joblib import parallel_config

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.errors import InvalidInput
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.api.shared.frontiers import all_candidates
from topofinder.finder.rating import (
    RatingTask,
    _rate_forest,
    bfb_seconds,
    least_time,
    rate_candidate,
    rate_candidate_below,
    rate_candidates,
)
from topofinder.finder.side_by_side import results_by_workers
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.timetables.portfolio import synthesize
from topofinder.timetables.task import TimedTask


def task(collective: Collective = Collective.ALLGATHER, size: int = 1 << 16) -> RatingTask:
    return RatingTask(
        collective=collective,
        alpha=Fraction(10, 10**6),
        size=Fraction(size),
        bandwidth=Fraction(10**9),
    )


@pytest.mark.parametrize(
    ("collective", "n"), [(Collective.ALLGATHER, 12), (Collective.ALLREDUCE, 9)]
)
@pytest.mark.parametrize("size", [1 << 12, 1 << 22])
def test_none_that_is_left_out_is_quicker(collective: Collective, n: int, size: int) -> None:
    rows = all_candidates(n, 2)
    asked = task(collective, size)
    members = rows[:2]
    found = rate_candidates(asked, members, rows)
    assert {row.recipe for row in members} <= set(found) < {row.recipe for row in rows}
    every = {row.recipe: rate_candidate(asked, row) for row in rows}
    best = min(rating.seconds for rating in every.values())
    assert next(iter(found.values())).seconds == best
    for rating in every.values():
        assert rating.bound <= rating.seconds
    for row in rows:
        assert least_time(asked, row) <= every[row.recipe].seconds


def test_what_broadcast_is_quickest_on_is_rated_first() -> None:
    asked, rows = task(Collective.ALLREDUCE, 1 << 20), all_candidates(16, 4)
    rated: list[str] = []

    def results(function: Callable[..., Any], each: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        for arguments in each:
            rated.append(arguments[1].recipe)
            yield function(*arguments)

    found = rate_candidates(asked, rows[-1:], rows, results)
    seconds = {row.recipe: bfb_seconds(asked, row) for row in rows}
    least = {row.recipe: least_time(asked, row) for row in rows}
    others = [one for one in dict.fromkeys(rated) if one != rows[-1].recipe]
    assert others == sorted(others, key=lambda one: (least[one], seconds[one]))
    assert len(others) < len(rows) // 2
    best = next(iter(found.values()))
    assert best.seconds == best.bound


@pytest.mark.parametrize("methods", [("bfb", "timed"), ("bfb", "timed", "forest")])
def test_below_a_time_that_is_not_beaten_there_is_none(methods: tuple[str, ...]) -> None:
    asked = replace(task(Collective.ALLREDUCE), methods=methods)
    for row in all_candidates(6, 2)[:2]:
        rating = rate_candidate(asked, row)
        assert rate_candidate_below(asked, row, rating.seconds + Fraction(1, 10**9)) == rating
        below = rate_candidate_below(asked, row, rating.seconds)
        assert below is None if len(methods) == 2 else below in (None, rating)


def test_the_time_is_that_of_the_timetable() -> None:
    row = next(row for row in all_candidates(16, 4) if row.recipe == "C(16,{3,4})")
    asked = task()
    rating = rate_candidate(asked, row)
    made = synthesize(
        TimedTask(
            topology=build(parse(row.recipe)),
            collective=Collective.ALLGATHER,
            size=asked.size,
            units=LinkUnits(latency=asked.alpha, rate=asked.bandwidth / 4),
            tries=1,
        )
    )
    assert rating.method == f"timed: {made.timetable.method}"
    assert rating.seconds == made.timetable.seconds
    assert rating.gap == rating.seconds / rating.bound - 1


def test_bfb_alone_is_what_the_cost_says() -> None:
    asked = RatingTask(
        collective=Collective.ALLREDUCE,
        alpha=Fraction(1),
        size=Fraction(16),
        bandwidth=Fraction(1),
        methods=("bfb",),
    )
    row = all_candidates(16, 4)[0]
    rating = rate_candidate(asked, row)
    assert (rating.method, rating.seconds) == ("bfb", row.allreduce.runtime(1, 16, 1))


@pytest.mark.parametrize("collective", [Collective.ALLGATHER, Collective.ALLREDUCE])
def test_ratings_by_workers_are_those_one_by_one(collective: Collective) -> None:
    """Also where one that comes later is quicker than all before it."""
    rows = [replace(row, diameter=1) for row in all_candidates(9, 2)]
    asked = replace(task(collective), methods=("bfb",))
    slow = max(rows, key=lambda row: bfb_seconds(asked, row))
    alone = rate_candidates(asked, [slow], rows)
    with parallel_config(backend="threading"):
        together = rate_candidates(asked, [slow], rows, results_by_workers)
    assert list(together.items()) == list(alone.items())
    assert len(alone) > 1


def test_refuses_unknown_methods() -> None:
    for methods, line in (((), "--methods: some of"), (("ring",), "not 'ring'")):
        with pytest.raises(InvalidInput, match=line):
            RatingTask(
                collective=Collective.ALLREDUCE,
                alpha=Fraction(1),
                size=Fraction(1),
                bandwidth=Fraction(1),
                model=TimeModel.OCCUPIED,
                methods=methods,
            )
    with pytest.raises(InvalidInput, match="--collective: allgather, reduce-scatter, allreduce"):
        task(Collective.BROADCAST)


@pytest.mark.parametrize("model", TimeModel)
@pytest.mark.parametrize("collective", [Collective.ALLGATHER, Collective.ALLREDUCE])
def test_forests_are_rated_by_what_schedule_says(model: TimeModel, collective: Collective) -> None:
    asked = replace(
        task(collective, 1 << 26), methods=("forest", "bfb"), model=model, alpha=Fraction(1, 10**4)
    )
    row = all_candidates(9, 4)[0]
    made = make_forest(build(parse(row.recipe)), ForestOptions(collective=collective))
    transfer = Transfer(
        size=asked.size, alpha=asked.alpha, bandwidth=asked.bandwidth, model=asked.model
    )
    best = forest_time(made, transfer).best
    assert _rate_forest(asked, made.topology) == ("forest", best)
    assert best is not None
    assert rate_candidate(asked, row).seconds <= best
