"""Progress is for terminals, colour for terminals that want it, and `--quiet` silences both."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from db.store import Store
from tests.command import OWN, PROGRAM, ran
from tests.db.sizes import size
from topofinder.api.shared.frontiers import search_size
from topofinder.cli.app import COMMANDS, NARROWED, command_parser

SHOW = ("show", "Diamond*2")
HEAD = re.compile(r"^T_L .*$", re.MULTILINE)
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
    assert on_a_terminal(*wanted, "--wide").replace(b"\r\n", b"\n") == piped.stdout
    assert b"\x1b" not in piped.stdout


def test_a_table_fits_the_terminal_and_tells_what_is_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = on_a_terminal(*SHOW, COLUMNS="60", NO_COLOR="1").decode().replace("\r\n", "\n")
    heads = HEAD.findall(told)
    assert [len(head) <= 60 for head in heads] == [True]
    assert heads[0].split()[-1] == "by"
    assert f"topofinder: {NARROWED}: " in told
    assert "\x1b[" not in told
    whole = ran(capsys, *SHOW).out
    assert len(HEAD.findall(whole)[0]) > 60, "what is piped stays whole"
    assert ran(capsys, *SHOW, "--wide").out == ran(capsys, "--wide", *SHOW).out == whole
    quiet = on_a_terminal(*SHOW, "-q", COLUMNS="60").decode().replace("\r\n", "\n")
    assert told.startswith(quiet), "all but the remark"
    assert "\n" not in told.removeprefix(quiet).rstrip("\n")


@pytest.mark.parametrize("words", [("--verbose", *SHOW), (*SHOW, "-v")])
def test_verbose_says_what_a_command_took(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = ran(capsys, *words)
    assert (code, out) == ran(capsys, *SHOW)[:2]
    told = r"topofinder: \d+\.\d\d s, \d+\.\d\d s of CPU, [\d.]+ \w+ of memory; topofinder .*\n"
    assert re.fullmatch(told, err)


@pytest.mark.parametrize("name", COMMANDS)
def test_what_goes_before_a_command_goes_behind_it(name: str) -> None:
    known = [word for option in command_parser().commands[name].params for word in option.opts]
    assert len(set(known)) == len(known)
    assert {"--quiet", "--verbose", "--wide"} <= set(known)


def test_quiet_before_a_command_holds_for_its_bar(tmp_path: Path) -> None:
    wanted = ("sweep", "--n", "4:6", "--d", "2", "--jobs", "1", "--db", tmp_path / "a.db")
    assert b"3/3" not in on_a_terminal("--quiet", *wanted)


def test_a_merge_that_is_quiet_says_nothing(tmp_path: Path) -> None:
    database, other = tmp_path / "found.db", tmp_path / "other.db"
    search_size(8, 2, db=database)
    assert on_a_terminal("merge", database, "--into", other, "-q") == b""
    assert on_a_terminal("export-db", "--db", other, "-o", tmp_path / "part.db", "-q") == b""
    assert b"sizes checked" in on_a_terminal("merge", database, "--into", other)
