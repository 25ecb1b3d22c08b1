"""Workers of a test run share what is compiled: one compiles a kernel, the others wait for it.

They come to the same kernels at about the same time, while tests are collected above all. A lock
is a file of the kernel in the cache; it is held by a process, and gone with it. Kernels call each
other in no cycle, so that those who wait do not wait for each other. Commands do without: a user's
command would wait for a process in the background that has the lowest priority.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from topofinder.dispatch import numba_start


def share_compiling() -> None:
    """Let kernels of this process be compiled under locks from now on."""
    make = numba_start.njit

    def njit(function: Callable[..., Any], options: dict[str, bool]) -> Any:
        return guard_compiling(make(function, options))

    numba_start.njit = njit


def guard_compiling(dispatcher: Any) -> Any:
    """The dispatcher, which no two processes compile at once from now on: one finds it on disk."""
    compile_it = dispatcher.compile
    function = dispatcher.py_func
    name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")

    def compile_alone(signature: Any) -> Any:
        with global_compiler_lock, only_process(name):
            return compile_it(signature)

    dispatcher.compile = compile_alone
    return dispatcher


@contextmanager
def only_process(name: str) -> Iterator[None]:
    """For one process at a time, by a file that is called `name` in the cache of kernels."""
    folder = Path(os.environ["NUMBA_CACHE_DIR"], "locks")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / name).open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
