"""Grafts of an odd number of nodes and an odd number of ports, one of which is left free.

A two-way graph of one node more is edited to the right size, and its last node split off: its
neighbours are joined in pairs, and one of them has a port left (`expansions.splitting_off`). There
the node with fewer ports receives as slowly as any bound allows, so that steps alone are left to
gain: switches of circuits, of which balls alone are looked at, bring pairs that are more than the
diameter of the base apart together again. What comes out is the splitting off of a graft: the
joined circuits, where they are still there, or others in their place are led back over the node.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice

import numpy as np

from expansions.canonical import expand
from expansions.cost import Cost
from expansions.graft import TWO_WAY, graft_of_arcs
from expansions.recipe import Recipe
from expansions.splitting_off import first_pairings, pinch, split_off
from expansions.tokens import LONGEST_TEXT
from generators.connectivity import unreachable_pair
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.discovery.grafts.found import FoundGraft, WorkLeft, best_grafts, random_state
from topofinder.discovery.grafts.search import expect_graft_kernels
from topofinder.discovery.grafts.trials import (
    SPARE_TRIES,
    GraftBase,
    GraftTrial,
    count_missed,
    draw_trial,
    repair_missed,
    usable_bases,
)
from topofinder.schedules.bfb.evaluation import evaluate

MOST_BASES, TURNS, SPARE_TURNS = 8, 3, 8
"""Bases that are edited, how often each is, and how often where it has paths to spare."""
DRAW_PART = 2
"""Of the work that is left one part of so many is kept for repair where many ways are drawn."""
WAYS = 6
"""Ways to pair the neighbours that are looked at."""
REPAIR_PART = 3
"""Repair takes at most one of so many parts of the work that is left."""
TRIED = 2
"""Graphs that are repaired at each number of steps."""
HOPELESS = 4
"""No graph is repaired that misses more pairs than so many times its nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitTrial:
    """A graph of n + 1 nodes, what is left of it when the last one is split off, and its misses.

    `graph` has a self-loop where the port is free; `missed` pairs are more than the base's
    diameter apart.
    """

    trial: GraftTrial
    graph: Topology
    missed: int

    @property
    def steps(self) -> int:
        """The diameter that is aimed at."""
        return self.trial.base.steps


def find_free_port_grafts(
    n: int,
    d: int,
    *,
    bases: Iterable[Recipe],
    known: Mapping[Recipe, tuple[Cost, Cost]] | None = None,
    budget: int,
    seed: int = 0,
    spare: bool = False,
) -> list[FoundGraft]:
    """The best two-way graphs of n nodes with d ports, one of them free, from bases about n + 1.

    n and d are odd, d is 3, 5 or 7. `known` are costs of bases; `budget` counts full evaluations.
    The same arguments give the same finds. `spare` as in `find_grafts`.

    >>> from expansions.parser import parse
    >>> [(one.forth.steps, str(one.forth.bandwidth)) for one in find_free_port_grafts(
    ...     15, 3, bases=[parse("Torus(2,8)"), parse("C(16,{3,8})")], budget=50)]
    [(4, '7/5')]
    """
    ranked = sorted(
        usable_bases(bases, known or {}, n + 1, d, duplex=True, spare=spare),
        key=lambda base: (base.steps, base.expected_time(n + 1), str(base.recipe)),
    )[:MOST_BASES]
    if not ranked:
        return []
    work = WorkLeft(budget * ranked[0].steps * n)
    expect_graft_kernels(work)
    drawn = _draw_trials(ranked, n, work, seed, spare=spare)
    trials = sorted(drawn, key=lambda one: (one.steps, one.missed))
    return best_grafts(_repair_trials(trials, work, seed), 1)


def _draw_trials(
    ranked: list[GraftBase], n: int, work: WorkLeft, seed: int, *, spare: bool
) -> Iterator[SplitTrial]:
    """The bases edited to n + 1 nodes, by turns, and split; those of their own size once."""
    tries, least = (SPARE_TRIES, work.share(1, DRAW_PART)) if spare else (1, 0)
    for turn in range(SPARE_TURNS if spare else TURNS):
        for base in ranked:
            if work.left <= least or (turn and base.graph.n == n + 1):
                continue
            trial = draw_trial(base, n + 1, tries, work, seed + turn, duplex=True, by_loads=False)
            split = _split_best(trial, work) if trial else None
            if split and split.missed <= HOPELESS * n:
                yield split


def _split_best(trial: GraftTrial, work: WorkLeft) -> SplitTrial | None:
    """The trial without its last node, its neighbours paired such that least is missed."""
    found = []
    for number in first_pairings(trial.base.graph.degree, WAYS):
        try:
            graph = fill_free_port(split_off(trial.graph, number))
        except InvalidInput:  # it joins a node to itself
            continue
        missed = count_missed(graph, trial.base.steps, work, duplex=True)
        found.append(SplitTrial(trial=trial, graph=graph, missed=missed))
    return min(found, key=lambda one: one.missed, default=None)


def fill_free_port(graph: Topology) -> Topology:
    """The graph with a self-loop at the node that has a port free.

    >>> fill_free_port(Topology.from_arcs(3, [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0),
    ...     (0, 1), (1, 0)])).out_degrees.tolist()
    [3, 3, 3]
    """
    node = np.flatnonzero(graph.out_degrees < graph.degree).astype(np.int32)
    return Topology(
        n=graph.n,
        tail=np.concatenate([graph.tail, node]),
        head=np.concatenate([graph.head, node]),
    )


def _repair_trials(trials: Iterable[SplitTrial], work: WorkLeft, seed: int) -> Iterator[FoundGraft]:
    """The trials of fewest steps that can be repaired, with their exact costs, a few at most.

    Of each number of steps so many are tried that miss least.
    """
    for _, alike in groupby(trials, key=lambda one: one.steps):
        found = False
        for trial in islice(alike, TRIED):
            if work.left <= 0:
                return
            share, random = max(1, work.share(1, REPAIR_PART)), random_state(seed, trial.graph.n)
            graph = repair_missed(trial.graph, trial.steps, share, work, random, duplex=True)
            one = exact_split_off(trial.trial, graph) if graph else None
            if one:
                found = True
                yield one
        if found:
            return


def exact_split_off(trial: GraftTrial, graph: Topology) -> FoundGraft | None:
    """The recipe of a graph with a self-loop at its free port, and its exact cost.

    The circuits that are led over the last node join neighbours that it had, as far as they can.
    None where the recipe is too long.
    """
    old = trial.graph.head[trial.graph.tail == trial.graph.n - 1]
    larger, number = pinch(graph, old.tolist())
    edits = trial.removals, trial.insertions
    recipe = graft_of_arcs(TWO_WAY, trial.base.recipe, *edits, larger)
    result = expand("SplitOff", (recipe,), (number,))
    left = split_off(larger, number)
    if len(str(result)) > LONGEST_TEXT or unreachable_pair(left):
        return None
    cost = evaluate(left).cost
    return FoundGraft(recipe=result, forth=cost, back=cost)
