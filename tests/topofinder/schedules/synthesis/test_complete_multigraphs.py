"""Allgathers in two steps on complete multigraphs: valid, of least bandwidth time, both ways."""

from collections import Counter
from fractions import Fraction

import pytest

from expansions.collective import Collective
from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth
from expansions.parser import parse
from generators.errors import Unsupported
from generators.families.complete_multigraph import complete_multigraph
from topofinder.api.schedule_methods import ScheduleRequest, make_schedule
from topofinder.finder.base_candidates import Bases
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import Method
from topofinder.schedules.synthesis.complete_multigraphs import (
    LARGEST,
    PROVED_DEGREE,
    PROVED_NODES,
    relayed_allgather,
    relayed_cost,
)
from topofinder.verification.schedules import verify_schedule


@pytest.mark.parametrize("n", range(3, 13))
def test_all_of_them_are_valid_and_take_the_least_bandwidth(n: int) -> None:
    for d in range(n, 3 * n):
        cost = None if d % (n - 1) == 0 else Cost(2, least_bandwidth(n))
        assert relayed_cost(n, d) == cost
        if cost is None:
            continue
        graph, schedule = complete_multigraph(n, d), relayed_allgather(n, d)
        verdict = verify_schedule(graph, schedule)
        assert verdict.violation is None
        assert verdict.cost == schedule.cost(graph) == cost


@pytest.mark.parametrize("n", range(3, PROVED_NODES + 1))
def test_where_costs_need_no_flow_there_is_one(n: int) -> None:
    for d in range(n, PROVED_DEGREE + 1):
        if relayed_cost(n, d) is None:
            with pytest.raises(Unsupported):
                relayed_allgather(n, d)
        else:
            assert relayed_allgather(n, d).rows > 0


def test_links_carry_one_piece_each_and_then_as_much_each() -> None:
    for n, d in ((5, 7), (8, 15), (6, 6)):
        schedule, pieces = relayed_allgather(n, d), d // (n - 1) + 1
        loads: dict[int, Counter[int]] = {1: Counter(), 2: Counter()}
        width = (schedule.end - schedule.begin).tolist()
        rows = zip(schedule.arc.tolist(), schedule.step.tolist(), width, strict=True)
        for arc, step, units in rows:
            loads[step][arc] += units
        lacking = n - 1 - d % (n - 1)
        second = Fraction(lacking, pieces * d)
        for step, share in ((1, Fraction(1, pieces)), (2, second)):
            assert set(loads[step].values()) == {int(share * schedule.denominator)}
            assert len(loads[step]) == n * d


@pytest.mark.parametrize(
    ("collective", "recipe"),
    [
        (Collective.REDUCE_SCATTER, "MultiK(5,7)"),
        (Collective.REDUCE_SCATTER, "MultiK(7,11)"),
        (Collective.ALLREDUCE, "MultiK(6,6)"),
    ],
)
def test_schedules_by_name_cost_what_is_predicted(collective: Collective, recipe: str) -> None:
    made = make_schedule(
        ScheduleRequest(subject=recipe, collective=collective, method=Method.SYNTHESIS.value)
    )
    [candidate] = [
        one for one in Bases().candidates(parse(recipe)) if one.method is Method.SYNTHESIS
    ]
    verdict = verify_schedule(made.saved.topology, made.saved.schedule)
    assert verdict.violation is None
    assert verdict.cost == candidate.cost(collective)


def test_expansions_of_them_are_candidates_that_cost_what_they_say() -> None:
    pool = Pools().all_candidates(20, 5)
    [found] = [
        one for one in pool if str(one.recipe) == "L(MultiK(4,5))" and one.allgather.steps == 3
    ]
    made = make_schedule(ScheduleRequest(subject="L(MultiK(4,5))", method="expansion"))
    assert verify_schedule(made.saved.topology, made.saved.schedule).cost == found.allgather


def test_there_is_none_where_all_pairs_have_as_many_links_or_there_are_many() -> None:
    assert relayed_cost(4, 6) is None
    assert relayed_cost(LARGEST + 1, 2 * LARGEST + 1) is None
    with pytest.raises(Unsupported, match=r"MultiK\(4,6\): no allgather in two steps is known"):
        relayed_allgather(4, 6)
