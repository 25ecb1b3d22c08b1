"""Rotations of lifts: the same classes as without them, source by source, and the same rates."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.families.register_all import FAMILIES
from generators.lifts.annealed import all_annealed_lifts
from generators.topology import Topology
from tests.sampled import sampled
from topofinder.alltoall.problem import FlowProblem, flow_network
from topofinder.alltoall.solve import bound_throughput
from topofinder.alltoall.solver.reduction import reduce_problem
from topofinder.alltoall.solver.rotations import find_rotation


def lifts() -> Iterator[str]:
    """Samples of the family, with parallel arcs and loops, and shipped lifts of all rows."""
    for group, rows in FAMILIES["Lift"].samples:
        yield f"Lift({group};{rows})"
    places: dict[tuple[int, str], int] = {}
    for one in all_annealed_lifts():
        if one.n <= 160:
            place = places[one.d, one.links] = places.get((one.d, one.links), -1) + 1
            if place % 9 == 0:
                yield f"Lift({one.group};{one.rows})"


def problems(text: str) -> tuple[FlowProblem, FlowProblem]:
    """All-to-all on a lift, with what is known of its symmetry and without."""
    graph = build(parse(text))
    return tuple(FlowProblem(topology=one) for one in (graph, replace(graph, orbits=None)))


@pytest.mark.parametrize("text", sampled(lifts(), 24))
def test_classes_are_those_of_all_sources(text: str) -> None:
    known, plain = map(reduce_problem, problems(text))
    for name in ("all_sources", "of_source", "sources", "weight", "kind", "capacity", "wanted"):
        assert np.array_equal(getattr(known, name), getattr(plain, name)), name
    assert (known.colour is None) == (plain.colour is None)
    for row in range(0, len(plain.all_sources), 3):
        assert np.array_equal(known.pair_classes(row), plain.pair_classes(row))


@pytest.mark.parametrize("text", sampled(lifts(), 10))
def test_flows_are_lifted_to_the_same(text: str) -> None:
    known, plain = map(reduce_problem, problems(text))
    flows = np.random.default_rng(1).random((len(plain.sources), plain.net.arcs))
    assert np.array_equal(known.lift_flows(flows.copy()), plain.lift_flows(flows))


@pytest.mark.parametrize("text", sampled(lifts(), 10))
def test_the_bounds_are_the_same(text: str) -> None:
    known, plain = (bound_throughput(one, time=20.0) for one in problems(text))
    if "translations" not in {known.method, plain.method}:  # exact, of one base node
        assert (known.lower, known.upper) == (plain.lower, plain.upper)
    assert known.lower <= plain.upper
    assert plain.lower <= known.upper


def test_orbits_of_arcs_are_those_of_the_turn() -> None:
    graph = build(parse("Lift(Z4;0:1,1:0|1:1)"))
    net = flow_network(graph)
    found = find_rotation(graph, net)
    assert found is not None
    assert found.orbit is not None
    nodes = np.arange(8)
    turn = nodes - nodes % 4 + (nodes + 1) % 4
    place = {(u, v): e for e, (u, v) in enumerate(zip(net.tail, net.head, strict=True))}
    for (u, v), arc in place.items():
        assert found.orbit[place[turn[u], turn[v]]] == found.orbit[arc]
    assert np.bincount(found.orbit).tolist() == [4] * 6


def test_claims_are_looked_at() -> None:
    graph = build(parse("Lift(Z5;0:1,1:0|1:2)"))
    net = flow_network(graph)
    assert find_rotation(graph, net) is not None
    order = np.array([0, 2, 1, 3, 4, 5, 6, 7, 8, 9])
    mixed = replace(graph, tail=order[graph.tail], head=order[graph.head])
    assert find_rotation(mixed, flow_network(mixed)) is None
    assert find_rotation(replace(graph, capacity=[2] + [1] * (graph.arcs - 1)), net) is None
    assert find_rotation(replace(graph, orbits=None), net) is None
    assert find_rotation(replace(graph, orbits=np.arange(3, dtype=np.int32)), net) is None
    ring: Topology = build(parse("BiRing(2,8)"))
    assert find_rotation(ring, flow_network(ring)) is None
