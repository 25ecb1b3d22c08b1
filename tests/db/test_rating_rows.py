"""Ratings in the database: round trips, questions of their own, and damaged records."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from db.rating_rows import RatingQuestion, RatingRow
from db.store import Store
from generators.errors import InvalidInput
from tests.privileges import open_folder, ordinary_user

QUESTION = RatingQuestion(
    n=1024,
    d=4,
    links="simplex",
    collective="allreduce",
    model="pipelined",
    methods="bfb,timed",
    alpha=Fraction(1, 100000),
    size=Fraction(1 << 20),
    bandwidth=Fraction(12500000000),
    engine=1,
)
SLOW = RatingRow(
    question=QUESTION, recipe="Q(10)", method="bfb", seconds=Fraction(2, 3), bound=Fraction(1, 3)
)
QUICK = replace(SLOW, recipe="Pi(4,1024)", method="timed: rounds, 2 chunks", seconds=Fraction(1, 3))


def test_what_is_saved_is_read_back_quickest_first() -> None:
    with Store(":memory:") as store:
        store.save_ratings([SLOW, QUICK])
        assert store.ratings(QUESTION) == [QUICK, SLOW]
        store.save_ratings([replace(SLOW, seconds=Fraction(1, 3))])
        assert [row.recipe for row in store.ratings(QUESTION)] == ["Pi(4,1024)", "Q(10)"]


@pytest.mark.parametrize(
    "other",
    [
        {"n": 1023},
        {"d": 5},
        {"links": "duplex"},
        {"collective": "allgather"},
        {"model": "occupied"},
        {"methods": "bfb"},
        {"alpha": Fraction(0)},
        {"size": Fraction(7, 2)},
        {"bandwidth": Fraction(1)},
        {"engine": 2},
    ],
)
def test_another_question_has_other_ratings(other: dict[str, Any]) -> None:
    with Store(":memory:") as store:
        store.save_ratings([SLOW])
        assert store.ratings(replace(QUESTION, **other)) == []


def test_fields_apart_may_have_any_value() -> None:
    other = replace(QUICK, question=replace(QUESTION, size=Fraction(7, 2)))
    third = replace(other, question=replace(other.question, methods="bfb"), seconds=Fraction(5))
    with Store(":memory:") as store:
        store.save_ratings([SLOW, other, third])
        assert store.ratings(QUESTION, apart=("size",)) == [other, SLOW]
        assert store.ratings(QUESTION, apart=("size", "methods")) == [other, SLOW, third]
        assert store.ratings(QUESTION, apart=("methods",)) == [SLOW]


@pytest.mark.parametrize(
    ("offered", "line"),
    [
        (lambda: replace(SLOW, bound=Fraction(1)), "bound: Q.10. cannot take less than its bound"),
        (lambda: replace(SLOW, seconds=0.5), "seconds must be a Fraction of at least 0"),
        (lambda: replace(SLOW, bound=Fraction(-1)), "bound must be a Fraction of at least 0"),
        (lambda: replace(SLOW, bound=Fraction(1, 10**2000)), "bound has more than 2000 digits"),
        (lambda: replace(QUESTION, engine=0), "engine"),
        (lambda: replace(QUESTION, alpha=None), "alpha must be a Fraction"),
    ],
)
def test_refuses(offered: Any, line: str) -> None:
    with pytest.raises(InvalidInput, match=line):
        offered()


@pytest.mark.parametrize("value", ["1e999999999", "1/0", "-1", "", "half", "9" * 2001])
def test_a_damaged_rating_is_passed_over(tmp_path: Path, value: str) -> None:
    path = tmp_path / "a.db"
    with Store(path) as store:
        store.save_ratings([SLOW, QUICK])
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE ratings SET seconds = ? WHERE recipe = 'Q(10)'", (value,))
    with Store(path) as store:
        assert store.ratings(QUESTION) == [QUICK]


def test_nothing_is_written_to_a_file_that_can_only_be_read() -> None:
    with open_folder() as folder:
        path = folder / "a.db"
        with Store(path):
            pass
        path.chmod(0o444)
        refused = pytest.raises(InvalidInput, match="cannot be written")
        with ordinary_user(), Store(path) as store, refused:
            store.save_ratings([SLOW])
