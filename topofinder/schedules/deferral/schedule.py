"""The schedule of a deferred allgather, row by row, from what nodes accept at each step."""

from expansions.schedule import Schedule
from generators.topology import AnyIntArray, Topology
from topofinder.schedules.bfb.rows import rows_by_receiver
from topofinder.schedules.deferral.quotas import DeferredSteps, defer_shards


def deferred_schedule(topology: Topology) -> Schedule:
    """All rows of the deferred allgather of a graph; links are taken as equal.

    Its loads are those of `defer_shards(topology)`. Rows come step after step and, within a step,
    receiver after receiver. Raises InvalidInput where some node cannot reach another, and for
    capacities, latencies and switches; Unsupported beyond 63 in-neighbours, for too many nodes or
    rows, and for a denominator of more than 64 bits.

    >>> from generators.families.generalized_kautz import generalized_kautz
    >>> graph = generalized_kautz(2, 9)
    >>> deferred_schedule(graph).cost(graph) == defer_shards(graph).cost
    True
    """
    found, steps = defer_shards(topology), DeferredSteps(topology)

    def advance(step: int, reach: AnyIntArray, following: AnyIntArray) -> None:
        steps.advance(step, found.quotas, reach, following)

    return rows_by_receiver(topology, [load.denominator for load in found.loads], advance)
