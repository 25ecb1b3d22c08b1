"""The search for grafts: bases of nearly the right size, edited and repaired.

Bases are ranked by what an allreduce takes on them and how many nodes they lack or have too much.
Each of the first MOST_BASES is edited once, blindly, and rated by the pairs that are then more than
its diameter apart, and by its loads. The best KEPT are repaired: exchanges of links give missed
pairs a path again, where few are missed such that loads stay low, else as fast as can be. What
cannot be repaired is worth what it costs at one step more. Where no graph has a T_B near the least,
bases are edited on until one has, whatever pairs are missed. While there is work left, the bases of
the best graphs are edited again, each node in the best of several ways, and repaired again. Where
bases have the right size already, the best is annealed on its loads.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from expansions.cost import Cost
from expansions.graft import ONE_WAY, TWO_WAY
from expansions.lower_bounds import least_bandwidth
from expansions.recipe import Recipe
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.discovery.grafts.found import (
    WEIGHT,
    FoundGraft,
    WorkLeft,
    anneal,
    best_grafts,
    exact_graft,
    random_state,
    result_of,
)
from topofinder.discovery.grafts.repair_kernels import fill_balls, repair_loads, repair_pairs
from topofinder.discovery.grafts.state import DELAYS, MOST_DEGREE, annealed_graph
from topofinder.discovery.grafts.state_kernels import (
    BALLS,
    DEAR,
    MORE_BALLS,
    PEAK,
    WORK,
    evaluate_graph,
)
from topofinder.discovery.grafts.trials import (
    GraftBase,
    GraftTrial,
    draw_first_trial,
    draw_trial,
    rate_graph,
    repair_missed,
    usable_bases,
)
from topofinder.dispatch.kernel import expect_long_work
from topofinder.model.candidate import LinkMode

MOST_BASES, KEPT, SPARE_KEPT = 12, 6, 2
"""Bases that are edited, repaired, and repaired where they have paths to spare."""
MANY_TRIES, TURNS = 24, 200
"""Ways that are tried for each node at most when a base is edited again, and how often it is."""
ORDER = 0, 1, 0, 2
"""The places, among the bases of the best graphs, of those that are edited in turn."""
REPAIR_PART = 3
"""Repair takes at most one of so many parts of the work that is left."""
LOW_BANDWIDTH, LOW_PART = Fraction(11, 10), 3
"""Bases are edited for a T_B of so many times the least, by one of so many parts of the work."""
LONG_WORK = 1 << 16
"""Loads that take longer in plain Python than to compile what evaluates them."""
HEAT = Fraction(1, 50)
"""The temperature of repair, in shards."""
HEATS = Fraction(1, 10), HEAT
"""Temperatures from which and to which graphs are annealed on their loads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedGraph:
    """A graph of the right size of so many steps, and what an allreduce takes there, in steps."""

    trial: GraftTrial
    graph: Topology
    steps: int
    score: Fraction

    @property
    def bandwidth(self) -> Fraction:
        """T_B, the mean of both ways."""
        return (self.score - 2 * self.steps) / (2 * WEIGHT)


def find_grafts(
    n: int,
    d: int,
    links: LinkMode | str = LinkMode.SIMPLEX,
    *,
    bases: Iterable[Recipe],
    known: Mapping[Recipe, tuple[Cost, Cost]] | None = None,
    budget: int,
    seed: int = 0,
    most: int = 4,
    spare: bool = False,
) -> list[FoundGraft]:
    """The best few grafts of n nodes and degree d of `bases`, recipes at sizes about n.

    `known` are costs of bases both ways, which need not be evaluated then. `budget` counts full
    evaluations both ways. The same arguments give the same finds. Bases of other degrees or sizes,
    with self-loops or, two-way, with one-way circuits are left out. Where bases have paths to
    `spare`, they may have many more nodes, are edited by the pairs that this parts, and few are
    repaired. Raises InvalidInput for more than 8 links a node.

    >>> from expansions.parser import parse
    >>> [(str(one.recipe), one.steps) for one in find_grafts(
    ...     15, 4, bases=[parse("C(16,{3,4})")], budget=20)][-1][1]
    6
    """
    duplex = LinkMode(links) is LinkMode.DUPLEX
    if d > MOST_DEGREE:
        raise InvalidInput(f"d: grafts of at most {MOST_DEGREE} links a node, not {d}")
    ranked = sorted(
        usable_bases(bases, known or {}, n, d, duplex=duplex, spare=spare),
        key=lambda base: (base.expected_time(n), str(base.recipe)),
    )[:MOST_BASES]
    if not ranked or (duplex and n * d % 2):
        return []
    search = GraftSearch(n, seed, WorkLeft(budget * _unit(ranked[0], n, duplex)), duplex=duplex)
    expect_graft_kernels(search.work)
    cheap = MORE_BALLS // BALLS if d >= DEAR else 1
    kept = SPARE_KEPT if spare else max(1, min(KEPT, cheap * budget * KEPT // 50))
    search.edit_bases(ranked, kept, spare=spare)
    search.lower_bandwidth(ranked)
    search.edit_again()
    search.anneal_best()
    found = (search.exact(one) for one in search.best(most))
    return best_grafts((one for one in found if one), most)


def expect_graft_kernels(work: WorkLeft) -> None:
    """Never interpret the kernels of grafts where there is much work for them."""
    if work.left >= LONG_WORK:
        for kernel in (evaluate_graph, fill_balls, repair_loads, repair_pairs):
            expect_long_work(kernel)


def _unit(base: GraftBase, n: int, duplex: bool) -> int:
    """Loads of an evaluation both ways."""
    return (1 if duplex else 2) * base.steps * n


class GraftSearch:
    """Graphs of n nodes found so far, the best first, and the work that is left."""

    def __init__(self, n: int, seed: int, work: WorkLeft, *, duplex: bool) -> None:
        self.n, self.seed, self.work, self.duplex = n, seed, work, duplex
        self.graphs: list[RatedGraph] = []

    def edit_bases(self, ranked: Iterable[GraftBase], most: int, *, spare: bool) -> None:
        """Edit bases once each while there is work, and repair the best of them."""
        trials = []
        for base in ranked:
            given = base, self.n, self.work, self.seed
            trial = draw_first_trial(*given, duplex=self.duplex, spare=spare)
            trials += [trial] if trial else []
            if self.work.left <= 0:
                break
        kept = sorted(trials, key=lambda trial: trial.score)[:most]
        share = self.work.share(1, REPAIR_PART * max(len(kept), 1))
        for trial in kept:
            self._add(trial, share)

    def lower_bandwidth(self, ranked: Sequence[GraftBase]) -> None:
        """Edit bases until one is LOW_BANDWIDTH times the least or below, by a part of the work.

        Pairs that are missed are left to a step more.
        """
        goal = LOW_BANDWIDTH * least_bandwidth(self.n)
        least = self.work.left - self.work.share(1, LOW_PART)
        edited = [base for base in ranked if base.graph.n != self.n]
        for turn, base in product(range(TURNS), edited):
            enough = any(one.bandwidth <= goal for one in self.graphs)
            if enough or self.work.left <= least:
                return
            seed = self.seed + turn
            trial = draw_trial(base, self.n, 1, self.work, seed, duplex=self.duplex)
            if trial:
                self._add_unrepaired(trial)

    def best(self, most: int) -> list[RatedGraph]:
        """So many graphs that take least time, the last the one of least bandwidth."""
        lowest = min(self.graphs, key=lambda one: one.bandwidth, default=None)
        first = self.graphs[:most]
        return first if lowest is None or lowest in first else [*first[:-1], lowest]

    def edit_again(self) -> None:
        """Edit the bases of the best graphs, by turns, until the work is spent."""
        for turn in range(1, TURNS + 1):
            base = self._base_in_turn(turn)
            if self.work.left <= 0 or base is None:
                return
            each = abs(base.graph.n - self.n) * _unit(base, self.n, self.duplex)
            tries = max(1, min(MANY_TRIES, self.work.share(1, 2) // each))
            seed = self.seed + turn
            trial = draw_trial(base, self.n, tries, self.work, seed, duplex=self.duplex)
            if trial:
                self._add(trial, self.work.share(1, REPAIR_PART))

    def anneal_best(self) -> None:
        """Anneal the best graph on its loads by work that is left, as where no base needs edits."""
        if not self.graphs or self.work.left <= 0:
            return
        best = self.graphs[0]
        steps = best.trial.base.steps
        state = annealed_graph(best.graph, steps, duplex=self.duplex)
        if state.sums[0, 0]:
            return
        _, slots = anneal(state, HEATS, self.work.left, self.work, random_state(self.seed, self.n))
        graph = result_of(slots, self.n, duplex=self.duplex)
        _, score = rate_graph(graph, steps, self.work, duplex=self.duplex)
        rated = RatedGraph(trial=best.trial, graph=graph, steps=steps, score=score)
        self.graphs.insert(0, rated)

    def _base_in_turn(self, turn: int) -> GraftBase | None:
        """One of the first bases whose nodes are too many or too few; None if there is none."""
        bases = {one.trial.base.recipe: one.trial.base for one in self.graphs}
        edited = [base for base in bases.values() if base.graph.n != self.n]
        return edited[ORDER[turn % len(ORDER)] % len(edited)] if edited else None

    def _add(self, trial: GraftTrial, share: int) -> None:
        """Add a trial to the graphs: repaired, or as it is where that need not be or fails."""
        repaired = self._repair(trial, max(share, 1)) if trial.missed else None
        if repaired is not None:
            self._rate(trial, repaired, 0)
        else:
            self._add_unrepaired(trial)

    def _add_unrepaired(self, trial: GraftTrial) -> None:
        """Add a trial as it is, with a step more where pairs are missed."""
        if trial.missed or trial.graph.degree >= DEAR:
            self._rate(trial, trial.graph, 1 if trial.missed else 0)
        else:
            self._keep(trial, trial.graph, trial.base.steps, trial.score)

    def _rate(self, trial: GraftTrial, graph: Topology, more: int) -> None:
        """Keep a graph of so many steps more than the base, by its loads."""
        steps = trial.base.steps + more
        _, score = rate_graph(graph, steps, self.work, duplex=self.duplex)
        self._keep(trial, graph, steps, score)

    def _keep(self, trial: GraftTrial, graph: Topology, steps: int, score: Fraction) -> None:
        self.graphs.append(RatedGraph(trial=trial, graph=graph, steps=steps, score=score))
        self.graphs.sort(key=lambda one: one.score)

    def _repair(self, trial: GraftTrial, share: int) -> Topology | None:
        """The graph with no pair missed, by loads where that is cheap enough; None if it fails."""
        steps, random = trial.base.steps, random_state(self.seed, self.n)
        if trial.missed * _unit(trial.base, self.n, self.duplex) < share:
            state = annealed_graph(trial.graph, steps, duplex=self.duplex)
            heat = int(HEAT * PEAK * int(state.scale[1]))
            missed = int(repair_loads(state, share, heat, DELAYS, random))
            self.work.spend(int(state.counts[WORK]))
            if not missed:
                return result_of(state.slots, self.n, duplex=self.duplex)
        given = trial.graph, steps, share, self.work, random
        return repair_missed(*given, duplex=self.duplex)

    def exact(self, rated: RatedGraph) -> FoundGraft | None:
        """The graft with its exact costs; None where its recipe is too long."""
        trial, symbol = rated.trial, TWO_WAY if self.duplex else ONE_WAY
        edits = trial.removals, trial.insertions
        return exact_graft(symbol, trial.base.recipe, *edits, rated.graph)
