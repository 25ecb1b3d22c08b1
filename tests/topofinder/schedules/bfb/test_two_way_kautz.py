"""The least steps of two-way generalized Kautz graphs are those of a search in the graph."""

import networkx as nx
import pytest

from expansions.build import build
from expansions.parser import parse
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.kautz import least_steps

SIZES = [(d, m) for d in (2, 3, 4, 7) for m in (d + 1, 12, 31, 64, 97, 150)]


@pytest.mark.parametrize(("d", "m"), SIZES)
@pytest.mark.parametrize("shape", ["Bi(Pi({},{}))", "Bi(T(Pi({},{})))"])
def test_it_is_how_far_node_0_reaches(shape: str, d: int, m: int) -> None:
    recipe = parse(shape.format(d, m))
    graph = build(recipe)
    arcs = nx.DiGraph(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    found = least_steps(recipe)
    assert found == max(nx.single_source_shortest_path_length(arcs, 0).values())
    assert found <= evaluate(graph).cost.steps


@pytest.mark.parametrize(
    "recipe", ["Pi(2,9)", "Bi(L(Pi(2,9)))", "Bi(K(4))", "T(Pi(2,9))", "Bi(Pi(2,9))||2"]
)
def test_nothing_is_known_of_others(recipe: str) -> None:
    assert least_steps(parse(recipe)) == 0
