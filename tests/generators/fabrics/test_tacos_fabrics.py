"""The systems that TACOS measures: their links, units, and the bounds that cuts give."""

from collections import Counter
from fractions import Fraction

import networkx as nx
import pytest

from generators.fabrics.dgx1 import LINKS, dgx1
from generators.fabrics.dragonfly import dragonfly
from generators.fabrics.names import fabric_of
from generators.fabrics.ring_full_switch import ring_full_switch
from generators.fabrics.switch_grid import switch_grid
from generators.topology import Topology
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network

HALF_MICROSECOND = Fraction(1, 2 * 10**6)


def hosts_of(topology: Topology) -> int:
    return topology.n - len(topology.switches)


def rates_out(topology: Topology) -> list[Fraction]:
    """What each host sends at most, in GB/s."""
    total = [Fraction()] * topology.n
    for u, capacity in zip(topology.tail.tolist(), topology.capacity or (), strict=True):
        total[u] += capacity
    return total[: hosts_of(topology)]


def ideal_share(topology: Topology) -> Fraction:
    """What the paper's ideal takes, without latency, of what two phases at the optimum take.

    The ideal (section V.A): 2 (n - 1) / n of the data over the slowest host's rate. A phase takes
    1/x* of a shard, an n-th of the data.
    """
    ideal = Fraction(hosts_of(topology) - 1) / min(rates_out(topology))
    return ideal / find_optimum(Network.of(topology)).inverse_rate


def test_dgx1_is_a_hybrid_cube_mesh() -> None:
    box = dgx1()
    links = Counter(node for u, v, count in LINKS for node in [u] * count + [v] * count)
    assert links == dict.fromkeys(range(8), 6)
    assert len(LINKS) == 16
    squares = nx.Graph([(u, v) for u, v, _ in LINKS if (u < 4) == (v < 4)])
    assert all(
        nx.is_isomorphic(squares.subgraph(range(i, i + 4)), nx.complete_graph(4)) for i in (0, 4)
    )
    assert sorted((u, v) for u, v, _ in LINKS if v - u == 4) == [(i, i + 4) for i in range(4)]
    double = nx.Graph([(u, v) for u, v, count in LINKS if count == 2])
    assert nx.is_isomorphic(double, nx.cycle_graph(8))
    assert set(box.capacity or ()) == {25}
    assert box.latency is None
    assert (box.unit_rate, box.unit_latency) == (10**9, Fraction(7, 10**7))


@pytest.mark.parametrize("boxes", [2, 4, 8, 16])
def test_rfs_has_three_dimensions(boxes: int) -> None:
    system = ring_full_switch(2, 4, boxes)
    assert hosts_of(system) == 8 * boxes
    assert len(system.switches) == 8
    assert set(rates_out(system)) == {200 + 3 * 100 + 50}
    assert {*system.in_degrees[list(system.switches)].tolist()} == {boxes}
    assert (system.unit_rate, system.unit_latency) == (10**9, HALF_MICROSECOND)


def test_rings_of_two_are_one_link_and_longer_ones_closed() -> None:
    assert ring_full_switch(2, 1, 1).arcs == 2
    ring = ring_full_switch(5, 1, 1)
    assert ring.arcs == 10
    assert nx.is_isomorphic(
        nx.Graph(list(zip(ring.tail.tolist(), ring.head.tolist(), strict=True))), nx.cycle_graph(5)
    )


def test_to_pass_a_switch_takes_one_latency() -> None:
    for system in (ring_full_switch(2, 4, 4), switch_grid(8, 4)):
        arcs = zip(system.tail.tolist(), system.head.tolist(), system.latency or (), strict=True)
        for u, v, latency in arcs:
            passed = u in system.switches or v in system.switches
            assert latency == (Fraction(1, 2) if passed else 1)
        assert system.unit_latency == HALF_MICROSECOND


def test_switch_grid() -> None:
    grid = switch_grid(8, 4)
    assert set(rates_out(grid)) == {325}
    ports = Counter(grid.in_degrees[list(grid.switches)].tolist())
    assert ports == {8: 4, 4: 8}


@pytest.mark.parametrize(("size", "groups"), [(4, 5), (5, 4), (1, 6), (3, 8)])
def test_dragonfly_links_any_two_groups_once(size: int, groups: int) -> None:
    flies = dragonfly(size, groups)
    between: Counter[tuple[int, int]] = Counter()
    for u, v in zip(flies.tail.tolist(), flies.head.tolist(), strict=True):
        between[u // size, v // size] += 1
    for one in range(groups):
        for other in range(groups):
            assert between[one, other] == (size * (size - 1) if one == other else 1)
    outside = flies.out_degrees - (size - 1)
    assert outside.max() - outside.min() <= 1
    if (size, groups) == (4, 5):
        assert set(rates_out(flies)) == {1400}


@pytest.mark.parametrize(
    ("name", "percent"),
    [
        ("DGX1", "100.0"),
        ("RFS(2,4,2)", "100.0"),
        ("RFS(2,4,4)", "93.9"),
        ("RFS(2,4,8)", "81.8"),
        ("RFS(2,4,16)", "77.0"),
        ("Switch2D(8,4)", "79.5"),
        ("Dragonfly(4,5)", "67.9"),
    ],
)
def test_ideal_of_the_paper_against_the_optimum_of_trees(name: str, percent: str) -> None:
    share = ideal_share(fabric_of(name)[1])
    assert f"{round(float(100 * share), 1)}" == percent
