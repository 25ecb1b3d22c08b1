"""Level forests that share links, against a linear program over the same ranks."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.damage.apply import Damage, apply_damage
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from tests.twins import random_topology
from topofinder.forests.collectives.allreduce_levels import (
    LEAST_LOSS,
    SharedLevels,
    pack_shared_levels,
    share_levels,
)
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.forests.packing.shared_level_kernels import link_distances
from topofinder.verification.forests import verify_forest

OVERLAP = ForestOptions(collective=Collective.ALLREDUCE, overlap=True)


def lp_time(found: SharedLevels) -> float:
    """The least time of the busiest link by the same ranks, trees of any fraction, by HiGHS."""
    links, n = found.links, found.links.network.n
    columns, rows, need = [], [], []
    for x in range(links.places):
        for u in range(n):
            if u != x % n:
                for i in range(links.start[x], links.start[x + 1]):
                    if found.rank[links.above[i], u] < found.rank[x, u]:
                        columns.append(int(links.link[i]))
                        rows.append(len(need))
                need.append(links.network.weight[u])
    whole = np.zeros((len(need), len(columns) + 1))
    whole[rows, np.arange(len(columns))] = 1
    busy = np.zeros((len(links.capacity), len(columns) + 1))
    busy[columns, np.arange(len(columns))] = 1
    busy[:, -1] = [-c * float(links.network.unit) for c in links.capacity]
    gain = np.append(np.zeros(len(columns)), 1)
    answer = linprog(gain, A_ub=busy, b_ub=np.zeros(len(busy)), A_eq=whole, b_eq=need)
    assert answer.status == 0
    return float(answer.fun)


def check_loads(found: SharedLevels) -> None:
    """What is given is all that is needed, by links that suit, and no link takes longer."""
    links, n = found.links, found.links.network.n
    load = np.zeros(len(links.capacity), dtype=np.int64)
    for x in range(links.places):
        for u in range(n):
            entered = 0
            for i in range(links.start[x], links.start[x + 1]):
                taken = int(found.given[i, u])
                assert taken == 0 or found.rank[links.above[i], u] < found.rank[x, u]
                load[links.link[i]] += taken
                entered += taken
            assert entered == (u != x % n) * found.k * links.network.weight[u]
    times = [Fraction(int(q), c) for q, c in zip(load, links.capacity, strict=True)]
    assert max(times) / links.network.unit / found.k == found.time >= links.bound


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_that_of_any_choice_of_links(seed: int) -> None:
    """A program over how often places are entered by which link, whatever trees look like."""
    topology = random_topology(seed, regular=seed % 2 == 0)
    links = share_levels(topology, k=1, tries=0).links
    options = len(links.link)
    whole = np.zeros((links.places, options + 1))
    whole[np.repeat(np.arange(links.places), np.diff(links.start)), np.arange(options)] = 1
    busy = np.zeros((len(links.capacity), options + 1))
    busy[links.link, np.arange(options)] = 1
    busy[:, -1] = [-c * float(links.network.unit) for c in links.capacity]
    gain = np.append(np.zeros(options), 1)
    answer = linprog(gain, A_ub=busy, b_ub=np.zeros(len(busy)), A_eq=whole, b_eq=links.need)
    assert answer.status == 0
    assert float(links.bound) <= answer.fun * (1 + 1e-9)
    assert answer.fun <= float(links.least_time(1)) * (1 + 1e-9)
    assert float(links.least_time(64)) <= float(links.bound) + 1 / 32


def test_few_links_between_some_nodes_bound_all_trees() -> None:
    """Four nodes of Pi(4,64) enter the same four: without a link 15 are left to 8 x 63 entries."""
    left = apply_damage(build(parse("Pi(4,64)")), Damage(fail_links=["0>63"]))
    found = share_levels(left)
    assert found.links.bound == Fraction(8 * 63, 15)
    assert found.loss <= LEAST_LOSS


@pytest.mark.parametrize("seed", range(12))
def test_the_busiest_link_is_the_least_busy_that_ranks_allow(seed: int) -> None:
    topology = random_topology(seed, regular=seed % 2 == 0)
    found = share_levels(topology, k=1 + seed % 3, tries=seed % 2)
    check_loads(found)
    least = lp_time(found)
    # A link takes whole trees: one more at most than fractions of trees would need.
    assert least * (1 - 1e-9) <= found.time < least + Fraction(1, found.k) + 1e-9


@pytest.mark.parametrize(
    ("recipe", "links"),
    [("C(64,{5,6})", "0-5"), ("C(16,{3,4})", "0-3"), ("Torus(8,8)", "0-1"), ("Q(5)", "0-16")],
)
def test_a_lost_circuit_costs_no_more_than_its_bandwidth_and_no_height(
    recipe: str, links: str
) -> None:
    topology = apply_damage(build(parse(recipe)), Damage(fail_links=[links]))
    low = share_levels(topology)
    assert low.by_hops
    assert low.loss <= LEAST_LOSS
    found = make_forest(topology, OVERLAP)
    assert verify_forest(found).violation is None
    assert found.together == low.time
    assert max(phase.trees.heights().max() for phase in found.phases) == low.rank.max()


@pytest.mark.parametrize("seed", range(10))
def test_one_way_trees_are_valid_and_take_what_was_said(seed: int) -> None:
    topology = random_topology(100 + seed, regular=False)
    low = share_levels(topology, seed=seed)
    check_loads(low)
    spread, gather = pack_shared_levels(low)
    assert (spread is gather) == low.links.two_way
    assert max(int(trees.heights().max()) for trees in (spread, gather)) <= low.height
    assert low.height < topology.n
    found = make_forest(topology, OVERLAP)
    assert verify_forest(found).violation is None
    assert low.links.bound <= found.together <= low.time


def test_distances_are_those_of_dijkstra() -> None:
    topology = random_topology(5)
    links = share_levels(topology).links
    length = 1 + np.arange(len(links.capacity)) % 3 / 4
    found = link_distances(links.start, links.above, links.link, length, topology.n)
    graph = nx.DiGraph()
    for x in range(links.places):
        for i in range(links.start[x], links.start[x + 1]):
            graph.add_edge(int(links.above[i]), x, weight=length[links.link[i]])
    for u in range(topology.n):
        for source in range(u, links.places, topology.n):
            for x, far in nx.single_source_dijkstra_path_length(graph, source).items():
                assert found[x, u] == pytest.approx(far)


def test_one_way_links_are_shared_too() -> None:
    diamond = build(parse("L(C(16,{3,4}))"))
    cut = apply_damage(diamond, Damage(fail_links=["0>12"]))
    apart = make_forest(cut, ForestOptions(collective=Collective.ALLREDUCE))
    both = make_forest(cut, OVERLAP)
    assert verify_forest(both).violation is None
    assert both.together < apart.together
    # All 504 in-trees and out-trees of four nodes that send to the same four share 15 links.
    assert Fraction(504, 15) <= both.together <= Fraction(504, 15) * Fraction(101, 100)


def test_what_has_no_level_forest_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^node 0 cannot be reached from node 2$"):
        share_levels(Topology.from_arcs(4, [(0, 1), (1, 0), (0, 2), (2, 3), (3, 2)]))
    star = Topology.from_arcs(3, [(0, 2), (2, 0), (1, 2), (2, 1)], switches=(2,))
    with pytest.raises(Unsupported, match=r"^--overlap: level forests are for networks without"):
        share_levels(star)
