"""Random small digraphs, forced through every rung: removal of switches, then every packer."""

from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

from tests.forests import check_forest, random_boxes, random_fabric, worst_ratio
from tests.packings import check_packing, job_of
from topofinder.forests.build import forest
from topofinder.forests.optimality.network import Fabric
from topofinder.forests.packing.exact_packing import exactly
from topofinder.forests.packing.job import Job, Packing
from topofinder.forests.packing.level import hop_ranks, in_arcs
from topofinder.forests.packing.packers import by_level, by_repair, packed
from topofinder.forests.packing.tight_sets import by_tight_sets

REMOVALS = {"guess": (True, 2), "switch by switch": (False, 2), "pair by pair": (False, 0)}


def packings(job: Job, seed: int) -> list[Packing]:
    """What every packer makes of the job by itself; those that may give up are left out then."""
    rank, into = hop_ranks(job.tail, job.head, job.n), in_arcs(job.head, job.n)
    offered = [
        by_level(job, rank, into),
        by_repair(job, rank, into, seed),
        by_tight_sets(job, lambda part: exactly(part, seed)),
        by_tight_sets(job, lambda part: packed(part, seed)),
    ]
    return [found for found in offered if found is not None] + [exactly(job, seed)]


def climbed(fabric: Fabric, seed: int) -> Counter[str]:
    """How often each rung was taken; each is checked."""
    taken: Counter[str] = Counter()
    jobs = {}
    for way, (guess, rounds) in REMOVALS.items():
        job = job_of(fabric, guess=guess, rounds=rounds)
        taken[way] += len(fabric.switches) > 0
        jobs[job.key] = job
    for job in jobs.values():
        for found in packings(job, seed):
            check_packing(job, found)
            taken[found.method] += 1
    return taken


def check_climb(fabrics: Iterable[Fabric]) -> Counter[str]:
    taken: Counter[str] = Counter()
    for seed, fabric in enumerate(fabrics):
        taken += climbed(fabric, seed)
        whole = forest(fabric, seed=seed)
        assert whole.inverse_rate == worst_ratio(fabric)
        check_forest(whole)
    return taken


def mixed(seeds: range) -> Iterator[Fabric]:
    """Half with switches, two of three with rational capacities."""
    for seed in seeds:
        yield random_fabric(seed, switches=seed % 2 == 0, rational=seed % 3 > 0)


def boxes(seeds: range) -> Iterator[Fabric]:
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
