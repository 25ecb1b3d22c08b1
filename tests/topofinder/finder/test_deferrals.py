"""Deferred schedules in searches with an effort: kept, stored, scheduled and proved as told."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from expansions.build import build
from expansions.collective import Collective
from expansions.cost import Cost
from expansions.deferred_costs import deferred_costs
from expansions.parser import parse
from generators.errors import InvalidInput
from topofinder.api.merge_proofs import prove_candidate
from topofinder.api.schedule_methods import ScheduleRequest, make_schedule
from topofinder.api.shared.candidate_rows import candidate_row
from topofinder.api.shared.frontiers import search_size
from topofinder.finder.base_candidates import Bases, evaluate_recipe
from topofinder.finder.deferrals import evaluate_deferred, pool_with_effort, with_deferrals
from topofinder.finder.enumeration import Pools
from topofinder.finder.prediction import best_known, choose_candidate
from topofinder.finder.shipped_finds import with_shipped_deferrals
from topofinder.model.candidate import Candidate, LinkMode, Method
from topofinder.schedules.bfb.evaluation import GraphEvaluations
from topofinder.verification.schedules import verify_schedule

GRAFT = "Graft(Cay(Z7:Z3[2]xZ2;3,7);-13.1)"


def test_a_search_keeps_deferred_schedules_and_a_schedule_costs_what_it_says(
    tmp_path: Path,
) -> None:
    found = search_size(41, 2, db=tmp_path / "f.db", effort=1)
    [row] = [one for one in found.frontier.members if one.method == "deferred"]
    assert (row.recipe, row.steps, row.bandwidth) == (GRAFT, 6, Fraction(1))
    for collective, cost in (
        (Collective.ALLGATHER, Cost(row.steps, row.bandwidth)),
        (Collective.REDUCE_SCATTER, Cost(row.rs_steps, row.rs_bandwidth)),
    ):
        made = make_schedule(ScheduleRequest(subject=row.recipe, collective=collective))
        assert made.saved.method == "deferred"
        verdict = verify_schedule(made.saved.topology, made.saved.schedule)
        assert verdict.violation is None
        assert verdict.cost == cost
    again = search_size(41, 2, db=tmp_path / "f.db", effort=1)
    assert again.frontier.members == found.frontier.members


def test_only_graphs_that_may_gain_are_deferred() -> None:
    graft = evaluate_recipe(parse(GRAFT))
    quick = replace(
        graft, allgather=Cost(5, Fraction(40, 41)), reduce_scatter=Cost(5, Fraction(40, 41))
    )
    assert [one.method for one in with_deferrals([graft], LinkMode.SIMPLEX, 1)] == [
        Method.DEFERRED,
        Method.BFB,
    ]
    assert with_deferrals([quick], LinkMode.SIMPLEX, 1) == [quick]
    assert with_deferrals([], LinkMode.SIMPLEX, 1) == []


def test_the_graph_of_least_bandwidth_is_deferred_where_all_take_much() -> None:
    pool = pool_with_effort(Pools(), 397, 2, LinkMode.SIMPLEX, 1)
    quickest = min(pool, key=lambda one: one.allgather)
    best = min(
        (one for one in pool if one.allgather.steps <= 18), key=lambda one: one.allgather.bandwidth
    )
    assert quickest.allgather.bandwidth > Fraction(11, 10)
    assert best.method is Method.DEFERRED
    assert best.bandwidth_optimal


@pytest.mark.parametrize(
    ("n", "d", "effort", "most"),
    [(750, 13, 1, 2), (1000, 13, 1, 1), (1200, 13, 1, 0), (2000, 17, 2, 1)],
)
def test_of_large_graphs_few_are_deferred(
    n: int, d: int, effort: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = replace(evaluate_recipe(parse(GRAFT)), n=n, d=d, diameter=2)
    pool = [replace(slow, recipe=parse(f"C({n},{{1,{one}}})")) for one in range(2, 6)]
    asked = list[str]()

    def note(candidate: Candidate) -> None:
        asked.append(str(candidate.recipe))

    monkeypatch.setattr("topofinder.finder.deferrals.deferred_candidate", note)
    assert with_deferrals(pool, LinkMode.SIMPLEX, effort) == pool
    assert len(asked) == most


def test_a_deferred_schedule_is_chosen_where_it_takes_less_bandwidth() -> None:
    assert [one.method for one in best_known(parse(GRAFT))] == [Method.DEFERRED]
    chosen = choose_candidate(parse("Torus(4,6)"), Collective.ALLGATHER)
    assert chosen is not None
    assert chosen.method is Method.BFB
    diamond = choose_candidate(parse("Diamond"), Collective.ALLGATHER)
    assert diamond is not None
    assert diamond.method is Method.SYNTHESIS


def test_graphs_of_deferred_schedules_that_ship_are_built_but_not_evaluated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pools = {size: Pools().pool(*size) for size in [(1994, 8), (1977, 8), (1797, 6)]}
    wanted = {
        (size, one.recipe): evaluate_recipe(one.recipe)
        for size in pools
        for one in deferred_costs(*size, "simplex")
    }
    monkeypatch.setattr(GraphEvaluations, "pair", None)
    unknown = 0
    for size, pool in pools.items():
        known = {one.recipe for one in pool}
        for one in with_shipped_deferrals(pool, LinkMode.SIMPLEX):
            if one.method is Method.DEFERRED and one.recipe not in known:
                graph = wanted[size, one.recipe]
                assert (one.n, one.d, one.two_way) == (graph.n, graph.d, graph.two_way)
                assert one.loop_free == graph.loop_free
                assert one.simple == build(one.recipe).is_simple
                unknown += 1
    assert unknown > 0


def test_rows_of_deferred_schedules_are_proved() -> None:
    found = candidate_row(evaluate_deferred(parse(GRAFT)), LinkMode.SIMPLEX)
    row = replace(found, created="2026-01-01T00:00:00Z")
    prove_candidate(row, Bases())
    forged = replace(row, bandwidth=Fraction(81, 82))
    with pytest.raises(InvalidInput, match="no theorem gives 6, 81/82"):
        prove_candidate(forged, Bases())
