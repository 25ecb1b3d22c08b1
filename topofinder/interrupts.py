"""What must not be interrupted, and what is said when it is: signals, and the collector's pauses.

From the start of the program to its end, Ctrl-C is answered by one line for the user, not by the
complaints of what is stopped. Nothing but the standard library is imported here.

SIGTERM and SIGHUP are asked of a program by others, which do not wait for long: where the main
thread does not come back from a compiled kernel or a solver, another one ends the process. The
database loses no more by that than what was not stored yet.
"""

import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
GRACE = 1.5
"""Seconds that the main thread has after SIGTERM or SIGHUP."""

WORDS = {signal.SIGINT: "interrupted; what was finished is stored"}
for _name in ("SIGTERM", "SIGHUP"):
    if hasattr(signal, _name):
        WORDS[getattr(signal, _name)] = "terminated; what was finished is stored"


class Terminated(BaseException):
    """SIGTERM or SIGHUP came."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = 128 + number
        self.words = WORDS[signal.Signals(number)]


def leave_when_interrupted() -> None:
    """Let Ctrl-C end the program at once.

    Importing the commands takes a good part of a second. An exception would be raised wherever
    Python is: within an import, which may tell it as another error, or at exit, where it is printed
    and ignored. While a command runs, it is told in its own way. A program that was started to
    ignore SIGINT goes on ignoring it.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    try:
        os.write(2, f"topofinder: {WORDS[signal.SIGINT]}\n".encode())
    finally:
        os._exit(INTERRUPTED)


@contextmanager
def interrupt_once() -> Iterator[None]:
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
                raise _exception_for(number) from None
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def require_interrupt(error: BaseException) -> None:
    """Raise an error again that is neither Ctrl-C nor what a compiled kernel makes of it.

    >>> require_interrupt(KeyboardInterrupt())
    """
    if not isinstance(error, KeyboardInterrupt) and not isinstance(
        error.__cause__, KeyboardInterrupt
    ):
        raise error


def _stop(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    threading.excepthook = lambda arguments: None
    warnings.simplefilter("ignore")
    raise _exception_for(number)


class _Ending:
    """Whether Ctrl-C has asked for what is there."""

    asked = False
    between = False
    """Whether only those who ask `is_ending_between` are told."""


_ending = _Ending()
ENDING = "interrupted; the best so far follows; once more ends the command"


def is_ending() -> bool:
    """Whether Ctrl-C has asked for the best so far, within `end_early`.

    >>> is_ending()
    False
    """
    return _ending.asked and not _ending.between


def is_ending_between() -> bool:
    """The same where one piece of work ends and another begins, within any `end_early`.

    >>> is_ending_between()
    False
    """
    return _ending.asked


@contextmanager
def end_early(words: bool = True, *, between: bool = False) -> Iterator[None]:
    """Let the first Ctrl-C of a command ask for the best so far, where clocks are looked at.

    The second one ends the process. Where there is nothing yet, whatever is raised for want of time
    becomes KeyboardInterrupt. Nothing happens where nobody listens with `interrupt_once`; without
    `words` it says nothing. With `between` what is begun is finished as if nothing were asked.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not _stop
    ):
        yield
        return
    signal.signal(signal.SIGINT, _ask_to_end if words else _ask_silently)
    _ending.between = between
    try:
        yield
    except Exception:
        if _ending.asked:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if _ending.asked else _stop)
        _ending.asked = _ending.between = False


def _ask_silently(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    _ending.asked = True


def _ask_to_end(number: int, frame: FrameType | None) -> None:
    _ask_silently(number, frame)
    os.write(2, f"topofinder: {ENDING}\n".encode())


def _exception_for(number: int) -> BaseException:
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


@contextmanager
def sigint_ignored() -> Iterator[None]:
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
        with _ignore_sigint():
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _ignore_sigint() -> Iterator[None]:
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


@contextmanager
def gc_paused() -> Iterator[None]:
    """No search for reference cycles within.

    Candidates and rows hold no cycles, and most live to the end. Going through all of them again
    and again takes a third of the time of a sweep, and of a query of everything.

    >>> with gc_paused():
    ...     gc.isenabled()
    False
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
