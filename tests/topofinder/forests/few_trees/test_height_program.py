"""What trees of a height must lose: against all trees of small networks, and proved exactly."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from generators.families.hamming import hypercube
from generators.families.torus import torus
from generators.topology import Topology
from tests.forests import random_network
from topofinder.forests.build import pack_forest
from topofinder.forests.collectives.make_forest import lowest_forest
from topofinder.forests.few_trees.height_program import HeightProgram, least_time, raise_bound
from topofinder.forests.optimality.network import Network
from topofinder.model.forest import single_root_weights


def trees_of(network: Network, root: int, height: int) -> list[tuple[int, ...]]:
    """All trees of a root that are no higher, by the arcs that enter the other nodes."""
    others = [v for v in range(network.n) if v != root]
    into = [np.flatnonzero(network.head == v).tolist() for v in others]
    found = []
    for arcs in product(*into):
        parent = {v: int(network.tail[e]) for v, e in zip(others, arcs, strict=True)}
        if all(hops_up(parent, root, v, height) for v in others):
            found.append(arcs)
    return found


def hops_up(parent: dict[int, int], root: int, v: int, height: int) -> bool:
    for _ in range(height):
        v = parent[v]
        if v == root:
            return True
    return False


def slow_least_time(network: Network, height: int) -> float:
    """The least load of the busiest arc, over every set of trees: a program of a column a tree."""
    columns, roots = [], []
    for root, weight in enumerate(network.weight):
        if weight:
            for arcs in trees_of(network, root, height):
                columns.append(arcs)
                roots.append(root)
    load = np.zeros((len(network.tail), len(columns) + 1))
    for at, arcs in enumerate(columns):
        load[list(arcs), at] = 1
    load[:, -1] = [-c * float(network.unit) for c in network.capacity]
    wanted = [root for root, weight in enumerate(network.weight) if weight]
    rows = np.array([[*(float(r == root) for r in roots), 0.0] for root in wanted])
    cost = np.append(np.zeros(len(columns)), 1.0)
    sent = [float(network.weight[root]) for root in wanted]
    found = linprog(cost, load, np.zeros(len(load)), rows, sent, method="highs")
    return float(found.fun) if found.status == 0 else np.inf


@pytest.mark.parametrize("seed", range(10))
def test_no_forest_of_small_networks_beats_the_bound(seed: int) -> None:
    network = random_network(seed, switches=False, rational=seed % 2 == 0)
    best = pack_forest(network)
    for height in range(1, network.n):
        slow = slow_least_time(network, height)
        if slow == np.inf:
            continue
        found = least_time(network, height)
        assert found is not None
        assert float(found) <= slow * (1 + 1e-9)
        if height >= best.height:
            assert float(best.optimum.inverse_rate) == pytest.approx(slow)
            assert found <= best.inverse_rate


def test_any_prices_prove_something_true() -> None:
    network = Network.of(torus(3, 3), single_root_weights(9, 0))
    program = HeightProgram.of(network, 3)
    optimum = pack_forest(network).optimum.inverse_rate
    draw = np.random.default_rng(2)
    for _ in range(20):
        arcs = draw.integers(0, 9, len(network.tail))
        assert program.bound(arcs, draw.integers(0, 9, len(program.later))) <= optimum
    assert program.bound(0 * arcs, np.zeros(len(program.later), np.int64)) == 0


@pytest.mark.parametrize(
    ("topology", "least"),
    [
        (torus(3, 5), 5),
        (torus(5, 5), 6),
        (torus(5, 7), 7),
        (torus(6, 6), 7),
        (torus(7, 7), 7),
        (torus(8, 8), 9),
        (hypercube(5), 6),
    ],
)
def test_broadcasts_are_proved_to_be_as_low_as_can_be(topology: Topology, least: int) -> None:
    network = Network.of(topology, single_root_weights(topology.n, 0))
    found = lowest_forest(network)
    assert found.height == least
    assert raise_bound(network, 2, 20, found.inverse_rate) == least
    assert raise_bound(network, least - 1, 20, 2 * found.inverse_rate) == least - 1


@pytest.mark.parametrize("seed", range(12))
def test_trees_of_one_root_are_never_lower_than_proved(seed: int) -> None:
    whole = random_network(seed, switches=False, rational=seed % 2 == 0)
    for root in range(whole.n):
        network = replace(whole, weight=single_root_weights(whole.n, root), translation=None)
        found = lowest_forest(network)
        least = raise_bound(network, 1, found.height, found.inverse_rate)
        assert least <= found.height
        for height in range(1, least):
            assert slow_least_time(network, height) > float(found.inverse_rate) * (1 - 1e-9)


def test_large_networks_and_switches_are_left_out() -> None:
    assert least_time(Network.of(torus(8, 8)), 8) is None
    star = Topology.from_arcs(3, [(0, 2), (2, 0), (1, 2), (2, 1)], switches=(2,))
    assert least_time(Network.of(star), 1) is None
    assert raise_bound(Network.of(star), 1, 4, Fraction(1)) == 1
