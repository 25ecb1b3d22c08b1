"""Line graphs cost without being built what they cost when they are."""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.build import build
from expansions.line_graph import line_graph
from expansions.lower_bounds import least_bandwidth
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.schedules.bfb.evaluation import Evaluation, GraphEvaluations
from topofinder.schedules.bfb.line_graphs import (
    evaluate_line_graph,
    evaluate_ring_lines,
    has_quick_line_graph,
    read_ring_lines,
)

RECIPES = (
    "K(4)", "K(4,4)", "MultiK(3,5)", "K(2)||3", "BiRing(4,5)", "UniRing(3,6)", "DirC(7)",
    "Torus(3,4)", "C(17,{2,3})", "Q(4)||2", "DBJ(2,4)", "Pi(2,3)", "Pi(2,37)", "Pi(3,29)",
    "T(Pi(5,31))", "Pi(6,40)", "Pi(7,30)", "Pi(8,23)", "Bi(Pi(2,9))", "K(3)*2", "L(K(3))",
    "L(Pi(3,7))", "Cay(Z24:Z2[5];2,5)", "Cay(Z9;1,1,4)", "UniRing(2,3) x UniRing(1,4)",
)  # fmt: skip


def facts(pair: Iterable[Evaluation]) -> list[tuple[object, ...]]:
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


RINGS = [(d, m, times) for d in (2, 3, 4, 6) for m in range(3, 10) for times in range(1, m)]


@pytest.mark.parametrize(
    "ring", [(d, m, times) for d, m, times in RINGS if m * d**times <= 700], ids=str
)
def test_line_graphs_of_rings_have_a_closed_form(ring: tuple[int, int, int]) -> None:
    d, m, times = ring
    recipe = parse(f"L^{times}(UniRing({d},{m}))")
    found = evaluate_ring_lines(d, m, times)
    assert facts((found, found)) == facts(GraphEvaluations(build(recipe)).pair())
    assert found.cost.bandwidth == least_bandwidth(m * d**times)


@pytest.mark.parametrize(
    ("recipe", "rings"),
    [
        ("L(UniRing(3,5))", (3, 5, 1)),
        ("L^4(UniRing(2,5))", (2, 5, 4)),
        ("UniRing(1,5)*3", (3, 5, 1)),
        ("L^2(UniRing(1,5)*3)", (3, 5, 3)),
        ("L(UniRing(1,5)||2)*2", (4, 5, 1)),
        ("L(UniRing(2,5)||2)", (4, 5, 1)),
        ("L^5(UniRing(2,5))", None),  # it has nodes that are met in the second round
        ("L(UniRing(2,2))", None),
        ("L(UniRing(1,5))", None),
        ("UniRing(3,5)", None),
        ("UniRing(2,5)*2", None),
        ("L(BiRing(2,5))", None),
        ("L(K(4)||2)", None),
    ],
)
def test_line_graphs_of_rings_are_told_by_their_recipes(
    recipe: str, rings: tuple[int, int, int] | None
) -> None:
    assert read_ring_lines(parse(recipe)) == rings
    if rings is not None:
        whole = GraphEvaluations(build(parse(recipe))).forth()
        assert facts((evaluate_ring_lines(*rings),)) == facts((whole,))


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
