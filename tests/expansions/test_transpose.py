"""T(G): every arc turned round, the costs exchanged, schedules made through reversal."""

import pytest
from hypothesis import HealthCheck, given, settings

from expansions.build import build
from expansions.canonical import transpose
from expansions.collective import Collective
from expansions.parser import parse
from expansions.properties import is_own_transpose
from expansions.recipe import Recipe
from expansions.transpose import transpose_graph
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.recipes import recipes
from tests.schedules import schedule_of
from topofinder.finder.enumeration import Pools
from topofinder.finder.prediction import best_known, predict
from topofinder.model.candidate import Method
from topofinder.model.frontier import frontier
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.verification.schedules import verify_schedule

TURNED = ["T(Diamond)", "T(DBJMod(2,4))", "L(T(DBJMod(2,3)))", "T(Pi(2,7))||2", "T(Diamond)^2"]


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(recipes(max_nodes=40, max_degree=8, irregular=True))
def test_transposes_cost_what_the_graph_does_the_other_way(recipe: Recipe) -> None:
    turned = transpose(recipe)
    assert transpose(turned) == recipe
    graph = build(recipe)
    assert evaluate(build(turned)).cost == evaluate(graph.transpose()).cost
    if is_own_transpose(recipe):
        assert evaluate(graph).cost == evaluate(graph.transpose()).cost
    known = {(c.method, c.allgather, c.reduce_scatter) for c in predict(recipe)}
    swapped = {(c.reduce_scatter, c.allgather) for c in predict(turned)}
    assert swapped == {(forth, back) for _, forth, back in known}


@pytest.mark.parametrize("text", TURNED)
@pytest.mark.parametrize("collective", [Collective.ALLGATHER, Collective.REDUCE_SCATTER])
def test_schedules_of_transposes(text: str, collective: Collective) -> None:
    recipe = parse(text)
    for candidate in predict(recipe):
        schedule = schedule_of(candidate, collective)
        assert verify_schedule(build(recipe), schedule).valid
        assert schedule.cost(build(recipe)) == candidate.cost(collective)
    assert {Method.BFB, Method.EXPANSION} & {one.method for one in predict(recipe)}


@pytest.mark.usefixtures("unsearched_sizes")
@pytest.mark.parametrize(("n", "d"), [(156, 5), (198, 5), (216, 5), (268, 3)])
def test_a_transpose_is_a_member_where_it_is_the_cheaper_allgather_fabric(n: int, d: int) -> None:
    best = frontier(Pools().pool(n, d))
    (member,) = (c for c in best if str(c.recipe) == f"T(Pi({d},{n}))")
    assert member.allgather == evaluate(build(member.recipe)).cost
    (known,) = best_known(parse(f"Pi({d},{n})"), with_deferred=False)
    assert (known.allgather, known.reduce_scatter) == (member.reduce_scatter, member.allgather)


def test_unequal_links_are_refused() -> None:
    with pytest.raises(InvalidInput, match="capacity"):
        transpose_graph(Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 2)))
