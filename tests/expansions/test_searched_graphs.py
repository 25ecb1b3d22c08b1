"""What ships of long searches: each line is proved again, and every search has its graph."""

from dataclasses import replace

import pytest

from expansions.build import build
from expansions.canonical import canonical
from expansions.parser import parse
from expansions.recipe import Recipe
from expansions.searched_graphs import read_searched_graph, searched_graphs, searched_profile
from generators.cost_profile import CostProfile, text_digest
from generators.searched_graphs import all_searched_lines
from topofinder.finder.base_candidates import both_ways, candidate_of_evaluation, evaluate_recipe
from topofinder.finder.base_scope import Scope
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode
from topofinder.model.frontier import frontier

LINES = all_searched_lines()
SAMPLE = [read_searched_graph(line) for line in LINES[:: max(1, len(LINES) // 60)]]


def reprove(recipe: Recipe, profile: CostProfile) -> None:
    graph = replace(build(recipe), orbits=None, translation=None)
    two_way = graph.is_bidirectional
    real = candidate_of_evaluation(
        recipe,
        both_ways(graph),
        simple=graph.is_simple,
        loop_free=not graph.has_loops,
        two_way=two_way,
        symmetric=two_way,
    )
    assert evaluate_recipe(recipe) == real
    assert profile.two_way == two_way
    assert searched_profile(recipe) is profile


@pytest.mark.parametrize(("recipe", "profile"), SAMPLE, ids=lambda one: getattr(one, "digest", ""))
def test_a_sample_costs_what_ships(recipe: Recipe, profile: CostProfile) -> None:
    reprove(recipe, profile)
    links = LinkMode.DUPLEX if profile.two_way else LinkMode.SIMPLEX
    cost = evaluate_recipe(recipe).allgather
    found = frontier(Pools().pool(profile.n, profile.d, links))
    assert any(point.allgather.weakly_beats(cost) for point in found)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(16))
def test_every_graph_costs_what_ships(part: int) -> None:
    for recipe, profile in map(read_searched_graph, LINES[part::16]):
        reprove(recipe, profile)
        assert canonical(recipe) == recipe


def test_lines_are_named_by_their_recipe() -> None:
    recipes = [line.split(" ", 8)[-1] for line in LINES]
    assert len(set(recipes)) == len(recipes) > 0
    for line, recipe in zip(LINES, recipes, strict=True):
        assert line[:8] == text_digest(recipe)


@pytest.mark.parametrize(("recipe", "profile"), SAMPLE, ids=lambda one: getattr(one, "digest", ""))
def test_lines_are_canonical(recipe: Recipe, profile: CostProfile) -> None:
    assert canonical(recipe) == recipe
    links = "duplex" if profile.two_way else "simplex"
    assert recipe in searched_graphs(profile.n, profile.d, links)


def test_the_published_method_has_none_of_them() -> None:
    recipe, profile = SAMPLE[0]
    links = LinkMode.DUPLEX if profile.two_way else LinkMode.SIMPLEX
    assert recipe in Scope().recipes_at(profile.n, profile.d, links)
    assert Scope(published=True).recipes_at(profile.n, profile.d, links) == ()
    assert searched_profile(parse("L(K(4,4))")) is None
