"""Bounds (6) and (7) against networkx's cuts, and theorem 19 against its own conditions."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from generators.fabrics.dgx import dgx_a100, dgx_h100
from generators.fabrics.mi250 import mi250
from generators.families.complete import complete
from generators.families.hamming import hypercube
from generators.families.mesh import mesh
from generators.topology import Topology
from tests.command import ran
from topofinder.forests.collectives.any_allreduce import allreduce_limits
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network


def random_fabric(seed: int) -> Topology:
    """Hosts and switches, every link two-way with its own capacity; connected by a ring."""
    random = np.random.default_rng(seed)
    hosts, switches = int(random.integers(2, 5)), int(random.integers(0, 3))
    n = hosts + switches
    pairs = {(v, (v + 1) % n) for v in range(n) if n > 2 or v == 0}
    pairs |= {
        p for p in combinations(range(n), 2) if p[::-1] not in pairs and random.random() < 0.3
    }
    arcs = [arc for u, v in sorted(pairs) for arc in ((u, v), (v, u))]
    capacity = np.repeat(random.integers(1, 6, len(pairs)), 2).tolist()
    return Topology.from_arcs(n, arcs, capacity=capacity, switches=range(hosts, n))


def exits(topology: Topology) -> list[tuple[frozenset[int], Fraction]]:
    """Every set with some hosts but not all, and what leaves it."""
    hosts = set(range(topology.n)) - set(topology.switches)
    ends = list(
        zip(topology.tail.tolist(), topology.head.tolist(), topology.capacity or (), strict=True)
    )
    found = []
    for size in range(1, topology.n):
        for chosen in map(frozenset, combinations(range(topology.n), size)):
            if chosen & hosts and hosts - chosen:
                left = sum((c for u, v, c in ends if u in chosen and v not in chosen), Fraction())
                found.append((chosen, left))
    return found


def _check_against_all_cuts(seed: int) -> None:
    topology = random_fabric(seed)
    hosts = frozenset(range(topology.n)) - set(topology.switches)
    cuts, n = exits(topology), len(hosts)
    found = allreduce_limits(topology)
    least = min(b for _, b in cuts)
    alone = [min(b for s, b in cuts if s & hosts == {v}) for v in hosts]
    assert found.cut == n / least
    assert found.hosts == 2 * n * (n - 1) / sum(alone)
    assert found.hosts >= 2 * Fraction(n - 1) / max(alone)
    assert found.rooted == 2 * found.cut
    scattered = 2 * max(len(s & hosts) / b for s, b in cuts)
    assert scattered == 2 * find_optimum(Network.of(topology)).inverse_rate
    assert found.least <= scattered < found.rooted
    worst = [s for s, b in cuts if 2 * len(s & hosts) / b == scattered]
    by_half = any(2 * len(s & hosts) == n for s in worst)
    lone = [hosts - s for s in worst if len(hosts - s) == 1]
    by_host = any(alone[min(left)] == max(alone) for left in lone)
    assert (scattered == found.cut) == by_half
    assert (scattered == found.hosts) == by_host


@pytest.mark.parametrize("seed", range(60))
def test_bounds_are_those_of_all_cuts_and_theorem_19_says_when_they_are_met(seed: int) -> None:
    _check_against_all_cuts(seed)


@pytest.mark.slow
def test_the_same_on_300_fabrics() -> None:
    for seed in range(60, 300):
        _check_against_all_cuts(seed)


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_limits_of_hosts_count(limit: int) -> None:
    """Each of N hosts sends (N - 1) / N of the data twice at least, at no more than its limit."""
    for graph in (hypercube(3), complete(5)):
        found = allreduce_limits(replace(graph, injection=Fraction(limit)))
        sent = min(limit, graph.degree)
        assert found.hosts == 2 * Fraction(graph.n - 1, sent)
        assert found.cut == Fraction(graph.n, sent)
        assert (found.rooted is None) == (limit < graph.degree)


def test_published_fabrics() -> None:
    """DGX A100 is optimal by (b); on MI250 and a mesh the question stays open."""
    assert allreduce_limits(dgx_a100(2)).least == Fraction(6, 65)
    assert allreduce_limits(mi250(2)).least == Fraction(31, 183)
    assert allreduce_limits(mesh(4, 4)).least == 10
    able = allreduce_limits(dgx_h100(2))
    assert (able.cut, able.hosts, able.rooted) == (Fraction(1, 25), None, Fraction(2, 25))


def test_one_way_links_bound_by_the_worse_direction() -> None:
    arcs = [(0, 1), (1, 2), (2, 0), (0, 2)]
    found = allreduce_limits(Topology.from_arcs(3, arcs, capacity=[2, 3, 2, 4]))
    graph = nx.DiGraph()
    for (u, v), c in zip(arcs, (2, 3, 2, 4), strict=True):
        graph.add_edge(u, v, capacity=c)
    least = min(nx.minimum_cut_value(graph, u, v) for u in range(3) for v in range(3) if u != v)
    assert (found.cut, found.rooted) == (Fraction(3, least), None)


def test_the_command_prints_bounds_and_both_ways(
    capsys: pytest.CaptureFixture[str], tmp_path: object
) -> None:
    made = ran(
        capsys, "schedule", "Torus(4,4)", "--method", "forest", "--collective", "allreduce",
        "-o", f"{tmp_path}/a.npz",
    )  # fmt: skip
    assert (
        "  any allreduce: at least 4 by cuts, 15/2 by what hosts send\n"
        "  reduce-scatter, then allgather by trees: 15/2, optimal (theorem 19 b); "
        "reduce, then broadcast: 8\n"
    ) in made.out
