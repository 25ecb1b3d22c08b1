"""Products of a few automorphisms, against networkx and the translations of the families."""

import networkx as nx
import numpy as np
import pytest

from expansions.automorphisms import Automorphisms, automorphisms_of, breadth_first_words
from expansions.build import build
from expansions.parser import parse
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.families.register_all import FAMILIES
from generators.topology import Topology

GRAPHS = [
    (name, arguments)
    for name, family in FAMILIES.items()
    for arguments in family.samples
    if family.properties(*arguments).n <= 40 and family.build(*arguments).translation is not None
]
PATH = {"images": [[1, 2, 0]], "parent": [0, 0, 1], "by": [0, 0, 0]}


@pytest.mark.parametrize(("name", "arguments"), GRAPHS)
def test_products_are_automorphisms_that_carry_node_0_everywhere(name: str, arguments) -> None:
    graph = FAMILIES[name].build(*arguments)
    words = automorphisms_of(graph)
    arcs = sorted(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    for u in range(graph.n):
        image = words.image(u)
        assert image[0] == u
        assert (
            sorted(zip(image[graph.tail].tolist(), image[graph.head].tolist(), strict=True)) == arcs
        )
        product = np.arange(graph.n)
        for g in words.word(u):
            product = words.images[g][product]
        assert product.tolist() == image.tolist()
    assert words.carry(words.images, np.arange(graph.n)).tolist() == [
        words.image(u).tolist() for u in range(graph.n)
    ]


@pytest.mark.parametrize("recipe", ["Q(5)", "Torus(4,3)", "C(9,{1,2})", "K(3)*2", "UniRing(1,3)^2"])
def test_a_group_gives_the_translations_of_the_graph(recipe: str) -> None:
    graph = build(parse(recipe))
    words = automorphisms_of(graph)
    assert len(words.images) <= np.log2(graph.n)
    for u in range(graph.n):
        assert words.image(u).tolist() == graph.translation(u).tolist()


def test_arcs_go_where_their_ends_go_and_parallel_ones_keep_their_order() -> None:
    graph = jump_graph(5, [1, 1, 2])
    words = automorphisms_of(graph)
    maps = words.arc_maps(graph)
    for image, arc in zip(words.images, maps, strict=True):
        assert sorted(arc.tolist()) == list(range(graph.arcs))
        assert (graph.tail[arc] == image[graph.tail]).all()
        assert (graph.head[arc] == image[graph.head]).all()
        same = (graph.tail[:-1] == graph.tail[1:]) & (graph.head[:-1] == graph.head[1:])
        assert (arc[1:][same] > arc[:-1][same]).all()


def test_levels_are_distances_in_the_tree() -> None:
    graph = build(parse("Torus(4,3,2)"))
    words = automorphisms_of(graph)
    tree = nx.DiGraph([(int(words.parent[u]), u) for u in range(1, graph.n)])
    depth = nx.single_source_shortest_path_length(tree, 0)
    for distance, level in enumerate(words.levels):
        assert sorted(level.tolist()) == sorted(u for u in tree if depth[u] == distance)


def test_one_node() -> None:
    words = automorphisms_of(Topology.from_arcs(1, [(0, 0)], translation=lambda u: np.arange(1)))
    assert words.images.shape == (0, 1)
    assert words.image(0).tolist() == [0]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"images": [[1, 2, 1]]}, "images: generator 0 is no permutation"),
        ({"images": [[1, 2, 3]]}, "images: generator 0 is no permutation"),
        ({"images": [[-1, 2, 0]]}, "images: nodes and generators are numbered from 0"),
        ({"images": [[1 << 32, 2, 0]]}, "images: nodes and generators are numbered from 0"),
        ({"images": [[1.5, 2, 0]]}, "images: nodes and generators are numbered from 0"),
        ({"images": [1, 2, 0]}, "images, parent, by: the shapes"),
        ({"images": []}, "images, parent, by: the shapes"),
        ({"parent": [0, 0]}, "images, parent, by: the shapes"),
        ({"by": [0, 0]}, "images, parent, by: the shapes"),
        ({"parent": [0, 0, 3]}, "parent: 3 of node 2 is out of range"),
        ({"parent": [1, 0, 1]}, "parent: 1 of node 0 is out of range"),
        ({"by": [0, 1, 0]}, "by: 1 of node 1 is out of range"),
        ({"parent": [0, 0, 0]}, "parent, by: they do not carry node 0 to node 2"),
        (
            {"images": [[1, 2, 0], [0, 2, 1]], "parent": [0, 2, 1], "by": [0, 1, 0]},
            "parent: no path leads from node 0 to node 1",
        ),
    ],
)
def test_what_does_not_carry_node_0_everywhere_is_refused(changed: dict, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Automorphisms(**(PATH | changed))


def test_graphs_without_enough_symmetry_are_refused() -> None:
    ring = jump_graph(3, [1])
    with pytest.raises(InvalidInput, match="translation: the topology has none"):
        automorphisms_of(Topology(n=3, tail=ring.tail, head=ring.head))
    apart = Topology.from_arcs(2, [(0, 0), (1, 1)], translation=lambda u: np.arange(2) ^ u)
    with pytest.raises(InvalidInput, match="node 0 cannot reach node 1"):
        automorphisms_of(apart)
    with pytest.raises(InvalidInput, match="for 3 nodes, but the topology has 4"):
        automorphisms_of(ring).arc_maps(jump_graph(4, [1]))
    with pytest.raises(InvalidInput, match=r"node -1 is not in 0\.\.2"):
        automorphisms_of(ring).word(-1)


@pytest.mark.parametrize("point", [-1, 3])
def test_points_that_the_maps_do_not_carry_are_refused(point: int) -> None:
    turn = Automorphisms(**PATH)
    with pytest.raises(InvalidInput, match=rf"points: those carried are 0\.\.2, not {point}"):
        turn.carry(turn.images, np.array([1, point]))


def words_one_by_one(images: list[list[int]], n: int) -> tuple[list[int], list[int]]:
    """Breadth-first by a queue: node after node, generator after generator."""
    parent, by, queue = [0, *[-1] * (n - 1)], [0] * n, [0]
    for u in queue:
        for g, image in enumerate(images):
            if parent[image[u]] < 0:
                parent[image[u]], by[image[u]] = u, g
                queue.append(image[u])
    return parent, by


@pytest.mark.parametrize("seed", range(40))
def test_words_of_any_permutations_are_those_of_a_queue(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, count = int(random.integers(1, 20)), int(random.integers(4))
    images = np.array([random.permutation(n) for _ in range(count)], dtype=np.int32)
    images = images.reshape(count, n)
    parent, by = breadth_first_words(images, by_node=True)
    assert (parent.tolist(), by.tolist()) == words_one_by_one(images.tolist(), n)
    other, last = breadth_first_words(images)
    assert ((other < 0) == (parent < 0)).all()
    reached = np.flatnonzero(other >= 0)[1:]
    assert (images[last[reached], other[reached]] == reached).all()
