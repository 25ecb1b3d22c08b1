"""The lower costs of two schedules against those of the schedules themselves."""

from dataclasses import replace
from fractions import Fraction

import pytest

from expansions.collective import Collective
from expansions.cost import Cost
from generators.errors import InvalidInput
from generators.families.generalized_kautz import generalized_kautz
from generators.topology import Topology
from tests.twins import random_topology
from topofinder.model.candidate import Method
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.schedules.deferral.least_costs import LARGEST, LeastCosts, least_costs
from topofinder.schedules.deferral.schedule import deferred_schedule
from topofinder.schedules.register import ScheduleTask, answer_task


@pytest.mark.parametrize("seed", range(12))
def test_the_schedule_of_less_bandwidth_is_costed(seed: int) -> None:
    graph = random_topology(seed, regular=seed % 2 == 0)
    found, gains = least_costs(graph), False
    for one, cost in ((graph, found.forth), (graph.transpose(), found.back)):
        made = [schedule(one).cost(one) for schedule in (bfb_schedule, deferred_schedule)]
        assert cost == min(made, key=lambda cost: cost.bandwidth)
        gains |= made[1].bandwidth < made[0].bandwidth
    assert found.method is (Method.DEFERRED if gains else Method.BFB)


@pytest.mark.parametrize("seed", range(12))
def test_the_choice_by_itself_takes_what_is_less_of_a_graph_without_a_name(seed: int) -> None:
    graph = random_topology(seed, regular=seed % 2 == 0)
    for collective in Collective:
        if collective is not Collective.ALLTOALL:
            root = 1 if collective.is_rooted else None
            task = ScheduleTask(topology=graph, collective=collective, root=root)
            bfb, deferred = (
                answer_task(replace(task, method=m)).saved for m in ("bfb", "deferred")
            )
            found = answer_task(task).saved
            assert found.cost == min(bfb.cost, deferred.cost, key=lambda cost: cost.bandwidth)
            deferred_gains = deferred.cost.bandwidth < bfb.cost.bandwidth
            assert found.method == ("deferred" if deferred_gains else "bfb")


def test_a_single_node_has_nothing_to_defer() -> None:
    task = ScheduleTask(topology=Topology.from_arcs(1, []))
    assert answer_task(task).saved.method == "bfb"
    assert answer_task(replace(task, method="deferred")).saved.cost == Cost(0, Fraction(0))


def test_graphs_that_are_not_deferred_in_passing_have_their_costs_by_bfb() -> None:
    many = Topology.from_arcs(66, [(u, v) for u in range(66) for v in range(66) if u != v])
    for graph in (many, generalized_kautz(2, LARGEST + 1)):
        forth, back = evaluate(graph).cost, evaluate(graph.transpose()).cost
        assert least_costs(graph) == LeastCosts(forth=forth, back=back, method=Method.BFB)


def test_what_has_no_cost_is_refused() -> None:
    with pytest.raises(InvalidInput, match="cannot reach"):
        least_costs(Topology.from_arcs(3, [(0, 1), (1, 0), (1, 2)]))
