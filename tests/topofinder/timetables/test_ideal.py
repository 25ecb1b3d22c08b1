"""The ideal of TACOS, against the formula with networkx for the diameter."""

from fractions import Fraction

import networkx as nx
import pytest

from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.fabrics.names import fabric_of
from generators.topology import Topology
from tests.fabrics import topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.timetables.ideal import ideal_allreduce

GIGABYTE = Fraction(10**9)
UNITS = LinkUnits(latency=Fraction(1, 2 * 10**6), rate=GIGABYTE)


@pytest.mark.parametrize(
    ("name", "rate", "hops"),
    [
        ("RFS(2,4,16)", 550, 3),
        ("Switch2D(8,4)", 325, 2),
        ("Dragonfly(4,5)", 1400, 3),
        ("DGX1", 150, 2),
        ("RFS(5,1,2)", 450, 3),
    ],
)
def test_fabrics(name: str, rate: int, hops: int) -> None:
    system = fabric_of(name)[1]
    n = system.n - len(system.switches)
    expected = Fraction(2 * (n - 1), n * rate) + hops * UNITS.latency
    assert ideal_allreduce(system, GIGABYTE, UNITS) == expected


@pytest.mark.parametrize("recipe", ["Mesh(3,5)", "Torus(4,5)", "Kautz(2,2)", "Pi(3,11)"])
def test_equal_links(recipe: str) -> None:
    graph = topology(recipe)
    ends = list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    ports = [sum(u == node != v for u, v in ends) for node in range(graph.n)]
    ports += [sum(v == node != u for u, v in ends) for node in range(graph.n)]
    share = Fraction(2 * (graph.n - 1), graph.n * min(ports))
    late = nx.diameter(nx.DiGraph(ends)) * UNITS.latency
    assert ideal_allreduce(graph, GIGABYTE, UNITS) == share + late
    listed = Topology.from_arcs(graph.n, ends, latency=[1] * len(ends))
    assert ideal_allreduce(listed, GIGABYTE, UNITS) == share + late


def test_refusals() -> None:
    with pytest.raises(InvalidInput, match=r"^hosts: at least 2 are needed, not 1$"):
        ideal_allreduce(jump_graph(1, []), GIGABYTE, UNITS)
    for latency in (None, [1, 1, 1]):
        apart = Topology.from_arcs(3, [(0, 1), (1, 0), (1, 2)], latency=latency)
        with pytest.raises(InvalidInput, match=r"^topology: some hosts do not reach each other$"):
            ideal_allreduce(apart, GIGABYTE, UNITS)
