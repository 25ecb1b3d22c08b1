"""`topofinder sweep`: what it says, what it skips, and Ctrl-C."""

import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from db.store import Store
from generators.errors import InvalidInput
from tests.command import Ended, ran, ran_alone, started

INTERRUPTED = "topofinder: interrupted; what was finished is stored\n"


def test_it_fills_sizes_and_goes_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    arguments = ("--d", "1,2", "--jobs", 1, "--db", db)
    said = f"sizes searched and stored in {db}\n"
    assert ran(capsys, "sweep", "--n", "2:6", *arguments) == (0, "", f"10 {said}")
    assert ran(capsys, "sweep", "--n", "2:6", *arguments) == (0, "", f"0 {said}")
    assert ran(capsys, "sweep", "--n", "5,7:8", *arguments) == (0, "", f"4 {said}")
    assert ran(capsys, "sweep", "--n", "2:9", *arguments, "--quiet") == (0, "", "")
    with Store(db) as store:
        assert store.finished_sizes("simplex", pooled=True) == {
            (n, d) for n in range(2, 10) for d in (1, 2)
        }


def test_a_search_of_a_swept_size_prints_what_a_search_alone_prints(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    swept, alone = tmp_path / "swept.db", tmp_path / "alone.db"
    ran(capsys, "sweep", "--n", "2:24", "--d", "2,3", "-j", 1, "--db", swept)
    for more in ((), ("--json",)):
        size = ("search", "--n", 24, "--d", 3, *more, "--db")
        assert ran(capsys, *size, swept) == ran(capsys, *size, alone)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--n", "1", "--d", "1"), "n: a fabric has 2 to 1048576 hosts, not 1"),
        (("--n", "1:3", "--d", "1"), "n: a fabric has 2 to 1048576 hosts, not 1"),
        (("--n", "2:6", "--d", "0,2"), "d: a host has 1 to 63 ports, not 0"),
        (("--n", "2:6", "--d", "64"), "d: a host has 1 to 63 ports, not 64"),
        (("--n", "4", "--d", "1", "--links", "duplex"), "d: one two-way circuit a host is a "),
        (("--n", "4:2", "--d", "2"), "--n: the range '4:2' is empty"),
        (("--n", "4:", "--d", "2"), "--n: '4:' is not a number or a range such as 2:2000"),
        (("--n", "4", "--d", "2", "--time", "0s"), "--time: "),
        (("--n", "4", "--d", "2", "--time", "soon"), "--time: "),
        (("--n", "4", "--d", "2,,3"), "--d: '' is not a number or a range such as 2:2000"),
        (("--n", "2:3:4", "--d", "2"), "--n: '2:3:4' is not a number or a range such as 2:2000"),
        (("--n", "x", "--d", "2"), "--n: 'x' is not a number or a range such as 2:2000"),
        (("--n", "-4", "--d", "2"), "--n: '-4' is not a number or a range such as 2:2000"),
        (("--n", "٣", "--d", "2"), "--n: '٣' is not a number or a range such as 2:2000"),
        (("--n", "2:9999999", "--d", "2"), "--n: the range '2:9999999' has more than 1000000 "),
        (("--n", "1" * 5000, "--d", "2"), "--n: '1111"),
        (
            ("--n", "4", "--d", "2", "--jobs", "0"),
            "jobs: 1 to 1024 workers, or -1 for all cores, not 0",
        ),
    ],
)
def test_refusals(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], line: str
) -> None:
    ended = ran(capsys, "sweep", *arguments, "--db", tmp_path / "a.db")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"topofinder: {line}")
    assert ended.err.count("\n") == 1
    assert not (tmp_path / "a.db").exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_sweep_says_so_and_leaves_the_database_whole(
    tmp_path: Path, jobs: int
) -> None:
    db = tmp_path / "a.db"
    sweep = started("sweep", "--n", "2:700", "--d", "2,4,8", "--jobs", jobs, "--db", db)
    with sweep:
        deadline = time.monotonic() + 60
        while finished(db) < 40:
            assert sweep.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.killpg(sweep.pid, signal.SIGINT)
        out, err = sweep.communicate(timeout=30)
    assert Ended(sweep.returncode, out, err) == (130, "", INTERRUPTED)
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert finished(db) >= 40


def finished(db: Path) -> int:
    try:
        with Store(db, create=False) as store:
            return len(store.finished_sizes("simplex"))
    except InvalidInput:
        return 0


def test_workers_leave_no_word_on_stderr(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    ended = ran_alone("sweep", "--n", "2:12", "--d", "2,3", "--jobs", 2, "--db", db)
    assert ended == (0, "", f"22 sizes searched and stored in {db}\n")
