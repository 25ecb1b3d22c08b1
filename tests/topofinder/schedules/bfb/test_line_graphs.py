"""Line graphs cost without being built what they cost when they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.build import build
from expansions.line_graph import line_graph
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.schedules.bfb.evaluation import GraphEvaluations, Pair
from topofinder.schedules.bfb.line_graphs import evaluate_line_graph, has_quick_line_graph

RECIPES = (
    "K(4)", "K(4,4)", "MultiK(3,5)", "K(2)||3", "BiRing(4,5)", "UniRing(3,6)", "DirC(7)",
    "Torus(3,4)", "C(17,{2,3})", "Q(4)||2", "DBJ(2,4)", "Pi(2,3)", "Pi(2,37)", "Pi(3,29)",
    "T(Pi(5,31))", "Pi(6,40)", "Pi(7,30)", "Pi(8,23)", "Bi(Pi(2,9))", "K(3)*2", "L(K(3))",
    "L(Pi(3,7))", "Cay(Z24:Z2[5];2,5)", "Cay(Z9;1,1,4)", "UniRing(2,3) x UniRing(1,4)",
)  # fmt: skip


def facts(pair: Pair) -> list[tuple[object, ...]]:
    return [(one.n, one.d, one.loads, one.line_exact, one.cycle) for one in pair]


@pytest.mark.parametrize("recipe", RECIPES)
def test_they_cost_what_the_whole_graph_does(recipe: str) -> None:
    graph = build(parse(recipe))
    assert facts(evaluate_line_graph(graph)) == facts(GraphEvaluations(line_graph(graph)).pair())


@st.composite
def regular_digraphs(draw: st.DrawFn) -> Topology:
    """Permutations laid over a ring: connected, regular, with loops and parallel arcs."""
    n, degree = draw(st.integers(2, 14)), draw(st.integers(2, 8))
    heads = [[(u + 1) % n for u in range(n)]]
    heads += [draw(st.permutations(range(n))) for _ in range(degree - 1)]
    tail, head = np.tile(np.arange(n), degree), np.concatenate(heads)
    return Topology.from_arcs(n, zip(tail.tolist(), head.tolist(), strict=True))


@given(regular_digraphs())
def test_any_regular_digraph(graph: Topology) -> None:
    whole = GraphEvaluations(line_graph(graph)).pair()
    assert facts(evaluate_line_graph(graph)) == facts(whole)


def test_a_graph_that_is_its_own_transpose_is_evaluated_once() -> None:
    forth, back = evaluate_line_graph(build(parse("Torus(3,4)")), symmetric=True)
    assert forth is back


def test_what_falls_apart_is_refused() -> None:
    apart = Topology.from_arcs(4, [(u, u ^ 1) for u in range(4) for _ in range(2)])
    with pytest.raises(InvalidInput, match="cannot reach"):
        evaluate_line_graph(apart)


@pytest.mark.parametrize(("recipe", "taken"), [("DirC(5)", True), ("UniRing(1,5)", False)])
def test_it_takes_degrees_from_two(recipe: str, taken: bool) -> None:
    assert has_quick_line_graph(build(parse(recipe))) is taken
    path = Topology.from_arcs(3, [(0, 1), (1, 0), (1, 2), (2, 1)])
    assert not has_quick_line_graph(path)
