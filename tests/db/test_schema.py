import re
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest
from sqlite_utils import Database

from db.migrations import MIGRATIONS, migrate
from db.schema import APPLICATION_ID, SCHEMA_VERSION
from db.store import Store
from tests.db.sizes import candidate, size
from topofinder.cli.app import main

PAGE = (Path(__file__).parents[2] / "docs" / "database.md").read_text(encoding="utf-8")
EXAMPLES = PAGE.partition("## Examples")[2]


@pytest.fixture
def filled() -> Iterator[Database]:
    with Store(":memory:") as store:
        store.save_or_keep(size(n, d) for n in (8, 9, 1024) for d in (2, 4))
        store.save_or_keep([size(5, members=())])
        yield Database(store.connection)


def documented() -> dict[str, list[str]]:
    """The columns that the page describes, by table or view."""
    sections = re.split(r"^### ", PAGE.partition("## Examples")[0], flags=re.MULTILINE)[1:]
    return {
        section.split("`")[1]: re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE)
        for section in sections
        if section.startswith("`")
    }


def test_every_table_view_and_column_is_described_in_order(filled: Database) -> None:
    there = [*filled.tables, *filled.views]
    assert documented() == {
        table.name: [column.name for column in table.columns] for table in there
    }
    assert str(APPLICATION_ID) in PAGE


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that the commands of the page's section of examples fill."""
    path = tmp_path_factory.mktemp("examples") / "topofinder.db"
    (lines,) = re.findall(r"```sh\n(.*?)```", EXAMPLES, flags=re.DOTALL)
    for line in lines.splitlines():
        program, *words = shlex.split(line)
        assert program == "topofinder"
        with pytest.raises(SystemExit) as ended:
            main([*words, "--db", str(path), "--quiet"])
        assert not ended.value.code
    return path


@pytest.mark.parametrize("query", re.findall(r"```sql\n(.*?)```", EXAMPLES, flags=re.DOTALL))
def test_the_examples_return_rows(swept: Path, query: str) -> None:
    with closing(sqlite3.connect(swept)) as connection:
        rows = connection.execute(query).fetchall()
    assert rows
    assert not any(value is None for value in rows[0])


def test_migrations_bring_an_empty_file_to_the_present_schema(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert len(MIGRATIONS.pending(Database(connection))) == SCHEMA_VERSION
        connection.execute("BEGIN IMMEDIATE")
        migrate(connection)
        connection.execute("ROLLBACK")
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
        assert connection.execute("PRAGMA application_id").fetchone() == (0,)
        for _ in range(2):
            connection.execute("BEGIN IMMEDIATE")
            migrate(connection)
            connection.execute("COMMIT")
        assert len(MIGRATIONS.applied(Database(connection))) == SCHEMA_VERSION
        assert MIGRATIONS.pending(Database(connection)) == []
        migrated = connection.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall()
    with Store(path) as store, Store(":memory:") as fresh:
        assert store.finished_sizes("duplex") == set()
        query = "SELECT sql FROM sqlite_master ORDER BY name"
        assert fresh.connection.execute(query).fetchall() == migrated


def test_the_frontier_view_agrees_with_the_rows(filled: Database) -> None:
    rows = list(filled.query("SELECT * FROM frontier WHERE n = 9 AND d = 4"))
    members = size(9, 4).frontier.members
    assert [row["recipe"] for row in rows] == [member.recipe for member in members]
    for row, member in zip(rows, members, strict=True):
        assert (row["steps"], row["rs_steps"]) == (member.steps, member.rs_steps)
        assert Fraction(row["bandwidth_exact"]) == member.bandwidth
        assert Fraction(row["rs_bandwidth_exact"]) == member.rs_bandwidth
        assert row["bandwidth"] == pytest.approx(float(member.bandwidth), rel=1e-15)
        assert row["rs_bandwidth"] == pytest.approx(float(member.rs_bandwidth), rel=1e-15)
        assert row["exact"] == member.exact
    sizes = filled.query("SELECT DISTINCT n, d FROM frontier")
    assert [(row["n"], row["d"]) for row in sizes] == [(n, d) for n in (8, 9, 1024) for d in (2, 4)]


def test_the_other_views_agree_with_the_rows(filled: Database) -> None:
    (row,) = filled.query("SELECT * FROM candidate_costs WHERE id = ?", [candidate(9, 4, 1).id])
    allreduce = candidate(9, 4, 1).allreduce
    assert row["allreduce_steps"] == allreduce.steps
    assert row["allreduce_bandwidth"] == pytest.approx(float(allreduce.bandwidth), rel=1e-15)
    found = {(row["n"], row["d"]): row for row in filled.query("SELECT * FROM sizes")}
    assert len(found) == 7
    assert (found[5, 2]["frontier_size"], found[5, 2]["least_steps"]) == (0, None)
    row, members = found[9, 4], size(9, 4).frontier.members
    assert (row["frontier_size"], row["pool_size"]) == (3, 4)
    assert row["least_steps"] == min(member.steps for member in members)
    assert row["least_bandwidth"] == pytest.approx(float(min(m.bandwidth for m in members)))


def test_the_views_tell_the_distance_from_the_bounds(filled: Database) -> None:
    members = size(9, 4).frontier.members
    rows = list(filled.query("SELECT * FROM frontier WHERE n = 9 AND d = 4"))
    for row, member in zip(rows, members, strict=True):
        assert row["candidate"] == member.id
        assert row["excess_steps"] == member.steps - row["bound_steps"]
        assert row["bandwidth_ratio"] == pytest.approx(float(member.bandwidth * 9 / 8))
    listed = "SELECT id FROM candidate_costs WHERE on_frontier AND n = 9 AND d = 4 ORDER BY steps"
    assert [row["id"] for row in filled.query(listed)] == [member.id for member in members]


def test_the_best_of_a_size_are_the_ends_of_its_frontier(filled: Database) -> None:
    for n, d in [(8, 2), (9, 4), (1024, 4)]:
        members = size(n, d).frontier.members
        rows = {
            row["goal"]: row
            for row in filled.query("SELECT * FROM best WHERE n = ? AND d = ?", [n, d])
        }
        quickest = min(members, key=lambda row: (row.steps, row.bandwidth))
        widest = min(members, key=lambda row: (row.bandwidth, row.steps))
        assert [rows["steps"]["candidate"], rows["bandwidth"]["candidate"]] == [
            quickest.id,
            widest.id,
        ]
    assert not list(filled.query("SELECT * FROM best WHERE n = 5"))
