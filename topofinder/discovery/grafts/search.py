"""The search for grafts: bases of nearly the right size, edited, repaired and annealed.

Bases are ranked by what an allreduce takes on them and how many nodes they lack or have too much.
All of the first MOST_BASES are grafted with few tries for each node removed or inserted; the best
ones with many tries (successive halving); the best of these are annealed at the diameter of their
base: first cold, to repair the pairs that are one step too far, then on the loads. Where pairs are
missed in the end, the graph is worth what it costs at its own diameter.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np

from expansions.build import build
from expansions.cost import Cost
from expansions.graft import MOST_ARCS, MOST_NODES, ONE_WAY, TWO_WAY, links_of
from expansions.graft_edits import EditedGraph, heads, tails
from expansions.graft_ranks import matching_count, permutation_count
from expansions.recipe import EditList, Recipe
from expansions.size import size
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
from topofinder.discovery.grafts.state import MOST_DEGREE, annealed_graph, bandwidths
from topofinder.discovery.grafts.state_kernels import AnnealedGraph
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import evaluate

FEWER, MORE = 4, 16
"""How many nodes a base lacks at most, and has too much; in pairs, twice the first and 4 more."""
MOST_BASES, KEPT, ANNEALED = 12, 4, 2
"""Bases that are grafted, grafted again with more tries, and annealed."""
FEW_TRIES, MANY_TRIES = 3, 24
"""Tries for each node that is removed or inserted; the many ones take half of the work at most."""
REMOVAL, INSERTION = 6, 16
"""What a removed or an inserted node is expected to cost, in steps, times the root of N."""
APART = Fraction(1, 30)
"""Steps that a missed pair counts, up to two."""
REPAIR, SETTLE = (Fraction(3, 100), Fraction(1, 50)), (Fraction(1, 10), Fraction(3, 100))
"""Temperatures, in shards, while pairs are missed and then on the loads."""
LARGEST_RANK = 10**9
"""Of a joining, so that the recipe can be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraftBase:
    """A recipe of nearly the right size, its graph, and its costs both ways."""

    recipe: Recipe
    graph: Topology
    forth: Cost
    back: Cost

    @property
    def steps(self) -> int:
        """The diameter."""
        return self.forth.steps

    def expected_time(self, n: int) -> Fraction:
        """What an allreduce is expected to take on a graft of n nodes, in steps."""
        return expected_time(n, self.graph.n - n, self.forth, self.back)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraftTrial:
    """Edits of a base, the graph that they make, and what an allreduce takes there about."""

    base: GraftBase
    removals: EditList
    insertions: EditList
    edited: EditedGraph
    score: Fraction


def expected_time(n: int, surplus: int, forth: Cost, back: Cost) -> Fraction:
    """What an allreduce is expected to take on n nodes, in steps, by a base of these costs.

    `surplus` is how many nodes the base has too much; below 0, how many it lacks.

    >>> from expansions.cost import Cost
    >>> expected_time(100, 2, Cost(3, Fraction(1)), Cost(3, Fraction(1)))
    Fraction(24, 1)
    """
    each = Fraction((REMOVAL if surplus > 0 else INSERTION) * 1000, isqrt(n * 10**6))
    own = forth.steps + back.steps
    return own + WEIGHT * (forth.bandwidth + back.bandwidth) + abs(surplus) * each


def near_surpluses(d: int, *, duplex: bool) -> range:
    """How many nodes a base may have too much, or lack: in pairs where a node is half a circuit.

    >>> near_surpluses(3, duplex=True)
    range(-8, 21, 2)
    """
    step = 2 if duplex and d % 2 else 1
    return range(-FEWER * step, MORE + 4 * (step - 1) + 1, step)


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
) -> list[FoundGraft]:
    """The best few grafts of n nodes and degree d of `bases`, recipes at sizes about n.

    `known` are costs of bases both ways, which need not be evaluated then. `budget` counts full
    evaluations both ways. The same arguments give the same finds. Bases of other degrees or sizes,
    with self-loops or, two-way, with one-way circuits are left out. Raises InvalidInput for more
    than 8 links a node.

    >>> from expansions.parser import parse
    >>> [(str(one.recipe), one.steps) for one in find_grafts(
    ...     15, 4, bases=[parse("C(16,{3,4})")], budget=20)][-1][1]
    6
    """
    duplex = LinkMode(links) is LinkMode.DUPLEX
    if d > MOST_DEGREE:
        raise InvalidInput(f"d: grafts of at most {MOST_DEGREE} links a node, not {d}")
    ranked = sorted(
        _usable_bases(bases, known or {}, n, d, duplex=duplex),
        key=lambda base: (base.expected_time(n), str(base.recipe)),
    )[:MOST_BASES]
    if not ranked or (duplex and n * d % 2):
        return []
    unit = (1 if duplex else 2) * ranked[0].steps * n
    work = WorkLeft(budget * unit)
    trials = _graft_bases(ranked, n, FEW_TRIES, work, seed, duplex=duplex)
    most_kept, most_annealed = _widths(budget)
    kept = [trial.base for trial in trials[:most_kept]]
    half = WorkLeft(work.share(1, 2))
    edits = sum(abs(base.graph.n - n) for base in kept)
    tries = min(MANY_TRIES, half.left // (unit * max(edits, 1)))
    if tries > FEW_TRIES:
        before = half.left
        more = _graft_bases(kept, n, tries, half, seed + 1, duplex=duplex)
        work.spend(before - half.left)
        trials = sorted([*trials[:most_kept], *more], key=lambda trial: trial.score)
    found = [one for trial in trials[:most_kept] if (one := _exact(trial, duplex))]
    chosen = list({str(trial.base.recipe): trial for trial in reversed(trials)}.values())
    chosen = sorted(chosen, key=lambda trial: trial.score)[:most_annealed]
    for part, trial in enumerate(chosen):
        loads = work.share(1, len(chosen) - part)
        found += _anneal_trial(trial, loads, work, seed, duplex=duplex)
    return best_grafts(found, most)


def _widths(budget: int) -> tuple[int, int]:
    """How many bases are grafted again, and how many annealed: one where the budget is small.

    >>> _widths(20), _widths(1000)
    ((1, 1), (4, 2))
    """
    return max(1, min(KEPT, budget // 50)), max(1, min(ANNEALED, budget // 100))


def _usable_bases(
    recipes: Iterable[Recipe],
    known: Mapping[Recipe, tuple[Cost, Cost]],
    n: int,
    d: int,
    *,
    duplex: bool,
) -> Iterator[GraftBase]:
    """The bases that can be edited, with their costs; each recipe once."""
    near = near_surpluses(d, duplex=duplex)
    for recipe in dict.fromkeys(recipes):
        have = size(recipe)
        small = have.n <= MOST_NODES and have.n * d <= MOST_ARCS
        if have.d != d or have.n - n not in near or not small or d > have.n - 2:
            continue
        graph = build(recipe)
        if graph.has_loops or not graph.is_regular or (duplex and not graph.is_bidirectional):
            continue
        forth, back = known.get(recipe) or _evaluate_both(graph, duplex)
        yield GraftBase(recipe=recipe, graph=graph, forth=forth, back=back)


def _evaluate_both(graph: Topology, duplex: bool) -> tuple[Cost, Cost]:
    forth = evaluate(graph).cost
    return forth, forth if duplex else evaluate(graph.transpose()).cost


def _graft_bases(
    bases: Sequence[GraftBase], n: int, tries: int, work: WorkLeft, seed: int, *, duplex: bool
) -> list[GraftTrial]:
    """One graft of each base while there is work left, best first."""
    found = []
    for base in bases:
        place = int.from_bytes(str(base.recipe).encode()[-12:], "little")
        random = np.random.default_rng([seed, base.graph.n, place])
        trial = _graft_one(base, n, tries, work, random, duplex=duplex)
        found += [trial] if trial else []
        if work.left <= 0:
            break
    return sorted(found, key=lambda trial: trial.score)


def _graft_one(
    base: GraftBase,
    n: int,
    tries: int,
    work: WorkLeft,
    random: np.random.Generator,
    *,
    duplex: bool,
) -> GraftTrial | None:
    """Remove or insert nodes one after the other, each the best of some random ways."""
    d, step = base.graph.degree, 2 if duplex and base.graph.degree % 2 else 1
    edited = EditedGraph(base.graph.n, d, links_of(base.graph, duplex=duplex), duplex=duplex)
    removals, insertions = [], []
    score = _score(base, edited, work) if edited.n == n else None
    for nodes in _drawn_nodes(base, (base.graph.n - n) // step, step, random):
        ways = matching_count(2 * d) if step == 2 else matching_count(d) if duplex else 0
        ways = ways or permutation_count(d)
        offers = [(*nodes, int(random.integers(min(ways, LARGEST_RANK)))) for _ in range(2 * tries)]
        best = _best_edit(base, edited, "remove", offers, tries, work)
        if best is None:
            return None
        score, edited, edit = best
        removals.append(edit)
    for _ in range((n - base.graph.n) // step):
        cut = d // 2 if duplex and step == 1 else d
        offers = [
            tuple(random.choice(len(edited.links), cut, replace=False).tolist())
            for _ in range(2 * tries)
        ]
        best = _best_edit(base, edited, "insert", offers, tries, work)
        if best is None:
            return None
        score, edited, edit = best
        insertions.append(edit)
    if score is None:
        return None
    return GraftTrial(
        base=base,
        removals=tuple(removals),
        insertions=tuple(insertions),
        edited=edited,
        score=score,
    )


def _drawn_nodes(
    base: GraftBase, count: int, step: int, random: np.random.Generator
) -> list[tuple[int, ...]]:
    """Nodes to remove, the greatest first; in pairs they are neighbours."""
    if count <= 0:
        return []
    graph, found, taken = base.graph, list[tuple[int, ...]](), set[int]()
    for node in random.permutation(graph.n).tolist():
        near = graph.head[graph.tail == node].tolist() if step == 2 else [node]
        other = next((one for one in near if one not in taken), None)
        if node in taken or other is None:
            continue
        pair = {node, other}
        taken |= pair
        found.append(tuple(sorted(pair, reverse=True)))
        if len(found) == count:
            break
    return sorted(found, reverse=True)


def _best_edit(
    base: GraftBase,
    edited: EditedGraph,
    name: str,
    offers: Sequence[tuple[int, ...]],
    tries: int,
    work: WorkLeft,
) -> tuple[Fraction, EditedGraph, tuple[int, ...]] | None:
    """The best of the first `tries` edits that can be made; None if none can."""
    best, made = None, 0
    for offer in offers:
        if made == tries or (best and work.left <= 0):
            break
        after = copy(edited)
        after.removed = list(edited.removed)
        try:
            edit = getattr(after, name)(offer)
        except InvalidInput:  # it joins a node to itself
            continue
        made += 1
        score = _score(base, after, work)
        if best is None or score < best[0]:
            best = score, after, edit
    return best


def _state(base: GraftBase, edited: EditedGraph, steps: int) -> AnnealedGraph:
    duplex = edited.duplex
    profile = None
    if base.steps == steps:
        own = annealed_graph(base.graph, steps, duplex=duplex)
        profile = own.peaks[:, 1:].tolist()
    return annealed_graph(_topology(edited), steps, duplex=duplex, profile=profile or ())


def _topology(edited: EditedGraph) -> Topology:
    arcs = edited.arcs()
    return Topology.from_arcs(edited.n, np.stack([tails(arcs), heads(arcs)], axis=1))


def _score(base: GraftBase, edited: EditedGraph, work: WorkLeft) -> Fraction:
    """What an allreduce takes, in steps, and what is missed."""
    graph = annealed_graph(_topology(edited), base.steps, duplex=edited.duplex)
    work.spend(int(graph.loads[:, 1:].size))
    return _graph_score(graph)


def _graph_score(graph: AnnealedGraph) -> Fraction:
    missed = int(graph.sums[0, 0])
    apart = min(APART * missed, Fraction(2))
    forth, back = bandwidths(graph)
    return 2 * (len(graph.new_peaks) - 1) + apart + WEIGHT * (forth + back)


def _exact(trial: GraftTrial, duplex: bool) -> FoundGraft | None:
    symbol = TWO_WAY if duplex else ONE_WAY
    graph = _topology(trial.edited)
    return exact_graft(symbol, trial.base.recipe, trial.removals, trial.insertions, graph)


def _anneal_trial(
    trial: GraftTrial, loads: int, work: WorkLeft, seed: int, *, duplex: bool
) -> Iterator[FoundGraft]:
    """A graft repaired at the diameter of its base, and annealed on its loads."""
    graph = _state(trial.base, trial.edited, trial.base.steps)
    symbol, random = TWO_WAY if duplex else ONE_WAY, random_state(seed, trial.base.graph.n)
    heats = (REPAIR, SETTLE) if graph.sums[0, 0] else (SETTLE, REPAIR)
    for part, temperatures in enumerate(heats):
        _, slots = anneal(graph, temperatures, loads * (1 + part) // 3, work, random)
        result = result_of(slots, trial.edited.n, duplex=duplex)
        base = trial.base.recipe
        one = exact_graft(symbol, base, trial.removals, trial.insertions, result)
        if one:
            yield one
