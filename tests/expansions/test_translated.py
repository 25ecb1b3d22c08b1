"""Compact schedules against their expansions, on every transitive family."""

import numpy as np
import pytest

from expansions.arc_images import ArcImages
from expansions.bidirectional import two_way
from expansions.degree import degree_expansion
from expansions.slots import Slots
from expansions.translated import Translated
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.families import FAMILIES
from generators.topology import Topology
from tests.replay import replay
from tests.schedules import breadth_first, from_rows, slow_loads
from tests.twins import random_topology

GRAPHS = [
    (name, arguments)
    for name, family in FAMILIES.items()
    for arguments in family.samples
    if family.promise(*arguments).n <= 40 and family.build(*arguments).translation is not None
]


def compact(topology: Topology, seed: int = 0) -> Translated:
    whole = breadth_first(topology, pieces=2, seed=seed)
    rows = [row for row in zip(*_columns(whole), strict=True) if row[0] == 0]
    return Translated(from_rows(rows, 2))


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
def test_translations_that_do_not_keep_slots(seed: int) -> None:
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
    assert Slots(jump_graph(6, [1, 2])).steps is not None
    assert Slots(degree_expansion(jump_graph(5, [1, 2]), 2)).steps is None
    assert Slots(random_topology(1)).steps is None


def test_the_group_of_slot_keeping_translations() -> None:
    graph = FAMILIES["Q"].build(4)
    slots = Slots(graph)
    images = dict(slots.translations())
    assert sorted(images) == list(range(16))
    for u, image in images.items():
        assert image.tolist() == [u ^ v for v in range(16)]
        moved = slots.arcs(image[graph.tail], slots.slot)
        assert np.array_equal(graph.head[moved], image[graph.head])


def test_totals_beyond_64_bits_are_exact() -> None:
    whole = (1 << 62) - 1
    graph = degree_expansion(jump_graph(3, [1]), 2)
    rows = [(0, arc, 1, 0, whole) for arc in (0, 1, 2, 3)] * 2
    short = Translated(from_rows(rows, whole))
    assert short.loads(graph) == slow_loads(graph, short.expand(graph))


def test_parallel_arcs_keep_their_order() -> None:
    graph = jump_graph(4, [1, 1])
    images = ArcImages(graph, np.arange(graph.arcs))
    assert images.under(graph.translation(1)).tolist() == [2, 3, 4, 5, 6, 7, 0, 1]


def test_what_cannot_be_translated_is_refused() -> None:
    ring = jump_graph(3, [1])
    with pytest.raises(InvalidInput, match="row 1 is about node 2, not node 0"):
        Translated(from_rows([(0, 0, 1, 0, 1), (2, 0, 1, 0, 1)]))
    with pytest.raises(InvalidInput, match="a broadcast is about one node only"):
        Translated(from_rows([], collective="broadcast", root=0))
    short = Translated(from_rows([(0, 0, 1, 0, 1), (0, 1, 2, 0, 1)]))
    plain = Topology(n=3, tail=ring.tail, head=ring.head)
    with pytest.raises(InvalidInput, match="translation: the topology has none"):
        short.expand(plain)
    with pytest.raises(InvalidInput, match="arc: 1 in row 1"):
        short.loads(Topology.from_arcs(1, [(0, 0)], translation=lambda u: np.arange(1)))
    apart = Topology.from_arcs(2, [(0, 0), (1, 1)], translation=lambda u: np.arange(2) ^ u)
    with pytest.raises(InvalidInput, match="node 0 cannot reach node 1"):
        Translated(from_rows([(0, 0, 1, 0, 1)])).expand(apart)
    with pytest.raises(InvalidInput, match=r"it carries arc \[0, 1\] to \[0, 2\]"):
        ArcImages(ring, np.arange(3)).under(np.array([0, 2, 1]))
