"""How many trees a root: proposition E.1 and algorithm 5 against every smaller choice."""

from fractions import Fraction

import pytest

from generators.errors import InvalidInput
from generators.families.hamming import hypercube
from tests.forests import boxes, cuts_allow, random_network
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import (
    fixed_count,
    least_count,
    paper_count,
    recommended_count,
    scan_counts,
    tree_capacities,
)


def cuts_of(network: Network) -> Cuts:
    return Cuts.of(network)


def previous(network: Network, inverse_tree: Fraction) -> Fraction:
    """The greatest U below this one at which some arc holds one tree more."""
    whole = inverse_tree * network.unit
    steps = (Fraction(-(-whole * c // 1) - 1, c) for c in set(network.capacity))
    return max(steps) / network.unit


@pytest.mark.parametrize("switches", [False, True])
def test_fixed_count_is_the_least_that_all_cuts_allow(switches: bool) -> None:
    for seed in range(60):
        network = random_network(seed, switches=switches, rational=True)
        best = find_optimum(network)
        for k in (1, 2, 3, 7):
            count = fixed_count(network, best, k, cuts_of(network))
            assert count.loss == count.inverse_tree / k / best.inverse_rate - 1 >= 0
            assert cuts_allow(network, tree_capacities(network, count.inverse_tree), k)
            below = previous(network, count.inverse_tree)
            assert not cuts_allow(network, tree_capacities(network, below), k)


def test_paper_count_makes_all_capacities_whole_and_no_fewer_trees_do() -> None:
    for seed in range(60):
        network = random_network(seed, switches=seed % 2 == 0, rational=True)
        best = find_optimum(network)
        wholes = [
            k
            for k in range(1, paper_count(network, best) + 1)
            if all(
                (k * best.inverse_rate * network.unit * c).denominator == 1
                for c in network.capacity
            )
        ]
        assert wholes == [paper_count(network, best)]


def test_least_count_is_the_first_that_reaches_the_optimum() -> None:
    for seed in range(80):
        network = random_network(seed, switches=False, rational=True)
        best = find_optimum(network)
        count = least_count(network, best, cuts_of(network))
        assert count.loss == 0
        optimal = [
            k
            for k in range(1, count.k + 1)
            if cuts_allow(network, tree_capacities(network, k * best.inverse_rate), k)
        ]
        assert optimal == [count.k]


def test_fewer_trees_than_the_paper_needs_may_reach_the_optimum() -> None:
    network = Network.of(hypercube(6))
    best = find_optimum(network)
    assert paper_count(network, best) == 2
    assert least_count(network, best, cuts_of(network)).k == 2
    network = Network.of(boxes(4, inside=100, beyond=16))
    best = find_optimum(network)
    assert (paper_count(network, best), least_count(network, best, cuts_of(network)).k) == (4, 1)
    network = Network.of(boxes(2, inside=7, beyond=2))
    best = find_optimum(network)
    counts = scan_counts(network, best, range(1, 5), cuts_of(network))
    assert [c.k for c in counts] == [1, 2, 3, 4]
    assert recommended_count(counts).loss == min(c.loss for c in counts)


def test_impossible_counts_are_refused() -> None:
    network = Network.of(hypercube(2))
    best = find_optimum(network)
    with pytest.raises(InvalidInput, match=r"^k: 1 to \d+ trees a root, not 0$"):
        fixed_count(network, best, 0, cuts_of(network))
