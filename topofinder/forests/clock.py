"""How long a forest may take, and who is told how far it is.

Kernels come back to Python every few hundredths of a second, so that signals are heeded, and ask
here whether the time is over.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import monotonic

from generators.errors import Unsupported
from topofinder.interrupts import is_ending

TellLine = Callable[[str], None]


def tell_nobody(line: str) -> None:
    """For those who do not want to know."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The seconds that were given, None for as many as it takes, and when they are over.

    Kernels come back after they have looked at about `work` entries: some hundredths of a second.
    Work that is `short` is done also where Ctrl-C asks for what is there.
    """

    seconds: float | None = None
    end: float = inf
    tell: TellLine = tell_nobody
    work: int = 1 << 22
    short: bool = False

    @classmethod
    def of(cls, seconds: float | None, tell: TellLine = tell_nobody) -> "Clock":
        """A clock that starts now.

        >>> Clock.of(None).is_over, Clock.of(0).is_over
        (False, True)
        """
        return cls(seconds, inf if seconds is None else monotonic() + seconds, tell)

    @property
    def is_over(self) -> bool:
        """Whether the time is over, or Ctrl-C asks for what is there."""
        return monotonic() >= self.end or (is_ending() and not self.short)

    @property
    def left(self) -> float:
        """Seconds that are left, 0 at least.

        >>> Clock.of(None).left, Clock.of(0).left
        (inf, 0.0)
        """
        return 0.0 if is_ending() else max(0.0, self.end - monotonic())

    def require_time(self, stage: str, instead: str = "") -> None:
        """Raises Unsupported, with the stage that is not done, when the time is over;
        KeyboardInterrupt where none was set.

        `instead` is what else than more time may help, such as "a smaller k".
        """
        if self.is_over:
            if self.seconds is None:
                raise KeyboardInterrupt
            other = f" or {instead}" if instead else ""
            raise Unsupported(f"{stage}: not done after {self.seconds:g} s; give more time{other}")


NO_LIMIT = Clock()
"""For as long as it takes, in silence."""
