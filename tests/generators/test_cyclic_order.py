"""Cyclic orders: a turn of the picture carries arcs to arcs, checked arc by arc."""

from collections import Counter
from collections.abc import Iterator

import pytest

from expansions.build import build
from expansions.parser import parse
from generators.cyclic_order import cyclic_order
from generators.topology import Topology

SYMMETRIC = ["C(12,{1,6})", "Torus(4,6)", "Q(4)", "K(5)", "Cay(Dic2;1,2,3)", "TwistedTorus(2,4,2)"]


def arcs_after_a_turn(graph: Topology, order: list[int], by: int) -> Counter[tuple[int, int]]:
    """The arcs, each node put where the one `by` places on stands."""
    place = {node: number for number, node in enumerate(order)}
    moved = {node: order[(place[node] + by) % graph.n] for node in order}
    return Counter((moved[u], moved[v]) for u, v in arcs(graph))


def arcs(graph: Topology) -> Iterator[tuple[int, int]]:
    return zip(graph.tail.tolist(), graph.head.tolist(), strict=True)


@pytest.mark.parametrize("recipe", SYMMETRIC)
def test_a_turn_carries_arcs_to_arcs(recipe: str) -> None:
    graph = build(parse(recipe))
    found = cyclic_order(graph)
    assert found is not None
    number, length = found.cycles.shape
    assert number * length == graph.n
    order = found.around.tolist()
    assert sorted(order) == sorted(found.blocks.tolist()) == list(range(graph.n))
    assert arcs_after_a_turn(graph, order, number) == Counter(arcs(graph))


def test_rings_keep_their_length_and_graphs_without_known_symmetry_have_no_order() -> None:
    torus = cyclic_order(build(parse("Torus(4,6)")))
    assert torus is not None
    assert torus.cycles.shape == (2, 12), (
        "(1, 1) is of order 12, and no translation of a higher one"
    )
    assert cyclic_order(build(parse("Diamond"))) is None


@pytest.mark.parametrize("recipe", [*SYMMETRIC, "C(24,{3,4})", "Cay(Z5:Z4[2];1,5,4)"])
def test_no_translation_has_longer_cycles_or_shorter_arcs(recipe: str) -> None:
    """Every translation by itself: its cycles from node to node, its arcs around the circle."""
    graph = build(parse(recipe))
    found = cyclic_order(graph)
    assert found is not None
    assert graph.translation is not None
    place = {node: at for at, node in enumerate(found.around.tolist())}
    for node in range(1, graph.n):
        image, at, length = graph.translation(node), 0, 0
        while at or not length:
            at, length = int(image[at]), length + 1
        assert length <= found.cycles.shape[1]
    if len(found.cycles) > 1:
        return
    ends = [(place[u] - place[v]) % graph.n for u, v in arcs(graph)]
    mean = sum(min(gap, graph.n - gap) for gap in ends)
    for node in range(1, graph.n):
        image, order = graph.translation(node), [0]
        while (after := int(image[order[-1]])) != 0:
            order.append(after)
        if len(order) == graph.n:
            where = {node: at for at, node in enumerate(order)}
            gaps = [(where[u] - where[v]) % graph.n for u, v in arcs(graph)]
            assert mean <= sum(min(gap, graph.n - gap) for gap in gaps)
