import networkx as nx
import numpy as np
import pytest

from expansions.isomorphism import is_isomorphism, isomorphism, reverse_isomorphism
from generators.arrays import jump_graph
from generators.errors import Unsupported
from generators.families.register_all import FAMILIES
from generators.topology import Topology
from tests.twins import random_topology

SAMPLES = [
    pytest.param(family, arguments, id=f"{name}{arguments}")
    for name, family in FAMILIES.items()
    for arguments in family.samples
    if family.properties(*arguments).n <= 64
]


def renamed(topology: Topology, seed: int) -> Topology:
    image = np.random.default_rng(seed).permutation(topology.n).astype(np.int32)
    return Topology(n=topology.n, tail=image[topology.tail], head=image[topology.head])


def weighted(topology: Topology) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(topology.n))
    for u, v in zip(topology.tail.tolist(), topology.head.tolist(), strict=True):
        count = graph.get_edge_data(u, v, {"count": 0})["count"]
        graph.add_edge(u, v, count=count + 1)
    return graph


def are_isomorphic(first: Topology, second: Topology) -> bool:
    same = nx.algorithms.isomorphism.numerical_edge_match("count", 1)
    return nx.is_isomorphic(weighted(first), weighted(second), edge_match=same)


@pytest.mark.parametrize(("family", "arguments"), SAMPLES)
def test_reverse_symmetry_of_the_base_graphs(family, arguments) -> None:
    topology, proved = family.build(*arguments), family.properties(*arguments).reverse_symmetric
    found = reverse_isomorphism(topology)
    if proved is not None:
        assert (found is not None) == proved
    else:
        assert (found is not None) == are_isomorphic(topology, topology.transpose())
    if found is not None:
        assert is_isomorphism(topology, topology.transpose(), found)


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_agree_with_networkx(seed: int) -> None:
    topology = random_topology(seed, regular=seed % 2 == 0)
    found = reverse_isomorphism(topology)
    assert (found is not None) == are_isomorphic(topology, topology.transpose())
    again = isomorphism(topology, renamed(topology, seed))
    assert again is not None
    assert is_isomorphism(topology, renamed(topology, seed), again)


@pytest.mark.parametrize(("family", "arguments"), SAMPLES[::3])
def test_renamed_base_graphs_are_recognised(family, arguments) -> None:
    topology = family.build(*arguments)
    other = renamed(topology, 7)
    found = isomorphism(topology, other)
    assert found is not None
    assert is_isomorphism(topology, other, found)


def test_graphs_of_other_sizes_and_arc_numbers_are_refused() -> None:
    assert isomorphism(jump_graph(4, [1]), jump_graph(5, [1])) is None
    assert isomorphism(jump_graph(6, [1, 2]), jump_graph(6, [1, 1])) is None


def test_circulants_that_colours_cannot_tell_apart() -> None:
    one, other = jump_graph(7, [1, -1, 2, -2]), jump_graph(7, [1, -1, 3, -3])
    assert isomorphism(one, other) is not None
    assert isomorphism(jump_graph(13, [1, -1, 2, -2]), jump_graph(13, [1, -1, 5, -5])) is None


def test_a_wrong_image_is_no_isomorphism() -> None:
    ring = jump_graph(4, [1])
    assert not is_isomorphism(ring, ring, np.array([0, 0, 1, 2], dtype=np.int32))
    assert not is_isomorphism(ring, ring, np.array([1, 0, 2, 3], dtype=np.int32))


def test_the_search_gives_up_in_words() -> None:
    with pytest.raises(Unsupported, match="no answer for 5 nodes in 1 refinements"):
        isomorphism(jump_graph(5, [1]), jump_graph(5, [2]), refinements=1)
