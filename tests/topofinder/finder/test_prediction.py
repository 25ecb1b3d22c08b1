"""The cost of any recipe: by theorems, by evaluation where there is none, and never too low."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from expansions.build import build
from expansions.cost import Cost
from expansions.costs import degree_cost
from expansions.lower_bounds import least_bandwidth
from expansions.parser import parse
from expansions.recipe import Recipe
from expansions.size import size
from generators.errors import InvalidInput, TopofinderError, Unsupported
from tests.recipes import recipes
from topofinder.api.show_records import recipe_facts
from topofinder.finder import base_candidates
from topofinder.finder.base_candidates import evaluate_recipe
from topofinder.finder.prediction import best_known, predict
from topofinder.model.candidate import Method
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.deferral.quotas import defer_shards


@pytest.mark.parametrize(
    "text", ["K(2) x Kautz(2,2)", "Pi(2,5) x Pi(2,6)", "DBJ(2,3) x K(3)", "UniRing(2,3) x K(2)"]
)
def test_products_without_a_theorem_are_evaluated(text: str) -> None:
    recipe = parse(text)
    assert predict(recipe) == []
    (found,) = best_known(recipe)
    topology = build(recipe)
    assert found.exact
    eager = evaluate(topology).cost, evaluate(topology.transpose()).cost
    deferred = defer_shards(topology).cost, defer_shards(topology.transpose()).cost
    costs = deferred if found.method is Method.DEFERRED else eager
    assert (found.allgather, found.reduce_scatter) == costs
    assert (deferred < eager) == (found.method is Method.DEFERRED)


@pytest.mark.parametrize("text", ["L(UniRing(1,5))*2", "(K(2) x Kautz(2,2))*2"])
def test_an_expansion_of_what_no_theorem_costs_is_predicted_from_its_evaluation(text: str) -> None:
    recipe = parse(text)
    assert predict(recipe.inner) == []
    (found,) = predict(recipe)
    assert found.allgather == degree_cost(evaluate(build(recipe.inner)).cost, found.n // 2, 2)


@settings(max_examples=60, deadline=None)
@given(recipes(max_nodes=48, max_degree=8))
def test_what_is_known_of_a_recipe(recipe: Recipe) -> None:
    try:
        topology = build(recipe)
    except InvalidInput:
        with pytest.raises(TopofinderError):
            best_known(recipe)
        return
    known = best_known(recipe)
    best_bfb = evaluate(topology).cost
    for candidate in known:
        assert (candidate.n, candidate.d) == size(recipe)
        assert candidate.allgather.bandwidth >= least_bandwidth(candidate.n)
        assert candidate.allgather.steps >= best_bfb.steps
        if candidate.method is Method.BFB and candidate.exact:
            assert candidate.allgather == best_bfb
    assert any(candidate.allgather.weakly_beats(best_bfb) for candidate in known)
    steps = [candidate.allgather.steps for candidate in known]
    widths = [candidate.allgather.bandwidth for candidate in known]
    assert steps == sorted(set(steps))
    assert widths == sorted(set(widths), reverse=True)


def test_large_recipes_are_costed_without_building(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_candidates, "build", None)
    (line,) = best_known(parse("L^8(K(4,4))"))
    assert (line.n, line.d) == (524288, 4)
    assert line.exact
    assert line.allgather.steps == 10
    # Theorem 10: a line graph adds 1/n of the graph it is made from, of 8, 32, 128... nodes.
    added = sum(Fraction(1, 8 * 4**k) for k in range(8))
    assert line.allgather.bandwidth == Fraction(7, 8) + added
    (torus,) = best_known(parse("Torus(100,100,100)"))
    assert torus.allgather == Cost(150, Fraction(999_999, 1_000_000))
    (power,) = best_known(parse("K(4)^9"))
    assert power.allgather == Cost(9, Fraction(4**9 - 1, 4**9))


def test_a_large_product_without_a_theorem_is_refused() -> None:
    recipe = parse("K(60) x Kautz(2,10)")
    with pytest.raises(Unsupported) as error:
        best_known(recipe)
    assert str(error.value) == (
        "K(60) x Kautz(2,10): no theorem gives its cost, and 184320 nodes are too many to try"
    )


@pytest.mark.parametrize("text", ["Pi(2,5)*2", "L(DBJ(2,3)*2)"])
def test_expansions_that_do_not_apply(text: str) -> None:
    with pytest.raises(InvalidInput, match="G\\*n needs a graph without self-loops"):
        best_known(parse(text))


def test_an_upper_bound_gives_way_to_the_exact_cost() -> None:
    recipe = parse("Kautz(2,2)*2")
    bound = predict(recipe)
    assert bound
    exact = evaluate_recipe(recipe)
    known = best_known(recipe)
    assert any(candidate.allgather.weakly_beats(exact.allgather) for candidate in known)
    assert all(any(one.allgather.weakly_beats(two.allgather) for one in known) for two in bound)


@pytest.mark.parametrize("text", ["K(4,4)", "Bi(Diamond)", "Torus(3,3)"])
def test_facts_of_two_way_graphs_use_the_two_way_bound(text: str) -> None:
    facts = recipe_facts(parse(text))
    assert facts.links == "duplex"
    assert facts.properties["two-way"] is True
    assert facts.main is facts.schedules[-1]
