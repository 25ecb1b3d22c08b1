"""From a problem to certified bounds: the methods of the register in turn, from the cheapest on."""

from collections.abc import Callable
from fractions import Fraction

from generators.errors import InvalidInput
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.register import AUTO, methods_in_turn
from topofinder.alltoall.result import ThroughputBounds, ThroughputProgress
from topofinder.alltoall.solver.search import MOST_FLOW_ENTRIES, ThroughputSearch

DEFAULT_GAP = Fraction(1, 1000)
DEFAULT_SECONDS = 60.0


def bound_throughput(
    problem: FlowProblem,
    *,
    gap: Fraction = DEFAULT_GAP,
    time: float = DEFAULT_SECONDS,
    method: str = AUTO,
    tell: Callable[[ThroughputProgress], None] | None = None,
    largest: int = MOST_FLOW_ENTRIES,
) -> ThroughputBounds:
    """Bound f to the relative `gap`, or as well as is possible in `time` seconds.

    KeyboardInterrupt ends the search early; the best interval so far is the answer. Raises
    InvalidInput for a method that is not in the register, a gap or a time below zero; Unsupported
    for method "translations" on a graph that is not known to have them, and where sources times
    arcs exceed `largest`.

    >>> from generators.families.torus import torus
    >>> bound_throughput(FlowProblem(topology=torus(4, 4))).exact
    Fraction(1, 8)
    """
    methods = methods_in_turn(method)
    if not 0 <= gap < 1:
        raise InvalidInput(f"gap: {gap} is not from 0 to below 1")
    if not time >= 0:
        raise InvalidInput(f"time: {time} is not a number of seconds")
    search = ThroughputSearch(problem, gap, time, method, tell, largest)
    for one in methods:
        try:
            if one.bound(search):
                break
        except KeyboardInterrupt:
            if not search.has_bounds:
                raise
            search.interrupted = True
        if search.interrupted:
            break
    return search.bounds()
