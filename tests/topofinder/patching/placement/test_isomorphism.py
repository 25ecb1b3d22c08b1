import networkx as nx
import numpy as np
import pytest

from expansions.build import build
from expansions.isomorphism import isomorphism
from expansions.parser import parse
from generators.topology import Topology
from tests.topofinder.patching.twins import drawn, regular, rewired, scrambled
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.isomorphism import find_isomorphism
from topofinder.patching.placement.problem import placement_problem

LARGE = [
    ("BiRing(4,1024)", True),
    ("UniRing(4,1024)", False),
    ("Torus(32,32)", True),
    ("Torus(32,32)", False),
    ("Q(10)", True),
    ("C(1024,{22,23})", True),
    ("Pi(4,1024)", False),
    ("L^3(C(16,{3,4}))", False),
]


def asked(wiring: Circuits, target: Circuits, visits: int = 10**8):
    question = placement_problem(wiring, target, Constraints())
    return question, find_isomorphism(question, np.arange(wiring.n), visits)


@pytest.mark.parametrize(("recipe", "duplex"), LARGE)
def test_large_scrambled_graphs_are_recognised(recipe: str, duplex: bool) -> None:
    target = Circuits.of(build(parse(recipe)), duplex=duplex)
    question, verdict = asked(scrambled(target, 1), scrambled(target, 2))
    assert verdict.host is not None
    assert question.count_kept(verdict.host) == target.count


def test_random_regular_graphs_are_recognised() -> None:
    ends = np.array(nx.random_regular_graph(4, 1024, seed=1).edges())
    target = Circuits(n=1024, duplex=True, tail=ends[:, 0], head=ends[:, 1])
    question, verdict = asked(target, scrambled(target, 2))
    assert question.count_kept(verdict.host) == target.count


@pytest.mark.parametrize("seed", range(60))
def test_verdicts_agree_with_the_search_through_topologies(seed: int) -> None:
    duplex = seed % 2 == 0
    one = regular(seed, duplex=duplex, n=9, d=4) if seed % 3 else drawn(seed, duplex=duplex, n=8)
    two = scrambled(rewired(one, seed, seed % 4), seed)
    question, verdict = asked(one, two)

    def topology(circuits: Circuits) -> Topology:
        tail, head = circuits.tail, circuits.head
        if duplex:
            tail, head = np.append(tail, head), np.append(head, tail)
        return Topology(n=circuits.n, tail=tail, head=head)

    assert verdict.proved
    assert (verdict.host is None) == (isomorphism(topology(one), topology(two)) is None)
    if verdict.host is not None:
        assert question.count_kept(verdict.host) == one.count


def test_giving_up_is_no_proof() -> None:
    torus = Circuits.of(build(parse("Torus(8,8)")), duplex=True)
    circulant = Circuits.of(build(parse("C(64,{5,6})")), duplex=True)
    assert asked(torus, circulant)[1] == (None, True)
    assert asked(torus, circulant, visits=1000)[1] == (None, False)


def test_fixed_nodes_stay() -> None:
    ring = Circuits.of(build(parse("BiRing(2,12)")), duplex=True)
    fixed = np.full(12, -1)
    fixed[[0, 1]] = 5, 4
    constraints = Constraints(fixed=fixed)
    question = placement_problem(ring, ring, constraints)
    first = np.roll(np.arange(12), -5)
    first[[0, 1]] = 5, 4
    host = find_isomorphism(question, first).host
    assert host is not None
    assert host[:2].tolist() == [5, 4]
    assert question.count_kept(host) == 12
