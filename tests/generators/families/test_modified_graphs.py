"""Diamond and DBJMod: what was published of them beyond their properties, and refusals."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog

from generators.errors import InvalidInput
from generators.families.debruijn_modified import DIAMETERS, modified_de_bruijn
from generators.families.diamond import diamond
from generators.topology import Topology


def throughput(topology: Topology) -> float:
    """f of LP (3) as printed: one flow a source, at most 1 on every arc in all."""
    n, arcs = topology.n, topology.arcs
    balance = np.zeros((n * n, n * arcs + 1))
    for s in range(n):
        for e, (u, w) in enumerate(zip(topology.tail, topology.head, strict=True)):
            balance[s * n + w, s * arcs + e] += 1
            balance[s * n + u, s * arcs + e] -= 1
    balance[:, -1] = -1
    balance = np.delete(balance, [s * n + s for s in range(n)], axis=0)
    loads = np.hstack([np.tile(np.eye(arcs), n), np.zeros((arcs, 1))])
    goal = np.eye(n * arcs + 1)[-1]
    flow = linprog(-goal, loads, np.ones(arcs), balance, np.zeros(len(balance)), method="highs")
    return -flow.fun


def test_diamond_has_the_published_throughput() -> None:
    assert throughput(diamond()) / 8 == pytest.approx(1.875e-2)  # printed 1.87e-2


def test_dbjmod_2_4_has_the_published_throughput() -> None:
    assert f"{throughput(modified_de_bruijn(2, 4)) / 16:.2e}" == "2.94e-03"


@pytest.mark.parametrize(("d", "n"), DIAMETERS)
def test_only_loops_and_two_cycles_are_rewired_to_one_cycle(d: int, n: int) -> None:
    nodes = d**n
    graph = nx.MultiDiGraph((x, (d * x + a) % nodes) for x in range(nodes) for a in range(d))
    old = Counter(graph.edges())
    missing = Counter({(x, y): 1 for x, y in old if (y, x) in old})
    topology = modified_de_bruijn(d, n)
    new = Counter(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))
    cycle = nx.DiGraph(list((new - (old - missing)).elements()))
    assert new - Counter(list(cycle.edges())) == old - missing
    assert nx.is_strongly_connected(cycle)
    assert all(degree == 2 for _, degree in cycle.degree())
    assert set(cycle) == {x for x, _ in missing}


@pytest.mark.parametrize(("d", "n"), [(2, 2), (2, 5), (3, 3), (5, 2), (0, 0), (-2, 3)])
def test_other_members_are_refused_with_the_choices(d: int, n: int) -> None:
    with pytest.raises(InvalidInput, match=r"\(2,3\), \(2,4\), \(3,2\), \(4,2\), not"):
        modified_de_bruijn(d, n)
