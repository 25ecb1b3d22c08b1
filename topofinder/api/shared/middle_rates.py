"""What a wiring certainly carries of a demand between the hosts of a plan that work together."""

from fractions import Fraction

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from generators.topology import BoolArray, Int64Array, IntArray, Topology
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solve import bound_throughput
from topofinder.model.inventory.document import State
from topofinder.model.inventory.ports import PortMap

GAP = Fraction(1, 100)
SECONDS = 20.0
"""How near both ends of a throughput are brought, and how long that may take."""
MOST_KEPT = 4096
"""Wirings whose throughput is remembered."""

Bounds = tuple[Fraction, Fraction]


class MiddleRates:
    """Bounds on the throughput of wirings, for the `host` of each node and the wiring `before`.

    Only hosts that reach one another in `before` send to one another: `demand` from node to node,
    by default 1 for each pair of them. Traffic goes through any host, along fibres over good ports;
    where ports have rates a fibre carries the lesser of its ends', the slowest of all being 1.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> fabric = port_map(inventory_for(hosts=3, ports=2))
    >>> rates = MiddleRates(fabric, (0, 1, 2), np.array([2, 5, 0, 4, 3, 1]))
    >>> rates.bounds(np.array([2, 5, 0, 4, 3, 1])), rates.bounds(np.array([2, -1, 0, 4, 3, -1]))
    ((Fraction(1, 1), Fraction(1, 1)), (Fraction(1, 2), Fraction(1, 2)))
    """

    def __init__(
        self,
        fabric: PortMap,
        host: tuple[int, ...],
        before: IntArray,
        demand: Demand | None = None,
    ) -> None:
        self._fabric, self._host = fabric, np.array(host, dtype=np.int64)
        self._good = np.isin(np.array(fabric.states), (State.LIVE, State.PINNED))
        rates = sorted(set(fabric.forbidden.rates))
        self._units = [rate / rates[0] for rate in rates]
        places = {rate: place for place, rate in enumerate(rates)}
        self._speed = np.array([places[rate] for rate in fabric.forbidden.rates], dtype=np.int64)
        tail, head, _ = self._arcs(before)
        group = self._components(tail, head)[self._host]
        together = group[:, None] == group[None, :]
        np.fill_diagonal(together, False)
        self._together = together
        self._demand = demand
        self._sends = together if demand is None else together & (demand.high > 0)
        self._known: dict[bytes, Bounds] = {}

    def bounds(self, to: IntArray) -> Bounds:
        """Least and most of the demand that `to`, the receiver of each transmitter, carries."""
        arcs = np.stack(self._arcs(to))
        arcs = arcs[:, np.lexsort(arcs[::-1])]
        key = arcs.astype(np.int32).tobytes()
        if key not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[key] = self._bounds(arcs)
        return self._known[key]

    def _bounds(self, arcs: Int64Array) -> Bounds:
        label = self._components(arcs[0], arcs[1])
        mine = label[self._host]
        if not self._sends.any() or (self._sends & (mine[:, None] != mine[None, :])).any():
            return Fraction(), Fraction()
        senders = np.unique(mine[self._sends.any(axis=1)]).tolist()
        found = [self._of_component(arcs, label == one) for one in senders]
        return min(low for low, _ in found), min(high for _, high in found)

    def _of_component(self, arcs: Int64Array, member: BoolArray) -> Bounds:
        """The throughput of hosts that all reach one another."""
        place = np.cumsum(member) - 1
        tail, head, speed = arcs[:, member[arcs[0]] & member[arcs[1]]]
        n = int(member.sum())
        graph = Topology(
            n=n,
            tail=place[tail].astype(np.int32),
            head=place[head].astype(np.int32),
            capacity=tuple(self._units[one] for one in speed.tolist()) if self._units else None,
        )
        problem = FlowProblem(topology=graph, demand=self._of_members(n, place, member))
        answer = bound_throughput(problem, gap=GAP, time=SECONDS)
        return answer.lower, answer.upper

    def _of_members(self, n: int, place: Int64Array, member: BoolArray) -> Demand | None:
        """The demand between the members, by their places; None where all send 1 to all."""
        nodes = np.flatnonzero(member[self._host])
        asked = self._sends[np.ix_(nodes, nodes)]
        if self._demand is None and len(nodes) == n and asked.sum() == n * (n - 1):
            return None
        tables = []
        for side in ("low", "high"):
            table = np.zeros((n, n), dtype=np.int64)
            given = 1 if self._demand is None else getattr(self._demand, side)
            amounts = np.broadcast_to(given, self._together.shape)[np.ix_(nodes, nodes)]
            there = place[self._host[nodes]]
            table[np.ix_(there, there)] = np.where(asked, amounts, 0)
            tables.append(table)
        low, high = tables
        exact = self._demand is None or self._demand.is_exact
        unit = Fraction(1) if self._demand is None else self._demand.unit
        return Demand(low=high if exact else low, high=high, unit=unit)

    def _arcs(self, to: IntArray) -> tuple[Int64Array, Int64Array, Int64Array]:
        """The hosts that fibres over good ports lead from and to, and the places of their rates."""
        sender = np.flatnonzero((to >= 0) & self._good)
        sender = sender[self._good[to[sender]]]
        tail, head = self._fabric.host[sender], self._fabric.host[to[sender]]
        between = tail != head
        speed = np.zeros(len(sender), dtype=np.int64)
        if self._units:
            speed = np.minimum(self._speed[sender], self._speed[to[sender]])
        return tail[between].astype(np.int64), head[between].astype(np.int64), speed[between]

    def _components(self, tail: Int64Array, head: Int64Array) -> Int64Array:
        """The strongly connected component of each host."""
        hosts = len(self._fabric.hosts)
        graph = csr_matrix((np.ones(len(tail)), (tail, head)), shape=(hosts, hosts))
        graph.sum_duplicates()  # parallel arcs send scipy's search round for ever
        found = connected_components(graph, directed=True, connection="strong")[1]
        return np.asarray(found, dtype=np.int64)
