"""Facts of the base graphs beyond their properties: which are the same, symmetric, or refused."""

from collections.abc import Callable
from itertools import permutations, product
from math import gcd

import networkx as nx
import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.families.double_binary_tree import tree_parents
from generators.families.generalized_kautz import affine_representatives
from generators.families.register_all import FAMILIES
from generators.families.shifted_ring import ring_shift
from generators.families.words import Words, de_bruijn_words, kautz_words, pattern_representatives
from generators.registry import Arguments
from generators.topology import Topology


def build(name: str, *arguments: int) -> Topology:
    return FAMILIES[name].build(*arguments)


def digraph(topology: Topology) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(topology.n))
    graph.add_edges_from(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))
    return graph


def is_automorphism(topology: Topology, image: np.ndarray) -> bool:
    moved = Topology(n=topology.n, tail=image[topology.tail], head=image[topology.head])
    return bool(np.array_equal(np.sort(image), np.arange(topology.n))) and moved.same_arcs(topology)


SAME = [
    (("Torus", 2, 2, 2), ("Q", 3)),
    (("Torus", 5), ("BiRing", 2, 5)),
    (("Torus", 3, 3), ("H", 2, 3)),
    (("Torus", 4, 4), ("Q", 4)),
    (("Torus", 1, 6), ("Torus", 6)),
    (("Torus", 3, 4), ("TwistedTorus", 3, 4, 0)),
    (("TwistedTorus", 3, 7, 2), ("TwistedTorus", 3, 7, 5)),
    (("TwistedTorus3", 3, 4, 5, 0, 0, 0), ("Torus", 3, 4, 5)),
    (("TwistedTorus3", 3, 3, 4, -1, 5, 2), ("TwistedTorus3", 3, 3, 4, 2, 3, 2)),
    (("Mesh", 2, 2, 2), ("Q", 3)),
    (("H", 1, 5), ("K", 5)),
    (("H", 2, 2), ("K", 2, 2)),
    (("Kautz", 3, 0), ("K", 4)),
    (("DirC", 1), ("UniRing", 1, 3)),
    (("UniRing", 1, 2), ("K", 2)),
    (("ShiftedRing", 5), ("K", 5)),
]


@pytest.mark.parametrize(("one", "other"), SAME, ids=str)
def test_two_names_of_one_graph(one: Arguments, other: Arguments) -> None:
    assert nx.is_isomorphic(digraph(build(*one)), digraph(build(*other)))


@pytest.mark.parametrize(("d", "n"), [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)])
def test_kautz_graph_is_pi_and_the_iterated_line_graph(d: int, n: int) -> None:
    kautz = build("Kautz", d, n)
    assert kautz.same_arcs(build("Pi", d, d**n * (d + 1)))
    line = nx.complete_graph(d + 1, nx.DiGraph)
    for _ in range(n):
        line = nx.line_graph(line)
    assert nx.is_isomorphic(digraph(kautz), line)


def test_torus_is_the_cartesian_product_of_cycles() -> None:
    rings = [nx.cycle_graph(3), nx.path_graph(2), nx.cycle_graph(4)]
    grid = nx.cartesian_product(nx.cartesian_product(rings[0], rings[1]), rings[2])
    numbered = {((a, b), c): 8 * a + 4 * b + c for (a, b), c in grid}
    assert (
        digraph(build("Torus", 3, 2, 4)).edges
        == nx.relabel_nodes(grid, numbered).to_directed().edges
    )


def test_mesh_is_the_grid() -> None:
    grid = nx.grid_graph((4, 3, 2)).to_directed()
    numbered = {(a, b, c): 12 * a + 4 * b + c for a, b, c in grid}
    assert digraph(build("Mesh", 2, 3, 4)).edges == nx.relabel_nodes(grid, numbered).edges


@pytest.mark.parametrize("d", range(2, 6))
def test_generalized_kautz_graphs_have_their_properties_at_every_size(d: int) -> None:
    for m in range(d + 1, 70):
        properties, topology = FAMILIES["Pi"].properties(d, m), build("Pi", d, m)
        diameter = nx.diameter(digraph(topology))
        assert diameter <= properties.max_diameter
        assert properties.diameter in (None, diameter)
        assert properties.loop_free == (not topology.has_loops)
        assert properties.bidirectional == topology.is_bidirectional
        assert topology.is_simple
        assert topology.is_regular
        assert bool(properties.transitive) == topology.is_transitive


@pytest.mark.parametrize(("d", "m"), [(2, 7), (2, 9), (3, 8), (4, 10), (4, 15), (4, 64), (5, 21)])
def test_affine_automorphisms_of_pi_have_the_listed_orbits(d: int, m: int) -> None:
    topology, nodes = build("Pi", d, m), np.arange(m)
    period = m // gcd(m, d + 1)
    images = [(-1 - nodes) % m, (nodes + period) % m]
    assert all(is_automorphism(topology, image) for image in images)
    orbits = nx.Graph([(x, int(image[x])) for image in images for x in range(m)])
    least = sorted(min(orbit) for orbit in nx.connected_components(orbits))
    assert affine_representatives(d, m).tolist() == least


WORDS = [
    *[("DBJ", d, n, de_bruijn_words(d, n), d) for d, n in ((2, 3), (3, 2), (4, 3))],
    *[("Kautz", d, n, kautz_words(d, n), d + 1) for d, n in ((2, 2), (3, 1), (3, 2), (2, 4))],
]


@pytest.mark.parametrize(("name", "d", "n", "words", "letters"), WORDS)
def test_renaming_letters_has_the_listed_orbits(
    name: str, d: int, n: int, words: Words, letters: int
) -> None:
    topology = build(name, d, n)
    number = {tuple(word): node for node, word in enumerate(words.tolist())}
    assert len(number) == topology.n
    orbits = nx.Graph()
    for order in permutations(range(letters)):
        image = np.array([number[tuple(order[a] for a in word)] for word in words.tolist()])
        assert is_automorphism(topology, image)
        orbits.add_edges_from(enumerate(image.tolist()))
    least = sorted(min(orbit) for orbit in nx.connected_components(orbits))
    assert pattern_representatives(words).tolist() == least
    assert topology.orbits is not None
    assert topology.orbits.tolist() == least


@pytest.mark.parametrize(("name", "words"), [("DBJ", de_bruijn_words), ("Kautz", kautz_words)])
def test_arcs_shift_words(name: str, words: Callable[[int, int], Words]) -> None:
    topology, letters = build(name, 3, 2), words(3, 2)
    assert (letters[topology.tail][:, 1:] == letters[topology.head][:, :-1]).all()


@pytest.mark.parametrize(
    ("name", "arguments"), [("TwistedQ", (4,)), ("Mesh", (3, 4)), ("DoubleBinaryTree", (14,))]
)
def test_orbits_are_those_of_the_whole_group(name: str, arguments: Arguments) -> None:
    """Every node has an automorphism to some representative; found by search."""
    topology = FAMILIES[name].build(*arguments)
    assert topology.orbits is not None
    graph = digraph(topology)
    for node in range(topology.n):
        assert any(_carries(graph, int(root), node) for root in topology.orbits)


def _carries(graph: nx.DiGraph, root: int, node: int) -> bool:
    marked = [graph.copy(), graph.copy()]
    for copy, place in zip(marked, (root, node), strict=True):
        nx.set_node_attributes(copy, {v: int(v == place) for v in copy}, "mark")
    same = nx.algorithms.isomorphism.categorical_node_match("mark", 0)
    return bool(nx.is_isomorphic(*marked, node_match=same))


@pytest.mark.parametrize(("a", "b", "s"), [*product((1, 2, 3, 4), (2, 3, 4, 6), range(4))])
def test_twisted_torus_flags_and_diameter_bound(a: int, b: int, s: int) -> None:
    if a == 1 and s % b == 0:
        with pytest.raises(InvalidInput, match="joins every node to itself"):
            build("TwistedTorus", a, b, s)
        return
    topology, properties = (
        build("TwistedTorus", a, b, s),
        FAMILIES["TwistedTorus"].properties(a, b, s),
    )
    assert topology.is_simple == properties.simple
    assert topology.is_bidirectional
    assert topology.is_regular
    assert not topology.has_loops
    assert nx.diameter(digraph(topology)) <= properties.max_diameter
    canonical = FAMILIES["TwistedTorus"].build(*FAMILIES["TwistedTorus"].canonical(a, b, s))
    assert nx.is_isomorphic(digraph(topology), digraph(canonical))


def test_the_twist_shortens_the_torus_of_tpu_pods() -> None:
    straight, twisted = build("Torus", 4, 8), build("TwistedTorus", 4, 8, 4)
    assert nx.diameter(digraph(straight)) == 6
    assert nx.diameter(digraph(twisted)) == 4


def test_shifted_ring_has_the_mean_distance_behind_table_4() -> None:
    lengths = nx.single_source_shortest_path_length(digraph(build("ShiftedRing", 1024)), 0)
    seconds = sum(lengths.values()) / 1024 * 2**20 * 8 / 100e9
    assert round(seconds * 1e6) == 10738


def test_ring_shift_is_coprime_below_half() -> None:
    for n in range(3, 200):
        s = ring_shift(n)
        assert gcd(s, n) == 1
        assert s < n / 2
        assert (s == 1) == (n in (3, 4, 6))


@pytest.mark.parametrize("n", range(2, 70))
def test_double_binary_tree_is_two_trees_on_four_ports(n: int) -> None:
    first = nx.Graph(list(enumerate(tree_parents(n).tolist(), start=1)))
    place = {v: n - 1 - v if n % 2 == 0 else (v + 1) % n for v in range(n)}
    second = nx.relabel_nodes(first, place)
    assert nx.is_tree(first)
    assert nx.is_tree(second)
    inner = [
        {v for v in tree if tree.degree[v] > 1 or v == root}
        for tree, root in ((first, 0), (second, place[0]))
    ]
    assert inner[0] & inner[1] <= (set() if n % 2 == 0 else {0})
    arcs = [*first.to_directed().edges, *second.to_directed().edges]
    assert build("DoubleBinaryTree", n).same_arcs(Topology.from_arcs(n, arcs))
    assert build("DoubleBinaryTree", n).degree <= 4


REFUSED = [
    ("H", (0, 3), "n >= 1, not 0"),
    ("H", (2, 1), "q >= 2, not 1"),
    ("H", (10**9, 2), "exponent 1000000000"),
    ("Q", (0,), "n >= 1, not 0"),
    ("Q", (30,), "1073741824 nodes; recipes name at most 1000000000"),
    ("Kautz", (1, 3), "d >= 2, not 1"),
    ("Kautz", (2, -1), "n >= 0, not -1"),
    ("Kautz", (2, 10**9), "exponent 1000000000"),
    ("Pi", (0, 3), "d >= 1, not 0"),
    ("Pi", (4, 4), "m >= d \\+ 1 = 5, not 4"),
    ("Pi", (1, 3), "only for m = 2, not 3"),
    ("Pi", (4, 10**9 + 1), "recipes name at most 1000000000"),
    ("DBJ", (1, 2), "d >= 2, not 1"),
    ("DBJ", (2, 0), "n >= 1, not 0"),
    ("DirC", (0,), "d >= 1, not 0"),
    ("DirC", (10**4,), "100020000 arcs; at most"),
    ("BiRing", (3, 5), "even d >= 2, not 3"),
    ("BiRing", (2, 2), "m >= 3, not 2"),
    ("UniRing", (0, 4), "d >= 1, not 0"),
    ("UniRing", (1, 1), "m >= 2, not 1"),
    ("Torus", (), "some width must be at least 2"),
    ("Torus", (1, 1), "some width must be at least 2"),
    ("Torus", (3, 0), "every width must be at least 1"),
    ("Torus", (32768, 32768), "recipes name at most 1000000000"),
    ("C", (10**9 + 1, (1,)), "recipes name at most 1000000000"),
    ("K", (300_000,), "89999700000 arcs; recipes name graphs of at most 68719476736"),
    ("Mesh", (1,), "Mesh\\(1\\): some width"),
    ("Mesh", (-2, 3), "every width must be at least 1"),
    ("TwistedTorus", (0, 4, 1), "a >= 1, not 0"),
    ("TwistedTorus", (4, 1, 0), "b >= 2, not 1"),
    ("TwistedTorus", (1, 4, 8), "joins every node to itself"),
    ("TwistedTorus3", (4, 1, 4, 0, 0, 0), "every width must be at least 2"),
    ("TwistedQ", (2,), "n >= 3, not 2"),
    ("ShiftedRing", (2,), "n >= 3, not 2"),
    ("DoubleBinaryTree", (1,), "n >= 2, not 1"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), REFUSED)
def test_impossible_arguments_are_refused_by_name(
    name: str, arguments: Arguments, message: str
) -> None:
    for offered in (FAMILIES[name].properties, FAMILIES[name].build):
        with pytest.raises(InvalidInput, match=message):
            offered(*arguments)


NAMED = [
    ("BiRing", (2, 2**21)),
    ("C", (2**21, (1, 2))),
    ("DBJ", (2, 21)),
    ("H", (14, 3)),
    ("K", (5000,)),
    ("Kautz", (2, 20)),
    ("Mesh", (2048, 2048)),
    ("Pi", (4, 2**21)),
    ("Q", (21,)),
    ("ShiftedRing", (2**21,)),
    ("Torus", (2048, 2048)),
    ("TwistedQ", (21,)),
    ("TwistedTorus", (2048, 2048, 1)),
    ("TwistedTorus3", (128, 128, 256, 0, 128, 128)),
    ("UniRing", (1, 2**21)),
]


@pytest.mark.parametrize(("name", "arguments"), NAMED)
def test_what_is_too_large_to_build_can_be_named(name: str, arguments: Arguments) -> None:
    known = FAMILIES[name].properties(*arguments)
    assert known.n > 1 << 20 or known.n * known.d > 1 << 24
    with pytest.raises(InvalidInput, match=r"the graph has .*; at most .* can be built"):
        FAMILIES[name].build(*arguments)


@pytest.mark.parametrize("n", range(4, 61, 2))
def test_diameters_of_moebius_ladders(n: int) -> None:
    known = FAMILIES["C"].properties(n, (1, n // 2))
    graph = nx.circulant_graph(n, [1, n // 2])
    assert known.diameter == nx.diameter(graph)
