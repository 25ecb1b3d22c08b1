"""From a problem to an answer: the methods in turn, from the cheapest on."""

from collections.abc import Callable
from fractions import Fraction
from time import perf_counter

from generators.errors import InvalidInput, Unsupported
from generators.shown import shown
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.result import ThroughputBounds, ThroughputProgress
from topofinder.alltoall.solver.methods import Ladder

METHODS = ("auto", "hops", "translations", "lp", "equilibrium")
"""What `bound_throughput` can be told to use; the answer's `method` says what it did use."""

GAP = Fraction(1, 1000)
SECONDS = 60.0
LARGEST = 1 << 26
"""How many (source, arc) pairs are held at most: some GiB."""


def bound_throughput(
    problem: FlowProblem,
    *,
    gap: Fraction = GAP,
    time: float = SECONDS,
    method: str = "auto",
    tell: Callable[[ThroughputProgress], None] | None = None,
) -> ThroughputBounds:
    """Bound f to the relative `gap`, or as well as is possible in `time` seconds.

    KeyboardInterrupt ends the search early; the best interval so far is the answer. Raises
    InvalidInput for a method that is not in METHODS, a gap or a time below zero; Unsupported for
    method "translations" on a graph that is not known to have them, and where sources times arcs
    exceed LARGEST.

    >>> from generators.families.torus import torus
    >>> bound_throughput(FlowProblem(topology=torus(4, 4))).exact
    Fraction(1, 8)
    """
    if method not in METHODS:
        raise InvalidInput(f"method: {shown(method)} is none of {', '.join(METHODS)}")
    if not 0 <= gap < 1:
        raise InvalidInput(f"gap: {gap} is not from 0 to below 1")
    if not time >= 0:
        raise InvalidInput(f"time: {time} is not a number of seconds")
    ladder = Ladder(problem, gap, perf_counter(), time, tell)
    if method in ("auto", "translations"):
        if (answer := ladder.translations()) is not None:
            return answer
        if method == "translations":
            raise Unsupported("translations: the topology has none that keep slots")
    if len(problem.sources) * problem.topology.arcs > LARGEST:
        raise Unsupported(
            f"throughput: {len(problem.sources)} sources times {problem.topology.arcs} arcs "
            f"exceed {LARGEST}"
        )
    return ladder.climb(method)
