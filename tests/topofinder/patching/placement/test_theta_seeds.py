"""Theta graphs against all subgraphs of their size, and random graphs found again from them."""

from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from tests.topofinder.patching.twins import bundle, drawn, regular, rewired, scrambled
from topofinder.model.plan import Bound
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.assign import assign
from topofinder.patching.placement.incidence import IncidenceRows, incidence_rows
from topofinder.patching.placement.problem import placement_problem
from topofinder.patching.placement.search import Search
from topofinder.patching.placement.theta_seeds import seed_pairs, theta_graphs, theta_orders


def is_theta(graph: nx.Graph) -> bool:
    """Connected, two nodes with three circuits, two at each of the others, joined three times."""
    degrees = dict(graph.degree())
    branch = [v for v in graph if degrees[v] == 3]
    if sorted(degrees.values()) != [2] * (len(graph) - 2) + [3, 3] or not nx.is_connected(graph):
        return False
    return nx.edge_connectivity(graph, *branch) == 3


@pytest.mark.parametrize("seed", range(8))
def test_theta_graphs_are_all_there_are(seed: int) -> None:
    rows = incidence_rows(drawn(seed, duplex=True, n=9, most=1))
    edges = [
        (v, int(w)) for v in range(9) for w in rows.end[rows.start[v] : rows.start[v + 1]] if v < w
    ]
    wanted = {
        frozenset(chosen)
        for size in range(5, len(edges) + 1)
        for chosen in combinations(edges, size)
        if is_theta(nx.Graph(chosen))
    }
    found = theta_graphs(rows)
    thetas = [edges_of(theta) for shape in found.values() for theta in shape]
    assert len(set(thetas)) == len(thetas)
    assert set(thetas) == {one for one in wanted if longest_path(one) <= 5}


def edges_of(theta) -> frozenset[tuple[int, int]]:
    u, v, paths = theta
    walks = [(u, *path, v) for path in paths]
    joined = {(min(a, b), max(a, b)) for walk in walks for a, b in pairwise(walk)}
    return frozenset(joined)


def longest_path(edges: frozenset[tuple[int, int]]) -> int:
    graph = nx.Graph(list(edges))
    one, two = (v for v in graph if graph.degree(v) == 3)
    return max(len(path) - 1 for path in nx.all_simple_paths(graph, one, two))


def adjacent(rows: IncidenceRows, v: int, w: int) -> bool:
    return w in rows.end[rows.start[v] : rows.start[v + 1]]


def test_seeds_carry_circuits_to_circuits() -> None:
    whole = regular(1, duplex=True, n=512, d=4)
    target, wiring = incidence_rows(rewired(whole, 1, 20)), incidence_rows(scrambled(whole, 1))
    pairs = seed_pairs(wiring, target)
    assert 20 < len(pairs) < 20_000
    assert sorted(len(nodes) for nodes, _ in pairs) == [len(nodes) for nodes, _ in pairs]
    for nodes, hosts in pairs[::7]:
        assert len(set(nodes)) == len(set(hosts)) == len(nodes)
        kept = sum(
            adjacent(target, *(nodes[i] for i in both))
            and adjacent(wiring, *(hosts[i] for i in both))
            for both in combinations(range(len(nodes)), 2)
        )
        assert kept >= len(nodes) + 1


def test_orders_of_a_theta_are_its_symmetries() -> None:
    even = (0, 1, ((2,), (3,), (4,)))
    assert len(set(theta_orders(even))) == 12
    assert len(set(theta_orders((0, 1, ((), (2,), (3, 4)))))) == 2


def test_lattices_have_too_many() -> None:
    torus = Circuits.of(build(parse("Torus(16,16)")), duplex=True)
    assert theta_graphs(incidence_rows(torus)) == {}


@pytest.mark.parametrize("seed", range(2))
def test_random_graphs_grow_from_theta_graphs(seed: int) -> None:
    whole = regular(seed, duplex=True, n=512, d=4)
    target = rewired(whole, seed, whole.count * 15 // 200)
    planted = whole.count - (bundle(whole) & bundle(target)).total()
    problem = placement_problem(scrambled(whole, seed), target, Constraints())
    search = Search(problem, np.arange(512), seed, 60.0)
    search.bound = Bound(moves=0, name="count")
    search.theta_placements(3.0)
    assert search.moves < 1.3 * planted


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_changed_circuits_of_random_graphs_are_found_again(seed: int) -> None:
    whole = regular(seed, duplex=True, n=1024, d=4)
    target = rewired(whole, seed, whole.count // 10)
    planted = whole.count - (bundle(whole) & bundle(target)).total()
    assert assign(scrambled(whole, seed), target, seed=seed).moves <= planted
