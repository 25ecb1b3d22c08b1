"""A topology's arcs by receiver and by sender, as the kernels of BFB costs take them.

Those of the transpose are the same arrays exchanged: nothing is grouped twice, and the transpose
need not be made.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generators.topology import BoolArray, Int64Array, IntArray, Topology
from topofinder.schedules.bfb.evaluation_numpy import group_in_numpy


class Neighbours(NamedTuple):
    """Distinct neighbours of each node on one side, self-loops left out.

    Those of u are node[start[u]:start[u + 1]], ascending; links are their parallel arcs.
    """

    start: Int64Array
    node: Int64Array
    links: Int64Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupedArcs:
    """The arcs of a topology by node; `receivers` are one of each known orbit.

    With `turned` they are those of its transpose. `looped`: nodes with a self-loop.
    """

    topology: Topology
    into: Neighbours
    out: Neighbours
    looped: BoolArray
    receivers: IntArray
    degree: int
    turned: bool = False

    @property
    def widest(self) -> int:
        """The most in-neighbours of a node."""
        return int(np.diff(self.into.start).max())

    @property
    def kernel_input(self) -> tuple[NDArray[Any], ...]:
        """The arrays that all profile kernels take, receivers apart."""
        return (*self.into, self.out.start, self.out.node, self.looped)

    def transpose(self) -> "GroupedArcs":
        """Those of the transpose, which has the same automorphisms."""
        return replace(self, into=self.out, out=self.into, turned=not self.turned)


def group_arcs(topology: Topology, *, compiled: bool = True) -> GroupedArcs:
    """Group the arcs by node, by a compiled kernel or in numpy.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> group_arcs(ring, compiled=False).into.node.tolist()
    [2, 0, 1]
    """
    neighbours = group_in_numpy
    if compiled:
        from topofinder.schedules.bfb.profile_kernels import group_neighbours as neighbours
    tail, head = topology.tail, topology.head
    into = Neighbours(*neighbours(head, tail, topology.n))
    out = into if _turns_arcs(topology) else Neighbours(*neighbours(tail, head, topology.n))
    looped = np.zeros(topology.n, dtype=np.bool_)
    looped[tail[tail == head]] = True
    return GroupedArcs(
        topology=topology,
        into=into,
        out=out,
        looped=looped,
        receivers=receivers(topology),
        degree=topology.degree,
    )


def _turns_arcs(topology: Topology) -> bool:
    """Whether the second half of the arcs is the first half turned round, as in Bi(G)."""
    half, odd = divmod(topology.arcs, 2)
    tail, head = topology.tail, topology.head
    return (
        not odd
        and bool(np.array_equal(tail[:half], head[half:]))
        and bool(np.array_equal(head[:half], tail[half:]))
    )


def receivers(topology: Topology) -> IntArray:
    """One node of each known orbit of automorphisms: the loads elsewhere are the same."""
    if topology.translation is not None:
        return np.zeros(1, dtype=np.int32)
    if topology.orbits is not None:
        return topology.orbits
    return np.arange(topology.n, dtype=np.int32)
