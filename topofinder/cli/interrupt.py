"""Ctrl-C: one line for the user, not the complaints of kernels and workers that are stopped."""

import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def told_once() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGINT and nothing else after it.

    A compiled kernel that is interrupted makes a SystemError of it, and joblib's threads report
    their end. A second Ctrl-C ends the process at once, which loses no more than the first. A
    process that was started to ignore SIGINT, as in the background, goes on ignoring it.
    """
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _stop)
    try:
        yield
    except Exception:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def _stop(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.excepthook = lambda arguments: None
    warnings.simplefilter("ignore")
    raise KeyboardInterrupt
