"""A smaller problem with the same f: one source a class, one load a class of arcs.

Pairs (source, node) and arcs are put into classes so that a pair is told from its class-mates by
nothing it meets along its arcs, and every arc of a class is seen in the same ways by equally
many sources: an equitable partition, found by colour refinement (Grohe, Kersting, Mladenov and
Selman, 2014, for linear programs at large). If a flow is replaced by its averages over classes,
every demand is still delivered, and no arc carries more than the average of its class did before.
Where a rotation is known (`topofinder.alltoall.solver.rotations`), one source of each of its orbits
is looked at: the others see the same, and the classes are those that all of them give.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from generators.topology import FloatArray, Int64Array, IntArray
from topofinder.alltoall.problem import FlowNetwork, FlowProblem, arc_capacities, flow_network
from topofinder.alltoall.solver import colour_kernels
from topofinder.alltoall.solver.rotations import NO_ROTATION, Rotation, find_rotation

ColourWords = NDArray[np.uint64]

MOST_REFINEMENT = 1 << 31
"""How many (source, arc) pairs are looked at, round after round: about 20 seconds."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reduction:
    """Classes of sources and of arcs, and what the classes want and can carry.

    Shapes: `sources`, `weight` (k,): one source of each class, and how many are in it; `kind`
    (m,): the class of each arc of `net`; `capacity` (classes,): what its arcs can carry together;
    `wanted` int64 (k, n): what each node wants from sources[k], in units. `of_source` (sources,)
    is the class of each source of the problem. `colour` and `arc_colour` lift flows; they are
    None when every source is a class. Of a `rotation` the first node of each run has a row in
    `colour`, else every source.
    """

    net: FlowNetwork
    all_sources: IntArray
    of_source: IntArray
    sources: IntArray
    weight: Int64Array
    kind: IntArray
    capacity: FloatArray
    wanted: Int64Array
    colour: ColourWords | None = None
    arc_colour: ColourWords | None = None
    rotation: Rotation = NO_ROTATION

    @property
    def classes(self) -> int:
        """Number of classes of arcs."""
        return len(self.capacity)

    def node_classes(self, row: int) -> ColourWords:
        """The colours of nodes as source number `row` of the problem sees them; shape (n,)."""
        if self.colour is None:
            return np.arange(self.net.n, dtype=np.uint64)
        place, turned = divmod(row, self.rotation.order)
        own: ColourWords = self.colour[place]
        if turned:
            own = own[self.rotation.seen_from(row, self.net.n)]
        return own

    def pair_classes(self, row: int) -> ColourWords:
        """The colours of arcs as source number `row` of the problem sees them; shape (m,)."""
        if self.arc_colour is None:
            return np.arange(self.net.arcs, dtype=np.uint64)
        out = np.empty(self.net.arcs, dtype=np.uint64)
        colour_kernels.fill_arc_colours(self.net, self.arc_colour, self.node_classes(row), out)
        return out

    def lift_flows(self, flows: FloatArray) -> FloatArray:
        """The flows of all sources, from those of `sources`, averaged over classes of pairs.

        `flows` has shape (k, m), the answer one row for every source of the problem.
        """
        if self.colour is None:
            return flows
        rows = np.empty((len(self.all_sources), self.net.arcs))
        first = self.representative_rows()
        for k in range(len(self.sources)):
            names, place = np.unique(self.pair_classes(int(first[k])), return_inverse=True)
            value = np.bincount(place, flows[k]) / np.bincount(place)
            for row in np.flatnonzero(self.of_source == k).tolist():
                found = np.searchsorted(names, self.pair_classes(row))
                rows[row] = value[np.minimum(found, len(value) - 1)]
        return rows

    def representative_rows(self) -> Int64Array:
        """Which source of the problem each of `sources` is; shape (k,)."""
        rows: Int64Array = np.searchsorted(self.all_sources, self.sources).astype(np.int64)
        return rows


def identity_reduction(problem: FlowProblem) -> Reduction:
    """Every source and every arc a class of its own."""
    net = flow_network(problem.topology)
    count = len(problem.sources)
    return Reduction(
        net=net,
        all_sources=problem.sources,
        of_source=np.arange(count, dtype=np.int32),
        sources=problem.sources,
        weight=np.ones(count, dtype=np.int64),
        kind=np.arange(net.arcs, dtype=np.int32),
        capacity=arc_capacities(problem.topology, net.arc),
        wanted=problem.demand_rows(problem.sources),
    )


def reduce_problem(problem: FlowProblem) -> Reduction:
    """The coarsest classes that refinement finds, or none beyond MOST_REFINEMENT.

    >>> from generators.arrays import jump_graph
    >>> small = reduce_problem(FlowProblem(topology=jump_graph(8, [1, 3])))
    >>> small.sources.tolist(), small.classes
    ([0], 1)
    """
    plain = identity_reduction(problem)
    arc_colour = _capacity_colours(problem, plain.net)
    rotation = find_rotation(problem.topology, plain.net) if problem.is_uniform else None
    if rotation is None and _sources_differ(problem, plain, arc_colour):
        return plain
    return _refine(problem, plain, arc_colour, rotation or NO_ROTATION)


def _refine(
    problem: FlowProblem, plain: Reduction, arc_colour: ColourWords, rotation: Rotation
) -> Reduction:
    """Rounds until nothing is told apart that was not before; `plain` where all sources differ."""
    left = MOST_REFINEMENT
    first = np.ascontiguousarray(plain.sources[:: rotation.order])
    colour = _initial_colours(problem, plain, first)
    of_source = np.empty(len(colour), dtype=np.uint64)
    of_arc = np.empty(plain.net.arcs, dtype=np.uint64)
    seen, before = 0, (0, 0)
    while left > 0:
        left -= colour.shape[0] * plain.net.arcs
        finer = int(colour_kernels.refine_colours(plain.net, arc_colour, colour))
        if finer > seen and seen:
            seen = finer
            continue
        colour_kernels.sum_signatures(plain.net, arc_colour, colour, of_source, of_arc)
        of_arc = rotation.sum_over_orbits(of_arc)
        after = (len(np.unique(of_source)), len(np.unique(of_arc)))
        if after == (len(plain.sources), len(of_arc)):
            break
        if after == before and finer == seen:
            return _merge_classes(plain, colour, arc_colour, of_source, of_arc, rotation)
        if after[1] > before[1]:
            arc_colour = of_arc.copy()
        seen, before = finer, after
    return plain


def _sources_differ(problem: FlowProblem, plain: Reduction, arc_colour: ColourWords) -> bool:
    """Whether many sources, drawn at random, all see different graphs: then most of all do.

    If sources came in pairs that are alike, 8 pairs or so would be among so many.
    """
    count = len(plain.sources)
    drawn = np.random.default_rng(count).permutation(count)[: 4 * isqrt(count)]
    if len(drawn) == count:
        return False
    colour = _initial_colours(problem, plain, plain.sources[np.sort(drawn)])
    colour_kernels.refine_colours(plain.net, arc_colour, colour)
    own = np.empty(len(drawn), dtype=np.uint64)
    colour_kernels.sum_signatures(plain.net, arc_colour, colour, own, np.empty_like(arc_colour))
    return len(np.unique(own)) == len(own)


def _initial_colours(problem: FlowProblem, plain: Reduction, sources: IntArray) -> ColourWords:
    colour: ColourWords = problem.demand_rows(sources).astype(np.uint64) * np.uint64(7)
    if problem.demand is not None and not problem.demand.is_exact:
        low = problem.demand_rows(sources, least=True)
        colour += low.astype(np.uint64) << np.uint64(32)
    colour_kernels.mix_hops(sources, plain.net, colour)
    return colour


def _capacity_colours(problem: FlowProblem, net: FlowNetwork) -> ColourWords:
    if problem.topology.capacity is None:
        return np.ones(net.arcs, dtype=np.uint64)
    number: dict[Fraction, int] = {}
    owned = [problem.topology.capacity[e] for e in net.arc.tolist()]
    return np.array([number.setdefault(c, len(number) + 1) for c in owned], dtype=np.uint64)


def _merge_classes(
    plain: Reduction,
    colour: ColourWords,
    arc_colour: ColourWords,
    of_source: ColourWords,
    of_arc: ColourWords,
    rotation: Rotation,
) -> Reduction:
    _, first, group, weight = np.unique(
        of_source, return_index=True, return_inverse=True, return_counts=True
    )
    first = first * rotation.order
    kind = np.unique(of_arc, return_inverse=True)[1].astype(np.int32)
    return Reduction(
        net=plain.net,
        all_sources=plain.sources,
        of_source=np.repeat(group.astype(np.int32), rotation.order),
        sources=plain.sources[first],
        weight=weight.astype(np.int64) * rotation.order,
        kind=kind,
        capacity=np.bincount(kind, plain.capacity).astype(np.float64),
        wanted=plain.wanted[first],
        colour=colour,
        arc_colour=arc_colour,
        rotation=rotation,
    )
