"""Kernels that only others call: compiled as a part of these, now and from the disk."""

import os
import subprocess
import sys
from pathlib import Path

from tests.command import ROOT

SOURCE = """
import numpy as np
from topofinder.kernels import inner, kernel, random_below, seed_random

@inner
def square(number):
    if number < 0:
        raise OverflowError("negative")
    return number * number

@inner
def sum_squares(numbers):
    total = 0
    for number in numbers:
        total += square(number)
    return total

@kernel
def sum_of_squares(numbers):
    return sum_squares(numbers)

@kernel
def drawn_square(seed):
    seed_random(seed)
    return square(random_below(10)) + sum_squares(np.arange(3))
"""

PROGRAM = """
import numpy as np, sys
from trial_kernels import drawn_square, square, sum_of_squares
wanted = sys.argv[1].split(",")
if "first" in wanted:
    print(sum_of_squares(np.arange(5)))
    try:
        sum_of_squares(np.array([1, -1]))
    except OverflowError as error:
        print(error)
if "second" in wanted:
    print(drawn_square(7) - np.random.RandomState(7).randint(10) ** 2)
print(sum(square.compiled.stats.cache_hits.values()))
"""


def test_others_take_them_in(tmp_path: Path) -> None:
    (tmp_path / "trial_kernels.py").write_text(SOURCE)
    cache = tmp_path / "kernels"

    def run(wanted: str) -> list[str]:
        settings = {
            "NUMBA_CACHE_DIR": str(cache),
            "TOPOFINDER_KERNELS": "compiled",
            "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]),
        }
        command = [sys.executable, "-c", PROGRAM, wanted]
        done = subprocess.run(
            command, env=os.environ | settings, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    assert run("first") == ["30", "negative", "0"]
    assert run("first,second") == ["30", "negative", "5", "1"]
    assert run("first,second") == ["30", "negative", "5", "0"]
