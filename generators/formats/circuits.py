"""The circuits of a topology, for drawings and cabling lists.

Where every arc [u, v] has an arc [v, u] of the same capacity, each pair is one duplex circuit;
otherwise each arc is a simplex circuit. Loops take no cable and are left out.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from generators.topology import Topology

ONE = Fraction(1)


class PortCircuit(NamedTuple):
    """A circuit from port `port` of node `u` to port `far_port` of node `v`, ports from 0.

    Of a duplex circuit both ends are ports; a simplex one leads from a transmitter to a receiver.
    """

    u: int
    port: int
    v: int
    far_port: int
    capacity: Fraction


def is_duplex(topology: Topology) -> bool:
    """Whether all circuits are two-way.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> is_duplex(pair), is_duplex(Topology.from_arcs(2, [(0, 1)]))
    (True, False)
    """
    if not topology.is_bidirectional:
        return False
    arcs = Counter(_arcs(topology))
    return all(arcs[v, u, capacity] == count for (u, v, capacity), count in arcs.items())


def circuits(topology: Topology) -> Iterator[PortCircuit]:
    """Every circuit by its ends, a duplex one once, with the next free port of each end.

    >>> [(one.u, one.port, one.v, one.far_port) for one in circuits(
    ...     Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)]))]
    [(0, 0, 1, 0), (0, 1, 2, 0), (1, 1, 2, 1)]
    """
    duplex = is_duplex(topology)
    sent = [0] * topology.n
    received = sent if duplex else [0] * topology.n
    for u, v, capacity in sorted(_arcs(topology)):
        if duplex and u > v:
            continue
        yield PortCircuit(u, sent[u], v, received[v], capacity)
        sent[u] += 1
        received[v] += 1


def _arcs(topology: Topology) -> Iterator[tuple[int, int, Fraction]]:
    capacities = topology.capacity or (ONE,) * topology.arcs
    for u, v, capacity in zip(
        topology.tail.tolist(), topology.head.tolist(), capacities, strict=True
    ):
        if u != v:
            yield u, v, capacity
