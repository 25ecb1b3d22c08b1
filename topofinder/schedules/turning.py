"""Reduce-scatters through an isomorphism from a graph to its transpose (definition 6, theorem 2).

On a reverse-symmetric graph one allgather serves both ways: renamed, it is one on the transpose,
whose reversal is the reduce-scatter. Its steps and loads are then those of the allgather,
in the same order, which a schedule made for the transpose need not have.
"""

from collections.abc import Callable

import numpy as np

from expansions.isomorphism import is_isomorphism, reverse_isomorphism
from expansions.renaming import renamed
from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.topology import IntArray, Topology
from topofinder.schedules.collectives import Gather

REFINEMENTS = 300
"""How long an isomorphism is sought: one that exists is found in some tens, as a rule."""

Known = Callable[[Topology], list[int] | None]
"""Tells the isomorphism to its transpose that was found for a graph before, None if none was."""


def nothing_known(topology: Topology) -> None:
    """The `Known` of one who keeps none."""


def turning(topology: Topology, known: Known = nothing_known) -> IntArray | None:
    """An isomorphism from G to its transpose, None if there is none or the search takes long.

    What was known before is checked arc by arc, not believed.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> turning(ring).tolist()
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


def turned(topology: Topology, gather: Gather, image: IntArray | None) -> Gather:
    """The same way of gathering, but on the transpose by renaming, where an image is known."""
    if image is None:
        return gather
    once: list[Schedule] = []

    def through(back: bool) -> Schedule:
        if not once:
            once.append(gather(False))
        return renamed(once[0], topology, topology.transpose(), image) if back else once[0]

    return through
