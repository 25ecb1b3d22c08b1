"""What is known of a graph by theorem is true of the graph that is built."""

from collections.abc import Iterator

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings

from expansions.build import build
from expansions.canonical import canonical
from expansions.parser import parse
from expansions.properties import properties
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
from expansions.size import size
from generators.errors import InvalidInput
from generators.families.register_all import FAMILIES
from generators.registry import GraphProperties
from generators.topology import Topology
from tests.recipes import recipes, small_bases

BASES = small_bases(irregular=True)
NOT_TRANSITIVE = [
    Base(name, tuple(family.canonical(*arguments)))
    for name, family in FAMILIES.items()
    for arguments in family.samples
    if family.properties(*arguments).transitive is False
]
PARTNERS = ("K(2)", "Pi(2,4)", "UniRing(2,2)", "Mesh(3)")


def grown(recipe: Recipe) -> Iterator[Recipe]:
    """Every expansion of a recipe that there is, with small counts."""
    yield from (Line(recipe, 1), Line(recipe, 2), Degree(recipe, 2), Power(recipe, 2), Bi(recipe))
    yield from (Parallel(recipe, 2), Application("T", (recipe,)))
    yield from (Product((recipe, parse(partner))) for partner in PARTNERS)


def check(recipe: Recipe) -> GraphProperties | None:
    """Nothing that is known is false; None where there is no such graph."""
    try:
        topology, known = build(canonical(recipe)), properties(canonical(recipe))
    except InvalidInput:
        return None
    assert known.regular in (None, topology.is_regular)
    assert known.bidirectional in (None, topology.is_bidirectional)
    assert known.simple in (None, topology.is_simple)
    assert known.loop_free in (None, not topology.has_loops)
    if known.transitive:
        assert topology.is_transitive
    return known


@pytest.mark.parametrize("base", BASES, ids=str)
def test_base_graphs_and_two_expansions_on_top(base: Base) -> None:
    assert None not in (
        properties(base).regular,
        properties(base).bidirectional,
        properties(base).simple,
    )
    check(base)
    for once in grown(base):
        if check(once) is not None:
            for twice in grown(canonical(once)):
                if _is_small(twice):
                    check(twice)


def _is_small(recipe: Recipe) -> bool:
    try:
        found = size(recipe)
    except InvalidInput:
        return False
    return found.n <= 128 and found.n * found.d <= 1024


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(recipes(max_nodes=128, max_degree=12, irregular=True))
def test_random_recipes(recipe: Recipe) -> None:
    check(recipe)


@pytest.mark.parametrize("base", NOT_TRANSITIVE, ids=str)
def test_what_is_not_transitive_has_nodes_that_no_automorphism_exchanges(base: Base) -> None:
    assert not all(_alike(build(base), u) for u in range(1, size(base).n))


def _alike(topology: Topology, u: int) -> bool:
    """Whether some automorphism carries node 0 to u, by networkx."""
    pairs = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    marked = [nx.DiGraph(), nx.DiGraph()]
    arcs = list(pairs)
    for graph, mark in zip(marked, (0, u), strict=True):
        graph.add_nodes_from((v, {"mark": v == mark}) for v in range(topology.n))
        graph.add_weighted_edges_from((*arc, arcs.count(arc)) for arc in set(arcs))
    return nx.is_isomorphic(
        *marked,
        node_match=lambda one, other: one["mark"] == other["mark"],
        edge_match=lambda one, other: one["weight"] == other["weight"],
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("L(UniRing(2,2))", (True, True, True, True, None)),
        ("L^2(UniRing(2,2))", (True, False, True, True, None)),
        ("L(UniRing(1,5))", (True, False, True, True, True)),
        ("DBJ(2,2)^2", (True, False, False, False, None)),
        ("DBJ(2,2) x K(2)", (True, False, True, False, None)),
        ("Bi(UniRing(1,5))", (True, True, True, True, True)),
        ("Bi(UniRing(1,2))", (True, True, False, True, True)),
        ("Bi(Kautz(2,2))", (True, True, None, True, None)),
        ("Bi(Mesh(2,3))", (False, True, False, True, None)),
        ("Mesh(2,3)*2 x K(2)", (False, True, True, True, None)),
        ("BiRing(2,70000)", (True, True, True, True, True)),
        ("BiRing(4,70000)", (True, True, False, True, True)),
        ("Torus(300,300)", (True, True, True, True, True)),
        ("K(2)^19", (True, True, True, True, True)),
        ("Mesh(300,300)", (False, True, True, True, False)),
        ("L^8(K(4,4))", (True, False, True, True, None)),
        ("Pi(4,70000)", (True, False, True, True, None)),
    ],
)
def test_known_answers(text: str, expected: tuple[bool | None, ...]) -> None:
    known = properties(parse(text))
    names = ("regular", "bidirectional", "simple", "loop_free", "transitive")
    assert tuple(getattr(known, name) for name in names) == expected


@pytest.mark.parametrize("text", ["L(Mesh(2,3))", "L^2(DoubleBinaryTree(40000))", "L(Bi(Mesh(3)))"])
def test_line_graphs_of_irregular_graphs_are_refused_when_they_are_named(text: str) -> None:
    with pytest.raises(InvalidInput, match="the graph inside has nodes of unequal degree"):
        parse(text)
