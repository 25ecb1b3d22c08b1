"""Ratings of a workload: which sizes are rated, what is stored, and who wins among equals."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from db.rating_rows import RatingRow
from db.rows import CandidateRow
from db.store import Store
from expansions.collective import Collective
from reports.workload_rating import WorkloadRating, rating_fields, size_lines
from tests.rated import row
from topofinder.api.search_ratings import RatingRequest, rate_frontier
from topofinder.api.search_records import frontier_times
from topofinder.api.shared.frontiers import all_candidates, search_size
from topofinder.api.workload_ratings import (
    choose_winner,
    first_of_equals,
    rate_workload,
    read_ratings,
    split_sizes,
)
from topofinder.finder.rating import rate_candidate
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import RATING_METHODS, Workload

WORK = Workload(
    alpha=Fraction(1, 10**5),
    bandwidth=Fraction(12_500_000_000),
    sizes=((Fraction(2**12), 40), (Fraction(2**18), 2), (Fraction(2**22), 1)),
    collective=Collective.ALLGATHER,
)
REQUEST = RatingRequest(
    n=8, d=2, links="simplex", workload=WORK, model=TimeModel.PIPELINED, methods=RATING_METHODS
)


def every() -> list[CandidateRow]:
    return all_candidates(8, 2)


def rated(recipe: str, seconds: int) -> WorkloadRating:
    rating = RatingRow(
        question=REQUEST.at_size(Fraction(1)).question,
        recipe=recipe,
        method="bfb",
        seconds=Fraction(seconds),
        bound=Fraction(1),
    )
    return WorkloadRating(recipe=recipe, parts=((rating, 1),))


def test_among_equals_steps_count_then_bandwidth_then_the_simpler_recipe_then_its_text() -> None:
    order = [
        row("K(5)", 2, Fraction(2)),
        row("K(4)", 3, Fraction(1)),
        row("Diamond", 3, Fraction(2)),
        row("K(7)", 3, Fraction(2)),
        row("L(K(6))", 3, Fraction(2)),
        row("L(K(4)) x K(2)", 3, Fraction(2)),
    ]
    for place, first in enumerate(order):
        rest = order[place:]
        assert first_of_equals([each.recipe for each in rest], reversed(order)) == first
    assert first_of_equals(["K(9)"], order) is None


def test_the_winner_of_equals_does_not_depend_on_the_text_of_its_recipe() -> None:
    rows = [row("K(9)", 2), row("C(9,{1})", 3), row("B", 9)]
    times = frontier_times(search_size(8, 2), WORK)
    ratings = {each.recipe: rated(each.recipe, 5) for each in rows[:2]} | {"B": rated("B", 6)}
    chosen = choose_winner(times, ratings, iter(rows))
    assert (chosen.best, chosen.best_seconds) == (rows[0], 5)


sizes = st.lists(
    st.tuples(st.integers(1, 30).map(Fraction), st.integers(1, 9)), min_size=1, max_size=12
)


@given(sizes=sizes, most=st.integers(1, 5))
def test_the_sizes_that_weigh_most_are_rated_and_none_is_lost(
    sizes: list[tuple[Fraction, int]], most: int
) -> None:
    work = Workload(alpha=Fraction(3), bandwidth=Fraction(2), sizes=tuple(sizes))
    found = split_sizes(work, most)
    distinct = {size for size, _ in sizes}
    assert len(found.rated) == min(most, len(distinct))
    assert len(found.rated) + found.rest_sizes == len(distinct)
    count = sum(count for _, count in found.rated) + found.rest_count
    data = sum(size * count for size, count in found.rated) + found.rest_bytes
    assert count == sum(count for _, count in sizes)
    assert data == sum(size * count for size, count in sizes)
    weight = {
        size: sum(count * (3 + size / 2) for other, count in sizes if other == size)
        for size in distinct
    }
    chosen = {size for size, _ in found.rated}
    for size in distinct - chosen:
        assert weight[size] <= min(weight[other] for other in chosen)


def test_the_winner_takes_the_least_of_all_candidates_and_all_is_read_again(
    tmp_path: Path,
) -> None:
    members = search_size(8, 2).frontier.members
    with Store(tmp_path / "t.db") as store:
        assert read_ratings(REQUEST, members, every, store) == {}
        found = rate_workload(REQUEST, members, every, store)
        again = rate_workload(REQUEST, members, every, store)
        assert again == found == rate_workload(REQUEST, members, every, None)
        stored = read_ratings(REQUEST, members, every, store)
        apart = rate_frontier(REQUEST.at_size(WORK.sizes[0][0]), members, every, None)
        now = rate_frontier(REQUEST.at_size(WORK.sizes[0][0]), members, every, store)
        assert {name: now[name] for name in apart} == apart
        assert min(row.seconds for row in now.values()) == next(iter(apart.values())).seconds
    assert {name: stored[name] for name in found} == found
    rows = {each.recipe: each for each in every()}
    totals = {
        name: sum(
            count * rate_candidate(REQUEST.at_size(size).task, one).seconds
            for size, count in WORK.sizes
        )
        for name, one in rows.items()
    }
    assert next(iter(found.values())).seconds == min(totals.values())
    for name, rating in found.items():
        assert rating.seconds == totals[name]


def test_sizes_beyond_the_limit_are_timed_in_steps() -> None:
    members = search_size(8, 2).frontier.members
    found = rate_workload(REQUEST, members, every, None, most_sizes=1)
    for member in members:
        rating = found[member.recipe]
        assert [count for _, count in rating.parts] == [40]
        assert rating.rest_sizes == 2
        rest = replace(WORK, sizes=WORK.sizes[1:]).seconds(member)
        assert rating.rest_seconds == rest
        assert rating.bound <= rating.seconds == 40 * rating.parts[0][0].seconds + rest
        assert size_lines(rating)[-1].startswith("  2 other sizes, which weigh less, by bfb alone")
        assert rating_fields(rating)["by_bfb_alone"]["sizes"] == 2


def test_methods_of_several_sizes_are_counted() -> None:
    assert rated("K(9)", 5).method == "bfb"
    rating = replace(rated("K(9)", 5), rest_sizes=3)
    assert rating.method == "bfb for 4 sizes"
