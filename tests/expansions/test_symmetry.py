"""What the maps state of symmetry, proved on random recipes."""

import networkx as nx
import numpy as np
from hypothesis import given, settings

from expansions.arc_order import representatives
from expansions.build import build
from expansions.recipe import Recipe
from generators.topology import Topology
from tests.recipes import recipes


@settings(max_examples=150, deadline=None)
@given(recipes(max_nodes=64))
def test_translations_are_automorphisms_that_carry_0(recipe: Recipe) -> None:
    topology = build(recipe)
    if topology.translation is None:
        return
    keys = np.sort(topology.tail.astype(np.int64) * topology.n + topology.head)
    for u in range(topology.n):
        image = topology.translation(u)
        assert image.dtype == np.int32
        assert image[0] == u
        assert np.array_equal(np.sort(image), np.arange(topology.n))
        moved = image[topology.tail].astype(np.int64) * topology.n + image[topology.head]
        assert np.array_equal(np.sort(moved), keys)


@settings(max_examples=60, deadline=None)
@given(recipes(max_nodes=18, max_degree=4))
def test_every_node_is_like_a_representative(recipe: Recipe) -> None:
    topology = build(recipe)
    known = representatives(topology).tolist()
    assert sorted(set(known)) == sorted(known)
    rooted = {r: marked(topology, r) for r in known}
    for v in set(range(topology.n)) - set(known):
        assert any(isomorphic(marked(topology, v), twin) for twin in rooted.values())


def marked(topology: Topology, root: int) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from((v, {"root": v == root}) for v in range(topology.n))
    for u, v in zip(topology.tail.tolist(), topology.head.tolist(), strict=True):
        graph.add_edge(u, v, arcs=graph.get_edge_data(u, v, {"arcs": 0})["arcs"] + 1)
    return graph


def isomorphic(one: nx.DiGraph, other: nx.DiGraph) -> bool:
    return nx.is_isomorphic(
        one,
        other,
        node_match=lambda a, b: a["root"] == b["root"],
        edge_match=lambda a, b: a["arcs"] == b["arcs"],
    )
