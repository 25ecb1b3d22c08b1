"""Graphs that ship with their costs: each line is proved again, and every search has its graph."""

from dataclasses import replace

import pytest

from expansions.build import build
from expansions.canonical import canonical
from expansions.lower_bounds import free_ports
from expansions.parser import parse
from expansions.recipe import Recipe
from expansions.searched_graphs import (
    evaluated_graphs,
    evaluated_profile,
    read_searched_graph,
    searched_graphs,
    searched_profile,
)
from generators import searched_graphs as searched
from generators.cost_profile import CostProfile, text_digest
from generators.searched_graphs import all_searched_lines, searched_place
from generators.sized_lines import data_text
from topofinder.finder.base_candidates import both_ways, candidate_of_evaluation, evaluate_recipe
from topofinder.finder.base_scope import Scope
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode
from topofinder.model.frontier import frontier

LINES = all_searched_lines()
SAMPLE = [read_searched_graph(line) for line in LINES[:: max(1, len(LINES) // 60)]]
EVALUATED = data_text(searched.EVALUATED).splitlines()
FEW = [read_searched_graph(line) for line in EVALUATED[:: max(1, len(EVALUATED) // 40)]]


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
    shipped = evaluate_recipe(recipe)
    assert shipped.simple == graph.is_simple or evaluated_profile(recipe) is profile
    assert shipped == replace(real, simple=graph.is_simple and shipped.simple)
    assert profile.two_way == two_way
    assert (searched_profile(recipe) or evaluated_profile(recipe)) is profile


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


@pytest.mark.parametrize(("recipe", "profile"), FEW, ids=lambda one: getattr(one, "digest", ""))
def test_a_sample_of_what_was_evaluated_costs_what_ships(
    recipe: Recipe, profile: CostProfile
) -> None:
    reprove(recipe, profile)
    assert canonical(recipe) == recipe
    two_way = profile.two_way
    one_way = not (two_way and free_ports(profile.n, profile.d))
    assert (recipe in evaluated_graphs(profile.n, profile.d, "simplex")) == one_way
    assert (recipe in evaluated_graphs(profile.n, profile.d, "duplex")) == two_way


@pytest.mark.slow
@pytest.mark.parametrize("part", range(16))
def test_all_that_was_evaluated_costs_what_ships(part: int) -> None:
    for recipe, profile in map(read_searched_graph, EVALUATED[part::16]):
        reprove(recipe, profile)
        assert canonical(recipe) == recipe


@pytest.mark.parametrize("lines", [LINES, EVALUATED], ids=["searched", "evaluated"])
def test_lines_are_named_by_their_recipe_in_order(lines: list[str]) -> None:
    recipes = [line.split(" ", 8)[-1] for line in lines]
    assert len(set(recipes)) == len(recipes) > 0
    for line, recipe in zip(lines, recipes, strict=True):
        assert line[:8] == text_digest(recipe)
    assert sorted(lines, key=searched_place) == lines


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
