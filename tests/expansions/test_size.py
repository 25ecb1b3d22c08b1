"""Sizes are foretold, and refused before anything is made."""

import pytest
from hypothesis import given, settings

from expansions.build import build
from expansions.recipe import Base, Bi, Degree, Line, Power, Product, Recipe
from expansions.size import Size, size
from generators.errors import InvalidInput
from tests.recipes import recipes

K2, K44 = Base("K", (2,)), Base("K", (4, 4))


@settings(max_examples=300, deadline=None)
@given(recipes())
def test_size_is_that_of_the_graph(recipe: Recipe) -> None:
    graph = build(recipe)
    assert size(recipe) == Size(graph.n, graph.degree)
    assert graph.is_regular


@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        (Line(K44, 3), Size(512, 4)),
        (Degree(K44, 3), Size(24, 12)),
        (Power(K44, 3), Size(512, 12)),
        (Product((K44, K2)), Size(16, 5)),
        (Bi(K44), Size(8, 8)),
    ],
)
def test_table_3(recipe: Recipe, expected: Size) -> None:
    assert size(recipe) == expected


@pytest.mark.parametrize(
    ("recipe", "what"),
    [
        (Line(K44, 14), "more than 1000000000 nodes"),
        (Power(K2, 30), "more than 1000000000 nodes"),
        (Product((Power(K2, 20), Power(K2, 10))), "more than 1000000000 nodes"),
        (Power(Base("K", (170,)), 4), "more than 68719476736 arcs"),
        (Line(K2, 65), "times: at most 64, not 65"),
        (Power(K2, 10**9), "exponent: at most 64"),
        (Bi(Line(K44, 30)), "more than 1000000000 nodes"),
        (Base("Nothing"), "unknown family 'Nothing'"),
    ],
)
def test_absurd_sizes_are_refused(recipe: Recipe, what: str) -> None:
    with pytest.raises(InvalidInput, match=what):
        size(recipe)
