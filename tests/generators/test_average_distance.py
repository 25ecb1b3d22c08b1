"""The average distance, against networkx and known graphs."""

from fractions import Fraction

import networkx as nx
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.connectivity import average_distance
from generators.topology import Topology

RECIPES = ("K(5)", "Torus(3,4)", "Pi(2,11)", "L(K(3))", "Graft(L(K(4,4));-3.7)", "K(3)||2")


@pytest.mark.parametrize("text", RECIPES)
def test_it_is_the_mean_over_all_pairs(text: str) -> None:
    graph = build(parse(text))
    whole = nx.MultiDiGraph()
    whole.add_nodes_from(range(graph.n))
    whole.add_edges_from(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    hops = sum(sum(found.values()) for _, found in nx.all_pairs_shortest_path_length(whole))
    assert average_distance(graph) == Fraction(hops, graph.n * (graph.n - 1))


def test_moore_graphs_have_the_least() -> None:
    petersen = nx.petersen_graph().to_directed()
    assert average_distance(Topology.from_arcs(10, list(petersen.edges))) == Fraction(5, 3)


def test_graphs_without_one() -> None:
    assert average_distance(Topology.from_arcs(2, [(0, 1)])) is None
    assert average_distance(Topology.from_arcs(1, [])) is None
    assert average_distance(build(parse("Pi(2,2049)"))) is None
    assert average_distance(build(parse("UniRing(1,4097)"))) == Fraction(4097, 2)
