"""The cost maps against independently computed costs of the built graphs (appendix D).

The cost of an expanded graph is computed by linear programs (the twin of tests/twins.py), that
of an expanded schedule by counting what every arc carries.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.build import build
from expansions.cost import Cost
from expansions.costs import (
    degree_cost,
    line_cost,
    line_loads,
    power_cost,
    product_cost,
    two_way_cost,
)
from expansions.line_graph import line_graph
from expansions.lower_bounds import least_bandwidth
from expansions.parser import parse
from generators.topology import Topology
from tests.twins import lp_cost, lp_loads, random_topology

LINE_BASES = ("K(3)", "K(4)", "K(2,2)", "K(3,3)", "DirC(3)", "Pi(2,5)", "Pi(2,7)", "Pi(3,8)",
              "DBJ(2,3)", "BiRing(2,5)", "C(7,{2,3})", "UniRing(2,4)", "Torus(3,2)")  # fmt: skip


@pytest.mark.parametrize("text", LINE_BASES)
def test_theorem_7_bounds_the_line_graph(text: str) -> None:
    graph = build(parse(text))
    formula = line_cost(lp_cost(graph), graph.n, graph.degree)
    found = lp_cost(line_graph(graph))
    assert found.steps == formula.steps
    assert found.bandwidth <= formula.bandwidth


@pytest.mark.parametrize("text", ["K(3)", "K(2,2)", "DirC(3)", "BiRing(2,5)"])
def test_corollary_10_1_is_an_equality_for_two_expansions(text: str) -> None:
    graph = build(parse(text))
    formula = line_cost(lp_cost(graph), graph.n, graph.degree, 2)
    assert lp_cost(line_graph(line_graph(graph))) == formula


@pytest.mark.parametrize("seed", range(30))
def test_line_loads_bound_the_loads_of_the_line_graph(seed: int) -> None:
    graph = random_topology(seed)
    if graph.degree == 1 or graph.n > 8:
        return
    formula = line_loads(lp_loads(graph), graph.degree)
    assert all(a <= b for a, b in zip(lp_loads(line_graph(graph)), formula, strict=True))


def test_the_exception_to_theorem_10() -> None:
    """All out-neighbours equally far back at the last step: the line graph gains.

    In UniRing(1,4)^2 the two ways out of a node lead to nodes that are equally far from it, and
    the line graph reaches the lower bound, which the formula misses by 1/32.
    """
    graph = build(parse("UniRing(1,4)^2"))
    formula = line_cost(lp_cost(graph), graph.n, graph.degree)
    found = lp_cost(line_graph(graph))
    assert formula == Cost(7, Fraction(1))
    assert found == Cost(7, least_bandwidth(32))


@pytest.mark.parametrize("text", ["UniRing(1,4)", "K(3)", "K(2,2)", "BiRing(2,5)", "Pi(2,3)"])
@pytest.mark.parametrize("copies", [2, 3])
def test_theorem_11_by_counting_what_arcs_carry(text: str, copies: int) -> None:
    """Definition 2: the base schedule in every copy, then 1/(nd) of a shard from each side."""
    graph = build(parse(text))
    d, n = graph.degree, graph.n
    loads = lp_loads(graph)
    last = Fraction((copies - 1), copies * d)
    counted = Cost(
        len(loads) + 1, Fraction(copies * d, copies * n) * (sum(loads, Fraction()) + last)
    )
    assert degree_cost(lp_cost(graph), n, copies) == counted


@pytest.mark.parametrize("text", ["UniRing(1,3)", "UniRing(1,4)", "K(3)", "K(2,2)", "BiRing(2,4)"])
def test_theorem_12_where_bfb_on_the_power_is_the_same(text: str) -> None:
    graph = build(parse(text))
    assert power_cost(lp_cost(graph), graph.n, 2) == lp_cost(build(parse(f"({text})^2")))


@pytest.mark.parametrize(
    "factors",
    [("K(2)", "K(3)"), ("K(3)", "BiRing(2,4)"), ("UniRing(1,3)", "K(4)"), ("K(2,2)", "K(3)")],
)
def test_theorem_13(factors: tuple[str, str]) -> None:
    graphs = [build(parse(text)) for text in factors]
    whole = build(parse(" x ".join(factors)))
    assert product_cost([lp_cost(graph) for graph in graphs], whole.n) == lp_cost(whole)


@pytest.mark.parametrize("text", ["K(3)", "Pi(2,5)", "Pi(2,6)", "UniRing(1,5)", "Pi(3,7)"])
def test_two_way_cost_by_adding_the_arcs_of_both_halves(text: str) -> None:
    """On each arc of G and of its transpose half of the load, at twice the degree."""
    graph = build(parse(text))
    forth, back = lp_loads(graph), lp_loads(graph.transpose())
    d, n = graph.degree, graph.n
    steps = max(len(forth), len(back))
    busiest = sum(
        max(forth[t] if t < len(forth) else Fraction(), back[t] if t < len(back) else Fraction())
        / 2
        for t in range(steps)
    )
    assert two_way_cost(forth, back, n, d) == Cost(steps, Fraction(2 * d, n) * busiest)


@pytest.mark.parametrize("text", ["K(4)", "UniRing(1,5)", "K(3,3)"])
def test_appendix_a6_keeps_the_cost_of_a_reverse_symmetric_graph(text: str) -> None:
    graph = build(parse(text))
    loads = lp_loads(graph)
    assert two_way_cost(loads, loads, graph.n, graph.degree) == lp_cost(graph)


def test_costs_of_one_ring_by_hand() -> None:
    ring = Topology.from_arcs(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    assert lp_cost(ring) == Cost(3, Fraction(3, 4))
    assert degree_cost(lp_cost(ring), 4, 2) == Cost(4, Fraction(7, 8))
    assert power_cost(lp_cost(ring), 4, 2) == Cost(6, Fraction(15, 16))


@given(
    st.lists(
        st.builds(Cost, st.integers(0, 3), st.fractions(0, 2, max_denominator=5)),
        min_size=2,
        max_size=2,
    )
)
def test_a_cost_beats_another_where_neither_part_is_more(costs: list[Cost]) -> None:
    one, other = costs
    no_more = one.steps <= other.steps and one.bandwidth <= other.bandwidth
    assert one.weakly_beats(other) == no_more
