"""A word on the first run of a command, when kernels are compiled: it is slow only once.

numba compiles a kernel when it is first called and keeps it on disk. The command line asks for a
word on it; as a library topofinder says nothing. Nothing of numba is imported here.
"""

import atexit
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

PATIENCE = 1.0
"""Seconds of compiling that need no word."""

WORDS = "compiling kernels, which takes some seconds the first time..."


class Announcer:
    """Says once, by `tell`, that kernels are compiled, as soon as that has taken `PATIENCE`.

    A listener of numba's event "numba:compile", which is not sent for a kernel found on disk.
    Events are nested, as a kernel compiles those that it calls.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.tell: Callable[[str], object] | None = None
        self._clock = clock
        self._spent = 0.0
        self._depth = 0
        self._since = 0.0
        self._claim: str | None = None

    def claim_file(self) -> str | None:
        """The file that whoever says the word creates first: this process, or a worker of it.

        None where nothing is to be said, or was said already.
        """
        if self.tell is None:
            return None
        if self._claim is None:
            from shutil import rmtree
            from tempfile import mkdtemp

            folder = mkdtemp(prefix="topofinder-")
            atexit.register(rmtree, folder, ignore_errors=True)
            self._claim = os.path.join(folder, "said")  # noqa: PTH118
            self.tell = tell_first(self._claim, self.tell)
        return self._claim

    def working_time(self) -> float:
        """Seconds by a clock that stands while kernels are compiled, for limits on a search."""
        now = self._clock()
        return now - self._spent - (now - self._since if self._depth else 0.0)

    def notify(self, event: Any) -> None:
        """Take note of one start or end; whatever happens to the word, the kernel is compiled."""
        now = self._clock()
        if self._depth:
            self._spent += now - self._since
        self._depth = max(self._depth + (1 if event.is_start else -1), 0)
        self._since = now
        if self.tell is not None and self._spent >= PATIENCE:
            tell, self.tell = self.tell, None
            tell(WORDS)


def tell_first(claim: str, tell: Callable[[str], object]) -> Callable[[str], None]:
    """`tell`, silent in all processes but the first that creates the file `claim`."""

    def tell_if_first(words: str) -> None:
        with suppress(OSError):
            os.close(os.open(claim, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            tell(words)

    return tell_if_first


def tell_on_stderr(words: str) -> None:
    """Write a line as the command line does, from a process that has no command line."""
    os.write(2, f"topofinder: {words}\n".encode())


announcer = Announcer()
