"""Merging keeps the graph: the same arrays, nodes and arcs in the same order."""

import numpy as np
import pytest
from hypothesis import given, settings

from expansions.build import build
from expansions.canonical import canonical, degree, line, power, product
from expansions.cartesian import cartesian_power, cartesian_product
from expansions.degree import degree_expansion
from expansions.isomorphism import isomorphism
from expansions.line_graph import line_graph
from expansions.parallel import parallel_links
from expansions.parser import parse
from expansions.recipe import (
    Application,
    Base,
    Bi,
    Degree,
    Line,
    Parallel,
    Power,
    Product,
    Recipe,
)
from expansions.two_way import two_way
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.recipes import base_topology, trees

D = Base("Diamond")
A, B, C = Base("K", (2,)), Base("K", (3,)), Base("UniRing", (1, 4))


def T(inner: Recipe) -> Recipe:  # noqa: N802
    return Application("T", (inner,))


def as_written(tree: Recipe) -> Topology:
    """The graph of a tree, one map an operator, nothing merged."""
    match tree:
        case Base():
            return base_topology(tree)
        case Line(inner, times):
            graph = as_written(inner)
            for _ in range(times):
                graph = line_graph(graph)
            return graph
        case Degree(inner, copies):
            return degree_expansion(as_written(inner), copies)
        case Power(inner, exponent):
            return cartesian_power(as_written(inner), exponent)
        case Product((first, *others)):
            graph = as_written(first)
            for other in others:
                graph = cartesian_product(graph, as_written(other))
            return graph
        case Bi(inner):
            return two_way(as_written(inner))
        case Parallel(inner, cables):
            return parallel_links(as_written(inner), cables)
        case Application("T", (inner,)):
            return as_written(inner).transpose()


def assert_identical(one: Topology, other: Topology) -> None:
    assert one.n == other.n
    assert np.array_equal(one.tail, other.tail)
    assert np.array_equal(one.head, other.head)


@settings(max_examples=250, deadline=None)
@given(trees())
def test_merged_and_unmerged_build_the_identical_graph(tree: Recipe) -> None:
    assert_identical(build(canonical(tree)), as_written(tree))


@pytest.mark.parametrize(
    ("tree", "merged"),
    [
        (Line(Line(B, 2), 3), Line(B, 5)),
        (Degree(Degree(B, 2), 3), Degree(B, 6)),
        (Power(Power(B, 2), 3), Power(B, 6)),
        (Product((A, Product((B, C)))), Product((A, B, C))),
        (Product((Product((A, B)), C)), Product((A, B, C))),
        (Product((A, A, B)), Product((Power(A, 2), B))),
        (Product((A, Power(A, 2), B, B)), Product((Power(A, 3), Power(B, 2)))),
        (Product((A, A)), Power(A, 2)),
        (Product((A, B, A, B)), Power(Product((A, B)), 2)),
        (Product((A, A, B, Power(A, 2), B)), Power(Product((Power(A, 2), B)), 2)),
        (Product((A, B, A)), Product((A, B, A))),
        (Power(Degree(B, 1), 1), B),
        (Line(Power(Line(B), 1)), Line(B, 2)),
        (Degree(Power(Degree(A, 2), 2), 2), Degree(Power(Degree(A, 2), 2), 2)),
        (Product((B,)), B),
        (Bi(Bi(C)), Bi(Bi(C))),
        (Parallel(Parallel(B, 2), 3), Parallel(B, 6)),
        (Parallel(Degree(B, 2), 1), Degree(B, 2)),
        (T(T(D)), D),
    ],
)
def test_merges(tree: Recipe, merged: Recipe) -> None:
    assert canonical(tree) == merged
    assert_identical(build(merged), as_written(tree))


@settings(max_examples=250, deadline=None)
@given(trees(transposes=True, max_nodes=24, max_degree=6))
def test_transposes_keep_the_graph_up_to_isomorphism(tree: Recipe) -> None:
    merged, written = build(canonical(tree)), as_written(tree)
    assert (merged.n, merged.degree) == (written.n, written.degree)
    assert merged.same_arcs(written) or isomorphism(written, merged) is not None


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("T(L^2(Diamond*2))", "L^2(T(Diamond)*2)"),
        ("T(Diamond x K(3) x T(Diamond))", "T(Diamond) x K(3) x Diamond"),
        ("T(T(Pi(2,7)))", "Pi(2,7)"),
        ("T(UniRing(1,5))", "UniRing(1,5)"),
        ("T(L(K(2,2)))", "L(K(2,2))"),
        ("T(Bi(Diamond))", "Bi(Diamond)"),
        ("T(Diamond||2)^2", "(T(Diamond)||2)^2"),
    ],
)
def test_t_stands_at_base_graphs_that_are_not_their_own_transposes(text: str, printed: str) -> None:
    assert str(parse(text)) == printed
    assert parse(printed) == parse(text)


@settings(max_examples=250, deadline=None)
@given(trees(transposes=True))
def test_a_canonical_recipe_comes_back_equal(tree: Recipe) -> None:
    once = canonical(tree)
    assert canonical(once) == once


@pytest.mark.parametrize("make", [line, degree, power])
@pytest.mark.parametrize("count", [0, -1])
def test_a_count_below_one_is_refused(make: object, count: int) -> None:
    with pytest.raises(InvalidInput, match=f"n is at least 1, not {count}"):
        make(B, count)


def test_a_product_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one factor"):
        product([])
