"""Every collective from allgathers on a graph and on its transpose (appendix B).

An allgather on the transpose, run backwards, is a reduce-scatter on the graph (theorem 1);
reduce-scatter and allgather make an allreduce; the rows about one node of an allgather are a
broadcast, and backwards on the transpose a reduce.
"""

from collections.abc import Callable

from expansions.collective import Collective
from expansions.reversal import reverse
from expansions.schedule import Schedule
from expansions.succession import allreduce, rooted
from generators.errors import InvalidInput
from generators.topology import Topology

Gather = Callable[[bool], Schedule]
"""Makes an allgather: of the graph for False, of its transpose (same arc numbers) for True."""


def collective_schedule(
    topology: Topology, collective: Collective, gather: Gather, root: int | None = None
) -> Schedule:
    """The schedule of a collective on a topology; `gather` is called for what is needed only.

    Raises InvalidInput when a root is missing, not asked for, or no node.

    >>> from generators.families.complete import complete
    >>> from topofinder.schedules.bfb.schedule import bfb_schedule
    >>> graph = complete(4)
    >>> collective_schedule(graph, Collective.REDUCE, both_ways(graph, bfb_schedule), root=2).rows
    3
    """
    require_root(topology, collective, root)
    match collective:
        case Collective.ALLGATHER:
            return gather(False)
        case Collective.REDUCE_SCATTER:
            return reverse(gather(True))
        case Collective.ALLREDUCE:
            return allreduce(reverse(gather(True)), gather(False))
        case Collective.BROADCAST:
            return rooted(gather(False), root or 0)
        case Collective.REDUCE:
            return rooted(reverse(gather(True)), root or 0)


def both_ways(topology: Topology, make: Callable[[Topology], Schedule]) -> Gather:
    """A Gather by a method that makes an allgather of any graph."""
    return lambda back: make(topology.transpose() if back else topology)


def require_root(topology: Topology, collective: Collective, root: int | None) -> None:
    """Refuse a root where none is due, and a missing or impossible one where it is."""
    if not collective.is_rooted:
        if root is not None:
            raise InvalidInput(f"root: {collective} has none, not {root}")
    elif root is None or not 0 <= root < topology.n:
        raise InvalidInput(f"root: {collective} needs a node in 0..{topology.n - 1}, not {root}")
