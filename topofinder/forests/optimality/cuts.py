"""Test all cuts of a digraph: no cut is violated if every target can receive all that is supplied.

Source: ForestColl (NSDI 2026), theorem 1, by maximum flows. Where 64 bits are enough the flows are
those of `flow_kernels` (Dinic's method); where not, the same pass is made in plain Python with
integers of any size, one shortest augmenting path at a time (Edmonds and Karp). The tests hold the
one against the other.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from generators.topology import AnyIntArray, BoolArray, IntArray
from topofinder.forests.optimality.flow_kernels import (
    PLENTY,
    check_targets,
    flow_scratch,
    residual_arcs,
    resume_target,
    target_order,
)
from topofinder.forests.optimality.network import Network

LIMIT = 1 << 60
"""Sums of flows stay below; PLENTY stays far above."""


class Cuts:
    """All cuts of one digraph, tested for one choice of capacities and supplies after another.

    `load` sets capacities and supplies, `test(first)` tests the targets from there on. A failed
    test leaves a cut that `violated_cut()` tells; one goes on from the same target with a smaller
    demand, for targets that passed once keep passing. Sums from `limit` on are exact in Python.
    """

    def __init__(
        self,
        n: int,
        tail: AnyIntArray,
        head: AnyIntArray,
        compute: IntArray,
        limit: int = LIMIT,
    ) -> None:
        self.n, self.tail, self.head = n, np.array(tail, np.int64), np.array(head, np.int64)
        self.net = residual_arcs(self.tail, self.head, n)
        self.order = target_order(np.array(compute, np.int64), self.net)
        self.work = flow_scratch(n)
        self.limit = limit
        self.exact: ExactCuts | None = None

    @classmethod
    def of(cls, network: Network, limit: int = LIMIT) -> "Cuts":
        """All cuts of a network that leave some compute node outside."""
        return cls(network.n, network.tail, network.head, network.compute, limit)

    def load(self, capacity: Any, supply: Sequence[int], passed: int = 0) -> None:
        """Start anew; the first `passed` targets count as tested."""
        self.exact = None
        self.total = sum(map(int, supply))
        if self.total * len(self.order) >= self.limit or sum(map(int, capacity)) >= self.limit:
            self.exact = ExactCuts(self.n, self.tail, self.head, self.order)
            self.exact.load(capacity, supply, passed)
            return
        self.residual = np.zeros(2 * len(self.tail), np.int64)
        self.residual[::2] = capacity
        self.excess = np.array(supply, dtype=np.int64)
        self.excess[self.order[:passed]] = PLENTY

    def test(self, first: int = 0) -> int:
        """Position of the first target that fails; `len(order)` if none does."""
        if self.exact is not None:
            return self.exact.test(first)
        position, self.unmet = check_targets(
            first, self.total, self.order, self.net, self.residual, self.excess, self.work
        )
        return int(position)

    def resume(self, position: int) -> int:
        """Go on with a target that failed, after capacity was added; what is still unmet."""
        y = self.order[position]
        self.unmet = resume_target(y, self.unmet, self.net, self.residual, self.excess, self.work)
        return int(self.unmet)

    def violated_cut(self) -> BoolArray:
        """The violated cut S after a failure, as a mask over the nodes; the largest one."""
        if self.exact is not None:
            return np.array(self.exact.violated_cut())
        mark = self.work[0]
        outside: BoolArray = mark[:-1] == mark[-1]
        return ~outside


class ExactCuts:
    """The same as `Cuts` with integers of any size, for capacities that 64 bits cannot hold."""

    def __init__(self, n: int, tail: AnyIntArray, head: AnyIntArray, order: AnyIntArray) -> None:
        self.order = [int(v) for v in order]
        self.ends = list(zip(tail.tolist(), head.tolist(), strict=True))
        self.other = [v for u, w in self.ends for v in (w, u)]
        self.at: list[list[int]] = [[] for _ in range(n)]
        for e, (u, w) in enumerate(self.ends):
            self.at[u].append(2 * e)
            self.at[w].append(2 * e + 1)

    def load(self, capacity: Sequence[int], supply: Sequence[int], passed: int) -> None:
        """Start anew; the first `passed` targets count as tested."""
        self.residual = [c for value in capacity for c in (int(value), 0)]
        self.excess: list[int | None] = [int(value) for value in supply]  # None: without limit
        self.total = sum(int(value) for value in supply)
        for v in self.order[:passed]:
            self.excess[v] = None

    def test(self, first: int) -> int:
        """Position of the first target from `first` on that fails; the number of them if none."""
        for position in range(first, len(self.order)):
            y = self.order[position]
            need = self.total - (self.excess[y] or 0)
            self.excess[y] = 0
            while need > 0:
                moved = self._augment(y, need)
                if not moved:
                    return position
                need -= moved
            self.excess[y] = None
        return len(self.order)

    def violated_cut(self) -> list[bool]:
        """The violated cut S after a failure, as a mask over the nodes."""
        return [v not in self.parent for v in range(len(self.at))]

    def _augment(self, y: int, need: int) -> int:
        """Bring something to y over a shortest path; returns how much."""
        self.parent: dict[int, int] = {y: -1}
        queue = [y]
        for v in queue:
            if v != y and self.excess[v] != 0:
                return self._push(v, need)
            for a in self.at[v]:
                u = self.other[a]
                if u not in self.parent and self.residual[a ^ 1] > 0:
                    self.parent[u] = a ^ 1
                    queue.append(u)
        return 0

    def _push(self, v: int, need: int) -> int:
        """Move as much as the path from v to the target takes; returns how much."""
        path, u = [], v
        while self.parent[u] >= 0:
            path.append(self.parent[u])
            u = self.other[self.parent[u]]
        held = self.excess[v]
        amount = min(need, *(self.residual[a] for a in path), *(() if held is None else (held,)))
        for a in path:
            self.residual[a] -= amount
            self.residual[a ^ 1] += amount
        if held is not None:
            self.excess[v] = held - amount
        return amount
