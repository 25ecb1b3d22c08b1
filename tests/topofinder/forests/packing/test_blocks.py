"""Blocks of equal trees: as low as trees one by one, however many, by calls of bounded work."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from benchmarks.prime_fabrics import prime_fabrics, two_way
from generators.damage.apply import Damage, apply_damage
from generators.fabrics.names import fabric_of
from generators.topology import Topology
from tests.command import ran
from tests.forests import check_forest, random_boxes, random_network
from tests.packings import check_packing, height_of, regular
from topofinder.forests.build import pack_forest
from topofinder.forests.clock import Clock
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import fixed_count, tree_capacities
from topofinder.forests.packed_forest import PackedForest
from topofinder.forests.packing.blocks import MAX_SINGLE_TREES, Blocks
from topofinder.forests.packing.completion_kernels import DONE, WORK_USED_UP, complete_trees
from topofinder.forests.packing.exact import pack_exactly
from topofinder.forests.packing.packers import pack_trees
from topofinder.forests.packing.problem import PackingProblem

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
        topology = apply_damage(topology, Damage(fail_links=["4%"], seed=seed))
    found = pack_forest(Network.of(topology), k)
    assert (found.inverse_rate, found.k) == (Fraction(rate), count)
    assert found.height <= height


@pytest.mark.parametrize("kind", NETWORKS)
def test_many_trees_of_small_networks_are_no_higher(kind: str) -> None:
    for seed, height in enumerate(NETWORKS[kind]):
        made = (
            random_boxes(seed, switches=seed % 2 == 0)
            if kind == "boxes"
            else random_network(seed, switches=seed % 2 == 0, rational=seed % 3 > 0)
        )
        found = pack_forest(made, 3000)
        check_forest(found)
        assert found.height <= height


def few(found: PackedForest) -> bool:
    """Whether equal trees stand together."""
    return found.trees <= 4 * len(found.network.compute) * len(found.network.compute)


@pytest.mark.parametrize(("name", "topology"), list(prime_fabrics()))
def test_any_number_of_trees_is_a_few_blocks(name: str, topology: Topology) -> None:
    found = pack_forest(Network.of(topology))
    check_forest(found)
    assert found.loss == 0
    assert few(found)
    known = PRIMES[name]
    assert known is None or found.height <= known


def test_a_narrow_chord_does_not_cut_trees_into_single_ones() -> None:
    links = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    found = pack_forest(Network.of(two_way(4, links, [100003, 100019, 100043, 100049, 1])))
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
    found = pack_forest(Network.of(measured(fabric_of("DGXA100(2)")[1], seed)))
    check_forest(found)
    assert found.loss == 0
    assert found.trees < 4096


def problem_with(network: Network, k: int) -> PackingProblem:
    """A problem of k trees a root, on a network without switches."""
    cuts = Cuts.of(network)
    count = fixed_count(network, find_optimum(network, cuts), k, cuts)
    return PackingProblem(
        tail=network.tail.copy(),
        head=network.head.copy(),
        capacity=np.array(tree_capacities(network, count.inverse_tree)),
        supply=np.full(network.n, k),
    )


def test_only_few_trees_stand_one_by_one() -> None:
    for k, single in ((MAX_SINGLE_TREES // 24, True), (MAX_SINGLE_TREES, False)):
        problem = problem_with(regular(24, 3, 1), k)
        high = pack_exactly(problem)
        table = high.table(problem)
        made = Blocks.of(table, problem)
        assert made.single == single
        assert made.used == (problem.trees if single else len(high.root))
        assert made.columns[2].sum() == problem.trees


def test_blocks_are_split_and_stay_trees() -> None:
    split = 0
    for seed in range(3):
        problem = problem_with(regular(24, 3, seed), 10**12 + 39)
        high = pack_exactly(problem)
        check_packing(problem, high)
        table = high.table(problem)
        made = Blocks.of(table, problem)
        made.lower(problem, Clock())
        low = made.packing(problem, "exact")
        check_packing(problem, low)
        assert height_of(problem, low) < height_of(problem, high)
        split += made.used - len(table[1])
    assert split > 0


@pytest.mark.parametrize("k", [3, 10**9 + 7])
def test_short_calls_do_not_change_what_is_found(k: int) -> None:
    problem = problem_with(regular(24, 3, 2), k)
    whole = pack_trees(problem)
    lines: list[str] = []
    parts = pack_trees(problem, clock=Clock(tell=lines.append, work=1))
    assert len(lines) > 20
    assert (parts.method, parts.copies.tolist()) == (whole.method, whole.copies.tolist())
    assert np.array_equal(parts.arc, whole.arc)
    check_packing(problem, parts)


def test_kernels_come_back_when_their_work_is_done() -> None:
    problem = problem_with(regular(24, 3, 2), 3)
    enter = np.full((problem.n, problem.trees + 2), -1, np.int32)
    root = np.append(np.repeat(np.arange(problem.n, dtype=np.int32), problem.supply), [0, 0])
    table = enter, root.astype(np.int32), np.ones(len(root), np.int64)
    node, tree = np.nonzero(root[: problem.trees] != np.arange(problem.n)[:, None])
    lack, counts = np.stack([tree, node]), np.array([problem.trees, len(tree), 500])
    room, into = problem.capacity.copy(), problem.in_arcs()
    before = len(tree)
    assert complete_trees(table, lack, counts, problem.tail, room, into, 500, 0) == WORK_USED_UP
    assert counts[1] >= before - 2
    assert complete_trees(table, lack, counts, problem.tail, room, into, 500, 1 << 40) == DONE


def test_what_is_found_in_time_is_kept() -> None:
    problem = problem_with(regular(24, 3, 1), 40)
    soon, late = pack_trees(problem, clock=Clock.of(0)), pack_trees(problem)
    check_packing(problem, soon)
    assert height_of(problem, soon) >= height_of(problem, late)


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
    assert other == (2, "", "topofinder: --time is for --method forest or timed, not auto\n")


def test_an_interrupt_ends_the_moves() -> None:
    def stop(line: str) -> None:
        raise KeyboardInterrupt

    for network in (regular(24, 3, 1), Network.of(measured(fabric_of("DGXA100(2)")[1], 1))):
        with pytest.raises(KeyboardInterrupt):
            pack_forest(network, clock=Clock.of(None, stop))
