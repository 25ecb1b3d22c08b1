"""Workers that a Ctrl-C does not reach: the terminal sends it to them as well as to the sweep."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def shielded() -> Iterator[None]:
    """Start processes and threads within, and SIGINT never reaches them.

    They inherit the signals that are blocked and those that are ignored. Both are needed: a
    blocked signal of the caller is only late, it is delivered when the block ends; but workers
    may lift the block again when they start processes of their own. Where another thread runs
    already that blocks nothing, the signal may go to that one, and is lost. Windows has no such
    mask.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with _ignored():
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _ignored() -> Iterator[None]:
    """SIGINT is ignored within; only the main thread may say so, others leave it as it is."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
