"""What a graph's allgather takes on shortest paths: by breadth-first broadcast, or deferred."""

from dataclasses import dataclass

from expansions.collective import Collective
from expansions.cost import Cost
from generators.errors import Unsupported
from generators.topology import Topology
from topofinder.model.candidate import Method
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.deferral.quotas import defer_shards

LARGEST = 1 << 12
"""Nodes of the largest graphs whose schedules are deferred in passing."""
MOST_WORK = 1 << 27
"""The most n^2 d of such graphs: a trial of quotas takes as many nanoseconds a step, about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastCosts:
    """`forth` of an allgather, `back` of one on the transpose, deferred if either gains by it."""

    forth: Cost
    back: Cost
    method: Method


def is_deferred_in_passing(n: int, d: int) -> bool:
    """Whether a graph is small enough.

    >>> is_deferred_in_passing(4096, 8), is_deferred_in_passing(4096, 9)
    (True, False)
    """
    return n <= LARGEST and n * n * d <= MOST_WORK


def least_costs(topology: Topology) -> LeastCosts:
    """The lower costs of BFB and of the deferred schedule, which has the same T_L.

    Raises as `evaluate` does.

    >>> from generators.families.generalized_kautz import generalized_kautz
    >>> found = least_costs(generalized_kautz(4, 100))
    >>> str(found.forth.bandwidth), found.method.value
    ('86/75', 'deferred')
    """
    forth, gains = _least_cost(topology)
    back, gains_back = forth, gains
    if not topology.is_bidirectional:
        back, gains_back = _least_cost(topology.transpose())
    method = Method.DEFERRED if gains or gains_back else Method.BFB
    return LeastCosts(forth=forth, back=back, method=method)


def gains_by_deferral(topology: Topology, collective: Collective) -> bool:
    """Whether the deferred schedule of a collective takes less bandwidth time than BFB's.

    One about a single root does not: whichever arc brings it, a shard is whole on its way.
    Raises as `evaluate` does.

    >>> from generators.families.generalized_kautz import generalized_kautz
    >>> [gains_by_deferral(generalized_kautz(4, n), Collective.ALLREDUCE) for n in (20, 100)]
    [False, True]
    """
    if collective.is_rooted:
        return False
    backs = {Collective.ALLGATHER: (False,), Collective.REDUCE_SCATTER: (True,)}
    graphs = [topology.transpose() if back else topology for back in backs.get(collective, (0, 1))]
    return any(_least_cost(graph)[1] for graph in graphs)


def _least_cost(topology: Topology) -> tuple[Cost, bool]:
    """The lower cost, and whether it is the deferred one's."""
    if not is_deferred_in_passing(topology.n, topology.degree):
        return evaluate(topology).cost, False
    try:
        found = defer_shards(topology)
    except Unsupported:  # too many in-neighbours
        return evaluate(topology).cost, False
    return found.cost, bool(found.quotas)
