"""BFB schedules in compact form, of every collective that is about all nodes.

An automorphism of a graph is one of its transpose. So a reduce-scatter, which is an allgather on
the transpose run backwards, is known from its rows about node 0 as well, and an allreduce from
those of both halves.
"""

from fractions import Fraction

from expansions.automorphisms import automorphisms_of
from expansions.collective import Collective
from expansions.compact_schedule import CompactSchedule
from expansions.cost import Cost
from expansions.schedule import Schedule
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.schedule import bfb_compact_schedule
from topofinder.schedules.collectives import Allgathers, allgathers_by, collective_schedule


def compact_schedule(topology: Topology, collective: Collective) -> CompactSchedule:
    """The best BFB schedule of an allgather, reduce-scatter or allreduce in compact form.

    Raises InvalidInput as `bfb_compact_schedule` and for a broadcast or reduce, Unsupported when
    the translations form no group.

    >>> from generators.families.hamming import hypercube
    >>> found = compact_schedule(hypercube(3), Collective.ALLREDUCE)
    >>> found.rows, found.origin.rows, found.cost(hypercube(3))
    (144, 18, Cost(steps=6, bandwidth=Fraction(7, 4)))
    """
    if collective.is_rooted:
        raise InvalidInput(f"collective: a {collective} is about one node only")
    rows = collective_schedule(topology, collective, allgathers_by(topology, _rows_about_zero))
    made = CompactSchedule(rows, automorphisms_of(topology))
    if made.cost(topology) != bfb_collective_cost(topology, collective):
        raise Unsupported("translation: out- and in-neighbours of node 0 give two groups")
    return made


def bfb_collective_cost(topology: Topology, collective: Collective) -> Cost:
    """The cost of the best BFB allgather, reduce-scatter or allreduce."""
    costs = []
    if collective is not Collective.REDUCE_SCATTER:
        costs.append(evaluate(topology).cost)
    if collective is not Collective.ALLGATHER:
        costs.append(evaluate(topology.transpose()).cost)
    return Cost(
        sum(cost.steps for cost in costs), sum((cost.bandwidth for cost in costs), Fraction())
    )


def allgathers_about(topology: Topology, root: int) -> Allgathers:
    """BFB allgathers of which only the rows about `root` are made, for a broadcast or reduce."""

    def make(graph: Topology) -> Schedule:
        return bfb_compact_schedule(graph).rows_of(graph, root)

    return allgathers_by(topology, make)


def _rows_about_zero(topology: Topology) -> Schedule:
    return bfb_compact_schedule(topology).origin
