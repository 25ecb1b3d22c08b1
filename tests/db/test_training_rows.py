"""Trainings in the database: round trips, questions of their own, engines, and damaged records."""

import sqlite3
from contextlib import closing
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from db.merging import merge
from db.offered import Checks
from db.store import Store
from db.training_rows import StoredTraining, TrainingQuestion, TrainingRow
from generators.errors import InvalidInput

ONE, TWO = Fraction(1), Fraction(2)
QUESTION = TrainingQuestion(
    model="net",
    layers="a" * 64,
    n=8,
    d=2,
    links="simplex",
    alpha=Fraction(1, 10**5),
    bandwidth=Fraction(125 * 10**8),
    options="{}",
)
BEST = TrainingRow(
    kind="candidate",
    recipe="Diamond",
    schedule="",
    seconds=(Fraction(11, 6), TWO),
    compute=ONE,
    exchange=(Fraction(1, 3), Fraction(1, 2)),
    exposed=(Fraction(1, 2), Fraction(1, 2)),
    bucket=1 << 20,
    by_bucket=((1 << 20, TWO), (10 << 20, Fraction(7, 3))),
    candidate="0" * 32,
)
RING = replace(
    BEST, kind="baseline", recipe="BiRing(2,8)", schedule="ring", bucket=None, candidate=None
)
FOUND = StoredTraining(
    question=QUESTION,
    engine=1,
    inputs="b" * 64,
    unit="token",
    units=Fraction(5, 2),
    parameters=1234,
    estimate=None,
    considered=3,
    excluded=1,
    rows=(BEST, RING),
    left_out=(("DoubleBinaryTree(8)", "no schedule"),),
    timeline="[]",
)


def test_what_is_saved_is_read_back() -> None:
    with Store(":memory:") as store:
        assert store.save_training(FOUND)
        assert store.trainings() == [FOUND]
        assert store.trainings(id=QUESTION.id, n=(2, 9), d=2, links="simplex") == [FOUND]
        assert store.trainings(n=9) == store.trainings(model="others") == []
        found = store.connection.execute("SELECT rank, seconds, at_least, alpha FROM iteration")
        assert list(found) == [
            (0, 2, pytest.approx(11 / 6), 1e-5),
            (1, 2, pytest.approx(11 / 6), 1e-5),
        ]


def test_a_second_answer_takes_the_place_of_the_first() -> None:
    with Store(":memory:") as store:
        store.save_training(FOUND)
        other = replace(FOUND, rows=(BEST,), inputs="c" * 64)
        assert store.save_training(other)
        assert store.trainings() == [other]
        assert store.connection.execute("SELECT count(*) FROM iterations").fetchone() == (1,)


def test_a_newer_engine_s_answer_is_kept() -> None:
    with Store(":memory:") as store:
        newer = replace(FOUND, engine=2)
        store.save_training(newer)
        assert not store.save_training(FOUND)
        assert store.trainings() == [newer]


@pytest.mark.parametrize("name", [each.name for each in fields(TrainingQuestion)])
def test_every_part_of_a_question_counts(name: str) -> None:
    value = getattr(QUESTION, name)
    other = value + "x" if isinstance(value, str) else value + 1
    assert replace(QUESTION, **{name: other}).id != QUESTION.id


@pytest.mark.parametrize(
    ("offered", "line"),
    [
        (lambda: replace(FOUND, engine=0), "engine must be from 1"),
        (lambda: replace(FOUND, rows=()), "rows: there is no wiring among them"),
        (lambda: replace(FOUND, units=2.5), "units must be a Fraction"),
        (lambda: replace(FOUND, rows=(replace(BEST, compute=-ONE),)), "compute must be a Fraction"),
        (lambda: replace(FOUND, rows=(replace(BEST, seconds=(TWO, ONE)),)), "more at least than"),
        (lambda: replace(FOUND, rows=(replace(BEST, kind="x"),)), "kind: one of bound, candidate"),
        (lambda: replace(FOUND, rows=(replace(BEST, bucket=0),)), "bucket must be from 1"),
        (lambda: replace(QUESTION, alpha=Fraction(1, 10**4000)), "alpha has more than 4000 digits"),
        (lambda: replace(QUESTION, model="a\0"), "model holds a character"),
    ],
)
def test_refuses(offered: Any, line: str) -> None:
    with pytest.raises(InvalidInput, match=line):
        offered()


DAMAGE = [
    *(f"UPDATE trainings SET {name} = 'x'" for name in ("model", "alpha", "units", "left_out")),
    "UPDATE trainings SET n = 9",
    "UPDATE trainings SET left_out = '[1]'",
    "UPDATE iterations SET buckets = '{}x'",
    *(f"UPDATE iterations SET most = '{value}'" for value in ("1/0", "-1", "1e999999999", "", "0")),
    "DELETE FROM iterations",
]


@pytest.mark.parametrize("change", DAMAGE)
def test_a_damaged_training_is_named(tmp_path: Path, change: str) -> None:
    path, named = tmp_path / "a.db", list[str]()
    with Store(path) as store:
        store.save_training(FOUND)
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(change)
    with Store(path) as store:
        assert store.trainings(left_out=lambda record, reason: named.append(reason)) == []
        with pytest.raises(InvalidInput):
            store.trainings()
    assert len(named) == 1


def test_trainings_are_taken_from_trusted_files_alone() -> None:
    with Store(":memory:") as source, Store(":memory:") as target:
        source.save_training(FOUND)
        assert merge(source, target).trainings == 0
        assert target.trainings() == []
        trusted = Checks(with_trainings=True)
        assert merge(source, target, lambda n, d, links: n == 9, trusted).trainings == 0
        assert merge(source, target, checks=trusted).trainings == 1
        assert target.trainings() == [FOUND]


def test_a_file_of_the_schema_before_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(path):
        pass
    with closing(sqlite3.connect(path)) as other, other:
        other.executescript(
            "DROP VIEW iteration; DROP TABLE iterations; DROP TABLE trainings;"
            "DELETE FROM _sqlite_migrations WHERE name = 'm011_trainings'; PRAGMA user_version = 10"
        )
    with Store(path) as store:
        assert store.trainings() == []
        assert store.save_training(FOUND)


STOP = """CREATE TRIGGER stop BEFORE INSERT ON iterations WHEN NEW.rank = 1
    BEGIN SELECT RAISE(ABORT, 'cut off'); END"""


def test_a_training_that_is_cut_off_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(path) as store:
        store.connection.execute(STOP)
        with pytest.raises(InvalidInput, match="cut off"):
            store.save_training(FOUND)
    with Store(path) as store:
        assert store.trainings() == []
        assert store.connection.execute("SELECT count(*) FROM trainings").fetchone() == (0,)
