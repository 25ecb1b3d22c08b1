"""What the enumeration of digraphs and the bounds on their schedules rest on."""

from fractions import Fraction
from itertools import combinations, product

import networkx as nx
import pytest

from generators.topology import Topology
from tools.all_digraphs import digraphs
from tools.prove_small_frontiers import QUESTIONS, classes, least_bandwidth_in
from topofinder.schedules.synthesis.synthesise import synthesise

ANSWERS = {
    (6, 2, 2): (3, {Fraction(1)}),
    (7, 2, 2): (0, set()),
    (12, 2, 3): (3, {Fraction(7, 6)}),
    (13, 2, 3): (0, set()),
    (14, 2, 3): (0, set()),
    (15, 2, 3): (0, set()),
    (11, 3, 2): (1, {Fraction(12, 11)}),
    (12, 3, 2): (1, {Fraction(1)}),
    (13, 3, 2): (0, set()),
}
SLOW = {(11, 3, 2)}


def everything(n: int, d: int, diameter: int) -> list[nx.DiGraph]:
    """One digraph of each class, by trying all heads of all nodes."""
    kept: list[nx.DiGraph] = []
    choices = [list(combinations([v for v in range(n) if v != u], d)) for u in range(n)]
    for heads in product(*choices):
        graph = nx.DiGraph((u, v) for u, ends in enumerate(heads) for v in ends)
        if any(graph.in_degree(v) != d for v in graph) or not nx.is_strongly_connected(graph):
            continue
        if nx.diameter(graph) <= diameter and not any(nx.is_isomorphic(graph, k) for k in kept):
            kept.append(graph)
    return kept


@pytest.mark.parametrize(
    ("n", "d", "diameter"), [(4, 2, 2), (4, 2, 3), (5, 2, 2), (5, 2, 3), (5, 3, 2)]
)
def test_enumeration_against_trying_everything(n: int, d: int, diameter: int) -> None:
    expected, found = everything(n, d, diameter), classes(n, d, diameter)
    assert expected
    assert len(found) == len(expected)
    assert all(any(nx.is_isomorphic(graph, other) for other in found) for graph in expected)


@pytest.mark.parametrize("heads", digraphs(6, 2, 3)[::40].tolist())
def test_bound_is_below_every_synthesised_schedule(heads: list[list[int]]) -> None:
    graph = nx.DiGraph((u, v) for u, ends in enumerate(heads) for v in ends)
    schedule = synthesise(Topology.from_arcs(6, sorted(graph.edges)), steps=3, chunks=1)
    assert schedule is not None
    assert least_bandwidth_in(graph, 3) <= schedule.cost.bandwidth
    assert least_bandwidth_in(graph, 3) >= Fraction(5, 6)


@pytest.mark.parametrize(
    "question",
    [pytest.param(q, marks=pytest.mark.slow if q in SLOW else ()) for q in QUESTIONS],
    ids=str,
)
def test_proofs(question: tuple[int, int, int]) -> None:
    number, bounds = ANSWERS[question]
    found = classes(*question)
    assert len(found) == number
    assert {least_bandwidth_in(graph, question[2]) for graph in found} == bounds
