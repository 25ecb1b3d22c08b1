"""A plain twin stands for the same graph."""

from collections import Counter
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions import canonical
from expansions.build import build
from expansions.parser import parse
from expansions.plain_twin import plain_twin
from expansions.recipe import Recipe
from expansions.size import size
from generators.topology import Int64Array
from topofinder.schedules.bfb.evaluation import WORD_OF_LINKS, GraphEvaluations

LARGEST = 200
FEW = 12
INNER = ("UniRing(1,3)", "UniRing(2,3)", "UniRing(3,4)", "K(3)", "K(2,2)", "C(7,{1,2})", "DirC(4)")
STEPS = {
    "L": canonical.line,
    "*2": lambda recipe: canonical.degree(recipe, 2),
    "*3": lambda recipe: canonical.degree(recipe, 3),
    "||2": lambda recipe: canonical.parallel(recipe, 2),
}


def cables(recipe: Recipe) -> Int64Array:
    graph = build(recipe)
    found = np.zeros((graph.n, graph.n), np.int64)
    np.add.at(found, (graph.tail, graph.head), 1)
    return found


def facts(recipe: Recipe) -> list[object]:
    """What does not depend on the numbers of nodes: closed walks, shared neighbours, and costs."""
    arcs = cables(recipe)
    walks = [arcs]
    while len(walks) < 8:
        walks.append(walks[-1] @ arcs)
    shared = [
        Counter((one @ other).ravel().tolist()) for one, other in ((arcs, arcs.T), (arcs.T, arcs))
    ]
    costs = [
        (one.loads, one.line_exact, one.cycle) for one in GraphEvaluations(build(recipe)).pair()
    ]
    return [[int(np.trace(power)) for power in walks], shared, costs]


def are_alike(one: Recipe, other: Recipe) -> bool:
    if size(one).n > FEW:
        return facts(one) == facts(other)
    graphs = (
        nx.from_numpy_array(cables(recipe), create_using=nx.DiGraph) for recipe in (one, other)
    )
    match = nx.algorithms.isomorphism.numerical_edge_match("weight", 1)
    return bool(nx.is_isomorphic(*graphs, edge_match=match))


@given(st.sampled_from(INNER), st.lists(st.sampled_from(sorted(STEPS)), max_size=4))
def test_a_plain_twin_is_the_same_graph(inner: str, steps: list[str]) -> None:
    recipe = parse(inner)
    for step in steps:
        larger = STEPS[step](recipe)
        if size(larger).n <= LARGEST and size(larger).d <= WORD_OF_LINKS:
            recipe = larger
    twin = plain_twin(recipe)
    assert size(twin) == size(recipe)
    assert are_alike(recipe, twin)
    assert plain_twin(twin) == twin


def test_the_test_tells_graphs_apart() -> None:
    assert not are_alike(parse("UniRing(2,4)*2"), parse("L(UniRing(4,4))"))


@pytest.mark.parametrize("order", list(product(("L", "*2", "||2"), repeat=2)), ids=str)
def test_the_order_of_cables_makes_no_twin(order: tuple[str, str]) -> None:
    one = STEPS["||2"](STEPS[order[1]](STEPS[order[0]](parse("K(3)"))))
    other = STEPS[order[1]](STEPS["||2"](STEPS[order[0]](parse("K(3)"))))
    alike = order[1] != "L"  # cables within a line graph make copies
    assert (plain_twin(one) == plain_twin(other)) == alike


@pytest.mark.parametrize(
    ("texts", "twin"),
    [
        (("L(UniRing(6,20))", "UniRing(1,20)*6", "L(UniRing(2,20))*3"), "L(UniRing(6,20))"),
        (("L^2(UniRing(2,10))*3", "L(UniRing(1,10)*2||3)"), "L^2(UniRing(2,10))*3"),
        (("UniRing(2,5)*3", "(UniRing(1,5)||2)*3"), "L(UniRing(3,5))||2"),
    ],
)
def test_names_of_one_graph(texts: tuple[str, ...], twin: str) -> None:
    assert {str(plain_twin(parse(text))) for text in texts} == {twin}
