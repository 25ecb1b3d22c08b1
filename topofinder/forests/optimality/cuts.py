"""Test all cuts of a digraph, compiled where 64 bits are enough and exact in Python where not."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from generators.topology import AnyIntArray, BoolArray, IntArray
from topofinder.forests.optimality.exact import ExactCuts
from topofinder.forests.optimality.flow_kernels import PLENTY, flow_scratch, residual_arcs
from topofinder.forests.optimality.sweep import check_targets, resume_target, target_order

LIMIT = 1 << 60
"""Sums of flows stay below; PLENTY stays far above."""


class Cuts:
    """All cuts of one digraph, tested for one choice of capacities and supplies after another.

    `load` sets capacities and supplies, `test(first)` tests the targets from there on. A failed
    test leaves the overwhelmed cut in `inside()`; one goes on from the same target with a smaller
    demand, for targets that passed once keep passing.
    """

    def __init__(self, n: int, tail: AnyIntArray, head: AnyIntArray, compute: IntArray) -> None:
        self.n, self.tail, self.head = n, np.array(tail, np.int64), np.array(head, np.int64)
        self.net = residual_arcs(self.tail, self.head, n)
        self.order = target_order(np.array(compute, np.int64), self.net)
        self.work = flow_scratch(n)
        self.exact: ExactCuts | None = None

    def load(self, capacity: Any, supply: Sequence[int], passed: int = 0) -> None:
        """Start anew; the first `passed` targets count as tested."""
        self.exact = None
        self.total = sum(map(int, supply))
        if self.total * len(self.order) >= LIMIT or sum(map(int, capacity)) >= LIMIT:
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

    def inside(self) -> BoolArray:
        """The overwhelmed cut S after a failure, as a mask over the nodes; the largest one."""
        if self.exact is not None:
            return np.array(self.exact.inside())
        mark = self.work[0]
        outside: BoolArray = mark[:-1] == mark[-1]
        return ~outside
