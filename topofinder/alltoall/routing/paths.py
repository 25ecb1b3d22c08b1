"""The noun Paths: weighted paths between pairs of nodes, and how a flow is decomposed into them.

The flow of a certificate becomes paths by flow decomposition (Ford and Fulkerson, 1962): again and
again a path with flow is taken off, and as much of it as its emptiest arc allows.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput
from generators.topology import FloatArray, Int64Array, IntArray, Topology
from topofinder.model.certificate import Certificate
from topofinder.verification.certificate_flows import automorphisms_by_node

MAX_PATHS = 1 << 23
"""Paths that are held at once."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Paths:
    """Paths of pairs of nodes; those of one pair follow each other, pairs by source and sink.

    Shapes: `source`, `sink` and `weight` int64 (k,); path i takes the arcs
    `arc[first[i]:first[i + 1]]`, from its source to its sink. A pair sends over its path i the
    part `weight[i]` of the sum of the pair's weights. `pair` int64 (pairs + 1,): where the
    paths of each pair begin; `asked`, (pairs,): what a pair is to send, in `unit`.
    """

    topology: Topology
    source: Int64Array
    sink: Int64Array
    weight: Int64Array
    first: Int64Array
    arc: IntArray
    pair: Int64Array
    asked: Int64Array
    unit: Fraction

    @property
    def hops(self) -> Int64Array:
        """Arcs of each path; shape (k,)."""
        return np.diff(self.first)

    @property
    def sums(self) -> Int64Array:
        """The sum of weights of each pair; shape (pairs,)."""
        return np.add.reduceat(self.weight, self.pair[:-1])

    @property
    def share(self) -> FloatArray:
        """The part of its pair that each path carries, rounded; shape (k,)."""
        return self.weight / np.repeat(self.sums, np.diff(self.pair))

    @property
    def mean_hops(self) -> float:
        """Arcs that a unit of demand crosses on average."""
        carried = self.share * np.repeat(self.asked, np.diff(self.pair))
        return float(carried @ self.hops / self.asked.sum())

    def loads(self) -> tuple[Fraction, ...]:
        """What each arc carries when every pair sends what is asked once, exactly; (arcs,)."""
        whole = np.repeat(self.asked, np.diff(self.pair))
        sums = np.repeat(self.sums, np.diff(self.pair))
        loads = [Fraction()] * self.topology.arcs
        # Of paths with one sum of weights, the numerators add up as whole numbers.
        for divisor in np.unique(sums).tolist():
            there = np.repeat(sums == divisor, self.hops)
            carried = np.zeros(self.topology.arcs, dtype=object)
            amount = np.repeat((whole.astype(object) * self.weight), self.hops)
            np.add.at(carried, self.arc[there], amount[there])
            for arc in np.flatnonzero(carried).tolist():
                loads[arc] += Fraction(int(carried[arc]), divisor) * self.unit
        return tuple(loads)

    def rate(self) -> Fraction:
        """The largest rate that these paths allow: the least capacity over load, exactly."""
        capacity = self.topology.capacity or (Fraction(1),) * self.topology.arcs
        loads = self.loads()
        return min(c / load for c, load in zip(capacity, loads, strict=True) if load)


def decompose_flow(certificate: Certificate) -> Paths:
    """Paths from every source to everyone who asks something of it, at most arcs + n a source.

    Cycles and whatever a flow carries above the demand are left out, so no arc carries more than
    in the certificate. A lifted flow is decomposed once and its paths carried to all nodes.
    Raises InvalidInput when the flow does not deliver the demand, or for above MAX_PATHS paths.
    """
    parts = [_source_paths(certificate, i) for i in range(len(certificate.sources))]
    times = 1 if certificate.lifted is None else certificate.topology.n
    if times * sum(len(part.sink) for part in parts) > MAX_PATHS:
        raise InvalidInput(f"routes: more than {MAX_PATHS} paths; ask for flows")
    if certificate.lifted is not None:
        parts = _lift_paths(certificate, parts[0])
    return _join_paths(certificate, parts)


class _SourcePaths:
    """The paths of one source."""

    __slots__ = ("arc", "hops", "sink", "source", "weight")

    def __init__(
        self, source: int, sink: Int64Array, weight: Int64Array, hops: Int64Array, arc: IntArray
    ) -> None:
        self.source, self.sink, self.weight, self.hops, self.arc = source, sink, weight, hops, arc


def _source_paths(certificate: Certificate, number: int) -> _SourcePaths:
    from topofinder.alltoall.routing.path_kernels import BUFFER_FULL, FLOW_LACKING, peel_paths

    graph = certificate.topology
    source = int(certificate.sources[number])
    start, into = _arcs_by_head(certificate)
    room = graph.arcs + graph.n
    sink, weight, end = (np.empty(room, dtype=np.int64) for _ in range(3))
    hops = np.empty(8 * room, dtype=np.int32)
    wanted = _demand_in_quanta(certificate, source)
    while True:
        row, rest = certificate.rows[number].copy(), wanted.copy()
        count = peel_paths(graph.tail, start, into, row, rest, source, sink, weight, end, hops)
        if count != BUFFER_FULL:
            break
        hops = np.empty(2 * len(hops), dtype=np.int32)
    if count == FLOW_LACKING:
        raise InvalidInput(f"flow: that of node {source} does not deliver what is asked")
    lengths = np.diff(end[:count], prepend=0)
    used = int(end[count - 1]) if count else 0
    return _SourcePaths(
        source, sink[:count].copy(), weight[:count].copy(), lengths, hops[:used].copy()
    )


def _arcs_by_head(certificate: Certificate) -> tuple[Int64Array, IntArray]:
    graph = certificate.topology
    proper = np.flatnonzero(graph.tail != graph.head)
    start, order = csr_by_node(graph.head[proper], graph.n)
    return start, proper[order].astype(np.int32)


def _demand_in_quanta(certificate: Certificate, source: int) -> Int64Array:
    """What each node asks for, in quanta, rounded up."""
    unit = Fraction(1) if certificate.demand is None else certificate.demand.unit
    rate = unit / certificate.quantum
    values, place = np.unique(certificate.most_demand(source), return_inverse=True)
    needed = [-(-int(value) * rate.numerator // rate.denominator) for value in values]
    return np.array(needed, dtype=np.int64)[place]


def _lift_paths(certificate: Certificate, origin: _SourcePaths) -> list[_SourcePaths]:
    head = certificate.topology.head
    last = origin.arc[np.cumsum(origin.hops) - 1]
    found = []
    for node, image in automorphisms_by_node(certificate):
        sink = head[image[last]].astype(np.int64)
        moved = image[origin.arc].astype(np.int32)
        order = np.argsort(sink, kind="stable")
        found.append(
            _reorder_paths(_SourcePaths(node, sink, origin.weight, origin.hops, moved), order)
        )
    return sorted(found, key=lambda part: part.source)


def _reorder_paths(part: _SourcePaths, order: Int64Array) -> _SourcePaths:
    """The paths of a source in another order."""
    hops = part.hops[order]
    begin = (np.cumsum(part.hops) - part.hops)[order]
    within = np.arange(hops.sum()) - np.repeat(np.cumsum(hops) - hops, hops)
    arc = part.arc[np.repeat(begin, hops) + within]
    return _SourcePaths(part.source, part.sink[order], part.weight[order], hops, arc)


def _join_paths(certificate: Certificate, parts: list[_SourcePaths]) -> Paths:
    source = np.concatenate([np.full(len(part.sink), part.source) for part in parts])
    sink = np.concatenate([part.sink for part in parts])
    hops = np.concatenate([part.hops for part in parts])
    changes = np.diff(source * certificate.topology.n + sink, prepend=-1) != 0
    begins = np.flatnonzero(changes)
    asked = [certificate.most_demand(part.source)[np.unique(part.sink)] for part in parts]
    return Paths(
        topology=certificate.topology,
        source=source,
        sink=sink,
        weight=np.concatenate([part.weight for part in parts]),
        first=np.concatenate([[0], np.cumsum(hops)]),
        arc=np.concatenate([part.arc for part in parts]),
        pair=np.append(begins, len(sink)),
        asked=np.concatenate(asked),
        unit=Fraction(1) if certificate.demand is None else certificate.demand.unit,
    )
