"""Graphs stated to be bandwidth-optimal, and what symmetry saves, by the formula of theorem 19."""

from fractions import Fraction
from itertools import combinations

import networkx as nx
import pytest

from generators.families.register_all import FAMILIES
from generators.registry import Arguments, Family
from generators.topology import Topology

CASES = [
    pytest.param(family, arguments, id=f"{name}{arguments}")
    for name, family in FAMILIES.items()
    for arguments in family.samples
    if family.properties(*arguments).n <= 32 and family.properties(*arguments).d <= 6
]


def step_loads(topology: Topology) -> list[dict[int, Fraction]]:
    """For each node and step, the least maximal load of an in-arc, in shards.

    The eligible arcs of a shard are set f(j); the load is max over arc sets P of
    #{j : f(j) inside P} / |P|, taken here by trying every P.
    """
    graph = nx.MultiDiGraph(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))
    distance = dict(nx.all_pairs_shortest_path_length(graph))
    loads = []
    for u in range(topology.n):
        senders = [w for w in topology.tail[topology.head == u].tolist() if w != u]
        eligible: dict[int, list[set[int]]] = {}
        for v in set(range(topology.n)) - {u}:
            step = distance[v][u]
            arcs = {arc for arc, w in enumerate(senders) if distance[v][w] == step - 1}
            eligible.setdefault(step, []).append(arcs)
        loads.append({step: _load(jobs, len(senders)) for step, jobs in eligible.items()})
    return loads


def _load(jobs: list[set[int]], arcs: int) -> Fraction:
    sets = [set(P) for size in range(1, arcs + 1) for P in combinations(range(arcs), size)]
    return max(Fraction(sum(job <= P for job in jobs), len(P)) for P in sets)


def bandwidth(topology: Topology, loads: list[dict[int, Fraction]]) -> Fraction:
    steps = {step for node in loads for step in node}
    worst = [max(node.get(step, Fraction()) for node in loads) for step in steps]
    return Fraction(topology.degree, topology.n) * sum(worst)


@pytest.mark.parametrize(("family", "arguments"), CASES)
def test_bandwidth_optimality_and_representatives(family: Family, arguments: Arguments) -> None:
    topology = family.build(*arguments)
    loads = step_loads(topology)
    optimal = bandwidth(topology, loads) == Fraction(topology.n - 1, topology.n)
    assert family.properties(*arguments).bandwidth_optimal in (None, optimal)
    if topology.translation is not None:
        assert bandwidth(topology, loads[:1]) == bandwidth(topology, loads)
    if topology.orbits is not None:
        known = [loads[node] for node in topology.orbits]
        assert bandwidth(topology, known) == bandwidth(topology, loads)
        assert all(node in known for node in loads)
