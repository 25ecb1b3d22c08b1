"""Every property of every registered family, checked on every sample by networkx."""

import networkx as nx
import numpy as np
import pytest

from generators.families.register_all import FAMILIES
from generators.registry import Arguments, Family

CASES = [
    pytest.param(family, arguments, id=f"{name}{arguments}")
    for name, family in FAMILIES.items()
    for arguments in family.samples
]


@pytest.mark.parametrize(("family", "arguments"), CASES)
def test_proved_properties(family: Family, arguments: Arguments) -> None:
    properties, topology = family.properties(*arguments), family.build(*arguments)
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(topology.n))
    graph.add_edges_from(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))
    assert (topology.n, topology.degree) == (properties.n, properties.d)
    assert nx.is_strongly_connected(graph)
    diameter = nx.diameter(graph) if topology.n > 1 else 0
    degrees = {*dict(graph.in_degree).values(), *dict(graph.out_degree).values()}
    checks = {
        "regular": len(degrees) == 1,
        "diameter": diameter,
        "bidirectional": all(
            graph.number_of_edges(u, v) == graph.number_of_edges(v, u) for u, v, _ in graph.edges
        ),
        "simple": all(graph.number_of_edges(u, v) == 1 for u, v, _ in graph.edges),
        "loop_free": nx.number_of_selfloops(graph) == 0,
    }
    for name, found in checks.items():
        proved = getattr(properties, name)
        assert proved is None or proved == found, name
    # What expansions are costed and sized by; Bi(G) of another graph might have another degree.
    assert None not in (
        properties.regular,
        properties.simple,
        properties.loop_free,
        properties.bidirectional,
    )
    assert properties.regular or properties.bidirectional
    assert properties.max_diameter is None or diameter <= properties.max_diameter
    if properties.reverse_symmetric is not None and topology.n <= 128:
        assert _isomorphic(graph, graph.reverse()) == properties.reverse_symmetric


def _isomorphic(one: nx.MultiDiGraph, other: nx.MultiDiGraph) -> bool:
    """Isomorphism as plain digraphs whose arcs carry their multiplicity."""

    def weighted(graph: nx.MultiDiGraph) -> nx.DiGraph:
        plain = nx.DiGraph()
        plain.add_nodes_from(graph)
        for u, v in set(graph.edges()):
            plain.add_edge(u, v, weight=graph.number_of_edges(u, v))
        return plain

    match = nx.algorithms.isomorphism.numerical_edge_match("weight", 1)
    return nx.is_isomorphic(weighted(one), weighted(other), edge_match=match)


@pytest.mark.parametrize(("family", "arguments"), CASES)
def test_translations_and_orbits_are_automorphisms(family: Family, arguments: Arguments) -> None:
    topology = family.build(*arguments)
    if family.properties(*arguments).transitive:
        assert topology.is_transitive
    if topology.translation is None:
        return
    keys = np.sort(topology.tail.astype(np.int64) * topology.n + topology.head)
    for u in {0, 1 % topology.n, topology.n // 2, topology.n - 1}:
        image = topology.translation(u)
        assert image[0] == u
        assert np.array_equal(np.sort(image), np.arange(topology.n))
        moved = image[topology.tail].astype(np.int64) * topology.n + image[topology.head]
        assert np.array_equal(np.sort(moved), keys)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_members_have_the_size_and_degree_asked_for(family: Family) -> None:
    for n in range(2, 40):
        for d in range(1, 9):
            for arguments in family.members(n, d):
                properties = family.properties(*arguments)
                assert (properties.n, properties.d) == (n, d)
                assert family.canonical(*arguments) == arguments
