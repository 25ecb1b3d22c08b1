"""`#id` in place of a recipe, and tables that cut recipes which are long."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from db.store import Store
from generators.errors import InvalidInput
from tests.command import ran
from topofinder import search
from topofinder.api.shared.stored_recipes import whole_recipe


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database with a lift that is longer than tables show, and some other graphs."""
    path = tmp_path / "a.db"
    search(25, 2, db=path, effort=1)
    search(8, 4, db=path)
    return path


def row_of(db: Path):
    with Store(db) as store:
        (row,) = (row for row in store.candidates(n=25) if row.recipe.startswith("Lift("))
    return row


def test_tables_cut_long_recipes_and_programs_get_them_whole(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = row_of(db)
    assert len(row.recipe) > 40
    shown = f"{row.recipe[:27]}... #{row.id[:8]}"
    size = ("--n", 25, "--d", 2, "--db", db)
    _, found, _ = ran(capsys, "search", *size)
    assert found.split("\n")[4].endswith(f"  {shown}")
    assert row.recipe not in found
    _, found, _ = ran(capsys, "query", *size)
    assert f"  {shown}\n" in found
    for words in (
        ("search", *size, "--json"),
        ("query", *size, "--json"),
        ("query", *size, "--csv"),
    ):
        assert row.recipe in ran(capsys, *words)[1]


@pytest.mark.parametrize("digits", [8, 32])
def test_every_command_takes_an_id(
    digits: int, db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = row_of(db)
    name, store = f"#{row.id[:digits]}", ("--db", db)
    code, shown, _ = ran(capsys, "show", name, "--json", *store)
    assert (code, json.loads(shown)["recipe"]) == (0, row.recipe)
    edges, file = tmp_path / "a.edges", tmp_path / "a.npz"
    assert ran(capsys, "build", name, "-o", edges, *store)[1].startswith(f"{row.recipe}: 25 nodes")
    assert ran(capsys, "schedule", name, "-o", file, *store)[0] == 0
    assert ran(capsys, "verify", file, "--on", name, *store)[0] == 0
    assert ran(capsys, "throughput", name, "--time", "1s", "-q", *store)[0] == 0
    drawn = ran(capsys, "draw", name, "-o", tmp_path / "a.svg", *store)[1]
    assert drawn.startswith(f"The graph {row.recipe}: 25 nodes")
    wired = ("-o", tmp_path / "i.json", "--current", tmp_path / "c.csv")
    assert ran(capsys, "inventory", name, *wired, *store)[0] == 0
    planned = ("--inventory", tmp_path / "i.json", "--current", tmp_path / "c.csv", "--to", name)
    assert ran(capsys, "plan", *planned, "--time", "1s", *store)[0] == 0


def test_ids_in_capitals_and_with_dots_are_the_same(db: Path) -> None:
    row = row_of(db)
    assert whole_recipe(f"#{row.id[:8].upper()}...", db) == row.recipe
    assert whole_recipe(f"#{row.id[:8]}…", db) == row.recipe


def test_ids_that_are_none(db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store(db) as store:
        ids = sorted({row.id: row.recipe for row in store.candidates()})
    first = next(one[0] for one, other in pairwise(ids) if one[0] == other[0])
    for name, words in (
        (f"#{first}", "begin so; give more digits"),
        ("#" + "0" * 31 + "f", f"no candidate in {db} has an id that begins so"),
        ("#xyz", "1 to 32 hexadecimal digits are needed, not 'xyz'"),
        ("#", "1 to 32 hexadecimal digits are needed, not ''"),
    ):
        code, out, err = ran(capsys, "show", name, "--db", db)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert words in err
    missing = tmp_path / "none.db"
    assert ran(capsys, "show", "#12", "--db", missing)[0] == 2
    assert not missing.exists()
    with pytest.raises(InvalidInput, match="a database is needed"):
        whole_recipe("#12", None)
