"""Ctrl-C during a sweep: one line for the user, not the complaints of workers that are stopped."""

import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def told_once() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGINT and keep joblib's threads from reporting their end.

    A second Ctrl-C ends the process at once, which loses no more than the first.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _stop(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.excepthook = lambda arguments: None
    warnings.simplefilter("ignore")
    raise KeyboardInterrupt
