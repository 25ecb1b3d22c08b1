"""Few trees that are no higher than asked, by an integer program over arcs and levels.

Let x(t, e, l) say that tree t enters a node by arc e at level l, the root being at level 0. Then

    the sum of x(t, e, l) over levels and arcs e into v = 1, for every v but the root of t,
    x(t, (u, v), l) <= the sum of x(t, e, l - 1) over arcs e into u, where u is not the root,
    the sum of x(t, e, l) over trees and levels <= capacity of e,

and the arcs with x = 1 are trees that are at most as high as the last level. Levels before the
distance of a node are left out, so that presolving often finds out at once that there are none.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from generators.topology import Int64Array
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.packing.problem import Packing, PackingProblem

MOST_TREES = 16
"""Trees, one by one, that are looked for so, and ..."""
MOST_VARIABLES = 1 << 13
"""... variables: some tenths of a second, where a solution is found without branching."""
MOST_BRANCHES = 1
"""Nodes of the search tree. A count, so that the same call gives the same trees."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LevelProgram:
    """The variables, by tree, arc and level; all int64, of shape (variables,)."""

    problem: PackingProblem
    root: Int64Array
    tree: Int64Array
    arc: Int64Array
    level: Int64Array

    @classmethod
    def of(cls, problem: PackingProblem, height: int) -> "LevelProgram":
        """The program of trees no higher than `height`."""
        root = np.repeat(np.arange(problem.n), problem.supply)
        hops = problem.hop_ranks()[root]
        tail, head = problem.tail.astype(np.int64), problem.head.astype(np.int64)
        level = np.arange(1, height + 1)
        begins = tail == root[:, None]
        there = (hops[:, tail][:, :, None] < level) & (head != root[:, None])[:, :, None]
        there &= ~begins[:, :, None] | (level == 1)
        there &= begins[:, :, None] | (level > 1)
        tree, arc, at = (column.astype(np.int64) for column in np.nonzero(there))
        return cls(problem=problem, root=root, tree=tree, arc=arc, level=at + 1)

    @property
    def variables(self) -> int:
        """How many there are."""
        return len(self.arc)

    def solve(self, clock: Clock = NO_LIMIT) -> Packing | None:
        """The trees, None where there are none or they are not found in so many branches."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        enters = np.unique(self.tree * self.problem.n + self.problem.head[self.arc])
        if len(enters) < len(self.root) * (self.problem.n - 1):
            return None
        rows, low, high = self._constraints()
        options: Any = {"node_limit": MOST_BRANCHES} | _time_limit(clock)
        found: Any = milp(
            np.zeros(self.variables),
            constraints=LinearConstraint(rows, low, high),
            integrality=np.ones(self.variables, np.int64),
            bounds=Bounds(0, 1),
            options=options,
        )
        return None if found.x is None else self._packing(np.flatnonzero(found.x > 0.5))

    def _constraints(self) -> tuple[Any, Any, Any]:
        """The rows, what they are at least and at most."""
        from scipy.sparse import csr_array

        n, problem = self.problem.n, self.problem
        every = np.arange(self.variables)
        enters = self.tree * n + problem.head[self.arc]
        entered, entry = np.unique(enters, return_inverse=True)
        later = np.flatnonzero(self.level > 1)
        row, before = self._pairs(later)
        place = np.concatenate([entry, len(entered) + self.arc])
        base = len(entered) + len(problem.tail)
        place = np.concatenate([place, base + np.arange(len(later)), base + row])
        column = np.concatenate([every, every, later, before])
        value = np.concatenate([np.ones(2 * len(every) + len(later)), -np.ones(len(row))])
        shape = base + len(later), self.variables
        once, free = np.ones(len(entered)), np.zeros(len(problem.tail))
        follow = np.zeros(len(later))
        low = np.concatenate([once, free, np.full(len(later), -np.inf)])
        high = np.concatenate([once, problem.capacity.astype(float), follow])
        # 32-bit places: HiGHS before scipy 1.15 takes no others
        entries = value, (place.astype(np.int32), column.astype(np.int32))
        return csr_array(entries, shape=shape), low, high

    def _pairs(self, later: Int64Array) -> tuple[Int64Array, Int64Array]:
        """(row, variable): variable `later[row]` may follow on each of these, a level before it."""
        n, height = self.problem.n, int(self.level.max(initial=1)) + 1
        ends = (self.tree * n + self.problem.head[self.arc]) * height + self.level
        order = np.argsort(ends, kind="stable")
        begins = self.tree[later] * n + self.problem.tail[self.arc[later]]
        wanted = begins * height + self.level[later] - 1
        first = np.searchsorted(ends[order], wanted)
        count = np.searchsorted(ends[order], wanted, side="right") - first
        row = np.repeat(np.arange(len(later)), count)
        within = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        return row, order[first[row] + within]

    def _packing(self, chosen: Int64Array) -> Packing:
        """The trees of the variables that are 1, parents first."""
        order = chosen[np.lexsort((self.level[chosen], self.tree[chosen]))]
        return Packing(
            root=self.root.astype(np.int32),
            copies=np.ones(len(self.root), np.int64),
            arc=self.arc[order].reshape(len(self.root), -1).astype(np.int32),
            method="program",
        )


def _time_limit(clock: Clock) -> dict[str, float]:
    """The option for what is left of the time, if that is limited."""
    return {} if clock.seconds is None else {"time_limit": clock.left}


def pack_below_height(
    problem: PackingProblem, height: int, clock: Clock = NO_LIMIT
) -> Packing | None:
    """The lowest arc-disjoint trees that are found, below this height; None where there are none.

    Arcs that may be in several trees are not for this program, which is slow with them.

    >>> from generators.families.torus import torus
    >>> ring = torus(5, 5)
    >>> four = PackingProblem(tail=ring.tail, head=ring.head, capacity=np.ones(100, np.int64),
    ...     supply=np.array([2] + [0] * 24))
    >>> pack_below_height(four, 8).height(four)
    4
    """
    roots = np.flatnonzero(problem.supply)
    if problem.trees > MOST_TREES or problem.capacity.max() > 1:
        return None
    for least in range(int(problem.hop_ranks()[roots].max()), height):
        program = LevelProgram.of(problem, least)
        if program.variables > MOST_VARIABLES or clock.is_over:
            break
        found = program.solve(clock)
        if found is not None:
            return found
    return None
