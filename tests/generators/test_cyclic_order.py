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
