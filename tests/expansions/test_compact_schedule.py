"""Compact schedules against their expansions, on every transitive family."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from expansions.automorphisms import ArcImages, Automorphisms, automorphisms_of
from expansions.cayley_colours import ArcColours
from expansions.compact_schedule import CompactSchedule
from expansions.degree import degree_expansion
from expansions.two_way import two_way
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.families.complete import complete
from generators.families.register_all import FAMILIES
from generators.topology import Topology
from tests.replay import replay
from tests.schedules import breadth_first, from_rows, rows_of, slow_loads
from tests.twins import random_topology

GRAPHS = [
    (name, arguments)
    for name, family in FAMILIES.items()
    for arguments in family.samples
    if family.properties(*arguments).n <= 40 and family.build(*arguments).translation is not None
]


def compact(topology: Topology, seed: int = 0) -> CompactSchedule:
    whole = breadth_first(topology, pieces=2, seed=seed)
    rows = [row for row in zip(*_columns(whole), strict=True) if row[0] == 0]
    return CompactSchedule(from_rows(rows, 2), automorphisms_of(topology))


def _columns(schedule):
    return [getattr(schedule, name) for name in ("source", "arc", "step", "begin", "end")]


def require_equal(graph: Topology, seed: int = 0) -> None:
    short = compact(graph, seed)
    whole = short.expand(graph)
    replay(graph, whole)
    assert whole.rows == graph.n * short.origin.rows
    assert short.loads(graph) == slow_loads(graph, whole)
    assert short.cost(graph) == whole.cost(graph)


@pytest.mark.parametrize(("name", "arguments"), GRAPHS)
def test_the_compact_form_says_what_its_expansion_says(name: str, arguments: tuple) -> None:
    require_equal(FAMILIES[name].build(*arguments))


@pytest.mark.parametrize("seed", range(3))
def test_translations_that_do_not_keep_colours(seed: int) -> None:
    for graph in (
        degree_expansion(jump_graph(5, [1, 2]), 2),
        shuffled(jump_graph(7, [1, 1, 3]), seed),
        two_way(jump_graph(6, [1, 2])),
    ):
        require_equal(graph, seed)


def shuffled(topology: Topology, seed: int) -> Topology:
    order = np.random.default_rng(seed).permutation(topology.arcs)
    return Topology(
        n=topology.n,
        tail=topology.tail[order],
        head=topology.head[order],
        translation=topology.translation,
    )


def test_slots_are_known_for_cayley_graphs_only() -> None:
    assert ArcColours(jump_graph(6, [1, 2])).steps is not None
    assert ArcColours(random_topology(1)).steps is None


@pytest.mark.parametrize(
    "graph",
    [
        FAMILIES["Q"].build(4),
        degree_expansion(jump_graph(5, [1, 2]), 2),
        shuffled(jump_graph(7, [1, 3, 3]), 1),
    ],
)
def test_the_group_of_slot_keeping_translations(graph: Topology) -> None:
    colours = ArcColours(graph)
    images = dict(colours.translations())
    assert sorted(images) == list(range(graph.n))
    assert (np.bincount(colours.colour) == graph.n).all()
    for u, image in images.items():
        assert image.tolist() == graph.translation(u).tolist()
        moved = colours.arcs(image[graph.tail], colours.colour)
        assert np.array_equal(graph.head[moved], image[graph.head])


def test_totals_beyond_64_bits_are_exact() -> None:
    whole = (1 << 62) - 1
    graph = degree_expansion(jump_graph(3, [1]), 2)
    rows = [(0, arc, 1, 0, whole) for arc in (0, 1, 2, 3)] * 2
    short = CompactSchedule(from_rows(rows, whole), automorphisms_of(graph))
    assert short.loads(graph) == slow_loads(graph, short.expand(graph))


def test_parallel_arcs_keep_their_order() -> None:
    graph = jump_graph(4, [1, 1])
    images = ArcImages(graph, np.arange(graph.arcs))
    assert images.under(graph.translation(1)).tolist() == [2, 3, 4, 5, 6, 7, 0, 1]


def test_what_cannot_be_translated_is_refused() -> None:
    ring = jump_graph(3, [1])
    words = automorphisms_of(ring)
    with pytest.raises(InvalidInput, match="row 1 is about node 2, not node 0"):
        CompactSchedule(from_rows([(0, 0, 1, 0, 1), (2, 0, 1, 0, 1)]), words)
    with pytest.raises(InvalidInput, match="a broadcast is about one node only"):
        CompactSchedule(from_rows([], collective="broadcast", root=0), words)
    short = CompactSchedule(from_rows([(0, 0, 1, 0, 1), (0, 1, 2, 0, 1)]), words)
    for offered, message in (
        (jump_graph(4, [1]), "translations: for 3 nodes, but the topology has 4"),
        (Topology.from_arcs(3, [(0, 1)]), "arc: 1 in row 1"),
        (replace(ring, switches=(1,)), r"switches: translations are for hosts only, not \(1,\)"),
        (Topology.from_arcs(3, [(0, 1), (1, 0)]), r"it carries arc \[0, 1\] to \[1, 2\]"),
    ):
        for asked in (short.loads, short.expand, partial(short.rows_of, u=1)):
            with pytest.raises(InvalidInput, match=message):
                asked(offered)
    with pytest.raises(InvalidInput, match=r"node 3 is not in 0\.\.2"):
        short.rows_of(ring, 3)
    with pytest.raises(InvalidInput, match=r"it carries arc \[0, 1\] to \[0, 2\]"):
        ArcImages(ring, np.arange(3)).under(np.array([0, 2, 1]))
    doubled = Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0)])
    with pytest.raises(InvalidInput, match=r"to \[1, 0\], and there are fewer such arcs"):
        ArcImages(doubled, np.arange(3)).under(np.array([1, 0]))


@pytest.mark.parametrize("family", ["Q", "Torus", "UniRing", "K", "TwistedTorus"])
def test_the_rows_of_one_node(family: str) -> None:
    arguments = next(given for name, given in GRAPHS if name == family)
    graph = FAMILIES[family].build(*arguments)
    short = compact(graph)
    whole = rows_of(short.expand(graph))
    for u in range(graph.n):
        assert rows_of(short.rows_of(graph, u)) == {row for row in whole if row[0] == u}


@pytest.mark.parametrize("cells", [1, 7])
def test_loads_are_added_up_in_any_portions(cells: int) -> None:
    graph = degree_expansion(jump_graph(5, [1, 2]), 2)
    require_equal(graph)
    wide = replace(graph, capacity=tuple(1 + arc % 3 for arc in range(graph.arcs)))
    short = compact(graph)
    assert short.loads(wide, cells) == slow_loads(wide, short.expand(graph))
    nothing = CompactSchedule(from_rows([]), automorphisms_of(graph))
    assert nothing.loads(graph, cells) == nothing.loads(wide, cells) == ()


def test_products_that_are_no_group() -> None:
    """On K(4) any permutations are automorphisms; these do not even commute with arcs' colours."""
    graph = complete(4)
    images = [[1, 2, 3, 0], [2, 0, 1, 3], [3, 1, 0, 2]]
    words = Automorphisms(images=images, parent=[0, 0, 0, 0], by=[0, 0, 1, 2])
    short = CompactSchedule(compact(graph).origin, words)
    whole = short.expand(graph)
    replay(graph, whole)
    assert short.loads(graph) == slow_loads(graph, whole)


def test_colours_are_not_enough_where_the_graph_falls_apart() -> None:
    """Two pairs of nodes: generators keep colours, and their products are no group."""
    graph = Topology.from_arcs(4, [(0, 1), (1, 0), (2, 3), (3, 2)])
    images = [[1, 0, 2, 3], [2, 3, 0, 1], [3, 2, 0, 1]]
    words = Automorphisms(images=images, parent=[0, 0, 0, 0], by=[0, 0, 1, 2])
    short = CompactSchedule(from_rows([(0, 0, 1, 0, 1)]), words)
    assert short.loads(graph) == slow_loads(graph, short.expand(graph))
