"""A schedule of a vertex-transitive graph in compact form: the rows of node 0, and translations."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from expansions.arc_images import ArcImages
from expansions.cost import Cost
from expansions.loads import Sums, busiest, sums
from expansions.schedule import Schedule
from expansions.slots import Slots
from generators.errors import InvalidInput
from generators.topology import IntArray, Topology


@dataclass(frozen=True, slots=True)
class Translated:
    """The rows about the shard of node 0; those of node u are their images under a translation.

    `origin` holds the rows of node 0 only. The others are found by the translations that keep
    the slots of arcs, where the topology has such a group (`expansions.slots`), and else by
    `topology.translation`, parallel arcs in their order. Raises InvalidInput when a row is about
    another node, or the collective has a root.

    >>> from generators.arrays import jump_graph
    >>> ring = jump_graph(4, [1])
    >>> rows = Schedule(source=[0, 0, 0], arc=[0, 1, 2], step=[1, 2, 3], begin=[0] * 3, end=[1] * 3)
    >>> compact = Translated(rows)
    >>> compact.cost(ring) == compact.expand(ring).cost(ring), compact.cost(ring)
    (True, Cost(steps=3, bandwidth=Fraction(3, 4)))
    """

    origin: Schedule

    def __post_init__(self) -> None:
        if self.origin.collective.is_rooted:
            raise InvalidInput(f"collective: a {self.origin.collective} is about one node only")
        about = np.flatnonzero(self.origin.source)
        if about.size:
            node = self.origin.source[about[0]]
            raise InvalidInput(f"source: row {about[0]} is about node {node}, not node 0")

    @property
    def steps(self) -> int:
        """T_L: the number of the last step."""
        return self.origin.steps

    def expand(self, topology: Topology) -> Schedule:
        """The schedule with the rows of every node, node after node.

        Raises InvalidInput when the topology has no translation, or not these arcs.
        """
        origin = self.origin
        arc = np.empty((topology.n, origin.rows), dtype=np.int32)
        for u, moved in _moved(topology, origin, origin.arc):
            arc[u] = moved
        return replace(
            origin,
            source=np.repeat(np.arange(topology.n, dtype=np.int32), origin.rows),
            arc=arc.ravel(),
            step=np.tile(origin.step, topology.n),
            begin=np.tile(origin.begin, topology.n),
            end=np.tile(origin.end, topology.n),
        )

    def loads(self, topology: Topology) -> tuple[Fraction, ...]:
        """The load of the busiest arc at every step, as `expand(topology).loads(topology)`.

        In a group that keeps slots, all arcs of one slot carry the same. Elsewhere the rows are
        added up one node at a time, never held.
        """
        origin = self.origin
        origin.require_fit(topology)
        length = origin.end - origin.begin
        slots = Slots(topology)
        if slots.steps is not None:
            width = topology.degree
            carried = sums(origin.step, slots.slot[origin.arc], length, width)
        else:
            carried = _added(topology, origin, sums(origin.step, origin.arc, length, topology.arcs))
        found = busiest(carried, self.steps, topology.capacity)
        return tuple(load / origin.denominator for load in found)

    def cost(self, topology: Topology) -> Cost:
        """The cost of the whole schedule, as `expand(topology).cost(topology)`."""
        total = sum(self.loads(topology), Fraction())
        return Cost(self.steps, Fraction(topology.degree, topology.n) * total)


def _added(topology: Topology, origin: Schedule, one: Sums) -> Sums:
    """What arcs carry for all nodes, from what they carry for node 0."""
    busy = one.total > 0
    level, arc, total = one.level[busy], one.arc[busy], one.total[busy]
    if int(total.max(initial=0)) * topology.n >= 1 << 63:
        total = total.astype(object)
    table = np.zeros((origin.steps, topology.arcs), dtype=total.dtype)
    for _, moved in _moved(topology, origin, arc):
        # An automorphism carries different arcs to different ones: no place occurs twice.
        table[level, moved] += total
    carried = np.indices(table.shape).reshape(2, -1)
    return Sums(carried[0], carried[1], table.ravel())


def _moved(
    topology: Topology, origin: Schedule, arcs: IntArray | NDArray[np.int64]
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Every node u, with the images of the arcs under the translation that carries 0 to u."""
    if topology.translation is None:
        raise InvalidInput("translation: the topology has none, so rows cannot be translated")
    origin.require_fit(topology)
    slots = Slots(topology)
    if slots.steps is not None:
        tail, slot = topology.tail[arcs], slots.slot[arcs]
        for u, image in slots.translations():
            yield u, slots.arcs(image[tail], slot)
    else:
        images = ArcImages(topology, arcs)
        for u in range(topology.n):
            yield u, images.under(topology.translation(u))
