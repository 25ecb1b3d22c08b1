import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from db.schema import SCHEMA_VERSION
from db.store import Store
from generators.errors import InvalidInput
from tests.clocks import hurry_locks
from tests.db.sizes import contents, size

ROOT = Path(__file__).parents[2]
NOBODY = 65534


def refusal(path: Path | str, *, create: bool = True) -> str:
    """What is said of a file that cannot be used, without the name that starts the line."""
    with pytest.raises(InvalidInput) as caught, Store(path, create=create):
        pass
    line, name = str(caught.value), f"database {os.fspath(path)!r}: "
    assert line.startswith(name)
    assert "\n" not in line
    return line.removeprefix(name)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def foreign(path: Path, *statements: str) -> bytes:
    """The bytes of an SQLite file that another program made."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path.read_bytes()


def test_a_new_file_is_made_marked_and_logged_ahead(tmp_path: Path) -> None:
    path = tmp_path / "a folder?" / "new #1 100%.db"
    path.parent.mkdir()
    with Store(path) as store:
        store.save_or_keep([size()])
        assert not store.read_only
    assert names(path.parent) == [path.name]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (0x746F706F,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with Store(str(path), create=False) as store:
        assert store.frontier(8, 2, "duplex") == size().frontier


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    assert refusal(path, create=False) == "is empty"
    with Store(path) as store:
        store.save_or_keep([size()])
    assert list(contents(path))


def test_folders_and_missing_files(tmp_path: Path) -> None:
    assert refusal(tmp_path) == "is a folder, not a database"
    missing = tmp_path / "none" / "a.db"
    assert refusal(missing) == f"its folder {str(missing.parent)!r} does not exist"
    assert refusal(tmp_path / "a.db", create=False) == "does not exist"
    assert refusal("a\0b") == "is no file name"
    with pytest.raises(InvalidInput, match=r"File name too long$"), Store(tmp_path / ("a" * 300)):
        pass
    assert refusal(tmp_path / "two\nlines" / "a.db").endswith("does not exist")
    assert refusal(Path(os.devnull)) == "is no regular file"
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "content",
    [
        *[b"x", b"not a database\n" * 100, b"\0" * 4096],
        *[b"SQLite format 3\0", b"SQLite format 3\0" + b"\xff" * 600],
    ],
)
def test_files_that_are_not_sqlite(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(content)
    assert "not a database" in refusal(path)
    assert path.read_bytes() == content


def test_a_torn_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "torn.db"
    with Store(path) as store:
        store.save_or_keep(size(n) for n in range(2, 200))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 3])
    with pytest.raises(InvalidInput, match="malformed") as caught, Store(path) as store:
        store.candidates()
    assert repr(str(path)) in str(caught.value)
    path.write_bytes(b"no SQLite header" + whole[16:])
    assert "not a database" in refusal(path)


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE notes (a)"],
        ["PRAGMA application_id = 7"],
        ["PRAGMA user_version = 1"],
        ["CREATE TABLE candidates (id)", "PRAGMA user_version = 1"],
        ["CREATE VIEW frontier AS SELECT 1"],
    ],
)
def test_databases_of_other_programs_are_left_alone(tmp_path: Path, statements: list[str]) -> None:
    path = tmp_path / "other.db"
    before = foreign(path, *statements)
    for create in (True, False):
        assert refusal(path, create=create) == "is an SQLite database of another program"
    assert path.read_bytes() == before
    assert names(tmp_path) == [path.name]


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    with Store(path) as store:
        store.connection.execute("PRAGMA user_version = 999")
    before = path.read_bytes()
    line = f"was written by a newer topofinder (schema 999; this one knows {SCHEMA_VERSION})"
    assert refusal(path) == line
    assert path.read_bytes() == before


def test_a_file_that_is_busy_for_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "busy.db"
    hurry_locks(monkeypatch)
    with Store(path) as holder, Store(path) as other:
        holder.connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(
            InvalidInput, match=r"busy\.db': is locked: another process has held it for 60 s"
        ):
            other.save_or_keep([size()])
        assert other.finished_sizes("duplex") == set()
        holder.connection.execute("ROLLBACK")
        other.save_or_keep([size()])


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user can enter, with a database of one size."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        with Store(folder / "a.db") as store:
            store.save_or_keep([size()])
        (folder / "empty.db").touch()
        yield folder
        folder.chmod(0o755)


def as_nobody(program: str, path: Path) -> list[str]:
    """What a user who owns none of the files sees; root would be refused nothing."""
    start = (
        "import os, sys\nfrom db.store import Store\nfrom generators.errors import InvalidInput\n"
        "from tests.db.sizes import size\n"
        f"if os.geteuid() == 0:\n    os.setuid({NOBODY})\n"
    )
    caught = f"{start}try:\n    {program}\nexcept InvalidInput as error:\n    print(error)\n"
    return run(caught, str(path)).replace(f"database {str(path)!r}: ", "").splitlines()


def run(program: str, *arguments: str) -> str:
    """What a Python program prints."""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


READ = "\n    ".join((
    "with Store(sys.argv[1]) as store:",
    "    print(store.read_only, store.frontier(8, 2, 'duplex') == size().frontier)",
    "    store.save_or_keep([size(9)])",
))  # fmt: skip
OPEN = "with Store(sys.argv[1]): pass"


def test_a_file_on_a_read_only_medium_can_be_read(shared: Path) -> None:
    (shared / "a.db").chmod(0o444)
    shared.chmod(0o555)
    assert as_nobody(READ, shared / "a.db") == ["True True", "cannot be written"]
    assert names(shared) == ["a.db", "empty.db"]


def test_files_that_may_not_be_read_or_made(shared: Path) -> None:
    (shared / "empty.db").chmod(0o444)
    (shared / "a.db").chmod(0o000)
    shared.chmod(0o555)
    assert as_nobody(OPEN, shared / "a.db") == ["cannot be read"]
    assert as_nobody(OPEN, shared / "new.db") == ["its folder cannot be written"]
    assert as_nobody(OPEN, shared / "empty.db") == ["is empty"]


def test_an_older_schema_that_cannot_be_written(shared: Path) -> None:
    with closing(sqlite3.connect(shared / "a.db")) as connection:
        connection.execute("PRAGMA user_version = 0")
    (shared / "a.db").chmod(0o444)
    shared.chmod(0o555)
    line = "has the older schema 0 and cannot be written"
    assert as_nobody(OPEN, shared / "a.db") == [line]


def test_importing_the_store_is_light() -> None:
    heavy = "'numpy', 'pandas', 'sqlite_utils', 'networkx', 'scipy'"
    program = f"import sys, db.store; print([m for m in ({heavy}) if m in sys.modules])"
    assert run(program) == "[]\n"
