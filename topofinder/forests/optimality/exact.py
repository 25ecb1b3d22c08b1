"""The test of all cuts with integers of any size, for capacities that 64 bits cannot hold.

The same pass as `forests.optimality.sweep` in plain Python, one shortest path at a time; it is also
the twin that the tests hold the kernels against.
"""

from collections.abc import Sequence

import numpy as np

from generators.topology import AnyIntArray, IntArray


class ExactCuts:
    """All cuts of one digraph, tested for one choice of capacities and supplies after another."""

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

    def inside(self) -> list[bool]:
        """The overwhelmed cut S after a failure, as a mask over the nodes."""
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


def plain_target_order(n: int, tail: IntArray, head: IntArray, compute: IntArray) -> IntArray:
    """The compute nodes in breadth-first order along the arcs: `sweep.targets` in plain Python."""
    after: list[list[int]] = [[] for _ in range(n)]
    for u, v in zip(tail.tolist(), head.tolist(), strict=True):
        after[u].append(v)
    seen: dict[int, None] = {}
    for root in compute.tolist():
        queue = [] if root in seen else [root]
        for v in queue:
            seen[v] = None
            queue.extend(dict.fromkeys(u for u in after[v] if u not in seen and u not in queue))
    senders = set(compute.tolist())
    return np.array([v for v in seen if v in senders], dtype=np.int32)
