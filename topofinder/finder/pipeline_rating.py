"""What a candidate's BFB schedule takes at best in parts as a pipeline, for a rating.

A pipeline gains only where different arcs are the busiest at different steps, and then pays a
latency more for every part: two parts of k steps take k + 1 latencies, and no fewer bytes come to
a host than all the others' shards. A time that is no more than that is not beaten.
"""

from fractions import Fraction

from expansions.collective import Collective
from expansions.schedule import Schedule
from generators.topology import Topology
from topofinder.schedules.collectives import allgathers_by, collective_schedule

LARGEST_PIPELINED = 128
"""Hosts up to which a schedule is made to see what a pipeline gains."""


def least_pipeline_seconds(
    collective: Collective,
    hosts: int,
    diameter: int | None,
    *,
    alpha: Fraction,
    size: Fraction,
    node_bandwidth: Fraction,
) -> Fraction:
    """What two parts or more of a BFB schedule take at least; it has as many steps as its diameter.

    Of an allreduce one phase may stay as it is.

    >>> rates = {"alpha": Fraction(1), "size": Fraction(80), "node_bandwidth": Fraction(1)}
    >>> least_pipeline_seconds(Collective.ALLGATHER, 8, 3, **rates)
    Fraction(74, 1)
    """
    phases = 2 if collective is Collective.ALLREDUCE else 1
    bytes_in = phases * size * Fraction(hosts - 1, hosts)
    return (phases * (diameter or 1) + 1) * alpha + bytes_in / node_bandwidth


def pipelined_bfb_seconds(
    topology: Topology,
    collective: Collective,
    *,
    alpha: Fraction,
    size: Fraction,
    node_bandwidth: Fraction,
) -> tuple[tuple[int, ...], Fraction]:
    """The best parts of each phase of a BFB schedule, and their seconds with barriers.

    >>> from generators.families.complete import complete
    >>> one = {"alpha": Fraction(1), "size": Fraction(8), "node_bandwidth": Fraction(1)}
    >>> pipelined_bfb_seconds(complete(4), Collective.ALLGATHER, **one)
    ((1,), Fraction(7, 1))
    """
    from topofinder.schedules.bfb.schedule import bfb_schedule
    from topofinder.schedules.bfb.unequal_links import unequal_schedule
    from topofinder.simulation.step_pipeline import best_parts

    def gather(graph: Topology) -> Schedule:
        if graph.capacity is None and graph.latency is None:
            return bfb_schedule(graph)
        return unequal_schedule(graph, alpha, size, node_bandwidth).schedule

    made = collective_schedule(topology, collective, allgathers_by(topology, gather))
    found = best_parts(topology, made, alpha=alpha, size=size, node_bandwidth=node_bandwidth)
    return found.parts, found.seconds
