"""Compiled kernels are those of the code as it is, that of other files too."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topofinder.dispatch.code_stamp import code_stamp
from topofinder.dispatch.kernel import KERNELS, kernel_named
from topofinder.dispatch.stored_signatures import stored_signatures

OUTER = """
from topofinder.kernels import kernel
from inner import STEP, add

@kernel
def total(number):
    return add(number) + 100

@kernel
def alone(number):
    return number + 1
"""
INNER = """
from topofinder.kernels import inner
STEP = {step}

@inner
def add(number):
    return number + {amount} * STEP
"""
RUN = """
from outer import alone, total
print(total(1), alone(1), *(sum(f.compiled.stats.cache_hits.values()) for f in (total, alone)))
"""


def function(text: str, **names: Any) -> Callable[..., Any]:
    exec(text, names)
    found: Callable[..., Any] = names["f"]
    found.__module__ = "example"
    return found


def run_in(folder: Path, *, amount: int, step: int) -> list[int]:
    """What the kernels answer, and how many lay on the disk."""
    (folder / "outer.py").write_text(OUTER)
    (folder / "inner.py").write_text(INNER.format(amount=amount, step=step))
    root = str(Path(__file__).parents[3])
    settings = {
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
        "TOPOFINDER_KERNELS": "compiled",
        "PYTHONPATH": os.pathsep.join((str(folder), root)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-c", RUN]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, check=True)
    return [int(word) for word in done.stdout.split()]


def test_what_another_file_changes_is_compiled_anew_and_what_was_touched_is_not(
    tmp_path: Path,
) -> None:
    assert run_in(tmp_path, amount=1, step=1) == [102, 2, 0, 0]
    os.utime(tmp_path / "outer.py", (0, 0))
    assert run_in(tmp_path, amount=2, step=1) == [103, 2, 0, 1]
    assert run_in(tmp_path, amount=2, step=5) == [111, 2, 0, 1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(x):\n return x + 1", "def f(x):\n return x + 2"),
        ("def f(x):\n return x + 1", "def f(x):\n return x + 1.0"),
        ("def f(x, y=1):\n return x + y", "def f(x, y=2):\n return x + y"),
        ("def f(x):\n return [x + 1 for _ in x]", "def f(x):\n return [x + 2 for _ in x]"),
    ],
)
def test_another_code_has_another_stamp(one: str, other: str) -> None:
    assert code_stamp(function(one)) != code_stamp(function(other))
    assert code_stamp(function(one)) == code_stamp(function("\n" + one))


def test_constants_that_are_read_belong_to_the_stamp_and_docstrings_do_not() -> None:
    text = "def f(x):\n return x + LIMIT"
    assert code_stamp(function(text, LIMIT=1)) != code_stamp(function(text, LIMIT=(1, 2)))
    assert code_stamp(function(text, LIMIT=1)) == code_stamp(function(text, LIMIT=1, OTHER=2))
    told = ["def f(x):\n '''One.'''\n return x", "def f(x):\n '''Two.'''\n return x"]
    assert code_stamp(function(told[0])) == code_stamp(function(told[1]))


def test_kernels_have_stamps_of_their_own() -> None:
    for name in stored_signatures():
        kernel_named(name)
    stamps = {code_stamp(each.py_func) for each in KERNELS.values()}
    assert len(stamps) == len(KERNELS) > 300
