"""Which hosts work before a plan, and whether they still reach one another in the middle of it.

A circuit carries where both its ports are live or pinned, whichever hosts they are on. Two hosts
work together where each reaches the other along such circuits in the wiring that a plan starts
from. What a stage parts is counted among the hosts of the plan alone: those that nothing joins
yet have nothing to lose, and those that play no node only forward, for as long as they are wired.
"""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from generators.topology import Int64Array, IntArray
from topofinder.model.inventory.document import State
from topofinder.model.inventory.ports import PortMap

Hosts = Int64Array


class WorkingHosts:
    """The hosts of a plan, `host[v]` for node v, and those that reach one another in `before`.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> fabric = port_map(inventory_for(hosts=4, ports=1))
    >>> now = WorkingHosts(fabric, (0, 2), np.array([1, 0, -1, -1]))
    >>> now.joining.tolist(), now.leaving.tolist()
    ([0, 2], [1])
    >>> now = WorkingHosts(fabric, (0, 1, 2), np.array([1, 0, -1, -1]))
    >>> now.joining.tolist(), now.parts(np.array([1, 0, -1, -1])), now.parts(np.full(4, -1))
    ([2], 1, 2)
    """

    def __init__(self, fabric: PortMap, host: tuple[int, ...], before: IntArray) -> None:
        self._fabric = fabric
        self._host = np.array(host, dtype=np.int64)
        self._carries = np.isin(np.array(fabric.states), (State.LIVE, State.PINNED))
        self._label = self._components(before)
        self._group = self._label[self._host]
        self._groups = len(np.unique(self._group))

    def parts(self, to: IntArray) -> int:
        """1, and one more for each piece that hosts which work together fall into.

        `to[p]` hears port p, or is -1.
        """
        hosts = len(self._fabric.hosts)
        pieces = self._group * hosts + self._components(to)[self._host]
        return 1 + len(np.unique(pieces)) - self._groups

    @property
    def connected(self) -> bool:
        """Whether all hosts of the plan work together."""
        return self._groups == 1

    @property
    def groups(self) -> int:
        """Groups of two hosts of the plan or more that work together."""
        return int((np.unique(self._group, return_counts=True)[1] > 1).sum())

    @property
    def joining(self) -> Hosts:
        """The hosts of the plan that work with no other of them, in the inventory's order."""
        _, place, size = np.unique(self._group, return_inverse=True, return_counts=True)
        return np.sort(self._host[size[place] == 1])

    @property
    def leaving(self) -> Hosts:
        """The hosts that play no node, and work with hosts that do, in the inventory's order."""
        with_them = np.isin(self._label, self._group)
        with_them[self._host] = False
        return np.flatnonzero(with_them)

    def _components(self, to: IntArray) -> Hosts:
        """The strongly connected component of each host."""
        sender = np.flatnonzero((to >= 0) & self._carries)
        sender = sender[self._carries[to[sender]]]
        ends = self._fabric.host[sender], self._fabric.host[to[sender]]
        hosts = len(self._fabric.hosts)
        graph = csr_matrix((np.ones(len(sender)), ends), shape=(hosts, hosts))
        graph.sum_duplicates()  # parallel arcs send scipy's search round for ever
        found = connected_components(graph, directed=True, connection="strong")[1]
        return np.asarray(found, dtype=np.int64)
