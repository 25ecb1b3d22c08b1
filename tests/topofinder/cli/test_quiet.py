"""Progress is for terminals, colour for terminals that want it, and `--quiet` silences both."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from db.store import Store
from tests.command import OWN, PROGRAM
from tests.db.sizes import size
from topofinder.api.shared.frontiers import search_size

COLOUR = re.compile(rb"\x1b\[[0-9;]*[1-9][0-9;]*m")
"""What sets a colour or a style; what a terminal is told besides moves the cursor."""


def on_a_terminal(*arguments: object, **settings: str) -> bytes:
    """All that a command shows on a terminal."""
    master, slave = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {**OWN, "TERM": "xterm-256color", **settings}
    words = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    with subprocess.Popen(words, stdout=slave, stderr=slave, env=environment) as running:
        os.close(slave)
        shown = b""
        try:
            while piece := os.read(master, 1 << 16):
                shown += piece
        except OSError:  # Linux says so at the end of what a terminal shows
            pass
        os.close(master)
    assert running.returncode == 0, shown
    return shown


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "found.db"
    with Store(path) as store:
        store.save_or_keep([size()])
    return path


def test_a_sweep_shows_progress_in_the_colours_that_are_wanted(tmp_path: Path) -> None:
    wanted = ("sweep", "--n", "4:6", "--d", "2", "--jobs", "1", "--db")
    coloured = on_a_terminal(*wanted, tmp_path / "a.db")
    assert b"sizes" in coloured
    assert COLOUR.search(coloured)
    plain = on_a_terminal(*wanted, tmp_path / "b.db", NO_COLOR="1")
    assert b"3/3" in plain
    assert not COLOUR.search(plain)
    assert on_a_terminal(*wanted, tmp_path / "c.db", "--quiet") == b""


@pytest.mark.parametrize("form", ["--json", "--csv", "--markdown", "--all"])
def test_a_query_looks_the_same_on_a_terminal(database: Path, form: str) -> None:
    wanted = ("query", "--db", database, form)
    words = [sys.executable, "-c", PROGRAM, *map(str, wanted)]
    environment = os.environ | OWN
    piped = subprocess.run(words, capture_output=True, env=environment, check=True)
    assert piped.stderr == b""
    assert on_a_terminal(*wanted).replace(b"\r\n", b"\n") == piped.stdout
    assert b"\x1b" not in piped.stdout


def test_a_merge_that_is_quiet_says_nothing(tmp_path: Path) -> None:
    database, other = tmp_path / "found.db", tmp_path / "other.db"
    search_size(8, 2, db=database)
    assert on_a_terminal("merge", database, "--into", other, "-q") == b""
    assert on_a_terminal("export-db", "--db", other, "-o", tmp_path / "part.db", "-q") == b""
    assert b"sizes checked" in on_a_terminal("merge", database, "--into", other)
