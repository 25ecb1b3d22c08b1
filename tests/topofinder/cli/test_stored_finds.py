"""Searches use what `discover` and other searches' efforts left in the database, and say so."""

import json
from pathlib import Path

import pytest

from db.store import Store
from expansions.build import build
from expansions.parser import parse
from tests.command import ran
from topofinder import discover, search
from topofinder.schedules.bfb.evaluation import evaluate

pytestmark = pytest.mark.usefixtures("unsearched_sizes")


def cheapest(n: int, d: int, db: Path | None = None) -> tuple:
    best = search(n, d, db=db).members[0]
    return best.recipe, best.allgather


def test_finds_of_discover_are_answers_and_bases_of_line_graphs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    db = tmp_path / "a.db"
    plain = {n: search(n, 5, db=db).members for n in (55, 275)}
    with Store(db) as store:
        assert not store.finds()
    found = discover(55, 5, trials=20000, db=db).finds[0]
    assert found.allgather < plain[55][0].allgather
    again = search(55, 5, db=db)
    assert (again.members[0].recipe, again.members[0].allgather) == (found.recipe, found.allgather)
    assert again.to_dict()["frontier"][0]["origin"] == "discover"
    assert f"Found by discover, in this database: {found.recipe}" in str(again)
    lined = search(275, 5, db=db).members[0]
    assert lined.recipe == f"L({found.recipe})"
    assert lined.allgather == evaluate(build(parse(lined.recipe))).cost
    assert lined.allgather < plain[275][0].allgather
    # What is stored of the sizes is what a search without would store; the candidates are there.
    with Store(db) as store:
        assert {n: store.frontier(n, 5, "simplex").members for n in (55, 275)} == plain
    code, told, _ = ran(capsys, "show", f"#{lined.id[:8]}", "--db", db, "--json")
    assert (code, json.loads(told)["recipe"]) == (0, lined.recipe)
    assert search(275, 5).members == plain[275]


def test_efforts_at_other_sizes_are_bases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.origins._shipped_texts", frozenset)
    db = tmp_path / "a.db"
    search(25, 6, db=db, effort=1)
    recipe, cost = cheapest(150, 6, db)
    assert recipe.startswith("L(Lift(Z5;")
    assert cost < cheapest(150, 6)[1]
    assert search(150, 6, db=db).to_dict()["frontier"][0]["origin"] == "effort"
    assert cheapest(150, 6, db) == (recipe, cost)


def test_finds_that_are_not_known_are_left_alone(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    discover(21, 3, trials=500, db=db)
    with Store(db) as store:
        unknown = "UPDATE finds SET recipe = 'Moeb(' || recipe || ')', base = 'Moeb(2)'"
        store.connection.execute(unknown)
        store.connection.commit()
    assert search(21, 3, db=db).members == search(21, 3).members
