"""The lower bound: a flow that delivers every demand, and the largest load it puts on an arc.

At every node but the source, what comes in less what goes out must be at least what the node
asks for; a node that asks for nothing, a switch too, must not send more than it receives. Then
the flow, slowed down by its largest load over capacity, is a rate that is possible.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.brief import brief
from generators.topology import Int64Array, Topology
from topofinder.model.certificate import Certificate
from topofinder.verification.certificate_demand import most
from topofinder.verification.certificate_lifting import images
from topofinder.verification.certificate_violation import Violation

WORD = 1 << 62


def proved_lower(certificate: Certificate) -> Fraction:
    """The bound that the flow proves. Raises Violation at the first source that it fails."""
    graph = certificate.topology
    _require_sources(certificate)
    load: NDArray[Any] = np.zeros(graph.arcs, dtype=_safe(certificate))
    for source, row in _flows(certificate):
        _require_delivered(certificate, source, row)
        load += row
    busy = np.flatnonzero(load)
    if not len(busy):
        raise Violation("flow: it is empty")
    return _slowest(graph, load, busy) / certificate.quantum


def _require_sources(certificate: Certificate) -> None:
    sources, n = certificate.sources, certificate.topology.n
    if certificate.lifted is not None:
        if sources.tolist() != [0]:
            raise Violation(f"sources: a flow that is lifted is of node 0, not {sources.tolist()}")
        return
    wrong = np.flatnonzero(np.diff(sources, prepend=-1) <= 0)
    if len(wrong) or (len(sources) and sources[-1] >= n):
        raise Violation(f"sources: nodes in ascending order are needed, below {n}")
    there = set(sources.tolist())
    for node in range(n):
        if node not in there and most(certificate, node).any():
            raise Violation(f"sources: node {node} has a demand and no flow")


def _flows(certificate: Certificate) -> Iterator[tuple[int, Int64Array]]:
    """Every source with its flow on the arcs."""
    if certificate.lifted is None:
        yield from zip(certificate.sources.tolist(), certificate.rows, strict=True)
        return
    (origin,) = certificate.rows
    for node, image in images(certificate):
        moved = np.empty_like(origin)
        moved[image] = origin
        yield node, moved


def _safe(certificate: Certificate) -> type:
    """int64 where no sum of all rows can overflow it, Python's integers else.

    An arc gets one entry of each row; a lifted row counts once for each node.
    """
    count = certificate.topology.n if certificate.lifted is not None else len(certificate.rows)
    return np.int64 if count * int(certificate.rows.max(initial=0)) < WORD else object


def _require_delivered(certificate: Certificate, source: int, row: Int64Array) -> None:
    graph = certificate.topology
    net = _net(graph, row)
    asked = most(certificate, source)
    unit = Fraction(1) if certificate.demand is None else certificate.demand.unit
    rate = unit / certificate.quantum
    # net * quantum >= asked * unit, in whole numbers; the source itself may send what it likes.
    values, place = np.unique(asked, return_inverse=True)
    wanted = [-(-int(amount) * rate.numerator // rate.denominator) for amount in values]
    least = np.array(wanted, dtype=np.int64 if max(wanted) < WORD else object)
    short = net < least[place]
    short[source] = False
    if short.any():
        node = int(np.flatnonzero(short)[0])
        got, need = int(net[node]) * certificate.quantum, int(asked[node]) * unit
        told = f"node {node} keeps {brief(got)}, and asks for {brief(need)}"
        raise Violation(f"flow of node {source}: {told}")


def _net(graph: Topology, row: Int64Array) -> NDArray[Any]:
    """What each node takes in less what it sends out; shape (n,)."""
    net: NDArray[Any] = np.zeros(graph.n, dtype=np.int64)
    # What comes in at a node, and what goes out, are sums of different entries of the row.
    if int(row.max(initial=0)) * graph.arcs >= WORD:
        net = net.astype(object)
    np.add.at(net, graph.head, row)
    np.subtract.at(net, graph.tail, row)
    return net


def _slowest(graph: Topology, load: NDArray[Any], busy: Int64Array) -> Fraction:
    """The least capacity over load."""
    capacity = graph.capacity
    if capacity is None:
        return Fraction(1, int(load.max()))
    return min((capacity[arc] / int(load[arc]) for arc in busy.tolist()), default=Fraction())
