"""Throughputs of the graphs that a fabric may be wired to, within a time."""

from fractions import Fraction

from generators.errors import TopofinderError
from topofinder.alltoall.solve import DEFAULT_GAP
from topofinder.api.throughput import throughput
from topofinder.patching.degraded import Rate
from topofinder.patching.planner import Target


def rate_within(
    seconds: float,
    slowest: Fraction | None = None,
    *,
    trunks: bool = False,
    gap: Fraction = DEFAULT_GAP,
) -> Rate:
    """Bounds on the all-to-all throughput of a graph, to `gap` or as good as `seconds` allow.

    Where links have capacities they are in units of the `slowest` rate, those of `trunks` in that
    of a trunk, while recipes have all its links.
    """

    def rate(target: Target) -> tuple[Fraction, Fraction] | None:
        graph, unit = target.topology, Fraction(1)
        if slowest is not None:
            unit = (graph.unit_rate or slowest) / slowest
        own = target.recipe is None or graph.capacity is not None or trunks
        on = graph if own or target.recipe is None else target.recipe
        try:
            found = throughput(on, gap=gap, time=seconds)
        except TopofinderError:
            return None
        return unit * found.lower, unit * found.upper

    return rate
