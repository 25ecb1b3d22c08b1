"""What the search predicts for random recipes against the graphs they build."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings

from expansions.build import build
from expansions.lower_bounds import least_bandwidth
from expansions.parser import parse
from expansions.recipe import Recipe
from tests.recipes import recipes
from topofinder.finder.base_candidates import Bases
from topofinder.finder.prediction import predict
from topofinder.model.candidate import Candidate, Method
from topofinder.schedules.bfb.evaluation import evaluate

BASES = Bases()


def check(candidate: Candidate) -> None:
    """Every property and cost of a candidate that the built graph can confirm or deny."""
    topology = build(candidate.recipe)
    forth, back = evaluate(topology), evaluate(topology.transpose())
    assert (candidate.n, candidate.d) == (topology.n, topology.degree)
    assert not candidate.simple or topology.is_simple
    assert not candidate.loop_free or not topology.has_loops
    assert not candidate.two_way or topology.is_bidirectional
    assert candidate.diameter in (None, forth.cost.steps)
    assert candidate.cycle in (None, forth.cycle)
    least = least_bandwidth(topology.n)
    if candidate.balanced:
        assert forth.cost.bandwidth == back.cost.bandwidth == least
    for predicted, found in ((candidate.allgather, forth), (candidate.reduce_scatter, back)):
        assert predicted.steps >= found.cost.steps
        assert predicted.bandwidth >= least
        if candidate.method is Method.BFB:
            assert predicted.steps == found.cost.steps
            assert predicted.bandwidth >= found.cost.bandwidth
            assert not candidate.exact or predicted.bandwidth == found.cost.bandwidth


@given(recipe=recipes(max_nodes=200, max_degree=12))
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_recipes(recipe: Recipe) -> None:
    for candidate in predict(recipe, BASES):
        assert candidate.recipe == recipe
        check(candidate)


@pytest.mark.parametrize(
    "text",
    [
        "K(3,3)*2",
        "H(2,3)*2",
        "UniRing(1,5)*3",
        "UniRing(2,4)*2",
        "(K(3) x K(4))*2",
        "Torus(3,4)*2",
        "(UniRing(1,4)^2)*2",
    ],
)
def test_degree_expansion_of_balanced_graphs_with_even_returns_is_balanced(text: str) -> None:
    (candidate,) = predict(parse(text), BASES)
    assert candidate.method is Method.BFB
    assert candidate.balanced
    check(candidate)


def test_degree_expansion_with_uneven_returns_keeps_the_schedule_of_definition_2() -> None:
    (candidate,) = predict(parse("DirC(3)*2"), BASES)
    assert candidate.method is Method.EXPANSION
    assert candidate.allgather.bandwidth == Fraction(9, 10)
    check(candidate)


def test_two_way_versions_of_graphs_that_are_not_their_own_transpose() -> None:
    for text in ("Bi(Pi(2,5))", "Bi(L(Pi(2,5)))", "Bi(Pi(3,10))"):
        (candidate,) = predict(parse(text), BASES)
        assert candidate.two_way
        check(candidate)


def test_synthesised_schedules_are_candidates_beside_bfb() -> None:
    methods = {candidate.method for candidate in predict(parse("Diamond"), BASES)}
    assert methods == {Method.BFB, Method.SYNTHESIS}
