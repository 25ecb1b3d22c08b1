"""Exact answers where the theorems give only a bound, or the schedule is not the graph's best.

After pruning by theorems, some candidates might still be better than their formula: a line graph
for which theorem 10 is not known to be an equality, or an expanded graph whose own BFB schedule
may take fewer steps than the expanded schedule. Those that could then win are built and
evaluated exactly, where that is cheap.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from expansions import canonical
from expansions.build import build
from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth
from expansions.plain_twin import plain_twin
from expansions.recipe import Base, Line, Recipe
from expansions.register import expansion_of
from generators.topology import Topology
from topofinder.finder.base_candidates import candidate_of_evaluation
from topofinder.model.candidate import (
    LINE_OPEN_KEPT,
    Candidate,
    LinkMode,
    Method,
    cost_lower_bound,
    is_evaluated_in_passing,
)
from topofinder.schedules.bfb.cayley import translated_pair
from topofinder.schedules.bfb.evaluation import (
    Evaluation,
    GraphEvaluations,
    Pair,
    kernels_are_loaded,
)
from topofinder.schedules.bfb.evaluation_numpy import ALWAYS, is_quick_in_numpy
from topofinder.schedules.bfb.kautz import least_steps
from topofinder.schedules.bfb.line_graphs import (
    evaluate_line_graph,
    evaluate_ring_lines,
    has_quick_line_graph,
    read_ring_lines,
)


def refine_exactly(
    reached: Iterable[Candidate],
    kept: Sequence[Candidate],
    links: LinkMode,
    below: int | None = None,
) -> Iterator[Candidate]:
    """Exact BFB candidates for those of `reached` that could better what pruning has `kept`.

    Candidates that are settled by their formula are not repeated; an upper bound that an
    evaluation replaces is to be pruned by the caller (its exact twin beats it). Graphs of diameter
    `below` and more are of no use.
    """
    seen, best = set[Recipe](), list(kept)
    pairs: dict[Recipe, Pair | None] = {}
    open_ = [candidate for candidate in reached if _in_question(candidate, kept, links)]
    for candidate in sorted(open_, key=Candidate.preference):
        if candidate.recipe not in seen and _in_question(candidate, best, links):
            seen.add(candidate.recipe)
            twin = plain_twin(candidate.recipe)
            if twin not in pairs:
                pairs[twin] = _pair_unless_hopeless(candidate, best, below)
            pair = pairs[twin]
            if pair is not None:
                best.append(evaluate_exactly(candidate, pair))
                yield best[-1]


def _pair_unless_hopeless(
    candidate: Candidate, kept: Sequence[Candidate], below: int | None
) -> Pair | None:
    """What BFB takes both ways; None where a lower bound says that it betters nothing."""
    rings = read_ring_lines(candidate.recipe)
    if rings is not None:
        found = evaluate_ring_lines(*rings)
        return found, found
    if is_quick_in_numpy(candidate.n, candidate.d) and not kernels_are_loaded():
        return _pair_of_graph(candidate, kept, below)
    quick = translated_pair(candidate.recipe, candidate.symmetric)
    if quick is not None:
        return quick
    if _takes_too_many_steps(candidate, kept):
        return None
    if isinstance(candidate.recipe, Line):
        root = build(canonical.line_root(candidate.recipe))
        if has_quick_line_graph(root):
            return evaluate_line_graph(root, candidate.symmetric)
    return _pair_of_graph(candidate, kept, below)


def _takes_too_many_steps(candidate: Candidate, kept: Sequence[Candidate]) -> bool:
    """Whether the steps that it is known to take at least leave it nothing to better."""
    steps = least_steps(candidate.recipe)
    hope = Cost(steps, least_bandwidth(candidate.n))
    return steps > 0 and any(cannot_better(hope, other) for other in kept)


def _pair_of_graph(
    candidate: Candidate, kept: Sequence[Candidate], below: int | None
) -> Pair | None:
    """The same by the whole graph, of which one node or a few receivers may tell enough."""
    topology = build(candidate.recipe)
    steps = hops_to_farthest(topology)
    if below is not None and steps >= below:
        return None
    ideal = _ideal_evaluation(candidate, steps)
    if _is_beaten(evaluate_exactly(candidate, (ideal, ideal)), kept):
        return None
    graph = GraphEvaluations(topology, candidate.symmetric)
    for pair in graph.lower_bounds():
        if _is_beaten(replace(evaluate_exactly(candidate, pair), line_exact=0), kept):
            return None
    return graph.pair()


def hops_to_farthest(topology: Topology) -> int:
    """The greatest distance from node 0: so many steps are taken at least, on the transpose too.

    >>> from generators.families.ring import one_way_ring
    >>> hops_to_farthest(one_way_ring(1, 5))
    4
    """
    tail, head = topology.tail, topology.head
    seen = np.zeros(topology.n, np.bool_)
    seen[0], hops, count = True, 0, 1
    while count < topology.n:
        seen[head[seen[tail]]] = True
        before, count = count, int(np.count_nonzero(seen))
        if count == before:  # the rest cannot be reached, which an evaluation refuses
            break
        hops += 1
    return hops


def _ideal_evaluation(candidate: Candidate, steps: int) -> Evaluation:
    """What BFB costs at best on a graph that takes so many steps.

    Of two-way graphs theorem 10 is an equality, however often line graphs are made.
    """
    n, d = candidate.n, candidate.d
    return Evaluation(
        n=n,
        d=d,
        shards=(n - 1, *(0,) * (steps - 1)),
        links=(d,) * steps,
        line_exact=ALWAYS if candidate.two_way and n > 2 else 0,
        cycle=2,
    )


def _is_beaten(least: Candidate, kept: Sequence[Candidate]) -> bool:
    """Whether what an evaluation is at least is worse already than what is kept, in every use."""
    return any(other.beats(least) and _costs(other) != _costs(least) for other in kept)


def _costs(candidate: Candidate) -> tuple[Cost, Cost]:
    return candidate.allgather, candidate.reduce_scatter


def _in_question(candidate: Candidate, kept: Sequence[Candidate], links: LinkMode) -> bool:
    """Whether an evaluation in passing may better what is kept."""
    hope = best_hope(candidate, links)
    n, d, steps = candidate.n, candidate.d, candidate.allgather.steps
    if hope is None or not is_evaluated_in_passing(n, d, steps):
        return False
    others = [other for other in kept if other is not candidate]
    if _may_be_line_open(candidate, hope):
        others = [other for other in others if other.line_open and other.n > LINE_OPEN_KEPT]
    return not any(cannot_better(hope, other) for other in others)


def _may_be_line_open(candidate: Candidate, hope: Cost) -> bool:
    """Whether its line graph may gain, too: what costs less, but gains none, does not stand in.

    A line graph that is too large to be evaluated in passing costs what the theorem says.
    """
    n, d = candidate.n, candidate.d
    if d < 2 or candidate.two_way or hope.bandwidth != least_bandwidth(n):
        return False
    return is_evaluated_in_passing(n * d, d, hope.steps + 1)


def cannot_better(hope: Cost, other: Candidate) -> bool:
    """Whether a cost that is at best `hope` cannot better what `other` is sure to reach."""
    return other.allgather.weakly_beats(hope)


def best_hope(candidate: Candidate, links: LinkMode) -> Cost | None:
    """The least that the graph's own BFB schedule can cost; None when nothing can be gained."""
    if candidate.method is Method.BFB and candidate.exact:
        return None
    bound = cost_lower_bound(candidate.n, candidate.d, links)
    least = bound.bandwidth
    gain = _gain(candidate) if candidate.method is Method.BFB else None
    if gain is not None:
        return Cost(candidate.allgather.steps, max(least, candidate.allgather.bandwidth - gain))
    if candidate.two_way:
        bound = cost_lower_bound(candidate.n, candidate.d, LinkMode.DUPLEX)
    steps = candidate.diameter or bound.steps
    if candidate.method is Method.SYNTHESIS or candidate.allgather == Cost(steps, least):
        return None
    return Cost(steps, least)


def _gain(candidate: Candidate) -> Fraction | None:
    """How much less bandwidth BFB can take than the candidate's formula, where that is bounded."""
    recipe = candidate.recipe
    gain = None if isinstance(recipe, Base) else expansion_of(recipe).gain
    steps = candidate.allgather.steps
    return gain(steps, candidate.n, candidate.d, *recipe.numbers) if gain else None


def evaluate_exactly(candidate: Candidate, pair: Pair) -> Candidate:
    """The BFB candidate of the same recipe, from the evaluation of its graph both ways."""
    found = candidate_of_evaluation(
        candidate.recipe,
        pair,
        simple=candidate.simple,
        loop_free=candidate.loop_free,
        two_way=candidate.two_way,
        symmetric=candidate.symmetric,
    )
    return replace(found, even_return=candidate.even_return)
