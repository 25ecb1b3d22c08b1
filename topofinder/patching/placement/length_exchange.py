"""Who plays whom for the least sum of weights between hosts: all placements, or exchanges.

Where hosts are few all placements are listed, the best first. Of more, the linear assignment in
which every neighbour stays where it is gives another placement to begin with; then hosts are
exchanged, many pairs at a time that have no neighbour in common.
"""

from dataclasses import dataclass
from itertools import permutations
from math import perm

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix

from generators.topology import BoolArray, Int64Array
from topofinder.patching.circuits import Circuits

MOST_PLACEMENTS = 5040
"""Placements that are all looked at."""
UNUSABLE = 1 << 54
"""The weight of two hosts that cannot be joined."""
ROUNDS = 400
"""Rounds of exchanges, at most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExchangeProblem:
    """Nodes of a target, padded to the number of hosts, to put on hosts.

    `weight` (hosts, hosts) is that of a circuit from one to another, `allowed` (hosts, hosts) says
    whether a node may be played by a host.
    """

    target: Circuits
    weight: Int64Array
    allowed: BoolArray

    def sum_of(self, host: Int64Array) -> int:
        """The weight of a placement (hosts,)."""
        return int(self.weight[host[self.target.tail], host[self.target.head]].sum())

    def best_first(self) -> Int64Array | None:
        """All placements (placements, nodes) in the order of their weights, if they are few."""
        hosts, n = len(self.weight), self.target.n
        if perm(hosts, n) > MOST_PLACEMENTS:
            return None
        every = np.array(list(permutations(range(hosts), n)), dtype=np.int64).reshape(-1, n)
        every = every[self.allowed[np.arange(n), every].all(axis=1)]
        sums = self.weight[every[:, self.target.tail], every[:, self.target.head]].sum(axis=1)
        return every[np.argsort(sums, kind="stable")]

    def improve(self, host: Int64Array) -> Int64Array:
        """The best placement (hosts,) that exchanges lead to, from this one and by assignment."""
        cost = np.where(self.allowed, self._costs(host), UNUSABLE)
        other = linear_sum_assignment(cost)[1].astype(np.int64)
        own = np.arange(len(host))
        starts = [host, other] if self.allowed[own, other].all() else [host]
        return min(map(self._exchange, starts), key=self.sum_of)

    def _arcs(self) -> csr_matrix:
        size, target = len(self.weight), self.target
        ends = target.tail.astype(np.int32), target.head.astype(np.int32)
        return csr_matrix((np.ones(target.count, dtype=np.int64), ends), shape=(size, size))

    def _costs(self, host: Int64Array) -> Int64Array:
        """What each node would weigh on each host, if all others stayed."""
        arcs = self._arcs()
        found = arcs @ self.weight.T[host] + arcs.T @ self.weight[host]
        return np.asarray(found, dtype=np.int64)

    def _exchange(self, host: Int64Array) -> Int64Array:
        best, least = host, self.sum_of(host)
        for _ in range(ROUNDS):
            tried = self._exchange_once(best)
            weight = self.sum_of(tried)
            if weight >= least:
                break
            best, least = tried, weight
        return best

    def _exchange_once(self, host: Int64Array) -> Int64Array:
        """The placement after exchanges of which each alone makes it better."""
        gain, near = self._gains(host), self._arcs()
        near = near + near.T
        pairs = np.argwhere(np.triu(gain, 1) < 0)
        order = np.argsort(gain[pairs[:, 0], pairs[:, 1]], kind="stable")
        made, locked = host.copy(), np.zeros(len(host), dtype=np.bool_)
        for u, v in pairs[order].tolist():
            if locked[u] or locked[v]:
                continue
            made[u], made[v] = host[v], host[u]
            for node in (u, v):
                locked[node] = True
                locked[near.indices[near.indptr[node] : near.indptr[node + 1]]] = True
        return made

    def _gains(self, host: Int64Array) -> Int64Array:
        """What it changes to exchange the hosts of two nodes; 0 where that is not allowed."""
        moved = self._costs(host)[:, host]
        now = np.diag(moved)
        there = self.weight[host][:, host]
        loops = np.diag(there)
        change = moved + moved.T - now[:, None] - now
        arcs = np.asarray((self._arcs() + self._arcs().T).todense(), dtype=np.int64)
        change += arcs * (there + there.T - loops[:, None] - loops)
        free = self.allowed[:, host]
        return np.where(free & free.T, change, 0)
