"""Compiles what was asked for: the program of the process in the background, and its lock."""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from topofinder.dispatch.background import lock_file
from topofinder.dispatch.kernel import kernel_named
from topofinder.dispatch.samples import sample_arguments


def main() -> None:
    """Compile what is asked for in the file that is named, until nothing is."""
    os.nice(19)
    spool = Path(sys.argv[1])
    with suppress(OSError), _only_one(lock_file(spool)):
        while spool.exists():
            taken = spool.with_suffix(".taken")
            spool.rename(taken)
            lines = taken.read_text(encoding="utf-8").splitlines()
            for line in dict.fromkeys(lines):
                with suppress(Exception):
                    compile_request(*line.split("\t"))
            taken.unlink()


def compile_request(kernel: str, signature: str) -> bool:
    """Compile one kernel for one signature; whether that was necessary."""
    from topofinder.dispatch.numba_start import compile_for

    return compile_for(kernel_named(kernel).compiled, sample_arguments(signature))


@contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    """For the one process that has the lock; OSError for all others."""
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
