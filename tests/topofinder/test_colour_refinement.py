"""Colour refinement: the hash of what a node meets against its twin, and rounds against classes."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.arrays import jump_graph
from generators.topology import Topology
from tests.rounds_twin import GOLDEN, mix
from tests.topofinder.patching.twins import regular
from topofinder.alltoall.problem import flow_network
from topofinder.alltoall.solver.colour_kernels import refine_colours
from topofinder.kernels import hash_neighbours, kernel
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.problem import placement_problem
from topofinder.patching.placement.refinement_kernels import refine_words

Words = np.ndarray
WORD = st.integers(0, 2**64 - 1)


@kernel
def met_by(node, label, words, shift):  # type: ignore[no-untyped-def]
    """The inner kernel as a test may call it."""
    return hash_neighbours(node, label, 0, len(node), words, shift)


@given(
    words=st.lists(WORD, min_size=1, max_size=6),
    arcs=st.lists(st.tuples(st.integers(0, 5), WORD), max_size=8),
    shift=st.sampled_from([0, 1, GOLDEN]),
)
def test_what_a_node_meets_is_a_sum_of_hashes(
    words: list[int], arcs: list[tuple[int, int]], shift: int
) -> None:
    node = np.array([u % len(words) for u, _ in arcs], dtype=np.int32)
    label = np.array([label for _, label in arcs], dtype=np.uint64)
    terms = [
        mix((words[u] ^ one) + shift & 2**64 - 1)
        for u, one in zip(node.tolist(), label.tolist(), strict=True)
    ]
    met = met_by(node, label, np.array(words, dtype=np.uint64), np.uint64(shift))
    assert int(met) == sum(terms) % 2**64


def classes(words: Words) -> list[int]:
    return np.unique(words, return_inverse=True)[1].ravel().tolist()


def alike(one: list[int], other: list[object]) -> bool:
    """Whether two colourings put the same nodes together."""
    return len(set(zip(one, other, strict=True))) == len(set(one)) == len(set(other))


@pytest.mark.parametrize("seed", range(60))
def test_rounds_of_sources_and_nodes_find_the_classes_of_the_slow_way(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 9))
    graph = Topology.from_arcs(n, random.integers(n, size=(int(random.integers(2 * n)) + 1, 2)))
    net = flow_network(graph)
    # Small numbers might agree by chance: what is hashed here is a word from the start.
    words = random.integers(1 << 63, size=4).astype(np.uint64)
    label = words[random.integers(2, 4, size=net.arcs)]
    colour = words[random.integers(2, size=(2, n))]
    slow = [*map(tuple, colour.ravel()[:, None].tolist())]
    for _ in range(3):
        refine_colours(net, label, colour)
        slow = [
            (slow[k * n + v], into(net, label, slow, k * n, v), out_of(net, label, slow, k * n, v))
            for k in range(2)
            for v in range(n)
        ]
        assert alike(classes(colour), slow)


def into(net, label, old, base: int, v: int) -> frozenset:
    arcs = np.flatnonzero(net.head == v).tolist()
    return frozenset(Counter((old[base + net.tail[e]], int(label[e])) for e in arcs).items())


def out_of(net, label, old, base: int, v: int) -> frozenset:
    arcs = np.flatnonzero(net.tail == v).tolist()
    return frozenset(Counter((old[base + net.head[e]], int(label[e])) for e in arcs).items())


@pytest.mark.parametrize("seed", range(20))
def test_words_of_circuits_are_those_of_networkx(seed: int) -> None:
    circuits = regular(seed, duplex=True, n=8 + 2 * (seed % 3), d=3)
    graph = nx.MultiGraph(list(zip(circuits.tail.tolist(), circuits.head.tolist(), strict=True)))
    simple = nx.Graph()
    for u, v in graph.edges():
        simple.add_edge(u, v, label=str(graph.number_of_edges(u, v)))
    ports = np.full((circuits.n, 1), 3, dtype=np.int32)
    problem = placement_problem(circuits, circuits, Constraints(ports=ports))
    ours = np.zeros(circuits.n, dtype=np.uint64)
    ours[0] = 1
    theirs = ours.copy()
    assert refine_words(problem.target, problem.wiring, ours, theirs)[0]
    nx.set_node_attributes(simple, {v: str(int(v == 0)) for v in simple}, "start")
    found = nx.weisfeiler_lehman_subgraph_hashes(
        simple, edge_attr="label", node_attr="start", iterations=circuits.n
    )
    assert alike(classes(ours), [found[v][-1] for v in range(circuits.n)])


def test_a_graph_that_looks_the_same_from_everywhere_keeps_one_colour() -> None:
    net = flow_network(jump_graph(7, [1, 2]))
    colour = np.zeros((1, 7), dtype=np.uint64)
    assert refine_colours(net, np.ones(net.arcs, dtype=np.uint64), colour) == 1
