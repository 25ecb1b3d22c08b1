"""Trees of one root, translated: as low as level forests, and within every class of arcs."""

from dataclasses import replace

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.arrays import cyclic_translation
from generators.topology import Topology
from tests.packings import check_packing, height_of, job_of
from topofinder.forests.build import forest
from topofinder.forests.optimality.network import Fabric
from topofinder.forests.packing.job import Job
from topofinder.forests.packing.level import hop_ranks, in_arcs
from topofinder.forests.packing.packers import by_level, packed
from topofinder.forests.packing.symmetric import Classes, by_translation
from topofinder.schedules.bfb.evaluation import evaluate

SYMMETRIC = ["Torus(4,4)", "Q(5)", "BiRing(2,9)", "K(7)", "C(12,{2,3})", "Cay(Z16:Z4[3];4,5)"]
BANDWIDTH_OPTIMAL = [*SYMMETRIC, "Torus(3,5)", "Pi(4,16)", "K(4,4)", "Pi(4,64)", "H(2,4)"]


def job_on(recipe: str) -> Job:
    return job_of(Fabric.of(build(parse(recipe))))


def levelled(job: Job) -> bool:
    rank = hop_ranks(job.tail, job.head, job.n)
    return by_level(job, rank, in_arcs(job.head, job.n)) is not None


def jumps(n: int, sizes: list[int], capacity: list[int]) -> Topology:
    """A ring with arcs from v to v + s for every size s, of unequal capacities."""
    arcs = [(v, (v + s) % n) for v in range(n) for s in sizes]
    return Topology.from_arcs(n, arcs, capacity=capacity * n, translation=cyclic_translation(n))


@pytest.mark.parametrize("recipe", SYMMETRIC)
def test_trees_are_images_of_those_of_one_root(recipe: str) -> None:
    job = job_on(recipe)
    found = by_translation(job)
    assert found is not None
    assert found.method == "level, translated"
    check_packing(job, found)
    assert height_of(job, found) == hop_ranks(job.tail, job.head, job.n).max()


@pytest.mark.parametrize("recipe", BANDWIDTH_OPTIMAL)
def test_a_bandwidth_optimal_bfb_schedule_means_trees_of_its_height(recipe: str) -> None:
    topology = build(parse(recipe))
    cost = evaluate(topology)
    found = forest(Fabric.of(topology))
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
        job = job_of(Fabric.of(jumps(n, [1, *sizes], generator.integers(1, 4, 4).tolist())))
        found = by_translation(job)
        shallow = found is not None and found.method == "level, translated"
        assert shallow == levelled(job)
        outcomes.add(shallow)
        if found is not None:
            check_packing(job, found)
    assert outcomes == {True, False}


def test_one_root_suffices_exactly_where_the_level_forest_does() -> None:
    check_one_root(range(60))


@pytest.mark.slow
def test_one_root_suffices_on_many_digraphs() -> None:
    check_one_root(range(60, 600))


@pytest.mark.parametrize("recipe", ["C(32,{3,8,11})", "Cay(Z16:Z4[3];14,16,40,45)"])
def test_noisy_ranks_pack_what_has_no_level_forest(recipe: str) -> None:
    job = job_on(recipe)
    assert not levelled(job)
    found = by_translation(job)
    assert found is not None
    assert found.method == "translated"
    check_packing(job, found)
    final = packed(job)
    check_packing(job, final)
    reach = int(hop_ranks(job.tail, job.head, job.n).max())
    assert reach <= height_of(job, final) <= height_of(job, found) <= 2 * reach


def test_what_is_no_symmetry_of_the_job_is_not_used() -> None:
    job = job_on("Torus(4,4)")
    assert Classes.of_job(job) is not None
    several = np.where(np.arange(job.n) == 3, 2, 1) * job.supply
    capacity = job.capacity + (np.arange(len(job.tail)) == 5)
    for other in (
        replace(job, translation=None),
        replace(job, supply=several),
        replace(job, capacity=capacity),
        replace(job, translation=cyclic_translation(job.n)),
    ):
        assert by_translation(other) is None
    check_packing(job, packed(replace(job, translation=cyclic_translation(job.n))))
