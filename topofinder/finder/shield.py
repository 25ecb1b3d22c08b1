"""Workers that a Ctrl-C does not reach: the terminal sends it to them as well as to the sweep."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def shielded() -> Iterator[None]:
    """Start processes and threads within, and SIGINT never reaches them.

    They inherit the signals that are blocked. The caller's own is only late: it is delivered
    when the block ends. Windows has no such mask.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
