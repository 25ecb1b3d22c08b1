"""G with a matching: one more port at every node but one, and no schedule lost."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings

from expansions.build import build
from expansions.lower_bounds import least_bandwidth
from expansions.matching import with_matching
from expansions.parser import parse
from expansions.recipe import Recipe
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.expansions.test_properties import check as check_properties
from tests.recipes import recipes
from tests.topofinder.schedules.test_compose_recipe import check_recipe
from topofinder.finder.prediction import best_known, predict


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(recipes(max_nodes=32, max_degree=6, irregular=True))
def test_every_node_but_one_of_odd_numbers_has_a_port_more(recipe: Recipe) -> None:
    graph = build(recipe)
    found = with_matching(graph)
    more = found.out_degrees - graph.out_degrees
    assert more.tolist() == [1] * (graph.n - graph.n % 2) + [0] * (graph.n % 2)
    assert (found.in_degrees - graph.in_degrees).tolist() == more.tolist()
    assert found.is_bidirectional == graph.is_bidirectional
    check_properties(parse(f"Match({recipe})"))


@pytest.mark.parametrize("text", ["Match(K(3))", "Match(Pi(2,7))", "Match(L(Diamond))"])
def test_schedules_cost_what_is_predicted(text: str) -> None:
    check_recipe(parse(text))


@pytest.mark.parametrize(("d", "n"), [(2, 9), (4, 7), (6, 101)])
def test_bandwidth_optimal_graphs_stay_so_beside_a_free_port(d: int, n: int) -> None:
    (candidate,) = predict(parse(f"Match(BiRing({d},{n}))"))
    least = least_bandwidth(n, d + 1, two_way=True)
    assert candidate.allgather.bandwidth == least == Fraction((d + 1) * (n - 1), d * n)
    assert candidate.bandwidth_optimal
    assert best_known(candidate.recipe)[0].allgather.steps < n // 2


def test_unequal_links_are_refused() -> None:
    with pytest.raises(InvalidInput, match="capacity"):
        with_matching(Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 2)))
