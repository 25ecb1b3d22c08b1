"""No cost is called exact that is not: theorems are applied to the graphs that they speak of.

Every expansion of every small base graph, irregular ones among them, is predicted, scheduled and
replayed, both ways; two expansions deep those of one graph of each kind, and with -m slow of all,
and deeper ones at random.
"""

from collections.abc import Iterable
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, seed, settings

from expansions.build import build
from expansions.canonical import canonical
from expansions.cost import Cost
from expansions.parser import parse
from expansions.properties import properties
from expansions.recipe import Base, Degree, Recipe
from expansions.size import size
from generators.errors import InvalidInput, Unsupported
from tests.expansions.test_properties import grown
from tests.recipes import recipes, small_bases
from tests.topofinder.schedules.test_compose_recipe import check_recipe
from topofinder.api.show_records import recipe_facts
from topofinder.finder.prediction import best_known, predict
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.model.candidate import Method

IRREGULAR = [base for base in small_bases(irregular=True) if not properties(base).regular]
TINY = [base for base in small_bases(irregular=True) if size(base).n <= 5]


def kind(base: Base) -> tuple[object, ...]:
    """Its family, and what theorems ask of it: simple, without loops, two-way, regular."""
    known = properties(base)
    return base.name, known.simple, known.loop_free, known.bidirectional, known.regular


LARGEST = {kind(base): base for base in sorted(TINY, key=lambda base: size(base).n)}
"""One of each kind: its expansions are tried every time, those of all with -m slow."""


@pytest.mark.parametrize("base", IRREGULAR, ids=str)
def test_expansions_of_irregular_graphs(base: Base) -> None:
    for once in valid(grown(base), most=81):
        check_recipe(once)


@pytest.mark.parametrize(
    "base",
    [
        pytest.param(base, marks=[] if LARGEST[kind(base)] == base else pytest.mark.slow)
        for base in TINY
    ],
    ids=str,
)
def test_expansions_of_expansions(base: Base) -> None:
    for once in valid([base, *grown(base)], most=20):
        check_recipe(once)
        for twice in valid(grown(once), most=20):
            check_recipe(twice)


@seed(12)
@settings(max_examples=80, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(recipe=recipes(max_nodes=64, max_degree=12, irregular=True))
def test_random_recipes_over_all_graphs(recipe: Recipe) -> None:
    check_recipe(recipe)


@pytest.mark.slow
@seed(13)
@settings(max_examples=1500, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(recipe=recipes(max_nodes=200, max_degree=16, irregular=True))
def test_many_random_recipes_over_all_graphs(recipe: Recipe) -> None:
    check_recipe(recipe)


def valid(offered: Iterable[Recipe], *, most: int) -> list[Recipe]:
    """The recipes, canonical, that name a graph of at most so many nodes."""
    found = []
    for recipe in offered:
        try:
            merged = canonical(recipe)
        except InvalidInput:
            continue
        looped = isinstance(recipe, Degree) and not properties(recipe.inner).loop_free
        if size(merged).n <= most and not looped:
            found.append(merged)
    return list(dict.fromkeys(found))


@pytest.mark.parametrize(
    ("text", "steps", "bandwidth"),
    [
        ("Mesh(2,3)*2", 3, "11/8"),
        ("Mesh(3,3)*2", 4, "17/9"),
        ("Mesh(2,4)*3", 4, "23/16"),
        ("DoubleBinaryTree(8)*2", 3, "15/8"),
        ("(Mesh(2,3)*2)^2", 6, "143/96"),
        ("DirC(40)*2", 3, "83/84"),
    ],
)
def test_exact_costs_of_degree_expansions(text: str, steps: int, bandwidth: str) -> None:
    best = best_known(parse(text))[-1]
    assert best.exact
    assert best.allgather == Cost(steps, Fraction(bandwidth)) == best.reduce_scatter


def test_degree_expansions_of_irregular_graphs_have_no_theorem() -> None:
    assert predict(parse("Mesh(2,3)*2")) == []
    (evaluated,) = best_known(parse("Mesh(2,3)*2"))
    assert evaluated.method is Method.BFB
    with pytest.raises(Unsupported, match="no theorem gives its cost, and 32000 nodes"):
        best_known(parse("Mesh(125,128)*2"))


@pytest.mark.parametrize("text", [*map(str, IRREGULAR), "Mesh(2,3)*2", "Mesh(3)^2", "Bi(Mesh(4))"])
def test_bounds_and_optima_hold_on_irregular_graphs(text: str) -> None:
    """Between the bound of N and d and what the schedules cost lies the least of any schedule."""
    facts = recipe_facts(parse(text))
    least = Fraction(facts.d, facts.n) * find_optimum(Network.of(build(parse(text)))).inverse_rate
    assert facts.bound.steps <= min(row.steps for row in facts.schedules)
    for row in facts.schedules:
        assert facts.bound.bandwidth <= least <= min(row.bandwidth, row.rs_bandwidth)
