"""Trees of one root, translated: as low as level forests, and within every class of arcs."""

from dataclasses import replace

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.arrays import cyclic_translation
from generators.topology import Topology
from tests.packings import check_packing, height_of, problem_of
from topofinder.forests.build import pack_forest
from topofinder.forests.optimality.network import Network
from topofinder.forests.packing.packers import pack_by_levels, pack_trees
from topofinder.forests.packing.problem import PackingProblem
from topofinder.forests.packing.symmetric import ArcClasses, pack_by_translation
from topofinder.schedules.bfb.evaluation import evaluate

SYMMETRIC = ["Torus(4,4)", "Q(5)", "BiRing(2,9)", "K(7)", "C(12,{2,3})", "Cay(Z16:Z4[3];4,5)"]
BANDWIDTH_OPTIMAL = [*SYMMETRIC, "Torus(3,5)", "Pi(4,16)", "K(4,4)", "Pi(4,64)", "H(2,4)"]


def problem_on(recipe: str) -> PackingProblem:
    return problem_of(Network.of(build(parse(recipe))))


def levelled(problem: PackingProblem) -> bool:
    return pack_by_levels(problem, problem.hop_ranks()) is not None


def jumps(n: int, sizes: list[int], capacity: list[int]) -> Topology:
    """A ring with arcs from v to v + s for every size s, of unequal capacities."""
    arcs = [(v, (v + s) % n) for v in range(n) for s in sizes]
    return Topology.from_arcs(n, arcs, capacity=capacity * n, translation=cyclic_translation(n))


@pytest.mark.parametrize("recipe", SYMMETRIC)
def test_trees_are_images_of_those_of_one_root(recipe: str) -> None:
    problem = problem_on(recipe)
    found = pack_by_translation(problem)
    assert found is not None
    assert found.method == "level, translated"
    check_packing(problem, found)
    assert height_of(problem, found) == problem.hop_ranks().max()


@pytest.mark.parametrize("recipe", BANDWIDTH_OPTIMAL)
def test_a_bandwidth_optimal_bfb_schedule_means_trees_of_its_height(recipe: str) -> None:
    topology = build(parse(recipe))
    cost = evaluate(topology)
    found = pack_forest(Network.of(topology))
    assert sum(cost.loads) == found.inverse_rate == found.optimum.inverse_rate
    assert found.method.startswith("level")
    assert found.height == len(cost.loads)


def check_one_root(seeds: range) -> None:
    """Trees of one root are found exactly where the level forest is complete."""
    outcomes = set()
    for seed in seeds:
        generator = np.random.default_rng(seed)
        n = int(generator.integers(6, 24))
        sizes = sorted(generator.choice(np.arange(1, n), 3, replace=False).tolist())
        problem = problem_of(
            Network.of(jumps(n, [1, *sizes], generator.integers(1, 4, 4).tolist()))
        )
        found = pack_by_translation(problem)
        shallow = found is not None and found.method == "level, translated"
        assert shallow == levelled(problem)
        outcomes.add(shallow)
        if found is not None:
            check_packing(problem, found)
    assert outcomes == {True, False}


def test_one_root_suffices_exactly_where_the_level_forest_does() -> None:
    check_one_root(range(60))


@pytest.mark.slow
def test_one_root_suffices_on_many_digraphs() -> None:
    check_one_root(range(60, 600))


@pytest.mark.parametrize("recipe", ["C(32,{3,8,11})", "Cay(Z16:Z4[3];14,16,40,45)"])
def test_noisy_ranks_pack_what_has_no_level_forest(recipe: str) -> None:
    problem = problem_on(recipe)
    assert not levelled(problem)
    found = pack_by_translation(problem)
    assert found is not None
    assert found.method == "translated"
    check_packing(problem, found)
    final = pack_trees(problem)
    check_packing(problem, final)
    reach = int(problem.hop_ranks().max())
    assert reach <= height_of(problem, final) <= height_of(problem, found) <= 2 * reach


@pytest.mark.parametrize(
    "recipe",
    [
        "Cay(Z2^4:Z4[(0,1,0,0),(0,0,1,0),(0,0,0,1),(1,0,0,0)];5,14,22,23,32,34,41,58)",
        "Cay(Z16:Z4[3];1,10,12,14,45,47,52,54)",
    ],
)
def test_nodes_a_hop_lower_pack_what_has_no_level_forest(recipe: str) -> None:
    problem = problem_of(Network.of(build(parse(recipe))))
    assert not levelled(problem)
    found = pack_by_translation(problem)
    assert found is not None
    assert found.method == "level, lowered, translated"
    check_packing(problem, found)
    assert height_of(problem, found) == problem.hop_ranks().max()


def test_what_is_no_symmetry_of_the_problem_is_not_used() -> None:
    problem = problem_on("Torus(4,4)")
    assert ArcClasses.of_problem(problem) is not None
    several = np.where(np.arange(problem.n) == 3, 2, 1) * problem.supply
    capacity = problem.capacity + (np.arange(len(problem.tail)) == 5)
    for other in (
        replace(problem, translation=None),
        replace(problem, supply=several),
        replace(problem, capacity=capacity),
        replace(problem, translation=cyclic_translation(problem.n)),
    ):
        assert pack_by_translation(other) is None
    check_packing(problem, pack_trees(replace(problem, translation=cyclic_translation(problem.n))))
