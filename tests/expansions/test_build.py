"""Recipes become graphs: the papers' examples, the limit, and what cannot be built."""

import networkx as nx
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.families.register_all import FAMILIES


def digraph(text: str) -> nx.MultiDiGraph:
    topology = build(parse(text))
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(topology.n))
    graph.add_edges_from(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))
    return graph


@pytest.mark.parametrize(
    ("text", "nodes", "degree", "diameter"),
    [
        ("L(K(4,4))", 32, 4, 3),
        ("L^2(K(4,4))", 128, 4, 4),
        ("(UniRing(1,4) x UniRing(1,8))^2", 1024, 4, 20),
        ("UniRing(1,4)*2", 8, 2, 4),
        ("Pi(4,64)", 64, 4, 3),
        ("DBJ(4,4)", 256, 4, 4),
    ],
)
def test_published_sizes_and_diameters(text: str, nodes: int, degree: int, diameter: int) -> None:
    graph = digraph(text)
    assert len(graph) == nodes
    assert {out for _, out in graph.out_degree} == {into for _, into in graph.in_degree} == {degree}
    assert nx.diameter(graph) == diameter


@pytest.mark.parametrize(
    ("text", "twin"),
    [
        ("K(2)^3", nx.hypercube_graph(3)),
        ("K(3)^2", nx.cartesian_product(nx.complete_graph(3), nx.complete_graph(3))),
        ("K(2)*3", nx.complete_bipartite_graph(3, 3)),
        ("K(3)*2", nx.octahedral_graph()),
    ],
)
def test_known_graphs(text: str, twin: nx.Graph) -> None:
    assert nx.is_isomorphic(nx.DiGraph(digraph(text)), twin.to_directed())


@pytest.mark.parametrize("text", ["L(K(3))", "L^3(K(3))", "L^2(K(5))"])
def test_line_graphs_of_complete_graphs_are_kautz_graphs(text: str) -> None:
    recipe = parse(text)
    kautz = FAMILIES["Kautz"].build(recipe.inner.arguments[0] - 1, recipe.times)
    twin = nx.DiGraph(list(zip(kautz.tail.tolist(), kautz.head.tolist(), strict=True)))
    assert nx.is_isomorphic(nx.DiGraph(digraph(text)), twin)


def test_the_limit_is_kept() -> None:
    with pytest.raises(InvalidInput, match=r"L\^8\(K\(4,4\)\) has 524288 nodes.*limit of 65536"):
        build(parse("L^8(K(4,4))"))
    assert build(parse("K(2)^4"), limit=16).n == 16
    with pytest.raises(InvalidInput, match="limit of 15"):
        build(parse("K(2)^4"), limit=15)


def test_what_the_theorems_exclude_is_refused() -> None:
    with pytest.raises(InvalidInput, match="unequal degree"):
        build(parse("L(Mesh(2,3))"))
    with pytest.raises(InvalidInput, match="without self-loops"):
        build(parse("DBJ(2,2)*2"))


def test_graphs_of_edits_are_made_once() -> None:
    inner = parse("Graft(K(5);-4.7,~0.10)")
    first, again = build(inner), build(inner)
    assert first is again
    assert build(parse("T(Graft(K(5);-4.7,~0.10))")).same_arcs(first.transpose())
