"""Ctrl-C and requests to end: one line for the user, not the complaints of what is stopped.

SIGTERM and SIGHUP are asked of a program by others, which do not wait for long: where the main
thread does not come back from a compiled kernel or a solver, another one ends the process. The
database loses no more by that than what was not stored yet.
"""

import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from topofinder import leaving

GRACE = 1.5
"""Seconds that the main thread has after SIGTERM or SIGHUP."""

WORDS = {signal.SIGINT: leaving.WORDS}
for _name in ("SIGTERM", "SIGHUP"):
    if hasattr(signal, _name):
        WORDS[getattr(signal, _name)] = "terminated; what was finished is stored"


class Terminated(BaseException):
    """SIGTERM or SIGHUP came."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = 128 + number
        self.words = WORDS[signal.Signals(number)]


@contextmanager
def told_once() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGINT, Terminated on SIGTERM and SIGHUP, and nothing after it.

    A compiled kernel that is interrupted makes a SystemError of it, and joblib's threads report
    their end. A second signal ends the process at once, which loses no more than the first. A
    process that was started to ignore a signal, as in the background, goes on ignoring it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        number: signal.signal(number, _stop)
        for number in WORDS
        if signal.getsignal(number) not in (signal.SIG_IGN, None)
    }
    try:
        with _ended_in_time():
            yield
    except Exception:
        for number in before:
            if signal.getsignal(number) is signal.SIG_DFL:
                raise _stopped(number) from None
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    threading.excepthook = lambda arguments: None
    warnings.simplefilter("ignore")
    raise _stopped(number)


def _stopped(number: int) -> BaseException:
    return KeyboardInterrupt() if number == signal.SIGINT else Terminated(number)


@contextmanager
def _ended_in_time() -> Iterator[None]:
    """A thread that hears signals also while the main one is in compiled code."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    over = threading.Event()
    _start_deaf(threading.Thread(target=_watch, args=(reading, over), daemon=True))
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        os.close(writing)


def _start_deaf(thread: threading.Thread) -> None:
    """Start a thread to which no signal is delivered, as it cannot handle them."""
    if not hasattr(signal, "pthread_sigmask"):
        thread.start()
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, WORDS)
    try:
        thread.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch(reading: int, over: threading.Event) -> None:
    """End the process when it was asked to end and does not within `GRACE`."""
    with open(reading, "rb", buffering=0) as signals:
        while number := signals.read(1):
            if number[0] in WORDS and number[0] != signal.SIGINT and not over.wait(GRACE):
                stopped = Terminated(number[0])
                os.write(2, f"topofinder: {stopped.words}\n".encode())
                os._exit(stopped.code)
