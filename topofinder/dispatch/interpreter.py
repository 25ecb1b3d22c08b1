"""Kernels as plain Python: the same answers as compiled ones, for work that is small.

What a kernel changes in its arrays, and what it returns, must not depend on how it was run. So it
works on copies, which take the place of the arrays only when it has come to its end:

- small integers are widened to 64 bits, as they are in compiled arithmetic;
- an overflow, a division by zero, a value that does not fit its array, any error at all: nothing is
  changed, and the caller runs the compiled kernel, which tells the true outcome;
- when its time is over it is stopped, and nothing is changed either.

What it returns is freed of numpy's scalars, as numba's answers are.
"""

import ctypes
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

TICK = 0.02
"""Seconds between two looks at the clock of whoever watches."""
LONGEST = 1e9
"""Seconds of a run that nothing stops."""


class InterpretationError(Exception):
    """A kernel came to no end as plain Python: nothing was changed."""


class TimeIsOver(BaseException):
    """Raised in a thread whose kernel has been interpreted for long enough."""


class _Watch:
    """One run: until when, and which of both threads was the quicker at its end.

    The clock is that of the run's own thread, which stands while others use the processor; where
    the system has none for a thread, it is the one on the wall.
    """

    __slots__ = ("clock", "deadline", "done", "firing", "missed", "raised", "thread")

    def __init__(self, seconds: float) -> None:
        self.thread = threading.get_ident()
        try:
            self.clock = time.pthread_getcpuclockid(self.thread)
        except (AttributeError, OSError):
            self.clock = time.CLOCK_MONOTONIC
        self.deadline = time.clock_gettime(self.clock) + seconds
        self.done = self.firing = self.missed = self.raised = False

    def is_late(self) -> bool:
        """Whether the time of the run is over, and it was not told yet."""
        return not self.firing and time.clock_gettime(self.clock) > self.deadline


_running: dict[int, _Watch] = {}
_local = threading.local()
_watcher: threading.Thread | None = None


def is_interpreting() -> bool:
    """Whether this thread is inside a kernel that is interpreted."""
    return getattr(_local, "inside", False)


def interpret(
    function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float, wraps: bool
) -> Any:
    """What a kernel answers as plain Python, within so many seconds.

    `wraps` tells that it counts on words of 64 bits that overflow. Raises TimeIsOver, or
    InterpretationError where only the compiled kernel can tell the outcome.
    """
    copies = _Copies()
    private = tuple(map(copies.take, arguments))
    _start_watcher()
    watch = _running[threading.get_ident()] = _Watch(seconds)
    _local.inside = True
    try:
        with np.errstate(over="ignore" if wraps else "raise", divide="raise", invalid="raise"):
            answer = _run_watched(function, private, watch)
    finally:
        _local.inside = False
        _running.pop(watch.thread, None)
    copies.give_back()
    return plain_answer(answer)


def _run_watched(function: Callable[..., Any], private: tuple[Any, ...], watch: _Watch) -> Any:
    """What a function returns; TimeIsOver is raised here, from another thread, and nowhere else.

    At the end the run is `done` before it looks whether the watcher is `firing`, and that one is
    `firing` before it looks whether the run is `done`: at least one of them sees the other.
    """
    failure, answer = None, None
    try:
        try:
            answer = function(*private)
        except Exception as error:
            failure = error
        _end_run(watch)
    except TimeIsOver:
        raise
    except BaseException:  # Ctrl-C
        with suppress(TimeIsOver):
            _end_run(watch)
        raise
    if failure is not None:
        raise InterpretationError from failure
    return answer


def _end_run(watch: _Watch) -> None:
    """Say that a run is done; a TimeIsOver that is on its way is raised here.

    One that was raised earlier and got lost, as all do in callbacks of ctypes, does not come again.
    """
    watch.done = True
    while watch.firing and not (watch.missed or watch.raised):
        time.sleep(0.001)
    for _ in range(3 * watch.raised):
        time.sleep(0.001)  # what is raised in a thread comes up between two instructions of it


def plain_answer(answer: Any) -> Any:
    """An answer with Python's numbers in place of numpy's, as compiled kernels give it."""
    if isinstance(answer, np.generic):
        return answer.item()
    if isinstance(answer, tuple):
        values = map(plain_answer, answer)
        return tuple(values) if type(answer) is tuple else type(answer)(*values)
    return answer


class _Copies:
    """Copies of the arrays among the arguments of one call."""

    def __init__(self) -> None:
        self._known: list[tuple[Array, Array, Array]] = []  # array, copy, what it was

    def take(self, value: Any) -> Any:
        """A value for the kernel to work on, integers of 64 bits."""
        if isinstance(value, np.ndarray):
            return self._copy(value)
        if isinstance(value, tuple):
            values = map(self.take, value)
            return tuple(values) if type(value) is tuple else type(value)(*values)
        if isinstance(value, np.integer):
            return value if value.dtype == np.uint64 else int(value)
        return value

    def give_back(self) -> None:
        """Write what was changed into the arrays, if all of it fits.

        The rest of an array is left alone: another thread may be at work on it.
        """
        changed = [known for known in self._known if known[0].flags.writeable]
        for array, copy, _ in changed:
            if array.dtype != copy.dtype and not np.array_equal(copy.astype(array.dtype), copy):
                raise InterpretationError
        for array, copy, before in changed:
            np.copyto(array, copy, casting="unsafe", where=copy != before)

    def _copy(self, array: Array) -> Array:
        for other, copy, _ in self._known:
            if other is array:
                return copy
            if _may_overlap(other, array):
                raise InterpretationError
        narrow = array.dtype.kind in "iu" and array.dtype.itemsize < 8
        copy = array.astype(np.int64 if narrow else array.dtype, copy=True)
        copy.flags.writeable = array.flags.writeable
        self._known.append((array, copy, copy.copy() if array.flags.writeable else copy))
        return copy


def _may_overlap(one: Array, other: Array) -> bool:
    """Whether one of two arrays may be changed through the other."""
    if not (one.flags.writeable or other.flags.writeable):
        return False
    if one.base is None and other.base is None:
        return False
    return np.may_share_memory(one, other)


def _start_watcher() -> None:
    global _watcher
    if _watcher is None or not _watcher.is_alive():
        _watcher = threading.Thread(target=_watch_all, daemon=True, name="kernels")
        _watcher.start()


def _watch_all() -> None:
    """Stop runs whose time is over; ends when there was none for some time."""
    idle = 0.0
    while idle < 1.0:
        time.sleep(TICK)
        idle = 0.0 if _running else idle + TICK
        for watch in list(_running.values()):
            with suppress(OSError):  # its thread has ended
                if watch.is_late():
                    _stop(watch)


def _stop(watch: _Watch) -> None:
    """Raise TimeIsOver in the thread of a run, unless that has come to its end."""
    watch.firing = True
    if watch.done:
        watch.missed = True
    else:
        raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
        raise_in(ctypes.c_ulong(watch.thread), ctypes.py_object(TimeIsOver))
        watch.raised = True


def compare(
    python: Callable[..., Any],
    compiled: Callable[..., Any],
    wraps: bool,
    arguments: tuple[Any, ...],
) -> Any:
    """What the compiled kernel answers; AssertionError where Python answers something else."""
    private = copy_arrays(arguments)
    try:
        found = interpret(python, private, LONGEST, wraps)
    except InterpretationError:
        return compiled(*arguments)
    answer = compiled(*arguments)
    if not are_same((answer, arguments), (found, private)):
        raise AssertionError(f"{python}: {answer!r:.200}, but in Python {found!r:.200}")
    return answer


def copy_arrays(value: Any) -> Any:
    """The same with copies of all arrays; one that occurs twice is copied once."""
    seen: dict[int, Any] = {}

    def copy(part: Any) -> Any:
        if isinstance(part, tuple):
            parts = map(copy, part)
            return tuple(parts) if type(part) is tuple else type(part)(*parts)
        if isinstance(part, np.ndarray):
            return seen.setdefault(id(part), part.copy(order="K"))
        return part

    return copy(value)


def are_same(one: Any, other: Any) -> bool:
    """Whether two values agree in every number, arrays in their shapes and types too."""
    if isinstance(one, tuple):
        pairs = zip(one, other, strict=True) if isinstance(other, tuple) else ()
        return isinstance(other, tuple) and all(are_same(*pair) for pair in pairs)
    if isinstance(one, np.ndarray):
        alike = isinstance(other, np.ndarray) and one.dtype == other.dtype
        return alike and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return type(one) is type(other) and bool(one == other)
