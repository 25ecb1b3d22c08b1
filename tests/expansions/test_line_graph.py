"""L(G) against networkx, and its orbits against the definition."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from expansions.build import build
from expansions.line_graph import line_graph
from expansions.recipe import Recipe
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.recipes import recipes
from tests.twins import random_topology


def multigraph(topology: Topology) -> nx.MultiDiGraph:
    """The graph for networkx, arc e with key e."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(topology.n))
    for e, (u, v) in enumerate(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)):
        graph.add_edge(u, v, key=e)
    return graph


@pytest.mark.parametrize("seed", range(40))
def test_equals_networkx_with_arcs_as_nodes(seed: int) -> None:
    topology = random_topology(seed, regular=seed % 2 == 0)
    twin = nx.line_graph(multigraph(topology), create_using=nx.DiGraph)
    expected = {(e[2], f[2]) for e, f in twin.edges}
    found = line_graph(topology)
    assert found.n == topology.arcs
    assert found.arcs == len(expected)
    assert set(zip(found.tail.tolist(), found.head.tolist(), strict=True)) == expected


@settings(max_examples=60, deadline=None)
@given(recipes(max_nodes=32, max_degree=6))
def test_arc_d_e_plus_i_leads_to_the_ith_arc_out_of_the_head(recipe: Recipe) -> None:
    topology = build(recipe)
    d, found = topology.degree, line_graph(topology)
    for e in range(topology.arcs):
        leaving = np.flatnonzero(topology.tail == topology.head[e])
        assert found.tail[d * e : d * e + d].tolist() == [e] * d
        assert found.head[d * e : d * e + d].tolist() == leaving.tolist()


@settings(max_examples=60, deadline=None)
@given(recipes(max_nodes=32, max_degree=6))
def test_keeps_degree_and_adds_one_to_the_diameter(recipe: Recipe) -> None:
    topology = build(recipe)
    found = line_graph(topology)
    assert (found.n, found.degree) == (topology.n * topology.degree, topology.degree)
    assert found.is_simple
    assert found.has_loops == topology.has_loops
    if topology.degree > 1:
        longer = nx.diameter(nx.DiGraph(multigraph(found)))
        assert longer == nx.diameter(nx.DiGraph(multigraph(topology))) + 1


def test_orbits_of_a_transitive_graph_are_arcs_of_node_0() -> None:
    found = line_graph(jump_graph(8, [1, 3, 3]))
    assert found.orbits is not None
    assert found.orbits.tolist() == [0, 1]
    assert line_graph(jump_graph(5, [1])).is_transitive
    twice = line_graph(line_graph(jump_graph(8, [1, 3])))
    assert twice.orbits is not None
    assert twice.orbits.tolist() == [0, 1, 2, 3]


def test_without_symmetry_nothing_is_said() -> None:
    topology = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0), (1, 0)])
    assert line_graph(topology).orbits is None


def test_unequal_links_are_refused() -> None:
    uneven = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 2))
    with pytest.raises(InvalidInput, match="capacity"):
        line_graph(uneven)
    with pytest.raises(InvalidInput, match="switches"):
        line_graph(Topology.from_arcs(2, [(0, 1), (1, 0)], switches=(1,)))


def test_too_large_a_result_is_refused() -> None:
    with pytest.raises(InvalidInput, match="arcs: at most"):
        line_graph(jump_graph(600, range(1, 300)))
