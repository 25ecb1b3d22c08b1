"""Bad input on the command line: exit code 2, one line on stderr, nothing on stdout."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from db.schema import SCHEMA_VERSION
from generators.version import __version__
from tests.command import ran, ran_alone, started

SIZE = ("--n", "8", "--d", "2")
TIMES = ("--alpha", "10us", "--bandwidth", "100Gbps")


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one line that a refused command prints, without the name of the program."""
    ended = ran(capsys, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("topofinder: ")
    assert ended.err.endswith("\n")
    assert ended.err.count("\n") == 1
    return ended.err.removeprefix("topofinder: ")[:-1]


@pytest.mark.parametrize(
    ("n", "d", "line"),
    [
        ("1", "4", "n: a fabric has 2 to 1000000000 hosts, not 1"),
        ("0", "4", "n: a fabric has 2 to 1000000000 hosts, not 0"),
        ("-3", "2", "n: a fabric has 2 to 1000000000 hosts, not -3"),
        ("99999999999", "4", "n: a fabric has 2 to 1000000000 hosts, not 99999999999"),
        ("4", "0", "d: a host has 1 to 63 ports, not 0"),
        ("4", "-1", "d: a host has 1 to 63 ports, not -1"),
        ("100", "64", "d: a host has 1 to 63 ports, not 64"),
    ],
)
def test_impossible_sizes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, n: str, d: str, line: str
) -> None:
    db = tmp_path / "a.db"
    assert refused(capsys, "search", "--n", n, "--d", d, "--db", db) == line
    assert not db.exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("search",), "--n"),
        (("search", "--n", "8"), "--d"),
        (("search", "--n", "x", "--d", "2"), "--n"),
        (("search", "--n", "1.5", "--d", "2"), "--n"),
        (("search", "--n", "1" * 5000, "--d", "2"), "--n"),
        (("search", *SIZE, "--links", "both"), "both"),
        (("search", *SIZE, "--frob"), "--frob"),
        (("search", *SIZE, "junk"), "junk"),
        (("search", *SIZE, "--collective", "gossip"), "gossip"),
        (("frob",), "frob"),
        (("--frob",), "--frob"),
        (("build", "K(4)"), "--output"),
        (("sweep", "--n", "2:4"), "--d"),
    ],
)
def test_unknown_words(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    assert told in refused(capsys, *arguments)


@pytest.mark.parametrize("collective", ["broadcast", "reduce"])
@pytest.mark.parametrize("times", [(), (*TIMES, "--size", "1MiB")])
def test_collectives_that_have_no_cost(
    capsys: pytest.CaptureFixture[str], collective: str, times: tuple[str, ...]
) -> None:
    line = refused(capsys, "search", *SIZE, *times, "--collective", collective)
    assert line == f"--collective: allgather, reduce-scatter, allreduce, not {collective}"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--size", "1MiB"), "times need --alpha, --bandwidth and --size; missing --alpha"),
        (
            ("--alpha", "1us", "--size", "1MiB"),
            "times need --alpha, --bandwidth and --size; missing --bandwidth",
        ),
        (TIMES, "times need --alpha, --bandwidth and --size; missing --size or --sizes"),
        (
            (*TIMES, "--size", "1MiB", "--sizes", "any"),
            "--size and --sizes exclude each other",
        ),
        (
            (*TIMES, "--size", "1048576"),
            "--size: '1048576' has no unit; write for example 1MiB or 25MB",
        ),
        (
            (*TIMES, "--size", "1MXB"),
            "--size: unknown unit 'MXB' in '1MXB'; known are B, kB, KB, MB, GB, TB, KiB, MiB, "
            "GiB, TiB",
        ),
        (
            (*TIMES, "--size", "much"),
            "--size: 'much' is not a quantity; write for example 1MiB or 25MB",
        ),
        ((*TIMES, "--size", "0MiB"), "--size: '0MiB' is not above zero"),
        (
            (*TIMES, "--size", "-1MiB"),
            "--size: '-1MiB' is not a quantity; write for example 1MiB or 25MB",
        ),
        ((*TIMES, "--size", "1e400B"), "--size: '1e400B' is out of range"),
        (
            ("--alpha", "10", "--size", "1MiB", "--bandwidth", "1Gbps"),
            "--alpha: '10' has no unit; write for example 10us or 1.5ms",
        ),
        (
            ("--alpha", "10us", "--size", "1MiB", "--bandwidth", "100"),
            "--bandwidth: '100' has no unit; write for example 100Gbps or 12.5GB/s",
        ),
    ],
)
def test_workloads(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], line: str
) -> None:
    assert refused(capsys, "search", *SIZE, *arguments) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1MiB\n10\n", "{file}, line 2: size: '10' has no unit; write for example 1MiB or 25MB"),
        ("\n# x\n1MiB 2 3\n", "{file}, line 3: a size and a count, not '1MiB 2 3'"),
        (
            "1MiB x\n",
            "{file}, line 1: the count is a whole number from 1 to 1000000000000, not 'x'",
        ),
        (
            "1MiB,0\n",
            "{file}, line 1: the count is a whole number from 1 to 1000000000000, not '0'",
        ),
        ("# nothing\n\n", "sizes: {file} has no sizes in it"),
        (b"\xff\xfe", "{file}, line 1: not UTF-8 text at byte 0"),
        pytest.param("1kB\n" * 100_001, "sizes: {file} has more than 100000 sizes", id="many"),
    ],
)
def test_files_of_sizes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str | bytes, line: str
) -> None:
    file = tmp_path / "sizes.txt"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    told = refused(capsys, "search", *SIZE, *TIMES, "--sizes", file)
    assert told == line.format(file=file)


def test_a_file_of_sizes_that_is_not_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for file, reason in (("none", "no such file or directory"), (".", "is a directory")):
        path = tmp_path / file
        told = refused(capsys, "search", *SIZE, *TIMES, "--sizes", path)
        assert told == f"{path}: cannot be read: {reason}"


@pytest.fixture
def found(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Path:
    db = tmp_path / "found.db"
    assert ran(capsys, "search", "--n", 4, "--d", 2, "--db", db).code == 0
    return db


def edited(found: Path, statement: str) -> Path:
    copy = found.with_name("edited.db")
    shutil.copy(found, copy)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(statement)
        connection.commit()
    return copy


@pytest.mark.parametrize("command", ["search", "sweep"])
def test_databases_that_are_not_ours(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, found: Path, command: str
) -> None:
    text, foreign = tmp_path / "notes.txt", tmp_path / "foreign.db"
    text.write_text("Remember the milk. " * 100)
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE milk (litres)")
    newer = edited(found, "PRAGMA user_version = 99")
    reasons = {
        text: "file is not a database",
        foreign: "is an SQLite database of another program",
        newer: f"was written by a newer topofinder (schema 99; this one knows {SCHEMA_VERSION})",
        tmp_path: "is a folder, not a database",
        tmp_path / "none" / "a.db": f"its folder {str(tmp_path / 'none')!r} does not exist",
    }
    for path, reason in reasons.items():
        before = path.read_bytes() if path.is_file() else None
        line = refused(capsys, command, *SIZE, "--db", path)
        assert line == f"database {str(path)!r}: {reason}"
        assert before == (path.read_bytes() if path.is_file() else None)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE candidates SET facts = '{}'",
        "UPDATE candidates SET recipe = 'K(3,5)'",
        "UPDATE candidates SET method = 'magic'",
        "UPDATE candidates SET facts = json_set(facts, '$.loads', json('[[\"1/0\"], [\"1\"]]'))",
        "UPDATE candidates SET facts = json_set(facts, '$.loads', 7)",
    ],
)
def test_a_database_with_damaged_candidates(
    capsys: pytest.CaptureFixture[str], found: Path, statement: str
) -> None:
    whole = ran(capsys, "search", "--n", 4, "--d", 2, "--db", found)
    damaged = edited(found, statement)
    told = ran(capsys, "search", "--n", 4, "--d", 2, "--db", damaged)
    assert told[:2] == whole[:2]
    assert told.err.startswith(f"topofinder: database {str(damaged)!r}: n 4, d 2, simplex: ")
    assert told.err.endswith("it is kept, and what is found instead is not stored\n")
    assert ran(capsys, "search", "--n", 8, "--d", 2, "--db", damaged).code == 0


def test_a_stored_recipe_does_not_command_the_terminal(
    capsys: pytest.CaptureFixture[str], found: Path
) -> None:
    hostile = edited(found, "UPDATE candidates SET recipe = recipe || char(27) || '[2J'")
    ended = ran(capsys, "search", "--n", 4, "--d", 2, "--db", hostile)
    assert ended.code == 0
    assert "\x1b" not in ended.out + ended.err
    ended = ran(capsys, "query", "--n", 4, "--d", 2, "--db", hostile)
    assert "\x1b" not in ended.out
    assert "?[2J" in ended.out
    alike = edited(found, "UPDATE candidates SET recipe = char(27), method = 'bfb'")
    ended = ran(capsys, "search", "--n", 4, "--d", 2, "--db", alike)
    assert ended.code == 0
    assert "\x1b" not in ended.err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "--version") == (0, f"topofinder {__version__}\n", "")


def test_no_command_prints_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    ended = ran(capsys)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("Usage: topofinder [OPTIONS] COMMAND [ARGS]...\n")


@pytest.mark.parametrize("command", ["search", "sweep", "show", "build"])
def test_help(capsys: pytest.CaptureFixture[str], command: str) -> None:
    ended = ran(capsys, command, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"Usage: topofinder {command} [OPTIONS]")


def test_a_program_has_no_traceback_and_survives_a_closed_pipe() -> None:
    ended = ran_alone("search", "--n", "1", "--d", "4")
    assert ended == (2, "", "topofinder: n: a fabric has 2 to 1000000000 hosts, not 1\n")
    with started("show", "K(4)") as running:
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 0
