"""Bases of grafts, and trials: bases that random edits have brought to the right size."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np

from expansions.build import build
from expansions.cost import Cost
from expansions.graft import MOST_ARCS, MOST_NODES, links_of
from expansions.graft_edits import EditedGraph, heads, tails
from expansions.graft_ranks import matching_count, permutation_count
from expansions.recipe import EditList, Recipe
from expansions.size import size
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.discovery.grafts.found import WEIGHT, WorkLeft, result_of
from topofinder.discovery.grafts.repair_kernels import fill_balls, repair_pairs
from topofinder.discovery.grafts.state import annealed_graph, bandwidths, graph_arrays
from topofinder.discovery.grafts.state_kernels import DEAR, WORK
from topofinder.schedules.bfb.evaluation import evaluate

FEWER, MORE = 4, 16
"""How many nodes a base lacks at most, and has too much; in pairs, twice the first and 4 more."""
SPARE_FEWER, SPARE_MORE = 6, 64
"""The same of bases that have paths to spare, in pairs or not."""
EDITED, REMOVAL, INSERTION = 8, 2, 3
"""What any edits, each removed and each inserted node are expected to cost, in steps, times the
root of n: measured at 500 to 2000 nodes, 2 to 4 ports."""
OFFERED = 4
"""Random ways beyond the tries that are offered for each edit: some make self-loops."""
DRAWS, SPARE_TRIES = 24, 6
"""Trials of a base with paths to spare that are drawn, divided by its edits, and ways to edit each
node."""
EDIT_LOADS = 1000
"""Loads that take as long as an edit and what goes with its rating whatever n is: 0.4 ms."""
HOPELESS = 4
"""Steps that all pairs together count where as many are missed as there are nodes; two at most."""
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
    """Edits of a base, and the graph that they make.

    `missed` pairs are more than the diameter of the base apart; `score` is what an allreduce takes
    on the graph about, in steps.
    """

    base: GraftBase
    removals: EditList
    insertions: EditList
    graph: Topology
    missed: int
    score: Fraction


def expected_time(n: int, surplus: int, forth: Cost, back: Cost) -> Fraction:
    """What an allreduce is expected to take on n nodes, in steps, by a base of these costs.

    `surplus` is how many nodes the base has too much; below 0, how many it lacks.

    >>> from expansions.cost import Cost
    >>> expected_time(100, 2, Cost(3, Fraction(1)), Cost(3, Fraction(1)))
    Fraction(24, 1)
    """
    own = forth.steps + back.steps + WEIGHT * (forth.bandwidth + back.bandwidth)
    if surplus == 0:
        return own
    each = REMOVAL if surplus > 0 else INSERTION
    return own + Fraction((EDITED + each * abs(surplus)) * 1000, isqrt(n * 10**6))


def near_surpluses(d: int, *, duplex: bool, spare: bool = False) -> range:
    """How many nodes a base may have too much, or lack: in pairs where a node is half a circuit.

    `spare` are those of bases that have paths to spare.

    >>> near_surpluses(3, duplex=True)
    range(-8, 21, 2)
    """
    step = 2 if duplex and d % 2 else 1
    if spare:
        return range(-SPARE_FEWER, SPARE_MORE + 1, step)
    return range(-FEWER * step, MORE + 4 * (step - 1) + 1, step)


def usable_bases(
    recipes: Iterable[Recipe],
    known: Mapping[Recipe, tuple[Cost, Cost]],
    n: int,
    d: int,
    *,
    duplex: bool,
    spare: bool = False,
) -> Iterator[GraftBase]:
    """The bases that can be edited, with their costs; each recipe once."""
    near = near_surpluses(d, duplex=duplex, spare=spare)
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


def draw_first_trial(
    base: GraftBase, n: int, work: WorkLeft, seed: int, *, duplex: bool, spare: bool
) -> GraftTrial | None:
    """Edit a base once, blindly; where it has paths to `spare`, several times, by missed pairs.

    Of several trials the one that misses fewest pairs counts; none is made after one that misses
    none.
    """
    if not spare:
        return draw_trial(base, n, 1, work, seed, duplex=duplex)
    best: GraftTrial | None = None
    for turn in range(max(1, DRAWS // max(abs(base.graph.n - n), 1))):
        given = base, n, SPARE_TRIES, work, seed + turn
        trial = draw_trial(*given, duplex=duplex, by_loads=False)
        if trial and (best is None or trial.missed < best.missed):
            best = trial
        if best and not best.missed:
            break
    return best


def draw_trial(
    base: GraftBase,
    n: int,
    tries: int,
    work: WorkLeft,
    seed: int,
    *,
    duplex: bool,
    by_loads: bool = True,
) -> GraftTrial | None:
    """Remove or insert nodes one after the other, each the best of so many random ways.

    None where that fails. Without `by_loads`, and where loads are dear, the score tells what an
    allreduce is expected to take by the base and the missed pairs; without, these tell which way is
    the best, too.
    """
    place = int.from_bytes(str(base.recipe).encode()[-12:], "little")
    random = np.random.default_rng([seed, base.graph.n, place])
    d, step = base.graph.degree, 2 if duplex and base.graph.degree % 2 else 1
    edited = EditedGraph(base.graph.n, d, links_of(base.graph, duplex=duplex), duplex=duplex)
    removals, insertions = [], []
    ends = 2 * (d - 1) if step == 2 else d
    ways = min(matching_count(ends) if duplex else permutation_count(d), LARGEST_RANK)
    for nodes in _drawn_nodes(base, (base.graph.n - n) // step, step, random):
        ranks = random.integers(ways, size=tries + OFFERED).tolist()
        offers = [(*nodes, r) for r in (ranks if by_loads else dict.fromkeys(ranks))]
        best = _best_edit(base, edited, "remove", offers, tries, work, by_loads=by_loads)
        if best is None:
            return None
        edited, edit = best
        removals.append(edit)
    for _ in range((n - base.graph.n) // step):
        cut = d // 2 if duplex and step == 1 else d
        count = tries + OFFERED
        links = [random.choice(len(edited.links), cut, replace=False) for _ in range(count)]
        offers = [tuple(one.tolist()) for one in links]
        best = _best_edit(base, edited, "insert", offers, tries, work, by_loads=by_loads)
        if best is None:
            return None
        edited, edit = best
        insertions.append(edit)
    graph = edited_topology(edited)
    if by_loads and d < DEAR:
        missed, score = rate_graph(graph, base.steps, work, duplex=duplex)
    else:
        missed = count_missed(graph, base.steps, work, duplex=duplex)
        score = base.expected_time(n) + _steps_apart(missed, n)
    return GraftTrial(
        base=base,
        removals=tuple(removals),
        insertions=tuple(insertions),
        graph=graph,
        missed=missed,
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
    *,
    by_loads: bool,
) -> tuple[EditedGraph, tuple[int, ...]] | None:
    """The best of the first `tries` edits that can be made, while there is work; None if none."""
    best, least, made = None, Fraction(), 0
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
        work.spend(EDIT_LOADS)
        if tries == 1:
            return after, edit
        graph = edited_topology(after)
        if by_loads:
            _, score = rate_graph(graph, base.steps, work, duplex=edited.duplex)
        else:
            score = Fraction(count_missed(graph, base.steps, work, duplex=edited.duplex))
        if best is None or score < least:
            best, least = (after, edit), score
    return best


def edited_topology(edited: EditedGraph) -> Topology:
    """The graph as it is after edits."""
    arcs = edited.arcs()
    return Topology.from_arcs(edited.n, np.stack([tails(arcs), heads(arcs)], axis=1))


def rate_graph(
    graph: Topology, steps: int, work: WorkLeft, *, duplex: bool
) -> tuple[int, Fraction]:
    """How many pairs are more than so many steps apart, and what an allreduce takes about.

    >>> from generators.families.complete import complete
    >>> rate_graph(complete(4), 1, WorkLeft(100), duplex=True)
    (0, Fraction(73, 5))
    """
    state = annealed_graph(graph, steps, duplex=duplex)
    work.spend(int(state.loads[:, 1:].size))
    missed = int(state.sums[0, 0])
    apart = _steps_apart(missed, graph.n)
    return missed, 2 * steps + apart + WEIGHT * sum(bandwidths(state))


def count_missed(graph: Topology, steps: int, work: WorkLeft, *, duplex: bool) -> int:
    """How many pairs are more than so many steps apart: by balls alone.

    >>> from generators.families.complete import complete
    >>> count_missed(complete(4), 1, WorkLeft(100), duplex=True)
    0
    """
    state = graph_arrays(graph, steps, duplex=duplex)
    missed = int(fill_balls(state))
    work.spend(int(state.counts[WORK]))
    return missed


def repair_missed(
    graph: Topology, steps: int, share: int, work: WorkLeft, random: np.ndarray, *, duplex: bool
) -> Topology | None:
    """The graph with exchanges of links by which no pair is missed; None where some still are.

    `share` is the work that it may take, in loads; `random` the random state.
    """
    state = graph_arrays(graph, steps, duplex=duplex)
    fill_balls(state)
    missed = int(repair_pairs(state, share, random))
    work.spend(int(state.counts[WORK]))
    return None if missed else result_of(state.slots, graph.n, duplex=duplex)


def _steps_apart(missed: int, n: int) -> Fraction:
    """What missed pairs are expected to take more, in steps."""
    return min(Fraction(HOPELESS * missed, n), Fraction(2))
