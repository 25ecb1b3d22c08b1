"""Both bounds of a certificate, worked out anew on the whole graph, in exact integers.

The upper bound is linear-programming duality: no flow uses more length than all capacity has.
One unit of f takes, for each pair, its demand times at least the distance of the pair; all arcs
together have the sum of capacity times length. Distances come from scipy's Dijkstra as floats and
are not trusted: the whole numbers made of them are proved to be no larger than the true distances,
arc by arc. Demand that is only known to lie between two amounts counts with the lower one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from generators.brief import brief
from generators.topology import Int64Array, Topology
from topofinder.model.certificate import Certificate
from topofinder.progress import work_progress
from topofinder.verification.certificate_flows import Violation, prove_lower_bound

BLOCK = 1 << 22
"""Distances held at once."""
WORD = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvedInterval:
    """The interval that the numbers of a certificate prove, or one line on what is wrong."""

    lower: Fraction | None
    upper: Fraction | None
    violation: str | None = None


def check_certificate(certificate: Certificate) -> ProvedInterval:
    """What a certificate proves; a violation when it proves less than it says.

    The lengths are checked first, then the flow: automorphisms, then source by source what is
    delivered, then the loads of the arcs.

    >>> import numpy as np
    >>> from generators.topology import Topology
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> saved = Certificate(topology=pair, lower=Fraction(1), upper=Fraction(1),
    ...     lengths=np.array([1, 1]), sources=np.array([0, 1]), rows=np.array([[1, 0], [0, 1]]),
    ...     quantum=Fraction(1))
    >>> check_certificate(saved)
    ProvedInterval(lower=Fraction(1, 1), upper=Fraction(1, 1), violation=None)
    """
    upper = lower = None
    try:
        upper = prove_upper_bound(certificate)
        if upper > certificate.upper:
            told = brief(certificate.upper)
            raise Violation(f"upper: the lengths prove {brief(upper)}, not {told}")
        lower = prove_lower_bound(certificate)
        if lower < certificate.lower:
            told = brief(certificate.lower)
            raise Violation(f"lower: the flow proves {brief(lower)}, not {told}")
    except Violation as found:
        return ProvedInterval(lower=lower, upper=upper, violation=str(found))
    return ProvedInterval(lower=lower, upper=upper)


def prove_upper_bound(certificate: Certificate) -> Fraction:
    """The bound that the lengths prove. Raises Violation when they prove none."""
    graph, lengths = certificate.topology, certificate.lengths
    if int(lengths.astype(object).sum()) >= 1 << 53:
        raise Violation("lengths: they sum to 2^53 or more, which floats do not hold exactly")
    needed = 0
    for sources, distance in _distances(graph, lengths):
        _require_feasible(graph, lengths, sources, distance)
        for source, row in zip(sources.tolist(), distance, strict=True):
            needed += _exact_product(certificate.least_demand(source), row)
    if not needed:
        raise Violation("lengths: every pair with a demand is at distance 0, so they bound nothing")
    unit = Fraction(1) if certificate.demand is None else certificate.demand.unit
    return _capacity_length(graph, lengths) / (needed * unit)


def _capacity_length(graph: Topology, lengths: Int64Array) -> Fraction:
    """The sum of capacity times length."""
    if graph.capacity is None:
        return Fraction(int(lengths.sum()))  # below 2^53, as `prove_upper_bound` finds first
    total: dict[Fraction, int] = {}
    for capacity, length in zip(graph.capacity, lengths.tolist(), strict=True):
        total[capacity] = total.get(capacity, 0) + length
    return sum((capacity * length for capacity, length in total.items()), Fraction())


def _distances(graph: Topology, lengths: Int64Array) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Blocks of sources with a distance to every node; shape (sources, n)."""
    matrix = _shortest_arcs(graph, lengths)
    at_once = max(1, BLOCK // graph.n)
    for first in range(0, graph.n, at_once):
        work_progress.count("upper bound: sources", first, graph.n)
        sources = np.arange(first, min(first + at_once, graph.n))
        found = dijkstra(matrix, indices=sources)
        lost = np.argwhere(np.isinf(found))
        if len(lost):
            source, node = sources[lost[0][0]], lost[0][1]
            raise Violation(f"node {source} cannot reach node {node}: no rate is possible")
        yield sources, found.astype(np.int64)


def _shortest_arcs(graph: Topology, lengths: Int64Array) -> csr_array:
    """The arcs as a matrix; of parallel ones, the shortest."""
    order = np.lexsort((lengths, graph.head, graph.tail))
    tail, head = graph.tail[order], graph.head[order]
    first = np.append(True, (tail[1:] != tail[:-1]) | (head[1:] != head[:-1]))[: len(tail)]
    kept = order[first]
    return csr_array(
        (lengths[kept].astype(np.float64), (graph.tail[kept], graph.head[kept])),
        shape=(graph.n, graph.n),
    )


def _require_feasible(
    graph: Topology, lengths: Int64Array, sources: Int64Array, distance: Int64Array
) -> None:
    """Prove that no number is above the true distance: 0 at the source, no arc is overstepped.

    A distance is a sum of different arcs' lengths, and all lengths together are below 2^53: neither
    the floats it comes from nor the sum with one more length can round or wrap.
    """
    at_home = distance[np.arange(len(sources)), sources]
    over = distance[:, graph.head] > distance[:, graph.tail] + lengths
    if at_home.any() or over.any():
        raise Violation("lengths: distances cannot be worked out exactly")


def _exact_product(amounts: Int64Array, distance: Int64Array) -> int:
    """The sum of products, exactly: in words where the largest terms n times are below 2^62."""
    if int(amounts.max()) * int(distance.max()) * len(amounts) < WORD:
        return int(amounts @ distance)
    return int(amounts.astype(object) @ distance.astype(object))
