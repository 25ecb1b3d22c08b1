"""Rows that a newer topofinder stored in a shared file: kept, named, and worked around."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import topofinder
from db.discovery_rows import FindRow
from db.store import Store
from generators.errors import InvalidInput
from tests.command import ran
from topofinder.api.discover import discover
from topofinder.api.plan_methods import stored_members
from topofinder.api.shared.candidate_rows import ENGINE
from topofinder.api.shared.stored_throughputs import stored_rates
from topofinder.api.sweep import fill_sizes

AT = "WHERE n = 16 AND d = 4"
HEADS = f"UPDATE frontiers SET engine = {ENGINE + 1} {AT};"
NEWER = f"{HEADS} UPDATE candidates SET engine = {ENGINE + 1}"
USED = {
    "a newer engine": f"{NEWER} {AT}",
    "more facts": f"{NEWER}, facts = '{{}}' {AT}",
    "a newer identity": f"""
        UPDATE candidates SET id = 'v2' || id {AT};
        UPDATE frontier_members SET candidate = 'v2' || candidate {AT};
        UPDATE pool_members SET candidate = 'v2' || candidate {AT}""",
}
KEPT = {
    "an unknown recipe": f"{NEWER}, recipe = 'Graft(' || recipe || ')' {AT}",
    "another recipe": f"{NEWER}, recipe = 'K(7)#' || id {AT}",
    "an unknown method": f"{NEWER}, method = 'magic' {AT}",
    "an unknown value": f"{NEWER}, exact = 2 {AT}",
    "facts of another kind": f"{NEWER}, facts = '[1' {AT}",
    "an unknown recipe of this engine": f"UPDATE candidates SET recipe = 'G' || recipe {AT}",
    "an unknown method of this engine": f"UPDATE candidates SET method = 'magic' {AT}",
    "candidates of a newer engine": f"UPDATE candidates SET engine = {ENGINE + 1} {AT}",
    "parameters of another kind": f"UPDATE frontiers SET parameters = '[0]' {AT}",
}
COMMANDS = (
    ("search", "--n", 16, "--d", 4),
    ("search", "--n", 64, "--d", 4),
    ("search", "--n", 16, "--d", 4, "--pareto", "latency"),
    ("sweep", "--n", "14:18,64", "--d", 4),
    ("report", "--n", 16, "--d", 4),
    ("report", "--n", "15:17", "--d", 4),
    ("query", "--n", 16),
    ("reproduce", "figure15", "--n", "15:17", "--csv"),
)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stored") / "a.db"
    fill_sizes([(n, 4) for n in range(12, 20)], "simplex", path, jobs=1)
    return path


def edited(swept: Path, folder: Path, statements: str) -> Path:
    copy = folder / "edited.db"
    shutil.copy(swept, copy)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.executescript(statements)
    return copy


def of_the_size(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return [
            row
            for table in ("candidates", "frontiers", "frontier_members", "pool_members")
            for row in connection.execute(f"SELECT * FROM {table} {AT} ORDER BY 1, 2, 3, 4")
        ]


@pytest.mark.parametrize("case", [*USED, *KEPT])
def test_every_command_answers_and_leaves_the_rows_as_they_are(
    capsys: pytest.CaptureFixture[str], swept: Path, tmp_path: Path, case: str
) -> None:
    path = edited(swept, tmp_path, (USED | KEPT)[case])
    before = of_the_size(path)
    told = [ran(capsys, *command, "--db", path) for command in COMMANDS]
    assert [ended.code for ended in told] == [0] * len(COMMANDS)
    assert of_the_size(path) == before
    whole = ran(capsys, *COMMANDS[0], "--db", swept)
    assert told[0].out == whole.out
    name = re.escape(f"topofinder: database {str(path)!r}: n 16, d 4, simplex: ")
    if case in KEPT:
        kept = f"{name}.*; it is kept, and what is found instead is not stored\n"
        assert re.fullmatch(kept, told[0].err), told[0].err
        assert "16" in told[5].out
    elif case != "a newer identity":
        used = f"{name}is used as engine {ENGINE + 1} found it; this one is {ENGINE}\n"
        assert re.fullmatch(used, told[0].err)
    assert ran(capsys, "sweep", "--n", 16, "--d", 4, "--db", path, "-q").err == ""


def test_a_sweep_with_an_effort_keeps_what_cannot_be_read(
    capsys: pytest.CaptureFixture[str], swept: Path, tmp_path: Path
) -> None:
    path = edited(swept, tmp_path, KEPT["parameters of another kind"])
    before = of_the_size(path)
    ended = ran(capsys, "sweep", "--n", 16, "--d", 4, "--effort", 1, "--db", path, "-q")
    assert (ended.code, of_the_size(path)) == (0, before)


def test_what_this_engine_stores_does_not_depend_on_a_newer_one(
    swept: Path, tmp_path: Path
) -> None:
    worse = f"{NEWER}, bandwidth_num = 9, bandwidth_den = 1, facts = '{{}}' {AT}"
    path = edited(swept, tmp_path, worse)
    assert topofinder.search(64, 4, db=path) == topofinder.search(64, 4)
    assert topofinder.search(16, 4, db=path).found.frontier.engine == ENGINE + 1


def test_many_sizes_are_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    fill_sizes([(n, 2) for n in range(3, 30)], "simplex", path, jobs=1)
    with closing(sqlite3.connect(path)) as connection:
        newer = f"engine = {ENGINE + 1} WHERE d = 2"
        connection.execute(f"UPDATE candidates SET method = 'magic', {newer}")
        connection.execute(f"UPDATE frontiers SET {newer}")
        connection.commit()
    ended = ran(capsys, "sweep", "--n", "3:29", "--d", 2, "--db", path)
    assert (ended.code, ended.err.count("it is kept")) == (0, 10)
    assert "18 more sizes like these\n" in ended.err
    assert "topofinder: 0 sizes" not in ended.err
    assert ended.err.endswith(f"0 sizes searched and stored in {path}\n")


def test_throughputs_and_finds(
    capsys: pytest.CaptureFixture[str], swept: Path, tmp_path: Path
) -> None:
    path = edited(swept, tmp_path, "")
    assert ran(capsys, "throughput", "K(5)", "--db", path).code == 0
    row = FindRow(
        recipe="Cay(Z9;1,2)", base="Cay(Z9;1,2)", links="simplex", n=9, d=2, steps=9, seed=0,
        bandwidth=9, rs_bandwidth=9, trials=1,
    )  # fmt: skip
    with Store(path) as store:
        store.save_finds([row])
        store.connection.execute("UPDATE throughputs SET lower_num = '0x1'")
        store.connection.execute("UPDATE finds SET recipe = 'Nest(Z9)', base = 'Nest(Z9)'")
    ended = ran(capsys, "search", "--n", 5, "--d", 4, "--with-throughput", "--db", path)
    assert ended.code == 0
    assert "throughput of K(5) for uniform is stored, but lower" in ended.err
    assert ran(capsys, "throughput", "K(5)", "--db", path).code == 0
    assert ran(capsys, "query", "--n", 16, "--with-throughput", "--db", path).code == 0
    with Store(path) as store:
        with pytest.raises(InvalidInput):
            store.throughputs()
        assert stored_rates(store, ["K(5)"]) == {}
    discover(9, 2, "simplex", group="Z9", trials=1, db=path)
    discover(9, 2, "simplex", kind="lifts", trials=1, db=path)
    with Store(path) as store:
        assert "Nest(Z9)" in [find.recipe for find in store.finds(n=9)]


@pytest.mark.parametrize("case", [*USED, *KEPT])
def test_a_damaged_fabric_falls_back_on_what_can_be_read(
    swept: Path, tmp_path: Path, case: str
) -> None:
    path = edited(swept, tmp_path, (USED | KEPT)[case])
    with Store(path) as store:
        found = list(stored_members(store)((2, 16), (4, 4), False))
    assert {target.topology.n for target in found} == {16 if case in USED else 15}
