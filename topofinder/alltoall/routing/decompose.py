"""Weighted paths that carry the flow of a certificate (flow decomposition, Ford and Fulkerson)."""

from fractions import Fraction

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput
from generators.topology import Int64Array, IntArray
from topofinder.alltoall.routing.path_kernels import FULL, STUCK, peel_paths
from topofinder.alltoall.routing.paths import Paths
from topofinder.model.certificate import Certificate
from topofinder.verification.certificate_demand import most
from topofinder.verification.certificate_lifting import images

MAX_PATHS = 1 << 23
"""Paths that are held at once."""


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
        if count != FULL:
            break
        hops = np.empty(2 * len(hops), dtype=np.int32)
    if count == STUCK:
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
    values, place = np.unique(most(certificate, source), return_inverse=True)
    needed = [-(-int(value) * rate.numerator // rate.denominator) for value in values]
    return np.array(needed, dtype=np.int64)[place]


def _lift_paths(certificate: Certificate, origin: _SourcePaths) -> list[_SourcePaths]:
    head = certificate.topology.head
    last = origin.arc[np.cumsum(origin.hops) - 1]
    found = []
    for node, image in images(certificate):
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
    asked = [most(certificate, part.source)[np.unique(part.sink)] for part in parts]
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
