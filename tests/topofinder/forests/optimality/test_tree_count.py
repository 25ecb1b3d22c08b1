"""How many trees a root: proposition E.1 and algorithm 5 against every smaller choice."""

from fractions import Fraction

import pytest

from generators.errors import InvalidInput
from generators.families.hamming import hypercube
from tests.forests import boxes, cuts_allow, random_fabric
from topofinder.forests.optimality.bottleneck_cut import optimality
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Fabric
from topofinder.forests.optimality.tree_count import (
    fixed_count,
    least_count,
    paper_count,
    places,
    recommended,
    scan,
)


def cuts_of(fabric: Fabric) -> Cuts:
    return Cuts(fabric.n, fabric.tail, fabric.head, fabric.compute)


def previous(fabric: Fabric, inverse_tree: Fraction) -> Fraction:
    """The greatest U below this one at which some arc holds one tree more."""
    whole = inverse_tree * fabric.unit
    steps = (Fraction(-(-whole * c // 1) - 1, c) for c in set(fabric.capacity))
    return max(steps) / fabric.unit


@pytest.mark.parametrize("switches", [False, True])
def test_fixed_count_is_the_least_that_all_cuts_allow(switches: bool) -> None:
    for seed in range(60):
        fabric = random_fabric(seed, switches=switches, rational=True)
        best = optimality(fabric)
        for k in (1, 2, 3, 7):
            count = fixed_count(fabric, best, k, cuts_of(fabric))
            assert count.loss == count.inverse_tree / k / best.inverse_rate - 1 >= 0
            assert cuts_allow(fabric, places(fabric, count.inverse_tree), k)
            below = previous(fabric, count.inverse_tree)
            assert not cuts_allow(fabric, places(fabric, below), k)


def test_paper_count_makes_all_capacities_whole_and_no_fewer_trees_do() -> None:
    for seed in range(60):
        fabric = random_fabric(seed, switches=seed % 2 == 0, rational=True)
        best = optimality(fabric)
        wholes = [
            k
            for k in range(1, paper_count(fabric, best) + 1)
            if all(
                (k * best.inverse_rate * fabric.unit * c).denominator == 1 for c in fabric.capacity
            )
        ]
        assert wholes == [paper_count(fabric, best)]


def test_least_count_is_the_first_that_reaches_the_optimum() -> None:
    for seed in range(80):
        fabric = random_fabric(seed, switches=False, rational=True)
        best = optimality(fabric)
        count = least_count(fabric, best, cuts_of(fabric))
        assert count.loss == 0
        optimal = [
            k
            for k in range(1, count.k + 1)
            if cuts_allow(fabric, places(fabric, k * best.inverse_rate), k)
        ]
        assert optimal == [count.k]


def test_fewer_trees_than_the_paper_needs_may_reach_the_optimum() -> None:
    fabric = Fabric.of(hypercube(6))
    best = optimality(fabric)
    assert paper_count(fabric, best) == 2
    assert least_count(fabric, best, cuts_of(fabric)).k == 2
    fabric = Fabric.of(boxes(4, inside=100, beyond=16))
    best = optimality(fabric)
    assert (paper_count(fabric, best), least_count(fabric, best, cuts_of(fabric)).k) == (4, 1)
    fabric = Fabric.of(boxes(2, inside=7, beyond=2))
    best = optimality(fabric)
    counts = scan(fabric, best, range(1, 5), cuts_of(fabric))
    assert [c.k for c in counts] == [1, 2, 3, 4]
    assert recommended(counts).loss == min(c.loss for c in counts)


def test_impossible_counts_are_refused() -> None:
    fabric = Fabric.of(hypercube(2))
    best = optimality(fabric)
    with pytest.raises(InvalidInput, match=r"^k: 1 to \d+ trees a root, not 0$"):
        fixed_count(fabric, best, 0, cuts_of(fabric))
