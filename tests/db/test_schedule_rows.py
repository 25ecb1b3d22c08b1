import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from db.schedule_rows import ScheduleRow
from db.schema import SCHEMA_VERSION
from db.store import Store
from generators.errors import InvalidInput
from tests.db.sizes import size
from tests.db.stored import stored_rows

ROW = ScheduleRow(
    path="/files/a.npz",
    content="a" * 64,
    topology="b" * 64,
    recipe="K(4)",
    collective="broadcast",
    root=2,
    method="bfb",
    n=4,
    d=3,
    rows=3,
    steps=1,
    bandwidth=Fraction(3, 4),
)


def test_what_is_saved_is_read_back() -> None:
    other = replace(ROW, path="/files/b.npz", recipe=None, root=None, content="c" * 64)
    with Store(":memory:") as store:
        for row in (ROW, other, ROW):
            store.save_schedule(row)
        assert stored_rows(store, "schedules", ScheduleRow) == [ROW, other]
        assert stored_rows(store, "schedules", ScheduleRow)[0].created is not None


def test_a_file_that_is_written_again_has_one_row() -> None:
    changed = replace(ROW, content="d" * 64, steps=2)
    with Store(":memory:") as store:
        store.save_schedule(ROW)
        store.save_schedule(changed)
        assert stored_rows(store, "schedules", ScheduleRow) == [changed]


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("content", "A" * 64, "content must be 64 hexadecimal digits"),
        ("topology", "b" * 63, "topology must be 64 hexadecimal digits"),
        ("n", -1, "n must be from 0"),
        ("path", None, "path must be text"),
        ("root", 1.5, "root must be an integer"),
        ("bandwidth", 0.5, "bandwidth must be a Fraction"),
        ("method", "a\0b", "method holds a character"),
    ],
)
def test_values_that_cannot_be_stored(field: str, value: object, line: str) -> None:
    with pytest.raises(InvalidInput, match=line):
        replace(ROW, **{field: value})


def test_a_file_of_the_first_schema_is_brought_up(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with Store(path) as store:
        store.save_or_keep([size(8)])
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.execute("DROP TABLE schedules")
        old.execute("DELETE FROM _sqlite_migrations WHERE name = 'm002_schedules'")
        old.execute("PRAGMA user_version = 1")
    with Store(path) as store:
        assert store.frontier(8, 2, "duplex") == size(8).frontier
        assert stored_rows(store, "schedules", ScheduleRow) == []
        store.save_schedule(ROW)
        assert stored_rows(store, "schedules", ScheduleRow) == [ROW]
        assert store.connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
