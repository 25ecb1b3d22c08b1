"""The process in the background: one of a user, without a trace where it cannot work."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.command import ROOT
from topofinder.dispatch.background import VARIABLE

PROGRAM = "from topofinder.dispatch.compile_requests import main; main()"
REQUEST = """
from topofinder.kernels import tree_heights
from topofinder.dispatch.background import may_be_stored, request, spool_file
before = may_be_stored(tree_heights.py_func)
for _ in range(2):
    request("topofinder.kernels:hop_table", '["<i8:1C", "<i4:1C"]')
print(before, spool_file())
"""
LATER = """
from topofinder.kernels import hop_table, tree_heights
from topofinder.dispatch.background import is_at_work
from topofinder.dispatch.stored_signatures import are_compiled_later, is_stored
print(are_compiled_later([hop_table]), is_at_work(), is_stored(hop_table), is_stored(tree_heights))
"""
LINE = 'topofinder.kernels:hop_table\t["<i8:1C", "<i4:1C"]\n'
WRONG = "os:none\t[]\n7\ntopofinder.kernels:hop_table\t[\n"


def run(folder: Path, program: str, *words: str, **more: str) -> str:
    own = {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder / "home")}
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        env=os.environ | own | {"NUMBA_CACHE_DIR": str(folder / "kernels")} | more,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def stored(folder: Path) -> list[str]:
    return sorted(path.name.split("-")[0] for path in (folder / "kernels").rglob("*.nbi"))


def test_requests_are_compiled_and_wrong_ones_passed_over(tmp_path: Path) -> None:
    spool = tmp_path / "wanted.txt"
    spool.write_text(WRONG + LINE + LINE, encoding="utf-8")
    run(tmp_path, PROGRAM, str(spool))
    assert stored(tmp_path) == ["kernels.count_hops", "kernels.hop_table"]
    assert not spool.exists()


def test_a_second_process_leaves_the_work_to_the_first(tmp_path: Path) -> None:
    spool = tmp_path / "wanted.txt"
    spool.write_text(LINE, encoding="utf-8")
    with (tmp_path / "kernels.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run(tmp_path, PROGRAM, str(spool))
    assert spool.read_text(encoding="utf-8") == LINE
    assert stored(tmp_path) == []


def test_a_request_starts_the_process_and_waits_for_nothing(tmp_path: Path) -> None:
    before, spool = run(tmp_path, REQUEST, **{VARIABLE: "1"}).split()
    assert before == "False"
    until = monotonic() + 240
    while Path(spool).exists() or "kernels.hop_table" not in stored(tmp_path):
        assert monotonic() < until
        sleep(0.1)


@pytest.mark.parametrize("way", [{VARIABLE: "0"}, {"NUMBA_CACHE_DIR": __file__}])
def test_nothing_is_asked_for_where_it_is_off(tmp_path: Path, way: dict[str, str]) -> None:
    _, spool = run(tmp_path, REQUEST, **({VARIABLE: "1"} | way)).split()
    assert not Path(spool).exists()
    assert stored(tmp_path) == []


def test_kernels_are_left_to_the_process_once(tmp_path: Path) -> None:
    on = {VARIABLE: "1", "TOPOFINDER_KERNELS": "auto"}
    assert run(tmp_path, LATER, **on).split() == ["True", "True", "False", "False"]
    until = monotonic() + 240
    with (tmp_path / "home/topofinder/kernels.lock").open("a") as lock:
        while "kernels.hop_table" not in stored(tmp_path):
            assert monotonic() < until
            sleep(0.1)
        fcntl.flock(lock, fcntl.LOCK_EX)
    assert run(tmp_path, LATER, **on).split() == ["False", "False", "True", "False"]
    for file in (tmp_path / "kernels").rglob("*hop_table*.nbi"):
        file.write_bytes(file.read_bytes()[:8])  # of other code: the process has ended without it
    assert run(tmp_path, LATER, **on).split() == ["False", "False", "False", "False"]
