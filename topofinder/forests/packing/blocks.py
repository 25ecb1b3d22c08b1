"""Tables of trees that change by local moves: blocks that are split, by calls of bounded work."""

from dataclasses import dataclass

import numpy as np

from generators.topology import Int64Array
from topofinder.forests.clock import Clock
from topofinder.forests.packing.completion_kernels import (
    DONE,
    NEEDS_COLUMNS,
    complete_trees,
    seed_moves,
)
from topofinder.forests.packing.exchange_kernels import exchange_arcs
from topofinder.forests.packing.height_kernels import block_heights, reduce_heights
from topofinder.forests.packing.problem import MAX_TREE_ENTRIES, Packing, PackingProblem, TreeTable
from topofinder.forests.packing.tree_table_kernels import list_trees, table_height

MAX_SINGLE_TREES = 1 << 12
"""Up to so many trees stand one by one, a block each: then moves are as fine as can be."""
MAX_SPLITS = 1 << 12
"""Blocks that splits may add to a table."""
MAX_WORK = 1 << 25
"""Entries to look at in tables of larger blocks, over all calls of a kernel."""
MAX_IDLE_MOVES = 500
"""Local moves in a row that may complete nothing."""
MAX_LOWERING_WORK = 1 << 21
"""Moves that make trees lower, times nodes."""
EXCHANGE_WORK = 1 << 24
"""Exchanges at random, times nodes, but ..."""
EXCHANGES = 40, 1000
"""... at least so many for each node of each tree, or none, and no more than that."""
ROUNDS = 64
"""Rounds of them, each colder than the one before."""
WARM, COLD = 1 / 5, 1 / 200
"""What exchanges may cost on the average in the first round and in the last, ..."""
DEEPEST = 20
"""... where a node as deep as the highest tree costs 1: 2 to this power, in whole numbers."""


@dataclass(slots=True)
class Blocks:
    """A table with columns to spare, of which the first `used` stand for trees.

    `single` says that every block is one tree, so that none is ever split.
    """

    table: TreeTable
    used: int
    single: bool

    @classmethod
    def of(cls, table: TreeTable, problem: PackingProblem) -> "Blocks":
        """The blocks of a table; of few trees, one by one."""
        single = problem.trees <= MAX_SINGLE_TREES
        if single:
            enter, root, copies = table
            table = (
                enter.repeat(copies, axis=1),
                root.repeat(copies),
                np.ones(problem.trees, np.int64),
            )
        made = cls(table, len(table[1]), single)
        made._widen(made.used + 2 if single else 2 * made.used + 64)
        return made

    @property
    def columns(self) -> TreeTable:
        """The columns that stand for trees, contiguous: kernels are compiled for nothing else."""
        enter, root, copies = self.table
        return np.ascontiguousarray(enter[:, : self.used]), root[: self.used], copies[: self.used]

    def height(self, problem: PackingProblem) -> int:
        """The height of the highest tree; all must be complete."""
        enter, root, _ = self.columns
        return int(table_height(enter, root, problem.tail))

    def complete(self, problem: PackingProblem, seed: int, clock: Clock) -> bool:
        """Add what is missing by local moves; whether that is done."""
        room, into = self._room(problem), problem.in_arcs()
        lack, counts = self._missing_pairs(problem)
        most = self.used + MAX_SPLITS
        seed_moves(seed)
        calls = 0
        while True:
            why = complete_trees(
                self.table, lack, counts, problem.tail, room, into, MAX_IDLE_MOVES, clock.work
            )
            self.used = int(counts[0])
            calls += 1
            clock.tell(f"local moves: {counts[1]:,} nodes are missing in {self.used:,} trees")
            if why == DONE or clock.is_over or self._is_last(calls, clock):
                return not counts[1]
            if why == NEEDS_COLUMNS:
                lack = np.ascontiguousarray(np.pad(lack, ((0, 0), (0, lack.shape[1]))))
                if not self._widen(min(2 * self.used, most)):
                    return False

    def lower(self, problem: PackingProblem, clock: Clock) -> None:
        """Make the highest trees lower, as far as that is found."""
        room, into = self._room(problem), problem.in_arcs()
        heights = block_heights(self.table, self.used, problem.tail)
        counts = np.array([self.used, MAX_LOWERING_WORK // problem.n])
        most = self.used + MAX_SPLITS
        calls = 0
        while True:
            why = reduce_heights(self.table, counts, heights, problem.tail, room, into, clock.work)
            self.used = int(counts[0])
            calls += 1
            clock.tell(f"lower trees: the highest has height {heights[: self.used].max()}")
            if why == DONE or clock.is_over or self._is_last(calls, clock):
                return
            if why == NEEDS_COLUMNS:
                if not self._widen(min(2 * self.used, most)):
                    return
                heights = np.pad(heights, (0, len(self.table[1]) - len(heights)))

    def exchange(self, problem: PackingProblem, seed: int, clock: Clock) -> int:
        """Exchange arcs at random, which makes trees lower in the end; the height.

        A node costs half as much as one that is a hop deeper. Trees that get no lower stay as they
        are, and those that are too many, or not one by one.
        """
        fewest, most = (each * problem.entries for each in EXCHANGES)
        steps = min(EXCHANGE_WORK // problem.n, most) // ROUNDS
        if steps * ROUNDS < fewest or not self.single:
            return self.height(problem)
        table, room, into = self.columns, self._room(problem), problem.in_arcs()
        height = found = self.height(problem)
        price = 1 << np.clip(np.arange(problem.n) - height + DEEPEST, 0, 2 * DEEPEST)
        spread = -np.log((np.arange(1 << 10) + 0.5) / (1 << 10)) * (1 << DEEPEST)
        draw = np.random.default_rng([seed, problem.n])
        for each in range(ROUNDS):
            levels = (spread * WARM * (COLD / WARM) ** (each / (ROUNDS - 1))).astype(np.int64)
            found = int(exchange_arcs(table, problem.tail, room, into, price, levels, steps,
                int(draw.integers(1 << 31))))  # fmt: skip
            clock.tell(f"exchanges of arcs: the highest tree has height {found}")
            if clock.is_over:
                break
        if found < height:
            self.table = table
        return min(found, height)

    def packing(self, problem: PackingProblem, method: str) -> Packing:
        """The trees, which must be complete; blocks that are alike are joined."""
        enter, root, copies = self.columns
        if not self.single:
            order = np.lexsort((*enter, root))
            enter, root, copies = np.take(enter, order, axis=1), root[order], copies[order]
        root, copies, arc = list_trees(enter, root, copies, problem.tail)
        return Packing(root=root, copies=copies, arc=arc, method=method)

    def _missing_pairs(self, problem: PackingProblem) -> tuple[Int64Array, Int64Array]:
        """What `complete_trees` has to add, as it takes it: `lack`, with room, and `counts`."""
        enter, root, _ = self.columns
        node, block = np.nonzero((enter < 0) & (root != np.arange(problem.n)[:, None]))
        counts = np.array([self.used, len(node), MAX_IDLE_MOVES])
        pairs = np.pad(np.stack([block, node]), ((0, 0), (0, 64 * problem.n)))
        return np.ascontiguousarray(pairs), counts

    def _is_last(self, calls: int, clock: Clock) -> bool:
        """Whether no call may follow; trees one by one are given as many as they take."""
        return not self.single and calls * clock.work >= MAX_WORK

    def _room(self, problem: PackingProblem) -> Int64Array:
        """In how many more trees every arc may be."""
        enter, _, copies = self.columns
        room = problem.capacity.copy()
        for arcs in enter:
            entered = arcs >= 0
            np.subtract.at(room, arcs[entered], copies[entered])
        return room

    def _widen(self, width: int) -> bool:
        """Make room for so many columns; whether there is more than before."""
        enter, root, copies = self.table
        more = width - len(root)
        if more <= 0 or width * len(enter) > MAX_TREE_ENTRIES:
            return False
        self.table = (
            np.pad(enter, ((0, 0), (0, more))),
            np.pad(root, (0, more)),
            np.pad(copies, (0, more)),
        )
        return True
