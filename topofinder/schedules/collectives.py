"""Every collective from allgathers on a graph and on its transpose (appendix B).

An allgather on the transpose, run backwards, is a reduce-scatter on the graph (theorem 1);
reduce-scatter and allgather make an allreduce; the rows about one node of an allgather are a
broadcast, and backwards on the transpose a reduce.

On a reverse-symmetric graph one allgather serves both ways (definition 6, theorem 2): renamed by
an isomorphism to the transpose, it is one there, whose reversal is the reduce-scatter. Its steps
and loads are then those of the allgather, in the same order, which a schedule made for the
transpose need not have.
"""

from collections.abc import Callable

import numpy as np

from expansions.collective import Collective
from expansions.derived_collectives import join_allreduce, restrict_to_root, reverse_schedule
from expansions.isomorphic_copy import carry_schedule
from expansions.isomorphism import is_isomorphism, reverse_isomorphism
from expansions.schedule import Schedule
from generators.errors import InvalidInput, Unsupported
from generators.topology import IntArray, Topology

Allgathers = Callable[[bool], Schedule]
"""Makes an allgather: of the graph for False, of its transpose (same arc numbers) for True."""


def collective_schedule(
    topology: Topology, collective: Collective, gather: Allgathers, root: int | None = None
) -> Schedule:
    """The schedule of a collective on a topology; `gather` is called for what is needed only.

    Raises InvalidInput when a root is missing, not asked for, or no node.

    >>> from generators.families.complete import complete
    >>> from topofinder.schedules.bfb.schedule import bfb_schedule
    >>> graph = complete(4)
    >>> gather = allgathers_by(graph, bfb_schedule)
    >>> collective_schedule(graph, Collective.REDUCE, gather, root=2).rows
    3
    """
    require_root(topology, collective, root)
    match collective:
        case Collective.ALLGATHER:
            return gather(False)
        case Collective.REDUCE_SCATTER:
            return reverse_schedule(gather(True))
        case Collective.ALLREDUCE:
            return join_allreduce(reverse_schedule(gather(True)), gather(False))
        case Collective.BROADCAST:
            return restrict_to_root(gather(False), root or 0)
        case Collective.REDUCE:
            return restrict_to_root(reverse_schedule(gather(True)), root or 0)
        case Collective.ALLTOALL:
            raise Unsupported("all-to-all: scheduled by --method timed alone")


def allgathers_by(topology: Topology, make: Callable[[Topology], Schedule]) -> Allgathers:
    """Allgathers by a method that makes one of any graph."""
    return lambda back: make(topology.transpose() if back else topology)


def require_root(topology: Topology, collective: Collective, root: int | None) -> None:
    """Refuse a root where none is due, and a missing or impossible one where it is."""
    if not collective.is_rooted:
        if root is not None:
            raise InvalidInput(f"root: {collective} has none, not {root}")
    elif root is None or not 0 <= root < topology.n:
        raise InvalidInput(f"root: {collective} needs a node in 0..{topology.n - 1}, not {root}")


REFINEMENTS = 300
"""How long an isomorphism is sought: one that exists is found in some tens, as a rule."""

KnownIsomorphism = Callable[[Topology], list[int] | None]
"""Tells the isomorphism to its transpose that was found for a graph before, None if none was."""


def no_known_isomorphism(topology: Topology) -> None:
    """The `KnownIsomorphism` of one who keeps none."""


def transpose_isomorphism(
    topology: Topology, known: KnownIsomorphism = no_known_isomorphism
) -> IntArray | None:
    """An isomorphism from G to its transpose, None if there is none or the search takes long.

    What was known before is checked arc by arc, not believed.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> transpose_isomorphism(ring).tolist()
    [0, 2, 1]
    """
    kept = known(topology)
    if kept is not None and len(kept) == topology.n:
        image = np.array(kept, dtype=np.int32)
        if is_isomorphism(topology, topology.transpose(), image):
            return image
    try:
        return reverse_isomorphism(topology, REFINEMENTS)
    except Unsupported:
        return None


def through_isomorphism(
    topology: Topology, gather: Allgathers, image: IntArray | None
) -> Allgathers:
    """The same allgathers, but on the transpose by renaming, where an image is known."""
    if image is None:
        return gather
    once: list[Schedule] = []

    def through(back: bool) -> Schedule:
        if not once:
            once.append(gather(False))
        return carry_schedule(once[0], topology, topology.transpose(), image) if back else once[0]

    return through
