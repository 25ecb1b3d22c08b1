"""A schedule of a vertex-transitive graph in compact form: the rows of node 0, and translations."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from expansions.automorphisms import Automorphisms
from expansions.collective import Collective
from expansions.cost import Cost
from expansions.loads import Sums, busiest_loads, sum_loads
from expansions.schedule import Schedule
from generators.errors import InvalidInput
from generators.limbs import sum_exactly
from generators.topology import Int64Array, IntArray, Topology

CELLS = 1 << 22
"""Images of arcs that are held at a time while loads are added up."""


@dataclass(frozen=True, slots=True, eq=False)
class CompactSchedule:
    """The rows about the shard of node 0; those of node u are their images under h_u.

    `origin` holds the rows of node 0 only; `translations` are the h_u, and parallel arcs keep
    their order. Raises InvalidInput when a row is about another node, or the collective has
    a root.

    >>> from expansions.automorphisms import automorphisms_of
    >>> from generators.arrays import jump_graph
    >>> ring = jump_graph(4, [1])
    >>> rows = Schedule(source=[0, 0, 0], arc=[0, 1, 2], step=[1, 2, 3], begin=[0] * 3, end=[1] * 3)
    >>> compact = CompactSchedule(rows, automorphisms_of(ring))
    >>> compact.rows, compact.rows_of(ring, 2).arc.tolist()
    (12, [2, 3, 0])
    >>> compact.cost(ring) == compact.expand(ring).cost(ring), compact.cost(ring)
    (True, Cost(steps=3, bandwidth=Fraction(3, 4)))
    """

    origin: Schedule
    translations: Automorphisms

    def __post_init__(self) -> None:
        if self.origin.collective.is_rooted:
            raise InvalidInput(f"collective: a {self.origin.collective} is about one node only")
        about = np.flatnonzero(self.origin.source)
        if about.size:
            node = self.origin.source[about[0]]
            raise InvalidInput(f"source: row {about[0]} is about node {node}, not node 0")

    @property
    def rows(self) -> int:
        """How many rows the schedule has, those of all nodes counted."""
        return self.translations.n * self.origin.rows

    @property
    def steps(self) -> int:
        """T_L: the number of the last step."""
        return self.origin.steps

    @property
    def denominator(self) -> int:
        """What `begin` and `end` count."""
        return self.origin.denominator

    @property
    def collective(self) -> Collective:
        """What the schedule carries out."""
        return self.origin.collective

    @property
    def root(self) -> None:
        """None: a compact schedule is about all nodes."""
        return

    @property
    def turn(self) -> int | None:
        """The last step of the reduce-scatter that begins an allreduce, else None."""
        return self.origin.turn

    def require_fit(self, topology: Topology) -> None:
        """Refuse a topology of another size, with switches, or without an arc that is named."""
        if topology.n != self.translations.n:
            raise InvalidInput(
                f"translations: for {self.translations.n} nodes, but the topology has {topology.n}"
            )
        if topology.switches:
            raise InvalidInput(
                f"switches: translations are for hosts only, not {topology.switches}"
            )
        self.origin.require_fit(topology)

    def rows_of(self, topology: Topology, u: int) -> Schedule:
        """The rows about the shard of node u.

        Raises InvalidInput when there is no such node, and when the topology has not these arcs.
        """
        self.require_fit(topology)
        maps, arc = self.translations.arc_maps(topology), self.origin.arc
        for g in self.translations.word(u):
            arc = maps[g][arc]
        source = np.full(self.origin.rows, u, dtype=np.int32)
        return replace(self.origin, source=source, arc=arc)

    def expand(self, topology: Topology) -> Schedule:
        """The schedule with the rows of every node, node after node.

        Raises InvalidInput when the topology has not these arcs.
        """
        self.require_fit(topology)
        origin, n = self.origin, topology.n
        arc = self.translations.carry(self.translations.arc_maps(topology), origin.arc)
        return replace(
            origin,
            source=np.repeat(np.arange(n, dtype=np.int32), origin.rows),
            arc=arc.ravel(),
            step=np.tile(origin.step, n),
            begin=np.tile(origin.begin, n),
            end=np.tile(origin.end, n),
        )

    def loads(self, topology: Topology, cells: int = CELLS) -> tuple[Fraction, ...]:
        """The load of the busiest arc at every step, as `expand(topology).loads(topology)`.

        Where the translations are a group that keeps colours, all arcs of one colour carry the
        same. Elsewhere the images of the rows are added up, about `cells` at once.
        """
        self.require_fit(topology)
        origin, maps = self.origin, self.translations.arc_maps(topology)
        length = origin.end - origin.begin
        colour = _arc_colours(topology, self.translations, maps)
        if colour is not None and topology.capacity is None:
            width = topology.arcs // topology.n
            found = busiest_loads(
                sum_loads(origin.step, colour[origin.arc], length, width), self.steps
            )
        else:
            one = sum_loads(origin.step, origin.arc, length, topology.arcs)
            found = _peak_loads(topology, self.translations, maps, one, self.steps, cells)
        return tuple(load / origin.denominator for load in found)

    def summed_images(self, topology: Topology) -> int:
        """How many images of rows `loads` adds up: none where all arcs of a colour carry alike."""
        maps = self.translations.arc_maps(topology)
        if topology.capacity is not None:
            return self.rows
        return self.rows if _arc_colours(topology, self.translations, maps) is None else 0

    def cost(self, topology: Topology) -> Cost:
        """The cost of the whole schedule, as `expand(topology).cost(topology)`."""
        total = sum(self.loads(topology), Fraction())
        return Cost(self.steps, Fraction(topology.degree, topology.n) * total)


def _arc_colours(
    topology: Topology, translations: Automorphisms, maps: IntArray
) -> Int64Array | None:
    """Colours of the arcs, 0 to d - 1, that all generators keep; None if there are none.

    Arc j out of node 0 has colour j, and so have its images under the h_u. An automorphism that
    keeps colours and fixes a node fixes all that can be reached from there, so that in a
    connected graph the h_u are then a group, with one member for every node. The graph is
    connected if the generators carry node 0 to out-neighbours.
    """
    first = np.flatnonzero(topology.tail == 0)
    near = np.isin(translations.images[:, 0], topology.head[first])
    if len(first) * topology.n != topology.arcs or not near.all():
        return None
    colour = np.empty(topology.arcs, dtype=np.int64)
    colour[translations.carry(maps, first)] = np.arange(len(first))
    return colour if all((colour[image] == colour).all() for image in maps) else None


def _peak_loads(
    topology: Topology,
    translations: Automorphisms,
    maps: IntArray,
    one: Sums,
    steps: int,
    cells: int,
) -> list[Fraction]:
    """The load of the busiest arc at every step, from what arcs carry for node 0."""
    whole = one.total
    busy = whole > 0
    level, arc, total = one.level[busy], one.arc[busy], whole[busy]
    found = []
    order = np.argsort(level, kind="stable")
    ends = np.searchsorted(level[order], np.arange(steps + 1))
    for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        here = order[first:last]
        carried = partial(_sum_images, topology, translations, maps, arc[here], cells)
        # Arcs of one step differ, and a translation permutes them: each gets one a node at most.
        table = sum_exactly(total[here], topology.n, carried)
        place = np.arange(topology.arcs)
        found += busiest_loads(
            Sums(np.zeros_like(place), place, ((0, table),)), 1, topology.capacity
        )
    return found


def _sum_images(
    topology: Topology,
    translations: Automorphisms,
    maps: IntArray,
    arc: Int64Array,
    cells: int,
    total: Int64Array,
) -> Int64Array:
    """What all images of some arcs, each with its total, put on every arc; shape (arcs,)."""
    table, width = np.zeros(topology.arcs, dtype=np.int64), max(1, cells // topology.n)
    for at in range(0, len(arc), width):
        images = translations.carry(maps, arc[at : at + width])
        # Flat, because np.add.at of numpy 2 reads a value beyond the end when it broadcasts.
        np.add.at(table, images.ravel(), np.tile(total[at : at + width], topology.n))
    return table
