"""Times by size in a report: as each candidate is rated alone, and only what is stored."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from db.rating_rows import RatingRow
from db.store import Store
from expansions.collective import Collective
from reports.pages.document import Section, Table
from reports.size_page import size_document
from reports.size_report import Point, RatedTime, SizeReport
from reports.units import time_text
from topofinder.api.report_ratings import (
    RATED_SIZES,
    rate_sizes,
    rated_times,
    sizes_to_rate,
)
from topofinder.api.report_size import size_report
from topofinder.api.search import search
from topofinder.api.search_ratings import RatingRequest
from topofinder.api.shared.frontiers import all_candidates, search_size
from topofinder.finder.rating import RatingTask, rate_candidate
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import RATING_METHODS, Workload

SIZES = (Fraction(2**12), Fraction(2**20))
WORK = Workload(
    alpha=Fraction(1, 10**5),
    bandwidth=Fraction(12_500_000_000),
    sizes=((SIZES[1], 1),),
    collective=Collective.ALLGATHER,
)
REQUEST = RatingRequest(
    n=8,
    d=2,
    links="simplex",
    workload=WORK,
    model=TimeModel.PIPELINED,
    methods=RATING_METHODS,
)
MEMBERS = search_size(8, 2).frontier.members
POINTS = [Point(mark=f"F{place}", row=row, stored=True) for place, row in enumerate(MEMBERS, 1)]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The frontier of 8 hosts with 2 ports, rated at two sizes."""
    file = tmp_path_factory.mktemp("ratings") / "t.db"
    seen: list[tuple[int, int]] = []
    with Store(file) as store:
        rate_sizes(
            REQUEST,
            MEMBERS,
            lambda: all_candidates(8, 2),
            store,
            lambda *counts: seen.append(counts),
            sizes=SIZES,
        )
    assert seen == [(0, 2), (1, 2), (2, 2)]
    return file


def section_of(report: SizeReport) -> Section:
    sections = size_document(report).sections
    return next(one for one in sections if one.title == "Time by the best method")


def recommendation_of(report: SizeReport) -> str:
    """Its paragraphs, one a line."""
    first = size_document(report).sections[0]
    assert first.title == "Recommendation"
    return "\n".join(str(block) for block in first.blocks)


def marked(times: tuple[RatedTime, ...]) -> list[tuple[Fraction, str]]:
    return [(time.rating.question.size, time.mark) for time in times if time.mark]


def test_times_are_those_of_each_candidate_alone(db: Path) -> None:
    with Store(db) as store:
        times = rated_times(REQUEST, store, POINTS)
    assert marked(times) == [(size, point.mark) for size in SIZES for point in POINTS]
    rows = {row.recipe: row for row in all_candidates(8, 2)}
    for time in times:
        task = RatingTask(
            collective=WORK.collective,
            alpha=WORK.alpha,
            size=time.rating.question.size,
            bandwidth=WORK.bandwidth,
        )
        alone = rate_candidate(task, rows[time.rating.recipe])
        assert (time.rating.method, time.rating.seconds) == (alone.method, alone.seconds)
        assert (time.rating.bound, time.rating.gap) == (alone.bound, alone.gap)


def test_a_candidate_off_the_frontier_is_told_where_it_is_quicker_than_all_of_it() -> None:
    def rated(recipe: str, size: int, seconds: int) -> RatingRow:
        question = replace(REQUEST.question, size=Fraction(size))
        return RatingRow(
            question=question,
            recipe=recipe,
            method="bfb",
            seconds=Fraction(seconds),
            bound=Fraction(1),
        )

    member = MEMBERS[0].recipe
    other = next(row for row in all_candidates(8, 2) if row.recipe == "UniRing(2,8)")
    with Store(":memory:") as store:
        store.save_ratings([rated(member, 1, 5), rated(other.recipe, 1, 6)])
        store.save_ratings([rated(member, 2, 5), rated(other.recipe, 2, 4)])
        store.save_ratings([rated(other.recipe, 3, 4)])
        listed = [Point(mark="A1", row=other, stored=True)]
        for others, mark, key in (((), "", ""), (listed, "A1", other.id)):
            times = rated_times(REQUEST, store, POINTS, others)
            told = [(time.rating.question.size, time.mark, time.key) for time in times]
            first = MEMBERS[0].id
            assert told == [(1, "F1", first), (2, "F1", first), (2, mark, key)]


def test_a_search_finds_all_that_a_report_has_stored(tmp_path: Path) -> None:
    """A report that rated the members alone would hide quicker candidates from later searches."""
    work = replace(WORK, collective=Collective.ALLREDUCE)
    with Store(tmp_path / "t.db") as store:
        request = replace(REQUEST, workload=work)
        rate_sizes(request, MEMBERS, lambda: all_candidates(8, 2), store, sizes=SIZES[1:])
        assert rated_times(request, store, POINTS)[-1].rating.recipe == "UniRing(2,8)"
    expected = search(8, 2, workload=work).ratings
    assert search(8, 2, db=tmp_path / "t.db", workload=work).ratings == expected


def test_what_is_stored_is_told_without_being_asked_for(db: Path) -> None:
    report = size_report(8, 2, db=db, workload=WORK)
    assert marked(report.rated) == [(size, point.mark) for size in SIZES for point in POINTS]
    words, plot, table = section_of(report).blocks
    assert words == (
        "Best of bfb, timed, forest: the time of the allgather on each candidate of the frontier "
        "by the quickest of these methods, in the pipelined model, at alpha 10.0 us, B 100 Gbps. A "
        "candidate off the frontier is listed where it is quicker than all of it. The bound is "
        "what no schedule on that candidate can beat."
    )
    assert isinstance(table, Table)
    assert [column.title for column in table.columns] == [
        "size [bytes]", "mark", "recipe", "method", "time [us]", "bound [us]", "gap [%]",
    ]  # fmt: skip
    first, rating = table.lines[0], report.rated[0].rating
    assert first.key == MEMBERS[0].id
    assert first.cells[:3] == ("4 KiB", "F1", MEMBERS[0].recipe)
    assert first.cells[4:6] == tuple(
        f"{float(10**6 * value):.1f}" for value in (rating.seconds, rating.bound)
    )
    [figure] = [one.draw() for one in size_document(report).plots() if one.name == "best-times"]
    assert len(figure.axes[0].lines) == len(POINTS) + 1
    assert not isinstance(plot, str)


@pytest.mark.parametrize(
    "other",
    [
        {"alpha": Fraction(1, 10**6)},
        {"bandwidth": Fraction(1)},
        {"collective": Collective.ALLREDUCE},
    ],
)
def test_nothing_is_drawn_where_nothing_is_stored(db: Path, other: dict) -> None:
    report = size_report(8, 2, db=db, workload=replace(WORK, **other))
    assert report.rated == ()
    [words] = section_of(report).blocks
    assert (
        "is rated for this frontier in the pipelined model "
        "(topofinder report --methods bfb,timed,forest)."
    ) in words
    advice = recommendation_of(report)
    assert "This choice is by BFB alone: no other method is rated for it in the pipelined" in advice
    assert report.chosen is None
    assert "best-times" not in [one.name for one in size_document(report).plots()]


def test_the_recommendation_is_that_of_a_search_by_the_best_method(db: Path) -> None:
    report = size_report(8, 2, db=db, workload=WORK)
    found = search(8, 2, db=db, workload=WORK)
    assert report.chosen is not None
    assert found.best is not None
    assert report.point(report.chosen_mark).row == found.best
    assert report.chosen == found.ratings[found.best.recipe]
    first = recommendation_of(report).splitlines()[0]
    rating = report.chosen
    assert first.startswith(
        f"For allgather of 1 MiB at alpha 10.0 us, B 100 Gbps: wire {found.best.recipe} "
        f"({report.chosen_mark}), and run it by {rating.method}. "
        f"It takes {time_text(rating.seconds)} in the pipelined model, "
    )
    if rating.gap:
        assert f"{float(100 * rating.gap):.1f} % above the bound" in first


def test_a_candidate_that_is_not_kept_is_recommended_and_listed(tmp_path: Path) -> None:
    work = replace(WORK, collective=Collective.ALLREDUCE)
    file = tmp_path / "t.db"
    winner = search(8, 2, db=file, workload=work).best
    assert winner is not None
    assert winner.recipe == "UniRing(2,8)"
    report = size_report(8, 2, db=file, workload=work)
    assert report.point(report.chosen_mark).row.recipe == winner.recipe
    assert report.chosen_mark in {wiring.mark for wiring in report.wirings}
    for wiring in report.wirings:  # each meets the bound of its size, so that no cut is worse
        assert wiring.least_bandwidth == report.bound.bandwidth
    assert "By BFB alone " in recommendation_of(report)


def test_models_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "t.db"
    search(8, 2, db=file, workload=WORK, model="occupied")
    assert size_report(8, 2, db=file, workload=WORK).chosen is None
    report = size_report(8, 2, db=file, workload=WORK, model=TimeModel.OCCUPIED)
    assert report.chosen is not None
    assert {time.rating.question.model for time in report.rated} == {"occupied"}
    assert " in the occupied model, " in recommendation_of(report).splitlines()[0]
    assert "in the occupied model, at" in str(section_of(report).blocks[0])


def test_several_sizes_are_recommended_for_together(db: Path, tmp_path: Path) -> None:
    work = replace(WORK, sizes=((SIZES[0], 9), (SIZES[1], 2)))
    report = size_report(8, 2, db=db, workload=work)
    assert report.chosen is not None
    assert [count for _, count in report.chosen.parts] == [2, 9]
    assert "By size: 1 MiB, 2 times: " in recommendation_of(report)
    more = replace(work, sizes=(*work.sizes, (Fraction(1), 1)))
    assert size_report(8, 2, db=db, workload=more).chosen is None


def test_a_report_rates_the_size_of_its_workload_too() -> None:
    request = replace(REQUEST, workload=replace(WORK, sizes=((Fraction(12345), 3),)))
    assert sizes_to_rate(request) == tuple(sorted([*RATED_SIZES, Fraction(12345)]))


def test_of_several_choices_of_methods_the_least_time_counts() -> None:
    with Store(":memory:") as store:
        for methods in (("bfb",), ("bfb", "timed")):
            asked = replace(REQUEST, methods=methods)
            rate_sizes(asked, MEMBERS, lambda: (), store, sizes=SIZES)
        found = {
            methods: rated_times(
                replace(REQUEST, methods=methods), store, POINTS, any_methods=methods == ()
            )
            for methods in ((), ("bfb",), ("bfb", "timed"), ("forest",))
        }
    assert found["forest",] == ()
    for any_one, bfb, timed in zip(*list(found.values())[:3], strict=True):
        assert bfb.rating.method == "bfb"
        least = min(bfb.rating.seconds, timed.rating.seconds)
        assert any_one.rating.seconds == least
