"""What is said of compiling: once, only where it takes long, never by the library itself."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.command import ROOT
from topofinder.compilation import WORDS, Announcer, tell_first
from topofinder.kernels import copy_into, kernel, sort_first
from topofinder.patching.placement.percolation_kernels import most_ports_first


@kernel
def falling_ends(ends, ports):
    return most_ports_first(ends, ports)


@kernel
def copied(target, source):
    copy_into(target, source)


@kernel
def sorted_first(values, count):
    sort_first(values, count)


START, END = SimpleNamespace(is_start=True), SimpleNamespace(is_start=False)
LINE = f"topofinder: {WORDS}\n"


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([(0.0, START), (0.9, END)], 0),
        ([(0.0, START), (1.1, END)], 1),
        ([(0.0, START), (0.6, END), (99.0, START), (99.3, END)], 0),
        ([(0.0, START), (0.6, END), (99.0, START), (99.5, END), (99.5, START)], 1),
        ([(0.0, START), (0.5, START), (1.2, END), (1.3, END), (1.4, START), (9.0, END)], 1),
    ],
)
def test_it_is_said_once_after_a_second_of_compiling(events: list, said: int) -> None:
    now, heard = [0.0], []
    announcer = Announcer(clock=lambda: now[0])
    announcer.tell = heard.append
    for moment, event in events:
        now[0] = moment
        announcer.notify(event)
    assert heard == [WORDS] * said


def test_the_clock_for_searches_stands_while_kernels_are_compiled() -> None:
    now = [5.0]
    announcer = Announcer(clock=lambda: now[0])
    seen = []
    for moment, event in [(6.0, START), (8.0, START), (10.0, END), (20.0, END), (21.0, None)]:
        now[0] = moment
        seen.append(announcer.working_time())
        if event is not None:
            announcer.notify(event)
        seen.append(announcer.working_time())
    assert seen == [6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 7.0, 7.0]


MODULE = """
from topofinder.kernels import kernel

@kernel
def doubled(number):
    return 2 * number
"""
COMMAND = """
import sys
import topofinder.api.throughput as request
import topofinder.compilation as compiling
from generators.errors import InvalidInput

def refused(*words, **options):
    from own_kernel import doubled
    raise InvalidInput(f"enough of {doubled(21)}")

compiling.PATIENCE = 0
request.throughput = refused
if sys.argv[1] == "library":
    try:
        refused()
    except InvalidInput as error:
        print(error, file=sys.stderr)
else:
    from topofinder.__main__ import main
    main()
"""


def told(folder: Path, *words: str) -> str:
    """What is on stderr of a program with a kernel of its own."""
    module = folder / "own_kernel.py"
    if not module.exists():  # numba below 0.68 compiles anew what was written anew
        module.write_text(MODULE, encoding="utf-8")
    kernels = {"PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *words],
        capture_output=True,
        text=True,
        env=os.environ | kernels,
        timeout=120,
    )
    assert done.stdout == ""
    return done.stderr


def test_a_command_says_it_on_stderr_the_first_time(tmp_path: Path) -> None:
    words = ("throughput", "K(4)", "--json")
    assert told(tmp_path, *words) == f"{LINE}topofinder: enough of 42\n"
    assert told(tmp_path, *words) == "topofinder: enough of 42\n"


def test_a_quiet_command_and_the_library_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert told(tmp_path / "a", "throughput", "K(4)", "--quiet") == "topofinder: enough of 42\n"
    assert told(tmp_path / "b", "library") == "enough of 42\n"


COUNTED = """
import sys
from numba.core import event
from topofinder.cli.app import main

compiled = set()

class Listener(event.Listener):
    def on_start(self, event):
        compiled.add(str(event.data["dispatcher"]))
    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
try:
    main()
finally:
    print(*sorted(compiled), sep="\\n", file=sys.stderr)
"""


def test_a_schedule_of_a_small_graph_compiles_nothing_to_tell_its_cost(tmp_path: Path) -> None:
    """The numpy path gives it at once; the kernels that make the rows are another matter."""
    words = ("schedule", "Q(3)", "--method", "bfb", "-o", "a.json", "--db", "a.db")
    done = subprocess.run(
        [sys.executable, "-c", COUNTED, *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path)},
        timeout=300,
    )
    assert done.returncode == 0
    assert "receive" in done.stderr
    assert "profile" not in done.stderr


@settings(deadline=None)
@given(st.lists(st.integers(-2, 6), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_ends_fall_by_ports_and_keep_their_order_among_equals(ports: list[int], chance) -> None:
    ends = np.array(chance.sample(range(len(ports)), len(ports)), dtype=np.int64)
    room = np.array(ports, dtype=np.int64)
    wanted = ends[np.argsort(-room[ends], kind="stable")]
    assert falling_ends(ends, room).tolist() == wanted.tolist()


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40), st.integers(0, 40))
def test_the_first_entries_are_sorted_in_place(values: list[int], count: int) -> None:
    count = min(count, len(values))
    found = np.array(values, dtype=np.int64)
    sorted_first(found, count)
    assert found.tolist() == sorted(values[:count]) + values[count:]


def test_an_array_is_copied() -> None:
    source, target = np.arange(4, dtype=np.int32), np.zeros(5, dtype=np.int64)
    copied(target, source)
    assert target.tolist() == [0, 1, 2, 3, 0]


def test_of_a_process_and_its_workers_one_says_it() -> None:
    announcer, heard = Announcer(clock=iter([0.0, 2.0]).__next__), []
    announcer.tell = heard.append
    claim = announcer.claim_file()
    assert claim is not None
    assert announcer.claim_file() == claim
    for worker in ("first", "second"):
        tell_first(claim, lambda words, worker=worker: heard.append(f"{worker}: {words}"))(WORDS)
    announcer.notify(START)
    announcer.notify(END)
    assert heard == [f"first: {WORDS}"]
    assert announcer.claim_file() is None  # it was said


def test_a_library_claims_nothing() -> None:
    assert Announcer().claim_file() is None


@pytest.mark.slow
def test_workers_of_a_sweep_say_it_the_first_time(tmp_path: Path) -> None:
    words = ("sweep", "--n", "1500:1501", "--d", "2,4,8", "--jobs", "2", "--db")
    said = []
    for name in ("first.db", "second.db"):
        done = subprocess.run(
            [sys.executable, "-m", "topofinder", *words, str(tmp_path / name)],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path)},
            check=True,
        )
        said.append(done.stderr.count(LINE))
    assert said == [1, 0]
