"""The network that trees are packed in: compute nodes, switches, arcs with integer capacities.

Source: ForestColl (NSDI 2026), section 4 and appendix E. Rational bandwidths become integers;
parallel arcs become one, for a tree may use any of them; self-loops carry nothing and go.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from generators.distinct import share_values
from generators.errors import InvalidInput, Unsupported
from generators.topology import (
    ArcValues,
    Int64Array,
    IntArray,
    SharedValues,
    Topology,
    Translation,
)

MOST_BITS = 1 << 13
"""Bits of the least common denominator at most; a file may have 2^15 different values."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Network:
    """A network ready for the forest algorithms; made by `Network.of(topology)`.

    Shapes: `tail` and `head` are int32 of shape (arcs,), read-only, sorted by (tail, head), with
    no parallel arcs and no self-loops. Arc `e` has bandwidth `capacity[e] * unit`, in the unit of
    the topology's capacities; the capacities are integers of any size without a common divisor.
    `weight[v]` tells how much node v has to send, relative to the others: integers without a
    common divisor, 0 at switches and at compute nodes that only receive. `compute` lists the
    compute nodes in ascending order. `tiers` are those of the topology.
    """

    n: int
    tail: IntArray
    head: IntArray
    capacity: tuple[int, ...]
    unit: Fraction
    compute: IntArray
    weight: tuple[int, ...]
    names: tuple[str, ...] | None = None
    tiers: tuple[int, ...] | None = None
    translation: Translation | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        topology: Topology,
        weights: Sequence[Fraction | int] | None = None,
        *,
        one_way: bool = False,
    ) -> "Network":
        """The network of a topology; `weights` has one entry a node (default: 1 a compute node).

        Raises InvalidInput for fewer than two compute nodes, a compute node without a link in or
        out (with `one_way` this may be), and weights that are negative, all zero, or given to a
        switch.

        >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)], capacity=[Fraction(1, 2)] * 3)
        >>> network = Network.of(ring)
        >>> network.capacity, network.unit, network.total
        ((1, 1, 1), Fraction(1, 2), 3)
        """
        compute = np.setdiff1d(np.arange(topology.n), topology.switches).astype(np.int32)
        _require_links(topology, compute, one_way)
        tail, head, values = _bandwidth_by_pair(topology)
        shares, unit = _coprime_integers(values)
        alike = not topology.switches and (weights is None or len(set(weights)) == 1)
        return cls(
            n=topology.n,
            tail=_read_only(tail),
            head=_read_only(head),
            capacity=shares,
            unit=unit,
            compute=_read_only(compute),
            weight=_integer_weights(topology, compute, weights),
            names=topology.names,
            tiers=topology.tiers,
            translation=topology.translation if alike else None,
        )

    @property
    def arcs(self) -> int:
        """Number of arcs."""
        return len(self.tail)

    @property
    def total(self) -> int:
        """The sum of all weights: N where all compute nodes send alike."""
        return sum(self.weight)

    @property
    def switches(self) -> IntArray:
        """The nodes that forward only, in ascending order."""
        return np.setdiff1d(np.arange(self.n), self.compute).astype(np.int32)

    def name(self, node: int) -> str:
        """What to call a node in a message."""
        return self.names[node] if self.names else str(node)

    def node_capacities(self) -> tuple[list[int], list[int]]:
        """Total capacity into and out of every node, exact."""
        into, out = [0] * self.n, [0] * self.n
        for u, v, c in zip(self.tail.tolist(), self.head.tolist(), self.capacity, strict=True):
            out[u] += c
            into[v] += c
        return into, out

    def require_eulerian(self) -> None:
        """Refuse switches that take in more or less than they can pass on.

        Edge splitting needs this of every switch (theorem 5).
        """
        into, out = self.node_capacities()
        for w in self.switches.tolist():
            if into[w] != out[w]:
                raise InvalidInput(
                    f"switch {self.name(w)}: bandwidth {into[w] * self.unit} in, but "
                    f"{out[w] * self.unit} out; both must be equal"
                )


def _require_links(topology: Topology, compute: IntArray, one_way: bool) -> None:
    """Refuse fewer than two compute nodes, and such without a link in or out; by arrays alone."""
    if len(compute) < 2:
        raise InvalidInput(f"nodes: at least 2 compute nodes, not {len(compute)}")
    links = topology.tail != topology.head
    for way, ends in () if one_way else (("out", topology.tail), ("in", topology.head)):
        lone = np.setdiff1d(compute, ends[links])
        if lone.size:
            name = topology.names[lone[0]] if topology.names else int(lone[0])
            raise InvalidInput(f"node {name}: no link leads {way}")


def _read_only(array: IntArray) -> IntArray:
    """The same array, which can no longer be written to."""
    array.setflags(write=False)
    return array


def _bandwidth_by_pair(topology: Topology) -> tuple[IntArray, IntArray, SharedValues]:
    """The ordered pairs of nodes that have a link, by tail and head, and the bandwidth of each."""
    links = np.flatnonzero(topology.tail != topology.head)
    order = links[np.lexsort((topology.head[links], topology.tail[links]))]
    tail, head = topology.tail[order], topology.head[order]
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = (tail[1:] != tail[:-1]) | (head[1:] != head[:-1])
    start = np.flatnonzero(begins)
    return tail[start], head[start], _sum_values(topology.capacity, order, start)


def _sum_values(capacity: ArcValues | None, order: Int64Array, start: Int64Array) -> SharedValues:
    """What the arcs `order[start[i] : start[i + 1]]` carry together; few of the sums differ."""
    if capacity is None:
        counts, which = np.unique(np.diff(start, append=len(order)), return_inverse=True)
        return SharedValues([Fraction(count) for count in counts.tolist()], which)
    ends = [*start[1:].tolist(), len(order)]
    arcs, sums = order.tolist(), []
    for first, end in zip(start.tolist(), ends, strict=True):
        value = capacity[arcs[first]]
        sums.append(value if end == first + 1 else sum(capacity[e] for e in arcs[first:end]))
    return share_values(tuple(sums))


def _coprime_integers(shared: SharedValues) -> tuple[tuple[int, ...], Fraction]:
    """Integers without a common divisor, and what one of them is worth."""
    below = _common_denominator(shared.values)
    scaled = [value.numerator * (below // value.denominator) for value in shared.values]
    common = gcd(*scaled) or 1
    whole = np.array([value // common for value in scaled], dtype=object)
    return tuple(whole[shared.which].tolist()), Fraction(common, below)


def _common_denominator(values: Sequence[Fraction | int]) -> int:
    """Raises Unsupported as soon as it is so long that numbers of that length fill memory."""
    below = 1
    for value in values:
        below = lcm(below, value.denominator)
        if below.bit_length() > MOST_BITS:
            raise Unsupported(
                f"capacities or weights: their common denominator is above 2^{MOST_BITS}"
            )
    return below


def _integer_weights(
    topology: Topology, compute: IntArray, weights: Sequence[Fraction | int] | None
) -> tuple[int, ...]:
    """The weights as integers; 1 at compute nodes where none are given."""
    if weights is None:
        return tuple(np.isin(np.arange(topology.n), compute).astype(int).tolist())
    if len(weights) != topology.n:
        raise InvalidInput(f"weights: {len(weights)} values for {topology.n} nodes")
    for v, value in enumerate(weights):
        if value < 0 or (value and v in topology.switches):
            names = topology.names or range(topology.n)
            raise InvalidInput(f"weights: node {names[v]} cannot send {value}")
    if not any(weights):
        raise InvalidInput("weights: no node sends anything")
    return _coprime_integers(share_values([Fraction(value) for value in weights]))[0]
