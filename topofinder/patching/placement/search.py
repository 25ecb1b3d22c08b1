"""The search for a placement: roots, similarity, percolation, large neighbourhoods, annealing.

How much of each is done follows from the size of the problem and from `time`, never from a
clock, so that one seed gives one answer. The prices below are CPU seconds measured on one core,
rounded up.
"""

import logging
from collections.abc import Callable, Iterator

import numpy as np

from generators.topology import Int64Array
from topofinder.interrupts import require_interrupt
from topofinder.model.plan import Bound
from topofinder.patching.placement.annealing_kernels import anneal
from topofinder.patching.placement.cycle_growth import CycleGrowth
from topofinder.patching.placement.isomorphism import find_isomorphism
from topofinder.patching.placement.line_digraph_roots import (
    lift_placement,
    line_digraph_root,
    root_problem,
)
from topofinder.patching.placement.neighbourhood_kernels import destroy_and_repair
from topofinder.patching.placement.percolation_kernels import WitnessQueue, percolate, witness_queue
from topofinder.patching.placement.problem import PlacementProblem, lawful_placement
from topofinder.patching.placement.similarity import similarity_placement
from topofinder.patching.placement.special_cases import (
    MOST_EXHAUSTIVE_HOSTS,
    exhaustive_placement,
    ring_placement,
)
from topofinder.patching.placement.theta_seeds import seed_pairs, theta_price
from topofinder.progress import work_progress

LOGGER = logging.getLogger("topofinder.patching")

CPU_SHARE = 0.31
"""CPU seconds spent per second that is offered: other work shares the machine."""
WORTH = 0.0005, 1.7
"""More CPU seconds than this times the hosts to this power brought nothing."""
PAIR = 60e-9
"""CPU seconds a pair of circuits costs in percolation."""
KNOWN = 0.65
"""Where this share of the circuits is kept, no theta graphs are sought."""
COMPARED = 1.6e-6
"""CPU seconds a pair of node and host costs in similarity."""
REPAIRED = 4
"""So many of the best placements are repaired around their defects."""
DESTROYED = (30, 100)
"""Most nodes that a round of destroying and repairing takes out, in turn."""
WARMTH = 0.3
"""Temperature of destroying and repairing, in circuits."""
HEATS = ((0.6, 0.15), (0.5, 0.2))
"""First and last temperatures of the annealings, in circuits."""

ROTATIONS = 3000
"""Rotations for a Hamiltonian cycle, for each host."""


class Search:
    """The best placement so far, how it was found, and the means to better it."""

    def __init__(
        self,
        problem: PlacementProblem,
        host: Int64Array,
        seed: int,
        time: float,
        share: float = 1.0,
    ) -> None:
        self.problem, self.bound = problem, Bound(moves=0, name="count")
        self.best, self.kept, self.found = host.copy(), problem.count_kept(host), "start"
        self.random, self.time = np.random.default_rng(seed), time
        self.budget = share * min(CPU_SHARE * time, WORTH[0] * problem.n ** WORTH[1])
        pairs = [len(rows.end) / rows.n for rows in (problem.wiring, problem.target)]
        self.width = max(1.0, pairs[0] * pairs[1] / problem.wiring.colours)
        self.interrupted = False
        self.waiting: WitnessQueue = witness_queue(problem.wiring, problem.target)

    @property
    def moves(self) -> int:
        """Circuits to make, for the best placement so far."""
        return self.problem.circuits - self.kept

    @property
    def done(self) -> bool:
        """Whether the best placement is proved to be one of the best."""
        return self.moves <= self.bound.moves

    def offer(self, host: Int64Array, kept: int, found: str) -> None:
        """Take a placement if it is lawful and keeps more."""
        if kept > self.kept and self.problem.allows(host):
            self.best, self.kept, self.found = host.copy(), int(kept), found

    def run(self, bounded: Callable[[], Bound]) -> None:
        """Search until the bound or the budget is met, or Ctrl-C ends it with the best so far."""
        try:
            self._run_methods(bounded)
        except (KeyboardInterrupt, SystemError) as error:
            require_interrupt(error)
            self._note_interrupt()

    def _note_interrupt(self) -> None:
        self.interrupted = True
        LOGGER.warning("interrupted; the plan is of the best placement so far")

    def _run_methods(self, bounded: Callable[[], Bound]) -> None:
        """Exact methods first; then the bound; then the rest."""
        self._tell("exact methods")
        self.try_exact_methods()
        if self.done:
            return
        self._tell("lower bound")
        if (bound := bounded()).moves > self.bound.moves:
            self.bound = bound
        if not self.done:
            self.try_ring()
        if not self.done:
            self.run_heuristics()

    def _tell(self, method: str) -> None:
        """Tell what is tried next, and how good the best placement is."""
        least = self.bound.moves
        work_progress.tell(f"{method}; {self.moves} moves so far, at least {least}")

    def try_exact_methods(self) -> None:
        """Few hosts: every placement. Many: whether target and wiring are the same graph."""
        problem = self.problem
        if problem.n <= MOST_EXHAUSTIVE_HOSTS:
            host, kept = exhaustive_placement(problem, self.best, self.kept)
            self.offer(host, kept, "exhaustive search")
            self.bound = Bound(moves=self.moves, name="exhaustive search")
        elif self.moves:
            same = find_isomorphism(problem, self.best)
            if same.host is not None:
                self.offer(same.host, problem.circuits, "isomorphism")

    def try_ring(self) -> None:
        """Where wiring or target is a ring: along a Hamiltonian cycle of the other."""
        if self.problem.rules.fixed.any():
            return
        seed = next(self._seeds())
        host = ring_placement(self.problem, ROTATIONS * self.problem.n, seed)
        if host is not None:
            self.offer(host, self.problem.count_kept(host), "Hamiltonian cycle")

    def run_heuristics(self) -> None:
        """Repair the most promising placements, anneal from the best, and repair again."""
        self._tell("similar placements")
        offers = [(self.best, self.found), *self.root_placements(), *self.similar_placements()]
        if not self.done:
            self._tell("percolation")
            offers += self.percolated_placements(0.15 * self.budget)
        if not self.done:
            self._tell("percolation along cycles")
            offers += self.cycle_placements(0.075 * self.budget)
        if not self.done:
            self._tell("percolation from theta graphs")
            offers += self.theta_placements(0.25 * self.budget)
        offers.sort(key=lambda offer: -self.problem.count_kept(offer[0]))
        for host, found in offers[:REPAIRED]:
            if not self.done:
                self.repair_from(host, 0.1 * self.budget, found)
        for heat, cold in HEATS:
            if not self.done:
                self.anneal_from_best(heat, cold, 0.18 * self.budget)
        if not self.done:
            self.repair_from(self.best, 0.1 * self.budget, self.found)

    def root_placements(self) -> list[tuple[Int64Array, str]]:
        """Where both are nearly line digraphs: a placement from one of the digraphs they are of."""
        wiring, target = (
            line_digraph_root(self.problem.wiring),
            line_digraph_root(self.problem.target),
        )
        if wiring is None or target is None:
            return []
        smaller = root_problem(wiring, target)
        search = Search(smaller, np.arange(smaller.n), next(self._seeds()), self.time / 3)
        search._run_methods(lambda: Bound(moves=0, name="count"))
        return self._offer_lawful(lift_placement(wiring, target, search.best), "root digraphs")

    def similar_placements(self) -> list[tuple[Int64Array, str]]:
        """A placement by similarity, where the time is enough for it."""
        if self.done or COMPARED * self.problem.n**2 > self.budget / 4:
            return []
        host = similarity_placement(self.problem)
        return [] if host is None else self._offer_lawful(host, "similarity")

    def _offer_lawful(self, host: Int64Array, found: str) -> list[tuple[Int64Array, str]]:
        """A placement, made to respect the rules."""
        rules = self.problem.rules
        fixed = np.where(rules.fixed, self.best, -1).astype(np.int32)
        host = lawful_placement(host.astype(np.int32), rules, fixed)
        self.offer(host, self.problem.count_kept(host), found)
        return [(host, found)]

    def percolated_placements(self, budget: float) -> list[tuple[Int64Array, str]]:
        """The best few of as many percolations from one pair as the budget allows."""
        price = self.problem.n * self.width * PAIR
        runs = int(np.clip(budget / price, 8, 2000))
        fixed = self._fixed_nodes()
        return self._best_grown([self._percolate_once(*fixed) for _ in range(runs)], "percolation")

    def cycle_placements(self, budget: float) -> list[tuple[Int64Array, str]]:
        """The best few of as many percolations along cycles as the budget allows."""
        growth = self._cycle_growth(budget)
        growth.grow_from_pairs()
        return self._best_grown(growth.whole, "percolation along cycles")

    def theta_placements(self, budget: float) -> list[tuple[Int64Array, str]]:
        """The best few percolations along cycles from theta graphs, where little is kept so far."""
        problem = self.problem
        budget -= theta_price(problem.wiring) + theta_price(problem.target)
        if self.kept > KNOWN * problem.circuits or problem.wiring.colours > 1 or budget < 0:
            return []
        growth = self._cycle_growth(budget)
        growth.grow_from_seeds(seed_pairs(problem.wiring, problem.target))
        return self._best_grown(growth.whole, "percolation from theta graphs")

    def _cycle_growth(self, budget: float) -> CycleGrowth:
        """Percolations along cycles for so many CPU seconds."""
        problem, seed = self.problem, next(self._seeds())
        fixed = self._fixed_nodes()[0]
        return CycleGrowth(problem, fixed, self.waiting, seed, budget, self.width * PAIR)

    def _best_grown(
        self, grown: list[tuple[int, Int64Array]], found: str
    ) -> list[tuple[Int64Array, str]]:
        """The best few placements, of circuits kept and hosts; the best one is offered."""
        grown.sort(key=lambda one: -one[0])
        for kept, host in grown[:1]:
            self.offer(host, kept, found)
        return [(host, found) for kept, host in grown[: REPAIRED - 1] if kept >= 0]

    def _percolate_once(self, host: Int64Array, node: Int64Array) -> tuple[int, Int64Array]:
        host, node = host.copy(), node.copy()
        self._add_drawn_pair(host, node)
        problem = self.problem
        seed = int(self.random.integers(1 << 31))
        kept = percolate(
            problem.wiring, problem.target, host, node, problem.rules, self.waiting, seed
        )
        return (problem.count_kept(host) if kept >= 0 else -1), host

    def _fixed_nodes(self) -> tuple[Int64Array, Int64Array]:
        """Where the fixed nodes are, -1 for the others; and the inverse."""
        host = np.where(self.problem.rules.fixed, self.best, -1)
        node = np.full(self.problem.n, -1, dtype=np.int64)
        node[host[host >= 0]] = np.flatnonzero(host >= 0)
        return host, node

    def _add_drawn_pair(self, host: Int64Array, node: Int64Array) -> None:
        """Put a node drawn by chance on a host drawn by chance, where both are free and fit."""
        v, h = int(self.random.integers(len(host))), int(self.random.integers(len(host)))
        if host[v] < 0 and node[h] < 0 and self.problem.rules.allows(v, h):
            host[v], node[h] = h, v

    def repair_from(self, host: Int64Array, budget: float, found: str) -> None:
        """Destroy and repair around the defects of a placement."""
        problem = self.problem
        host = host.copy()
        for most, seed in zip(DESTROYED, self._seeds(), strict=False):
            self._tell("destroying and repairing")
            most = min(most, problem.n)
            steps = int(budget / len(DESTROYED) / (most * self.width * PAIR)) + 1
            rows = problem.wiring, problem.target
            kept = destroy_and_repair(
                *rows, host, problem.rules, self.waiting, most, WARMTH, steps, seed
            )
            self.offer(host, kept, f"{found}, regrown")

    def anneal_from_best(self, heat: float, cold: float, budget: float) -> None:
        """Anneal from the best placement; the first temperature makes it forget most of it."""
        self._tell("annealing")
        problem = self.problem
        host = self.best.copy()
        steps = int(budget / (4 * self.width * 5e-9 * problem.wiring.colours)) + 1
        seed = next(self._seeds())
        kept = anneal(problem.wiring, problem.target, host, problem.rules, heat, cold, steps, seed)
        self.offer(host, kept, "annealing")

    def _seeds(self) -> Iterator[int]:
        while True:
            yield int(self.random.integers(1 << 31))
