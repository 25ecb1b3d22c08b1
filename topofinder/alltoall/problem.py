"""Maximum concurrent flow: at which rate can all demands be sent at once? LP (3), appendix A.5.

f is the largest number such that f times the demand of every pair fits, all at the same time,
within the capacities of the arcs. With unit capacities and a demand of 1 for every ordered pair
of hosts, a node whose ports together have bandwidth B sends f B / d to every other node at once.
Solvers read the graph as a FlowNetwork: its arcs in compressed rows (CSR), out of and into nodes.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from generators.arrays import csr_by_node
from generators.connectivity import refuse_disconnected, unreachable_pair
from generators.errors import InvalidInput
from generators.topology import FloatArray, Int64Array, IntArray, Topology
from topofinder.alltoall.demand.matrix import Demand


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FlowProblem:
    """A topology and what its hosts send each other; None means 1 for every ordered pair.

    Raises InvalidInput when some node cannot reach another (the message names two), when there
    are fewer than two hosts, when the demand has another number of nodes than the topology, or
    a switch sends or receives. Topology itself refuses capacities of zero, Demand negative
    amounts.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> problem = FlowProblem(topology=ring)
    >>> problem.is_uniform, problem.demand_row(1).tolist()
    (True, [1, 0, 1])
    """

    topology: Topology
    demand: Demand | None = None

    def __post_init__(self) -> None:
        if len(self.hosts) < 2:
            raise InvalidInput(f"topology: {len(self.hosts)} host, and throughput is between two")
        self._refuse_demand()
        _require_strong(self.topology)

    def _refuse_demand(self) -> None:
        if self.demand is None:
            return
        n = self.topology.n
        if len(self.demand.high) != n:
            raise InvalidInput(f"demand: {len(self.demand.high)} rows for {n} nodes")
        for switch in self.topology.switches:
            if self.demand.high[switch].any() or self.demand.high[:, switch].any():
                raise InvalidInput(f"demand: node {switch} is a switch, and has demand")

    @property
    def hosts(self) -> IntArray:
        """The nodes that may send and receive, ascending."""
        nodes = np.ones(self.topology.n, dtype=np.bool_)
        nodes[list(self.topology.switches)] = False
        return np.flatnonzero(nodes).astype(np.int32)

    @property
    def sources(self) -> IntArray:
        """The nodes that send anything, ascending."""
        if self.demand is None:
            return self.hosts
        return np.flatnonzero(self.demand.high.any(axis=1)).astype(np.int32)

    @property
    def is_uniform(self) -> bool:
        """Whether every host sends every other host the amount 1."""
        return self.demand is None

    @property
    def is_exact(self) -> bool:
        """Whether the demand is known exactly, not only enclosed."""
        return self.demand is None or self.demand.is_exact

    @property
    def unit(self) -> Fraction:
        """The amount that 1 stands for in a `demand_row`."""
        return Fraction(1) if self.demand is None else self.demand.unit

    def demand_row(self, source: int, *, least: bool = False) -> Int64Array:
        """What each node wants from a source, in units; shape (n,).

        It is rounded up, or down if `least` is set, where the demand is only enclosed.
        """
        row: Int64Array = self.demand_rows(np.array([source]), least=least)[0]
        return row

    def demand_rows(self, sources: IntArray | Int64Array, *, least: bool = False) -> Int64Array:
        """What each node wants from each of some sources; shape (sources, n), see `demand_row`."""
        if self.demand is not None:
            table = self.demand.low if least else self.demand.high
            asked: Int64Array = table[sources]
            return asked
        rows = np.zeros((len(sources), self.topology.n), dtype=np.int64)
        rows[:, self.hosts] = 1
        rows[np.arange(len(sources)), sources] = 0
        return rows


def _require_strong(topology: Topology) -> None:
    if unreachable_pair(topology) is not None:
        refuse_disconnected(topology)


class FlowNetwork(NamedTuple):
    """The arcs of a topology without its self-loops, which carry nothing.

    Shapes: `tail`, `head` and `arc` are (m,), `arc[e]` being the number that arc e has in the
    topology. The arcs out of u are `out_arc[out_first[u] : out_first[u + 1]]`, those into u are
    found likewise; `first` arrays are (n + 1,). Kernels take the tuple as it is.
    """

    tail: IntArray
    head: IntArray
    arc: IntArray
    out_first: IntArray
    out_arc: IntArray
    in_first: IntArray
    in_arc: IntArray

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.out_first) - 1

    @property
    def arcs(self) -> int:
        """Number of arcs that carry something."""
        return len(self.tail)


def flow_network(topology: Topology) -> FlowNetwork:
    """The arrays of a topology.

    >>> flow_network(Topology.from_arcs(2, [(0, 0), (0, 1), (1, 0)])).arc.tolist()
    [1, 2]
    """
    arc = np.flatnonzero(topology.tail != topology.head).astype(np.int32)
    tail, head = topology.tail[arc].copy(), topology.head[arc].copy()
    rows = (*csr_by_node(tail, topology.n), *csr_by_node(head, topology.n))
    return FlowNetwork(tail, head, arc, *(column.astype(np.int32) for column in rows))


def arc_capacities(topology: Topology, arc: IntArray) -> FloatArray:
    """Capacities of some arcs, rounded; shape as `arc`."""
    if topology.capacity is None:
        return np.ones(len(arc))
    return np.array([float(topology.capacity[e]) for e in arc.tolist()])
