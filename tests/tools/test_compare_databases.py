"""The comparison of databases finds every row that is not in both, and nothing else."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tools.compare_databases import differences, main


def database(path: Path, rows: list[tuple[int, str]], created: str) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE sizes (n INTEGER, recipe TEXT, created TEXT)")
        connection.executemany(f"INSERT INTO sizes VALUES (?, ?, '{created}')", rows)
    return path


def test_times_make_no_difference_and_rows_do(tmp_path: Path) -> None:
    rows = [(8, "K(4,4)"), (5, "K(5)"), (5, "K(5)")]
    one = database(tmp_path / "one.db", rows, "early")
    same = database(tmp_path / "same.db", rows[::-1], "late")
    other = database(tmp_path / "other.db", [*rows[:2], (5, "C(5,{1,2})"), (9, "K(9)")], "late")
    assert differences(one, same) == {"sizes": (0, 0)}
    assert differences(one, other) == {"sizes": (1, 2)}


def test_the_exit_code_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = database(tmp_path / "one.db", [(8, "K(4,4)")], "early")
    other = database(tmp_path / "other.db", [(8, "K(8)")], "early")
    for paths, code in (((one, one), 0), ((one, other), 1)):
        monkeypatch.setattr("sys.argv", ["compare", *map(str, paths)])
        assert main() == code
    assert capsys.readouterr().out.split() == ["sizes", "0", "0", "sizes", "1", "1"]
