"""How far a long command is, in one line: whoever shows the line listens, whoever works tells.

The command line listens on a terminal; as a library topofinder tells nobody, unless it is asked
to. Work deep inside a capability is told without a parameter in every function between. Where its
time is limited, or Ctrl-C is to be told how far it was, it is ended where it tells.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf

from generators.errors import Unsupported

EACH = 0.1
"""Seconds between two lines of work that is counted."""


class WorkProgress:
    """Hands lines to a listener, each after the names of the parts of the work that it is in."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._hear: Callable[[str], object] | None = None
        self._parts: tuple[str, ...] = ()
        self._next = 0.0
        self._end = inf
        self._unfinished = ""
        self._is_ending: Callable[[], bool] = lambda: False

    def tell(self, line: str) -> None:
        """Tell what is done from now on. Within `time_limit`, may raise what that does."""
        self._require_time(line)
        if self._hear is not None:
            self._next = self._clock() + EACH
            self._hear(": ".join((*self._parts, line)))

    def count(self, what: str, done: int, total: int) -> None:
        """Tell how many of a kind are done, where the last line has stood for a while.

        Within `time_limit`, may raise what that does.
        """
        self._require_time(f"{what}, {done:,} of {total:,}")
        if self._hear is not None and self._clock() >= self._next:
            self.tell(f"{what}, {done:,} of {total:,}")

    @contextmanager
    def heard_by(self, listener: Callable[[str], object] | None) -> Iterator[None]:
        """Tell a listener all lines within; None: nobody.

        >>> with work_progress.heard_by(print), work_progress.part("plan 1 of 2"):
        ...     work_progress.tell("annealing")
        plan 1 of 2: begun
        plan 1 of 2: annealing
        """
        before, self._hear, self._next = self._hear, listener, 0.0
        try:
            yield
        finally:
            self._hear = before

    @contextmanager
    def time_limit(
        self, unfinished: str, seconds: float | None, is_ending: Callable[[], bool]
    ) -> Iterator[None]:
        """End work within that tells of itself, after so many seconds, and when Ctrl-C asks for it.

        Raises Unsupported with what is `unfinished` and how far it was; where it `is_ending`, as
        `interrupts` says, that is logged, and KeyboardInterrupt raised.

        >>> with work_progress.time_limit("bread: not baked", 0, lambda: False):
        ...     work_progress.tell("kneading")
        Traceback (most recent call last):
            ...
        generators.errors.Unsupported: bread: not baked after 0 s: kneading
        """
        before = self._end, self._unfinished, self._is_ending
        self._is_ending = is_ending
        if seconds is not None:
            self._end = min(self._end, self._clock() + seconds)
            unfinished += f" after {seconds:g} s"
        self._unfinished = self._unfinished or unfinished
        try:
            yield
        finally:
            self._end, self._unfinished, self._is_ending = before

    def _require_time(self, line: str) -> None:
        if not self._unfinished or not (self._is_ending() or self._clock() >= self._end):
            return
        told = f"{self._unfinished}: {': '.join((*self._parts, line))}"
        if self._is_ending():
            logging.getLogger("topofinder").warning(told)
            raise KeyboardInterrupt
        raise Unsupported(told)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Begin all lines within by the name of a part of the work."""
        before = self._parts
        self._parts = (*before, name)
        try:
            self.tell("begun")
            yield
        finally:
            self._parts = before


work_progress = WorkProgress()
