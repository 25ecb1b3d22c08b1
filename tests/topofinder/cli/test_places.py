"""Files that cannot be written, and locks that are held: told of before the work, not after it."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from db.opening import Unavailable
from db.store import Store, is_ready
from generators.errors import InvalidInput
from generators.files import require_place
from tests.clocks import hurry_locks
from tests.command import ran
from tests.db.sizes import size

Capture = pytest.CaptureFixture[str]

SCHEDULE = "topofinder.api.schedule.make_schedule"
FOREST = "topofinder.api.schedule_forest.schedule_forest"
SOLVE = "topofinder.api.throughput.bound_throughput"
POOLS = "topofinder.finder.enumeration.Pools"
FILL = "topofinder.api.sweep._Filling"
WORK = "topofinder.api.reproduce.register.reproduce_named"
SEARCH = ("search", "--n", 20, "--d", 4)
SWEEP = ("sweep", "--n", "20:22", "--d", 4)
DISCOVER = ("discover", "--n", 12, "--d", 2, "--trials", 10, "--kind", "cayley")
OUTPUTS = [
    (("schedule", "K(4)", "-o", "{}/a.npz"), SCHEDULE),
    (("schedule", "K(4)", "--method", "forest", "-o", "{}/a.npz"), FOREST),
    (("throughput", "K(4)", "--certificate", "{}/a.npz"), SOLVE),
    (("throughput", "K(4)", "--routes", "{}/a.csv"), SOLVE),
    (("report", "--n", 20, "--d", 4, "-o", "{}/a.html"), POOLS),
    (("report", "--n", "20:22", "--d", 4, "-o", "{}/folder"), FILL),
    (("reproduce", "figure3", "-o", "{}/a.svg"), WORK),
    (("build", "K(4)", "-o", "{}/a.edges"), "expansions.build.build"),
    (("export-db", "-o", "{}/b.db"), "topofinder.api.merge._write"),
    (
        ("inventory", "K(4)", "-o", "{}/a.json", "--current", "{}/a.csv"),
        "topofinder.api.inventory.new_inventory",
    ),
    (
        ("plan", "--inventory", "a", "--current", "b", "--to", "K(4)", "-o", "{}/a.csv"),
        "topofinder.api.plan_methods.find_plan",
    ),
    (
        ("replay", "a.json", "--inventory", "b", "--current", "c", "-o", "{}/a.csv"),
        "topofinder.model.inventory.ports.read_port_map",
    ),
]
STORING = [
    *((words, worker) for words, worker in OUTPUTS[:3]),
    (SEARCH, POOLS),
    (SWEEP, FILL),
    (("report", "--n", 20, "--d", 4), POOLS),
    (("report", "--n", "20:22", "--d", 4), FILL),
    (DISCOVER, "topofinder.discovery.rounds.WorkUnit.run"),
    (DISCOVER, POOLS),
    (("merge", "{}/other.db", "--into", "{}/a.db"), "db.merging._merge_sizes"),
]


UNSTORED = ("build", "merge", "inventory", "replay")


def forbid(monkeypatch: pytest.MonkeyPatch, worker: str) -> None:
    """Make a test fail that comes as far as the work."""

    def work(*arguments: object, **options: object) -> None:
        pytest.fail(f"{worker} was called")

    monkeypatch.setattr(worker, work)


def filled(words: tuple[object, ...], folder: Path, db: Path) -> list[object]:
    """The words of a command with its folder and database."""
    named = [str(word).format(folder) for word in words]
    return named if words[0] in UNSTORED else [*named, "--db", db]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    for name in ("a.db", "other.db"):
        with Store(tmp_path / name) as store:
            store.save_or_keep([size()])
    return tmp_path / "a.db"


@pytest.fixture
def held(db: Path) -> Iterator[sqlite3.Connection]:
    """A database that another process writes to, as long as its transaction is open."""
    with closing(sqlite3.connect(db, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


@pytest.mark.parametrize(("words", "worker"), OUTPUTS)
def test_outputs_that_cannot_be_written(
    capsys: Capture, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch,
    words: tuple[object, ...], worker: str,
) -> None:  # fmt: skip
    forbid(monkeypatch, worker)
    ended = ran(capsys, *filled(words, tmp_path / "none", db))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.endswith(f": there is no folder {tmp_path}/none\n")
    assert ended.err.count("\n") == 1
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.R_OK)
    ended = ran(capsys, *filled(words, tmp_path, tmp_path / "new.db"))
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert ended.err.endswith("its folder cannot be written\n")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.db", "other.db"]


def test_a_place_is_looked_at_and_left_as_it_is(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    old.write_text("as it was")
    require_place(old)
    require_place(tmp_path / "new.json")
    assert [file.name for file in tmp_path.iterdir()] == ["old.json"]
    assert old.read_text() == "as it was"
    (tmp_path / "empty.db").touch()
    assert is_ready(tmp_path / "new.db")
    assert is_ready(tmp_path / "empty.db")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["empty.db", "old.json"]
    assert (tmp_path / "empty.db").stat().st_size == 0
    for wrong in (tmp_path, tmp_path / "no" / "a.json", os.devnull, "a\0b", tmp_path / ("a" * 300)):
        with pytest.raises(InvalidInput):
            require_place(wrong)


@pytest.mark.parametrize(("words", "worker"), STORING)
def test_a_lock_that_stays(
    capsys: Capture, tmp_path: Path, db: Path, held: sqlite3.Connection,
    monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...], worker: str,
) -> None:  # fmt: skip
    forbid(monkeypatch, worker)
    hurry_locks(monkeypatch)
    ended = ran(capsys, *filled(words, tmp_path, db))
    waiting, refused = ended.err.splitlines()
    assert (ended.code, ended.out) == (2, "")
    assert waiting.endswith("a.db': waiting for another process, up to 60 s")
    assert refused.endswith("a.db': is locked: another process has held it for 60 s")


def test_a_lock_that_is_let_go(
    capsys: Capture, db: Path, held: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = threading.Event()
    monkeypatch.setattr("db.waiting.LOGGER.warning", lambda *words: told.set())
    threading.Thread(target=lambda: (told.wait(30), held.execute("ROLLBACK"))).start()
    ended = ran(capsys, *SEARCH, "--db", db)
    assert ended.code == 0
    with Store(db) as store:
        assert store.frontier(20, 4, "simplex") is not None


def test_reading_waits_too(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry_locks(monkeypatch)
    with closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InvalidInput, match=r"a\.db': is locked"), Store(db):
            pass
        other.execute("ROLLBACK")
    with Store(db) as store:
        assert store.finished_sizes("duplex")


def test_an_answer_that_cannot_be_stored_in_the_end_is_told(
    capsys: Capture, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise Unavailable("database 'a.db': database or disk is full")

    whole = ran(capsys, *SEARCH, "--db", tmp_path / "b.db")
    for name in ("save_or_keep", "save_schedule", "save_throughput", "save_forest"):
        monkeypatch.setattr(Store, name, full)
    ended = ran(capsys, *SEARCH, "--db", db)
    assert (ended.code, ended.out) == (2, whole.out)
    told = "topofinder: database 'a.db': database or disk is full; the answer is not stored\n"
    assert ended.err == told
    for words, _ in STORING[:3]:
        ended = ran(capsys, *filled(words, tmp_path, db))
        assert ended.code == 2
        assert ended.out
        assert ended.err == "topofinder: database 'a.db': database or disk is full\n"
    assert (tmp_path / "a.npz").is_file()


@pytest.mark.parametrize("words", [SEARCH, *(words for words, _ in STORING[:3])])
def test_a_database_that_only_can_be_read_is_told_of(
    capsys: Capture, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch,
    words: tuple[object, ...],
) -> None:  # fmt: skip
    monkeypatch.setattr("db.opening._access", lambda file: "mode=ro")
    ended = ran(capsys, *filled(words, tmp_path, db))
    told = f"topofinder: database {str(db)!r}: cannot be written; what is found is not stored\n"
    assert (ended.code, ended.err) == (0, told)
    assert ended.out


@pytest.mark.parametrize(("words", "worker"), [(SWEEP, FILL), *STORING[-2:]])
def test_what_is_only_for_storing_is_refused_there(
    capsys: Capture, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch,
    words: tuple[object, ...], worker: str,
) -> None:  # fmt: skip
    forbid(monkeypatch, worker)
    monkeypatch.setattr("db.opening._access", lambda file: "mode=ro")
    ended = ran(capsys, *filled(words, tmp_path, db))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"topofinder: database {str(db)!r}: cannot be written\n"
