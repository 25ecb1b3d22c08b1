"""How far a long command is, in one line: whoever shows the line listens, whoever works tells.

The command line listens on a terminal; as a library topofinder tells nobody, unless it is asked
to. Work deep inside a capability is told without a parameter in every function between. Nothing
but the standard library is imported here.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EACH = 0.1
"""Seconds between two lines of work that is counted."""


class WorkProgress:
    """Hands lines to a listener, each after the names of the parts of the work that it is in."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._hear: Callable[[str], object] | None = None
        self._parts: tuple[str, ...] = ()
        self._next = 0.0

    def tell(self, line: str) -> None:
        """Tell what is done from now on."""
        if self._hear is not None:
            self._next = self._clock() + EACH
            self._hear(": ".join((*self._parts, line)))

    def count(self, what: str, done: int, total: int) -> None:
        """Tell how many of a kind are done, where the last line has stood for a while."""
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
