"""Proofs of what a merge brings: every recipe's graph is built and costed anew, and compared.

A claim that cannot be proved, as where the graph is too large, is refused like a wrong one.
"""

from dataclasses import replace
from fractions import Fraction

from db.discovery_rows import FindRow
from db.offered import Checks
from db.rows import CandidateRow, SizeRow
from db.throughput_rows import ThroughputRow
from expansions.build import build
from expansions.isomorphism import reverse_isomorphism
from expansions.recipe import Recipe
from generators.errors import InvalidInput, TopofinderError
from generators.excerpts import excerpt
from generators.topology import Topology
from topofinder.api.merge_checks import (
    WALKED,
    check_candidate,
    check_find,
    check_reversal,
    check_size,
    check_throughput,
)
from topofinder.api.shared.candidate_rows import candidate_row
from topofinder.api.throughput import throughput
from topofinder.discovery.results import Unproved, prove_costs
from topofinder.finder.base_candidates import Bases, both_ways, candidate_of_evaluation
from topofinder.finder.deferrals import evaluate_deferred
from topofinder.finder.prediction import EVALUABLE, predict
from topofinder.model.candidate import Candidate, LinkMode, Method
from topofinder.schedules.bfb.evaluation import Pair
from topofinder.schedules.collectives import REFINEMENTS

SECONDS = 20.0
"""How long to try for one throughput."""

BETTER = (
    *("balanced", "simple", "loop_free", "two_way", "symmetric", "even_return"),
    "line_exact",
)
"""Facts of which more is better: none may be claimed that the graph does not have."""

CLOSEST = Fraction(1, 10**9)
"""The gap that is aimed at where an interval is a point."""


def proofs() -> Checks:
    """The checks of all rows that are merged, with a proof of each cost."""
    bases = Bases()

    def prove_size(row: SizeRow) -> None:
        check_size(row)
        for each in dict.fromkeys((*row.frontier.members, *(row.pool or ()))):
            prove_candidate(each, bases)

    return Checks(
        size=prove_size, throughput=prove_throughput, find=prove_find, reversal=check_reversal
    )


def prove_candidate(row: CandidateRow, bases: Bases) -> None:
    """Refuse a row unless evaluation, and where it is an expansion's the theorem, gives its cost.

    Its facts must be those that the theorems give, or no better than what the graph has.
    """
    candidate = check_candidate(row)
    if row.n * row.n * row.d > EVALUABLE:
        raise InvalidInput(f"{excerpt(row.recipe)}: {row.n} nodes are too many to evaluate")
    graph = build(candidate.recipe)
    if row.links == LinkMode.DUPLEX and not graph.is_bidirectional:
        raise InvalidInput(f"{excerpt(row.recipe)}: the graph is not two-way")
    pair = both_ways(graph, graph.is_bidirectional)
    if row.diameter not in (None, pair[0].cost.steps):
        raise InvalidInput(f"{excerpt(row.recipe)}: the diameter is {pair[0].cost.steps}")
    if candidate.method is Method.BFB:
        _compare(row, candidate, pair)
    links, known = LinkMode(row.links), _predict_or_nothing(candidate.recipe, bases)
    if candidate.method is Method.DEFERRED:
        known.append(evaluate_deferred(candidate.recipe))
    if any(replace(candidate_row(each, links), engine=row.engine) == row for each in known):
        return
    if candidate.method is not Method.BFB:
        raise InvalidInput(f"{excerpt(row.recipe)}: no theorem gives {row.steps}, {row.bandwidth}")
    _require_facts(candidate, graph, pair, any(each.symmetric for each in known))


def prove_throughput(row: ThroughputRow) -> None:
    """Refuse an interval unless one that is found now lies within it."""
    check_throughput(row)
    if row.recipe is None or row.demand.startswith("matrix"):
        raise InvalidInput("cannot be proved: neither the graph nor the matrix is here")
    if row.n * row.n * row.d > WALKED:
        raise InvalidInput(f"{row.n} nodes are too many to prove it for in {SECONDS:g} s")
    found = throughput(row.recipe, pattern=row.demand, gap=row.gap or CLOSEST, time=SECONDS)
    if found.lower < row.lower or found.upper > row.upper:
        interval = f"[{float(found.lower):.6g}, {float(found.upper):.6g}]"
        raise InvalidInput(f"is not proved: within {SECONDS:g} s {interval} is found")


def prove_find(row: FindRow) -> None:
    """Refuse a find whose costs, by evaluation and a replayed schedule, are others."""
    check_find(row)
    if row.n * row.n * row.d > EVALUABLE:
        raise InvalidInput(f"{row.n} nodes are too many to evaluate")
    try:
        prove_costs(row.recipe, row.allgather, row.reduce_scatter)
    except Unproved as error:
        raise InvalidInput(str(error)) from None


def _predict_or_nothing(recipe: Recipe, bases: Bases) -> list[Candidate]:
    try:
        return predict(recipe, bases)
    except TopofinderError:
        return []


def _compare(row: CandidateRow, candidate: Candidate, pair: Pair) -> None:
    """Refuse what is not the cost of the graph's BFB; an upper bound may be above it."""
    for name, told, found in (
        ("allgather", candidate.allgather, pair[0].cost),
        ("reduce-scatter", candidate.reduce_scatter, pair[1].cost),
    ):
        if told != found if row.exact else not found.weakly_beats(told):
            raise InvalidInput(
                f"{excerpt(row.recipe)}: the {name} costs {found.steps}, {found.bandwidth}, "
                f"not {told.steps}, {told.bandwidth}"
            )


def _require_facts(candidate: Candidate, graph: Topology, pair: Pair, symmetric: bool) -> None:
    """Refuse facts that are better than what the graph has, or, of closed walks and loads, other.

    `symmetric` tells whether a theorem says so.
    """
    two_way = graph.is_bidirectional
    found = candidate_of_evaluation(
        candidate.recipe,
        pair,
        simple=graph.is_simple,
        loop_free=not graph.has_loops,
        two_way=two_way,
        symmetric=two_way or symmetric or (candidate.symmetric and _is_symmetric(graph)),
    )
    wrong = [name for name in BETTER if getattr(candidate, name) > getattr(found, name)]
    wrong += [
        name
        for name in ("cycle", "loads")
        if getattr(candidate, name) not in (None, getattr(found, name))
    ]
    if wrong:
        raise InvalidInput(f"{excerpt(candidate.recipe)}: {', '.join(wrong)} cannot be proved")


def _is_symmetric(graph: Topology) -> bool:
    try:
        return reverse_isomorphism(graph, REFINEMENTS) is not None
    except TopofinderError:
        return False
