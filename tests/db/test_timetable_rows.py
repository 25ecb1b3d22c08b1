"""Rows of timetable files: kept exactly, refused when they cannot be, brought to old files."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from db.schema import SCHEMA_VERSION
from db.store import Store
from db.timetable_rows import TimetableRow
from generators.errors import InvalidInput
from tests.db.stored import stored_rows

ROW = TimetableRow(
    path="/tmp/a.npz",
    content="0" * 64,
    topology="1" * 64,
    recipe="RFS(2,4,4)",
    damage="--fail-links 3%",
    collective="allgather",
    method="events",
    model="pipelined",
    n=36,
    hosts=32,
    d=4,
    chunks=32,
    sends=992,
    alpha=Fraction(1, 2 * 10**6),
    rate=Fraction(200 * 10**9),
    size=Fraction(10**30 + 1, 3),
    seconds=Fraction(10**30 + 1, 10**34),
    bound=Fraction(8, 10**5),
    seed=3,
)


def test_rows_are_kept_exactly_and_replaced_by_path() -> None:
    with Store(":memory:") as store:
        store.save_timetable(ROW)
        store.save_timetable(replace(ROW, sends=7))
        bare = replace(ROW, path="/tmp/b.npz", recipe=None, damage=None, root=3, seed=None)
        store.save_timetable(replace(bare, bound=None))
        assert stored_rows(store, "timetables", TimetableRow) == [
            replace(ROW, sends=7),
            replace(bare, bound=None),
        ]
        told = store.connection.execute("SELECT seconds, bound, gap, alpha FROM timetable")
        assert told.fetchall() == [
            (pytest.approx(1e-4), None, None, "1/2000000"),
            (pytest.approx(1e-4), pytest.approx(8e-5), pytest.approx(0.25), "1/2000000"),
        ]


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("content", "x", "content must be 64 hexadecimal digits: x"),
        ("sends", -1, "sends must be from 0"),
        ("damage", "a\0", "damage holds a character"),
        ("model", "fast", "model must be pipelined or occupied, not 'fast'"),
        ("seconds", 0.5, "seconds must be a Fraction of 0 or more, not 0.5"),
        ("bound", Fraction(-1), "bound must be a Fraction of 0 or more"),
        ("seed", 1 << 63, "seed must be from 0"),
    ],
)
def test_values_that_cannot_be_stored(field: str, value: object, line: str) -> None:
    with pytest.raises(InvalidInput, match=line):
        replace(ROW, **{field: value})


def test_an_older_file_is_brought_up(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with Store(path):
        pass
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.execute("DROP VIEW timetable")
        old.execute("DROP TABLE timetables")
        old.execute("DELETE FROM _sqlite_migrations WHERE name = 'm010_timetables'")
        old.execute("PRAGMA user_version = 9")
    with Store(path) as store:
        store.save_timetable(ROW)
        assert stored_rows(store, "timetables", TimetableRow) == [ROW]
        assert store.connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
