"""Placements by percolation along cycles: from single pairs, or from seeds of which few are right.

In a lattice, where any node may play any other, nearly every pair is a good beginning. Of the theta
graphs of two random graphs (`theta_seeds`) about one in five hundred is paired rightly. That shows
soon: after a dozen more nodes such a growth keeps more than others do, so that all begin and the
best few go on (successive halving; Jamieson and Talwalkar 2016). A seed draws the same numbers each
time, so that growing on is growing again.
"""

import numpy as np

from generators.topology import Int64Array
from topofinder.patching.placement.cycle_percolation_kernels import (
    MOST_LOOKS,
    percolate_along_cycles,
)
from topofinder.patching.placement.percolation_kernels import WitnessQueue
from topofinder.patching.placement.problem import PlacementProblem
from topofinder.patching.placement.theta_seeds import Path

LOOKED = 60e-9
"""CPU seconds it costs to look whether a pair has a witness."""
STAGES, KEPT_SEEDS = ((12, 0.7), (64, 0.25)), 16
"""Nodes placed from each seed in turn, and the share of the time for it; after each stage one seed
of so many goes on."""

TRIES = 2
"""Growths from each seed: of those from a right one about half come to a right placement."""


class CycleGrowth:
    """Percolations within a number of CPU seconds, and the whole placements they came to.

    `fixed` (n,) holds the hosts of nodes that are fixed, -1 for others. `price` is what a placed
    node costs, in CPU seconds, but for looks at pairs. `whole` holds placements with the circuits
    that they keep, -1 where the rules leave some node without a host.
    """

    def __init__(
        self,
        problem: PlacementProblem,
        fixed: Int64Array,
        waiting: WitnessQueue,
        seed: int,
        budget: float,
        price: float,
    ) -> None:
        self.problem, self.fixed, self.waiting = problem, fixed, waiting
        self.budget, self.price = budget, price
        self.random = np.random.default_rng(seed)
        self.whole = list[tuple[int, Int64Array]]()

    def grow_from_pairs(self) -> None:
        """Grow whole placements, each from a pair drawn by chance, until the budget is spent."""
        left = self.budget
        while left > 0:
            one, two = self.random.integers(self.problem.n, size=2).tolist()
            left -= self._grow((one,), (two,), self.problem.n, self._draw_seed())[1]

    def grow_from_seeds(self, seeds: list[tuple[Path, Path]]) -> None:
        """Grow a little from each seed, nodes and their hosts, and whole from the best of them.

        Those for which the budget is not enough are left out, the last first.
        """
        base = self._draw_seed() % (1 << 30)
        going = list(range(TRIES * len(seeds)))
        for most, share in STAGES:
            ranked, left = list[tuple[int, int]](), share * self.budget
            for at in going:
                if left > 0:
                    gained, spent = self._grow(*seeds[at // TRIES], most, base + at)
                    ranked.append((-gained, at))
                    left -= spent
            going = [at for _, at in sorted(ranked)[: len(ranked) // KEPT_SEEDS + 1]]
        for at in going:
            self._grow(*seeds[at // TRIES], self.problem.n, base + at)

    def _draw_seed(self) -> int:
        return int(self.random.integers(1 << 31))

    def _grow(self, nodes: Path, hosts: Path, most: int, seed: int) -> tuple[int, float]:
        """Grow up to `most` nodes from pairs: the circuits gained, and the CPU seconds it takes.

        Pairs that are not free, or break the rules, are left out.
        """
        problem, host = self.problem, self.fixed.copy()
        node = np.full(problem.n, -1, dtype=np.int64)
        node[host[host >= 0]] = np.flatnonzero(host >= 0)
        for v, h in zip(nodes, hosts, strict=True):
            if host[v] < 0 and node[h] < 0 and problem.rules.allows(v, h):
                host[v], node[h] = h, v
        allowed = MOST_LOOKS * problem.n
        looks = np.full(1, allowed, dtype=np.int64)
        graphs = problem.wiring, problem.target, host, node, problem.rules, self.waiting
        gained = percolate_along_cycles(*graphs, looks, most, seed)
        if gained < 0:
            self.whole.append((-1, host))
        elif (host >= 0).all():
            self.whole.append((problem.count_kept(host), host))
        return gained, self.price * most + LOOKED * (allowed - int(looks[0]))
