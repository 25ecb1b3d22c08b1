"""Random small digraphs, forced through every rung: removal of switches, then every packer."""

from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

from tests.forests import check_forest, random_boxes, random_network, worst_ratio
from tests.packings import check_packing, problem_of
from topofinder.forests.build import pack_forest
from topofinder.forests.optimality.network import Network
from topofinder.forests.packing.exact import pack_exactly
from topofinder.forests.packing.packers import pack_by_levels, pack_by_repair, pack_trees
from topofinder.forests.packing.problem import Packing, PackingProblem
from topofinder.forests.packing.tight_sets import pack_by_tight_sets

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


def climbed(network: Network, seed: int) -> Counter[str]:
    """How often each rung was taken; each is checked."""
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


def check_climb(networks: Iterable[Network]) -> Counter[str]:
    taken: Counter[str] = Counter()
    for seed, network in enumerate(networks):
        taken += climbed(network, seed)
        whole = pack_forest(network, seed=seed)
        assert whole.inverse_rate == worst_ratio(network)
        check_forest(whole)
    return taken


def mixed(seeds: range) -> Iterator[Network]:
    """Half with switches, two of three with rational capacities."""
    for seed in seeds:
        yield random_network(seed, switches=seed % 2 == 0, rational=seed % 3 > 0)


def boxes(seeds: range) -> Iterator[Network]:
    for seed in seeds:
        yield random_boxes(seed, switches=seed % 2 == 0)


def test_some_networks_climb_every_rung() -> None:
    taken = check_climb(mixed(range(40))) + check_climb(boxes(range(12)))
    assert set(taken) == {*REMOVALS, "level", "repair", "tight sets", "exact"}


@pytest.mark.slow
def test_many_networks_climb_every_rung() -> None:
    taken = check_climb(mixed(range(40, 1240)))
    assert min(taken[way] for way in REMOVALS) == 600
    assert min(taken[name] for name in ("level", "repair", "exact")) >= 500


@pytest.mark.slow
def test_many_boxes_climb_every_rung() -> None:
    assert check_climb(boxes(range(12, 520)))["tight sets"] >= 500
