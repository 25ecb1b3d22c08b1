"""One node less: its neighbours are paired, every pairing once, and one port is left."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from expansions.build import build
from expansions.parser import parse
from expansions.properties import properties
from expansions.splitting_off import first_pairings, pair_off, pairings, pinch, split_off
from generators.errors import InvalidInput
from generators.families.complete import complete
from generators.topology import Topology
from tests.recipes import free_port_graphs, recipes


@pytest.mark.parametrize("count", [1, 3, 5, 7])
def test_every_pairing_has_one_number(count: int) -> None:
    found = {frozenset(map(frozenset, pair_off(count, i))) for i in range(pairings(count))}
    assert len(found) == pairings(count)
    for pairs in found:
        assert len(frozenset().union(*pairs)) == count - 1


@pytest.mark.parametrize(("d", "most"), [(3, 1), (5, 4), (7, 60), (9, 10)])
def test_some_pairings_are_spread_over_all(d: int, most: int) -> None:
    chosen = list(first_pairings(d, most))
    assert 0 < len(chosen) <= most
    assert chosen[-1] < pairings(d)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(recipes(max_nodes=24, max_degree=7), st.integers(0, 104))
def test_all_other_nodes_keep_their_ports_but_one(recipe: object, number: int) -> None:
    graph = build(recipe)
    assume(graph.is_bidirectional and graph.degree % 2 and graph.n > 2)
    try:
        found = split_off(graph, number % pairings(graph.degree))
    except InvalidInput:
        assert graph.has_loops or not graph.is_simple
        return
    assert found.is_bidirectional
    assert found.n == graph.n - 1
    assert not found.has_loops or graph.has_loops
    less = graph.out_degrees[:-1] - found.out_degrees
    assert Counter(less.tolist()) == {0: graph.n - 2, 1: 1}
    kept = {(u, v) for u, v in _arcs(graph) if graph.n - 1 not in (u, v)}
    assert kept <= set(_arcs(found))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(free_port_graphs())
def test_pinching_undoes_it(graph: Topology) -> None:
    larger, number = pinch(graph)
    assert (larger.n, larger.is_regular, larger.is_bidirectional) == (graph.n + 1, True, True)
    assert split_off(larger, number).same_arcs(graph)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(recipes(max_nodes=24, max_degree=7), st.integers(0, 104))
def test_pinching_circuits_apart_keeps_a_graph_simple(recipe: object, number: int) -> None:
    graph = build(recipe)
    assume(graph.is_bidirectional and graph.degree % 2 and graph.n > 2 and graph.is_simple)
    assume(not graph.has_loops)
    number %= pairings(graph.degree)
    found = split_off(graph, number)
    near = set(graph.head[graph.tail == graph.n - 1].tolist())
    larger, again = pinch(found, near)
    assert split_off(larger, again).same_arcs(found)
    [free] = np.flatnonzero(found.out_degrees < graph.degree).tolist()
    among = [(u, v) for u, v in _arcs(found) if u < v and {u, v} <= near - {free}]
    if found.is_simple and len(among) == graph.degree // 2:  # its own last node is put back
        assert (again, larger.same_arcs(graph)) == (number, True)


def _arcs(graph: Topology) -> list[tuple[int, int]]:
    return list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))


def test_it_commutes_with_transposition() -> None:
    graph = build(parse("Torus(2,3)"))
    mixed = Topology(n=graph.n, tail=graph.head[::-1], head=graph.tail[::-1])
    for pairing in range(3):
        assert split_off(graph, pairing).same_arcs(split_off(mixed, pairing))
        assert np.array_equal(
            split_off(graph, pairing).in_degrees, split_off(graph, pairing).out_degrees
        )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("SplitOff(K(3),0)", "an odd degree is needed, not 2"),
        ("SplitOff(K(4),3)", "i is 0 to 2, not 3"),
        ("SplitOff(Diamond,0)", "the graph inside is not two-way"),
        ("SplitOff(K(2),0)", "at least 3 nodes are needed, not 2"),
    ],
)
def test_refusals(text: str, line: str) -> None:
    with pytest.raises(InvalidInput, match=line):
        build(parse(text))


def test_refusals_of_graphs() -> None:
    for graph, line in (
        (Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)]), "not two-way"),
        (complete(3), "an odd degree is needed, not 2"),
        (Topology.from_arcs(3, [(2, 2), (0, 1), (1, 0)]), "node 2 has a self-loop"),
        (Topology.from_arcs(3, [(2, 0), (0, 2)] * 3 + [(0, 1), (1, 0)]), "joins node 0 to itself"),
    ):
        with pytest.raises(InvalidInput, match=line):
            split_off(graph, 0)


def test_what_is_known() -> None:
    known = properties(parse("SplitOff(Small(3,10),2)"))
    assert (known.regular, known.bidirectional, known.loop_free) == (False, True, True)
