"""Signals end a command, and its workers with it, in one line and without a traceback."""

import os
import signal
import sqlite3
import sys
import time
import tomllib
from contextlib import closing, suppress
from pathlib import Path

import pytest

from db.store import Store
from generators.errors import InvalidInput
from tests.command import ROOT, ran_alone, started

INTERRUPTED = "topofinder: interrupted; what was finished is stored\n"
TERMINATED = "topofinder: terminated; what was finished is stored\n"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULE, FUNCTION = PROJECT["scripts"]["topofinder"].split(":")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


def sweeping(db: Path):
    """A sweep with two workers that has stored something."""
    sweep = started("sweep", "--n", "2:1500", "--d", 2, "--jobs", 2, "--db", db)
    deadline = time.monotonic() + 120
    while not stored(db):
        assert sweep.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return sweep


def stored(db: Path) -> int:
    try:
        with Store(db, create=False) as store:
            return len(store.finished_sizes("simplex"))
    except InvalidInput:
        return 0


def check_whole(db: Path) -> None:
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert stored(db)


def all_ended(group: int) -> bool:
    """Whether no process of a group runs on."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(ProcessLookupError):
            os.killpg(group, 0)
            time.sleep(0.05)
            continue
        return True
    return False


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_sweep_that_is_told_to_end_takes_its_workers_along(
    tmp_path: Path, number: int, code: int
) -> None:
    with sweeping(tmp_path / "a.db") as sweep:
        sweep.send_signal(number)
        out, err = sweep.communicate(timeout=60)  # workers hold the output open
    assert (sweep.returncode, out) == (code, "")
    assert err.startswith(TERMINATED)  # joblib's tracker of resources may warn after it
    assert all_ended(sweep.pid)
    check_whole(tmp_path / "a.db")


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    with sweeping(tmp_path / "a.db") as sweep:
        sweep.kill()
        sweep.communicate(timeout=60)
    assert sweep.returncode == -signal.SIGKILL
    assert all_ended(sweep.pid)
    check_whole(tmp_path / "a.db")


IDLE = """
import time
from joblib import Parallel, delayed
from topofinder.finder.parallel import worker_settings
Parallel(n_jobs=2, **worker_settings())(delayed(abs)(-number) for number in range(4))
print("idle", flush=True)
time.sleep(600)
"""


def test_idle_workers_end_with_their_parent_as_well() -> None:
    with started(program=IDLE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "idle\n"
        parent.kill()
        parent.communicate(timeout=60)
    assert all_ended(parent.pid)


def test_workers_of_other_backends_are_left_alone() -> None:
    from joblib import parallel_config

    from topofinder.finder.parallel import start_worker, worker_settings

    own = {"initializer": start_worker, "initargs": (os.getpid(), None)}
    assert (worker_settings(), worker_settings("threads")) == (own, {})
    with parallel_config(backend="threading"):
        assert worker_settings() == {}
    with parallel_config(backend="loky"):
        assert worker_settings("threads") == own


BUSY = """
import hashlib
from topofinder.interrupts import interrupt_once
with interrupt_once():
    print("ready", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # heeds no signal for many minutes
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_compiled_code_holds_nobody_up(number: int, code: int) -> None:
    with started(program=BUSY) as busy:
        assert busy.stdout is not None
        assert busy.stdout.readline() == "ready\n"
        time.sleep(0.5)  # until it is in compiled code
        busy.send_signal(number)
        assert busy.communicate(timeout=60) == ("", TERMINATED)
    assert busy.returncode == code


UNHEARD = """
import os, signal
from topofinder.interrupts import interrupt_once
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with interrupt_once():
    os.kill(os.getpid(), signal.SIGHUP)
    print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)
print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL, signal.set_wakeup_fd(-1))
"""


def test_a_signal_that_is_ignored_stays_so_and_all_is_put_back() -> None:
    assert ran_alone(program=UNHEARD) == (0, "True\nTrue -1\n", "")


FULL_PIPE = """
import topofinder.api.show
from topofinder.cli.app import main
def printed(*words, **options):
    print("x" * 1_000_000, flush=True)
topofinder.api.show.show = printed
main(["show", "K(4)"])
"""


def test_a_reader_that_does_not_read_holds_nobody_up() -> None:
    with started(program=FULL_PIPE) as writing:
        assert writing.stdout is not None
        assert writing.stdout.read(1) == "x"
        writing.send_signal(signal.SIGTERM)
        assert writing.wait(timeout=60) == 143


INTERRUPTS = f"""
import os, signal, sys
from {MODULE} import {FUNCTION}

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)

wanted = sys.argv.pop(1)
sys.modules.pop(wanted, None)
sys.meta_path.insert(0, Interrupts())
{FUNCTION}()
"""


@pytest.mark.parametrize(
    "module", ["topofinder.cli.app", "typer", "topofinder.cli.search", "topofinder.api.search"]
)
def test_an_interrupt_while_importing_is_one_line(tmp_path: Path, module: str) -> None:
    words = ("search", "--n", 8, "--d", 2, "--db", tmp_path / "a.db")
    assert ran_alone(module, *words, program=INTERRUPTS) == (130, "", INTERRUPTED)


LATE = f"""
import atexit, os, signal, threading, time
from {MODULE} import {FUNCTION}
atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
{FUNCTION}()
"""


def test_an_interrupt_at_the_end_is_one_line() -> None:
    ended = ran_alone("show", "K(4)", "--json", program=LATE)
    assert (ended.code, ended.err) == (130, INTERRUPTED)


IN_A_STRING = """
import topofinder.api.show
from topofinder.cli.app import main
def interrupted(*words, **options):
    exec("import os, signal; os.kill(os.getpid(), signal.SIGINT)")
topofinder.api.show.show = interrupted
main(["show", "K(4)"])
"""


def test_an_interrupt_within_the_code_of_a_string_has_the_same_exit_code() -> None:
    assert ran_alone(program=IN_A_STRING) == (130, "", INTERRUPTED)
