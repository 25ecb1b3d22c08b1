"""Blocks of equal trees: as low as trees one by one, however many there are, in bounded turns."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from benchmarks.prime_fabrics import prime_fabrics, two_way
from generators.damage import Damage, damaged
from generators.fabrics import fabric_of
from generators.topology import Topology
from tests.command import ran
from tests.forests import check_forest, random_boxes, random_fabric
from tests.packings import check_packing, height_of, regular
from topofinder.forests.build import forest
from topofinder.forests.clock import Clock
from topofinder.forests.optimality.bottleneck_cut import optimality
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Fabric
from topofinder.forests.optimality.tree_count import fixed_count, places
from topofinder.forests.packed_forest import PackedForest
from topofinder.forests.packing import blocks
from topofinder.forests.packing.blocks import UNITS, Blocks
from topofinder.forests.packing.exact_packing import exactly
from topofinder.forests.packing.job import Job
from topofinder.forests.packing.level import in_arcs
from topofinder.forests.packing.local_moves import DONE, TIRED, repair
from topofinder.forests.packing.packers import packed
from topofinder.forests.packing.pools import expanded

KNOWN = [
    ("MI250(1)", None, None, "7/150", 3, 8),
    ("MI250(2)", None, None, "15/166", 83, 10),
    ("MI250(3)", None, None, "23/166", 83, 14),
    ("MI250(4)", None, None, "3/16", 3, 10),
    ("DGXA100(2)", None, None, "3/65", 13, 2),
    ("DGXA100(3)", None, None, "2/25", 1, 2),
    ("DGXA100(4)", None, None, "3/25", 1, 2),
    ("DGXH100(2)", None, None, "3/100", 2, 2),
    ("MI250(2)", 4, None, "3/32", 4, 8),
    ("MI250(2)", 50, None, "113/1250", 50, 10),
    ("MI250(2)", 128, None, "579/6400", 128, 18),
    ("MI250(2)", 200, None, "113/1250", 200, 18),
    ("MI250(2)", 300, None, "113/1250", 300, 16),
    ("MI250(2)", 500, None, "723/8000", 500, 11),
    ("MI250(1)", 200, None, "467/10000", 200, 13),
    ("MI250(1)", 500, None, "1167/25000", 500, 13),
    ("DGXA100(2)", 200, None, "277/6000", 200, 2),
    ("MI250(1)", None, 1, "7/125", 5, 8),
    ("MI250(1)", None, 2, "7/125", 5, 10),
    ("MI250(1)", None, 3, "1/20", 2, 7),
    ("MI250(2)", None, 1, "5/47", 47, 7),
    ("MI250(2)", None, 2, "15/116", 58, 8),
    ("MI250(2)", None, 3, "15/133", 133, 9),
    ("DGXA100(2)", None, 1, "3/5", 1, 4),
    ("DGXA100(2)", None, 2, "4/75", 3, 4),
    ("DGXA100(2)", None, 3, "1/20", 4, 4),
    ("DGXA100(3)", None, 1, "23/25", 1, 3),
    ("DGXA100(3)", None, 2, "16/175", 7, 3),
    ("DGXA100(3)", None, 3, "23/25", 1, 3),
    ("MI250(2)", 60, 1, "8/75", 60, 8),
]
"""(fabric, k, seed of 4 % failed links, 1/x of the trees, k, height) of trees packed one by one."""
NETWORKS = {
    "random": [2, 2, 2, 3, 2, 2, 1, 2, 4, 2, 2, 1, 3, 4, 1, 4, 2, 2, 4, 2, 1, 2, 3, 1],
    "boxes": [5, 2, 3, 3, 3, 3, 4, 3, 3, 3, 4, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3],
}
"""Heights of 3000 trees a root packed one by one, on networks of the seeds from 0 on."""
PRIMES = {
    "chorded ring, 1e+01": 2,
    "chorded ring, 1e+03": 2,
    "chorded ring, 1e+06": 2,
    "chorded ring, 1e+09": 2,
    "wheel, 1e+01": 3,
    "wheel, 1e+03": 3,
    "wheel, 1e+06": None,
    "wheel, 1e+09": 3,
    "cube, 1e+01": 3,
    "cube, 1e+03": 3,
    "cube, 1e+06": 3,
    "cube, 1e+09": 3,
    "star and ring, 1e+01": 4,
    "star and ring, 1e+03": 5,
    "star and ring, 1e+06": 5,
    "star and ring, 1e+09": 5,
    "two boxes, 1e+01": 3,
    "two boxes, 1e+03": 3,
    "two boxes, 1e+06": None,
    "two boxes, 1e+09": 4,
}
"""Heights of trees packed one by one; None where these never came back."""


@pytest.mark.parametrize(("subject", "k", "seed", "rate", "count", "height"), KNOWN)
def test_trees_are_no_higher_than_one_by_one(
    subject: str, k: int | None, seed: int | None, rate: str, count: int, height: int
) -> None:
    topology = fabric_of(subject)[1]
    if seed is not None:
        topology = damaged(topology, Damage(fail_links=["4%"], seed=seed))
    found = forest(Fabric.of(topology), k)
    assert (found.inverse_rate, found.k) == (Fraction(rate), count)
    assert found.height <= height


@pytest.mark.parametrize("kind", NETWORKS)
def test_many_trees_of_small_networks_are_no_higher(kind: str) -> None:
    for seed, height in enumerate(NETWORKS[kind]):
        made = (
            random_boxes(seed, switches=seed % 2 == 0)
            if kind == "boxes"
            else random_fabric(seed, switches=seed % 2 == 0, rational=seed % 3 > 0)
        )
        found = forest(made, 3000)
        check_forest(found)
        assert found.height <= height


def few(found: PackedForest) -> bool:
    """Whether equal trees stand together."""
    return found.trees <= 4 * len(found.fabric.compute) * len(found.fabric.compute)


@pytest.mark.parametrize(("name", "topology"), list(prime_fabrics()))
def test_any_number_of_trees_is_a_few_blocks(name: str, topology: Topology) -> None:
    found = forest(Fabric.of(topology))
    check_forest(found)
    assert found.loss == 0
    assert few(found)
    known = PRIMES[name]
    assert known is None or found.height <= known


def test_a_narrow_chord_does_not_cut_trees_into_single_ones() -> None:
    links = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    found = forest(Fabric.of(two_way(4, links, [100003, 100019, 100043, 100049, 1])))
    check_forest(found)
    assert (found.inverse_rate, found.k) == (Fraction(1, 66674), 66674)
    assert found.height <= 3
    assert few(found)


def measured(topology: Topology, seed: int) -> Topology:
    """The same with rates as they are measured: up to 5 % less, in hundredths."""
    generator = np.random.default_rng(seed)
    rates: dict[tuple[int, int], Fraction] = {}
    for u, v, capacity in zip(
        topology.tail.tolist(), topology.head.tolist(), topology.capacity or (), strict=True
    ):
        rate = Fraction(round(float(capacity) * 100 * (1 - 0.05 * generator.random())), 100)
        rates.setdefault((min(u, v), max(u, v)), rate)
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    capacity = tuple(rates[min(u, v), max(u, v)] for u, v in ends)
    return replace(topology, capacity=capacity, translation=None, orbits=None)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_measured_rates_do_not_hang(seed: int) -> None:
    found = forest(Fabric.of(measured(fabric_of("DGXA100(2)")[1], seed)))
    check_forest(found)
    assert found.loss == 0
    assert found.trees < 4096


def job_with(fabric: Fabric, k: int) -> Job:
    """A job of k trees a root, on a fabric without switches."""
    cuts = Cuts(fabric.n, fabric.tail, fabric.head, fabric.compute)
    count = fixed_count(fabric, optimality(fabric, cuts), k, cuts)
    return Job(
        tail=fabric.tail.copy(),
        head=fabric.head.copy(),
        capacity=np.array(places(fabric, count.inverse_tree)),
        supply=np.full(fabric.n, k),
    )


def test_only_few_trees_stand_one_by_one() -> None:
    for k, single in ((UNITS // 24, True), (UNITS, False)):
        job = job_with(regular(24, 3, 1), k)
        high = exactly(job)
        table = expanded(high.root, high.copies, high.arc, job.head, job.n)
        made = Blocks.of(table, job)
        assert made.single == single
        assert made.used == (job.trees if single else len(high.root))
        assert made.columns[2].sum() == job.trees


def test_blocks_are_split_and_stay_trees() -> None:
    split = 0
    for seed in range(3):
        job = job_with(regular(24, 3, seed), 10**12 + 39)
        into = in_arcs(job.head, job.n)
        high = exactly(job)
        check_packing(job, high)
        table = expanded(high.root, high.copies, high.arc, job.head, job.n)
        made = Blocks.of(table, job)
        made.lower(job, into, Clock())
        low = made.packing(job, "exact")
        check_packing(job, low)
        assert height_of(job, low) < height_of(job, high)
        split += made.used - len(table[1])
    assert split > 0


@pytest.mark.parametrize("k", [3, 10**9 + 7])
def test_turns_do_not_change_what_is_found(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    job = job_with(regular(24, 3, 2), k)
    whole = packed(job)
    lines: list[str] = []
    monkeypatch.setattr(blocks, "TURN", 0)
    monkeypatch.setattr(blocks, "TURNS", 10**6)
    parts = packed(job, clock=Clock.of(None, lines.append))
    assert len(lines) > 20
    assert (parts.method, parts.copies.tolist()) == (whole.method, whole.copies.tolist())
    assert np.array_equal(parts.arc, whole.arc)
    check_packing(job, parts)


def test_kernels_come_back_when_their_work_is_done() -> None:
    job = job_with(regular(24, 3, 2), 3)
    enter = np.full((job.n, job.trees + 2), -1, np.int32)
    root = np.append(np.repeat(np.arange(job.n, dtype=np.int32), job.supply), [0, 0])
    table = enter, root.astype(np.int32), np.ones(len(root), np.int64)
    node, tree = np.nonzero(root[: job.trees] != np.arange(job.n)[:, None])
    lack, counts = np.stack([tree, node]), np.array([job.trees, len(tree), 500])
    room, into = job.capacity.copy(), in_arcs(job.head, job.n)
    before = len(tree)
    assert repair(table, lack, counts, job.tail, room, into, 500, 0) == TIRED
    assert counts[1] >= before - 2
    assert repair(table, lack, counts, job.tail, room, into, 500, 1 << 40) == DONE


def test_what_is_found_in_time_is_kept() -> None:
    job = job_with(regular(24, 3, 1), 40)
    soon, late = packed(job, clock=Clock.of(0)), packed(job)
    check_packing(job, soon)
    assert height_of(job, soon) >= height_of(job, late)


def test_time_that_is_too_short_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPOFINDER_DB", raising=False)
    words = ("schedule", "MI250(2)", "--k", "128", "--method", "forest", "-o", "a.npz")
    line = "topofinder: packing: not done after 1e-09 s; give more time or a smaller k\n"
    assert ran(capsys, *words, "--time", "1ns") == (2, "", line)
    assert not Path("a.npz").exists()
    other = ran(capsys, "schedule", "K(4)", "--time", "1s", "-o", "a.npz")
    assert other == (2, "", "topofinder: --time is for --method forest, not auto\n")


def test_an_interrupt_ends_the_moves() -> None:
    def stop(line: str) -> None:
        raise KeyboardInterrupt

    for fabric in (regular(24, 3, 1), Fabric.of(measured(fabric_of("DGXA100(2)")[1], 1))):
        with pytest.raises(KeyboardInterrupt):
            forest(fabric, clock=Clock.of(None, stop))
