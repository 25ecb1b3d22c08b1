"""Whole forests: the published optima are reached by trees that a slow check accepts."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from tests.forests import (
    bidirectional,
    boxes,
    check_forest,
    fat_tree,
    random_boxes,
    random_network,
    without_links,
    worst_ratio,
)
from tests.packings import check_packing, problem_of
from topofinder.forests.build import pack_forest
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.forests.packing.exact import pack_exactly
from topofinder.forests.packing.packers import pack_by_levels, pack_by_repair, pack_trees
from topofinder.forests.packing.problem import Packing, PackingProblem
from topofinder.forests.packing.tight_sets import pack_by_tight_sets


@pytest.mark.parametrize(
    ("recipe", "inverse_rate", "k"),
    [
        ("BiRing(2,16)", "15/2", 2),
        ("K(8)", "1", 1),
        ("Q(3)", "7/3", 3),
        ("Torus(4,4)", "15/4", 4),
        ("Mesh(4,4)", "15/2", 2),
        ("Torus(3,3,3)", "13/3", 3),
        ("Q(5)", "31/5", 5),
        ("C(12,{2,3})", "11/4", 4),
    ],
)
def test_published_optima_are_reached(recipe: str, inverse_rate: str, k: int) -> None:
    found = pack_forest(Network.of(build(parse(recipe))))
    assert found.inverse_rate == found.optimum.inverse_rate == Fraction(inverse_rate)
    assert found.k == k
    check_forest(found)


def test_random_networks_reach_their_optimum() -> None:
    for seed in range(80):
        network = random_network(seed, switches=seed % 2 == 0, rational=seed % 3 == 0)
        found = pack_forest(network, seed=seed)
        assert found.loss == 0
        check_forest(found)


def test_fixed_numbers_of_trees() -> None:
    for seed in range(30):
        network = random_network(seed, switches=False, rational=True)
        for k in (1, 2, 5):
            found = pack_forest(network, k)
            assert (found.k, found.optimum.inverse_rate) == (k, find_optimum(network).inverse_rate)
            assert found.loss >= 0
            check_forest(found)


def test_weights_and_single_roots() -> None:
    for seed in range(30):
        network = random_network(seed, switches=seed % 2 == 0)
        weight = [0] * network.n
        weight[0] = 1
        check_forest(pack_forest(replace(network, weight=tuple(weight))))
        weight[1] = 3
        found = pack_forest(replace(network, weight=tuple(weight)))
        assert found.loss == 0
        check_forest(found)


@pytest.mark.parametrize("seed", range(3))
def test_switched_and_damaged_fabrics(seed: int) -> None:
    for topology in (boxes(4), fat_tree(4, 3, 2, up=2), boxes(3, inside=3)):
        check_forest(pack_forest(Network.of(topology)))
    damaged = Network.of(without_links(boxes(4, beyond=2), 0.04, seed))
    check_forest(pack_forest(damaged))
    check_forest(pack_forest(damaged, 2))


def test_trees_in_boxes_are_low() -> None:
    assert pack_forest(Network.of(boxes(4))).height == 2


def test_the_same_seed_gives_the_same_forest() -> None:
    first, again = (pack_forest(Network.of(fat_tree(4, 4, 2)), seed=1) for _ in range(2))
    for name in ("root", "copies", "start", "arc", "tail", "head", "amount", "route"):
        assert np.array_equal(getattr(first, name), getattr(again, name))


def test_too_many_trees_are_refused() -> None:
    network = random_network(3, switches=False)
    with pytest.raises(InvalidInput, match=r"^k: 1 to \d+ trees a root, not -1$"):
        pack_forest(network, -1)
    links = [(0, 1, 10**20), (1, 2, 10**20 + 9), (2, 0, 10**20 + 77)]
    odd = Network.of(bidirectional(3, links, []))
    with pytest.raises(Unsupported, match=r"^k: \d+ trees a root are too many"):
        pack_forest(odd)
    check_forest(pack_forest(odd, 4))


def test_links_of_any_width_are_taken() -> None:
    """A link that is wider than all trees together need says nothing about their number."""
    wide = Network.of(bidirectional(3, [(0, 1, 10**30), (1, 2, 3), (2, 0, 3)], []))
    switched = [(u, 3, 10**30 if u == 0 else 3) for u in range(3)]
    for network in (wide, Network.of(bidirectional(4, switched, [3]))):
        found = pack_forest(network)
        assert found.loss == 0
        check_forest(found)
    uneven = [(0, 2), (2, 1), (1, 0), (2, 0), (0, 1), (1, 2)]
    capacity = [10**30, 10**30 - 3, 1, 4, 1, 1]
    odd = Topology.from_arcs(3, uneven, capacity=capacity, switches=[2])
    with pytest.raises(Unsupported, match=r"^bandwidths: too unequal for \d+ trees a root$"):
        pack_forest(Network.of(odd))


def test_trees_are_made_narrower_until_switches_pass_them_on() -> None:
    """Links of 5 and 5 lead in, one of 10 out: rounded down apart, they may differ in sum."""
    arcs = [(0, 3), (1, 3), (3, 2), (2, 0), (2, 1), (0, 1), (1, 0)]
    switched = Topology.from_arcs(4, arcs, capacity=[5, 5, 10, 5, 5, 3, 3], switches=(3,))
    losses = []
    for k in range(1, 6):
        found = pack_forest(Network.of(switched), k)
        assert found.k == k
        check_forest(found)
        losses.append(found.loss)
    assert min(losses) == 0 < max(losses)
    for seed in range(40):
        network = random_network(seed, switches=True, rational=True)
        for k in (1, 3):
            check_forest(pack_forest(network, k))


REMOVALS = {"initial splits": (True, 2), "switch by switch": (False, 2), "pair by pair": (False, 0)}


def packings(problem: PackingProblem, seed: int) -> list[Packing]:
    """What every packer makes of the problem by itself; without those that give up."""
    rank = problem.hop_ranks()
    offered = [
        pack_by_levels(problem, rank),
        pack_by_repair(problem, rank, seed),
        pack_by_tight_sets(problem, lambda part: pack_exactly(part, seed)),
        pack_by_tight_sets(problem, lambda part: pack_trees(part, seed)),
    ]
    return [found for found in offered if found is not None] + [pack_exactly(problem, seed)]


def pack_every_way(network: Network, seed: int) -> Counter[str]:
    """How often each way was taken; every packing is checked."""
    taken: Counter[str] = Counter()
    problems = {}
    for way, (at_once, rounds) in REMOVALS.items():
        problem = problem_of(network, at_once=at_once, rounds=rounds)
        taken[way] += len(network.switches) > 0
        problems[problem.key] = problem
    for problem in problems.values():
        for found in packings(problem, seed):
            check_packing(problem, found)
            taken[found.method] += 1
    return taken


def check_every_way(networks: Iterable[Network]) -> Counter[str]:
    taken: Counter[str] = Counter()
    for seed, network in enumerate(networks):
        taken += pack_every_way(network, seed)
        whole = pack_forest(network, seed=seed)
        assert whole.inverse_rate == worst_ratio(network)
        check_forest(whole)
    return taken


def mixed_networks(seeds: range) -> Iterator[Network]:
    """Half with switches, two of three with rational capacities."""
    for seed in seeds:
        yield random_network(seed, switches=seed % 2 == 0, rational=seed % 3 > 0)


def box_networks(seeds: range) -> Iterator[Network]:
    for seed in seeds:
        yield random_boxes(seed, switches=seed % 2 == 0)


def test_some_networks_take_every_way() -> None:
    taken = check_every_way(mixed_networks(range(40))) + check_every_way(box_networks(range(12)))
    assert set(taken) == {*REMOVALS, "level", "repair", "tight sets", "exact"}


@pytest.mark.slow
def test_many_networks_take_every_way() -> None:
    taken = check_every_way(mixed_networks(range(40, 1240)))
    assert min(taken[way] for way in REMOVALS) == 600
    assert min(taken[name] for name in ("level", "repair", "exact")) >= 500


@pytest.mark.slow
def test_many_boxes_take_every_way() -> None:
    assert check_every_way(box_networks(range(12, 520)))["tight sets"] >= 500
