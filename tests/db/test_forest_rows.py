"""Rows of forest files: kept exactly, refused when they cannot be, brought to old files."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from db.forest_rows import ForestRow
from db.schema import SCHEMA_VERSION
from db.store import Store
from generators.errors import InvalidInput
from tests.db.stored import stored_rows

ROW = ForestRow(
    path="/tmp/a.npz",
    content="0" * 64,
    topology="1" * 64,
    recipe="MI250(2)",
    damage="--fail-links 3%",
    collective="allgather",
    method="forest, level",
    n=33,
    hosts=32,
    total=32,
    k=83,
    trees=527,
    height=13,
    optimum=Fraction(15, 166),
    time=Fraction(10**30 + 1, 10**31),
)


def test_rows_are_kept_exactly_and_replaced_by_path() -> None:
    with Store(":memory:") as store:
        store.save_forest(ROW)
        store.save_forest(replace(ROW, k=7))
        store.save_forest(replace(ROW, path="/tmp/b.npz", recipe=None, damage=None, root=3))
        other = replace(ROW, path="/tmp/b.npz", recipe=None, damage=None, root=3)
        assert stored_rows(store, "forests", ForestRow) == [replace(ROW, k=7), other]
        algbw, loss = store.connection.execute("SELECT algbw, loss FROM forest").fetchone()
        assert algbw == pytest.approx(320)
        assert loss == pytest.approx(Fraction(1, 10) / Fraction(15, 166) - 1)


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("content", "x", "content must be 64 hexadecimal digits: x"),
        ("k", -1, "k must be from 0"),
        ("damage", "a\0", "damage holds a character"),
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
        old.execute("DROP VIEW forest")
        old.execute("DROP TABLE forests")
        old.execute("DELETE FROM _sqlite_migrations WHERE name = 'm006_forests'")
        old.execute("PRAGMA user_version = 5")
    with Store(path) as store:
        store.save_forest(ROW)
        assert stored_rows(store, "forests", ForestRow) == [ROW]
        assert store.connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
