"""From a problem to an answer: the methods in turn, from the cheapest on."""

from collections.abc import Callable
from fractions import Fraction

from topofinder.throughput.answer import Answer, Progress
from topofinder.throughput.problem import Problem

METHODS = ("auto", "hops", "lp", "bush")
"""What `solve` can be told to use; the answer's `method` says what it did use."""

GAP = Fraction(1, 1000)
SECONDS = 60.0


def solve(
    problem: Problem,
    *,
    gap: Fraction = GAP,
    time: float = SECONDS,
    method: str = "auto",
    tell: Callable[[Progress], None] | None = None,
) -> Answer:
    """Bound f to the relative `gap`, or as well as is possible in `time` seconds.

    KeyboardInterrupt ends the search early; the best interval so far is the answer. Raises
    InvalidInput for a method that is not in METHODS.
    """
    raise NotImplementedError
