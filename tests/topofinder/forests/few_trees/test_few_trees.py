"""Few trees and low ones: sound, within the loss that was allowed, the same for the same seed."""

from fractions import Fraction

import numpy as np
import pytest

from generators.errors import InvalidInput, Unsupported
from generators.fabrics.dgx import dgx_a100
from generators.fabrics.fat_tree import two_level
from generators.fabrics.mi250 import mi250
from tests.forests import check_forest, random_network
from topofinder.api.shared.tree_aims import read_tree_aim
from topofinder.forests.clock import NO_LIMIT
from topofinder.forests.few_trees.as_forest import TreeSearch, TreeWish
from topofinder.forests.few_trees.move_kernels import grow_trees, put_loads
from topofinder.forests.few_trees.pack import Preference, TreeAim, least_height, pack_with_aim
from topofinder.forests.few_trees.routes import EdgeRoutes
from topofinder.forests.few_trees.search import find_trees, split_supply
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network


@pytest.mark.parametrize("prefer", list(Preference))
def test_random_fabrics_keep_to_the_loss(prefer: Preference) -> None:
    aim = TreeAim(loss=Fraction(1, 10), prefer=prefer)
    for seed in range(8):
        network = random_network(seed, switches=seed % 2 == 0, rational=seed % 3 == 0)
        found = pack_with_aim(network, aim, seed)
        check_forest(found)
        assert 0 <= found.loss <= Fraction(1, 10) or found.k == 1
        least = least_height(network)
        assert least is not None
        assert found.height >= least
        plain = pack_with_aim(network, TreeAim(loss=Fraction(1, 10)), seed)
        if prefer is Preference.HEIGHT:
            assert found.height <= plain.height
        else:
            assert found.trees <= plain.trees


def test_a_box_is_as_low_as_can_be_found_at_the_optimum() -> None:
    network = Network.of(mi250(1))
    low = pack_with_aim(network, TreeAim())
    assert (low.k, low.loss, low.height) == (3, 0, 6)
    few = pack_with_aim(network, TreeAim(prefer=Preference.TREES))
    check_forest(few)
    assert (few.loss, few.trees) == (0, 32)
    assert few.height <= 7
    assert least_height(network) == 5


def test_two_boxes_take_two_trees_a_root_within_two_percent() -> None:
    network = Network.of(mi250(2))
    aim = TreeAim(loss=Fraction(1, 50), prefer=Preference.TREES)
    found = pack_with_aim(network, aim)
    check_forest(found)
    assert found.loss <= Fraction(1, 50)
    assert found.trees == 64
    assert found.height <= 10
    again = pack_with_aim(network, aim)
    assert np.array_equal(found.arc, again.arc)
    assert np.array_equal(found.copies, again.copies)


@pytest.mark.slow
def test_two_boxes_take_four_trees_a_root_within_half_a_percent() -> None:
    aim = TreeAim(loss=Fraction(1, 200), prefer=Preference.TREES)
    found = pack_with_aim(Network.of(mi250(2)), aim)
    check_forest(found)
    assert found.loss <= Fraction(1, 200)
    assert found.trees <= 128
    assert found.height <= 10


def test_the_default_k_loses_a_thousandth_of_the_rate() -> None:
    aim = read_tree_aim()
    found = pack_with_aim(Network.of(mi250(2)), aim)
    assert found.k == 23
    assert 0 < found.loss <= Fraction(1, 1000)
    kept = pack_with_aim(Network.of(dgx_a100(2)), aim)
    assert (kept.k, kept.loss, kept.height) == (13, 0, 2)


def test_trees_grow_within_the_height_and_loads_are_sums() -> None:
    routes = EdgeRoutes.of(Network.of(mi250(1)))
    root = np.arange(16, dtype=np.int64)
    weight = np.arange(1, 17, dtype=np.int64)
    enter = np.full((16, 16), -1, np.int64)
    outof = np.argsort(routes.tail, kind="stable")
    start = np.searchsorted(routes.tail[outof], np.arange(17))
    assert grow_trees(enter, root, routes.columns, (start, outof), 6, 1) <= 6
    load = np.zeros(56, np.int64)
    put_loads((enter, root, weight), routes.columns, load)
    slow = np.zeros(56, np.int64)
    for t in range(16):
        for v in range(16):
            hops, at = 0, v
            while at != t:
                at, hops = int(routes.tail[enter[t, at]]), hops + 1
            assert hops <= 6
            if v != t:
                r = enter[t, v]
                for e in routes.arc[routes.start[r] : routes.start[r + 1]]:
                    slow[e] += weight[t]
    assert load.tolist() == slow.tolist()


def test_found_trees_keep_to_capacities() -> None:
    routes = EdgeRoutes.of(Network.of(mi250(1)))
    network = Network.of(mi250(1))
    capacity = 7 * np.array(network.capacity, np.int64)
    found = find_trees(routes, np.full(16, 3), capacity, 3, 6, 10_000, 0)
    assert found is not None
    load = np.zeros(56, np.int64)
    put_loads((found.enter, found.root, found.weight), routes.columns, load)
    assert (load <= capacity).all()
    assert find_trees(routes, np.full(16, 3), capacity, 3, 4, 10_000, 0) is None  # 5 by distance
    assert find_trees(routes, np.full(16, 3), capacity // 2, 3, 9, 3_000, 0) is None


def test_weights_of_trees_sum_to_what_a_root_has() -> None:
    supply = np.array([100, 0, 1, 37])
    root, weight = split_supply(supply, 4, np.random.default_rng(3))
    assert np.bincount(root, weight, 4).tolist() == supply.tolist()
    assert np.bincount(root).tolist() == [4, 0, 1, 4]
    assert weight.min() > 0


def test_a_search_that_fails_says_so() -> None:
    network = Network.of(mi250(1))
    search = TreeSearch.of(network, find_optimum(network), 0, NO_LIMIT)
    assert search.find(TreeWish(k=3, inverse_tree=Fraction(7, 100), parts=3, height=6)) is None


def test_fabrics_of_many_routes_keep_the_other_trees() -> None:
    network = Network.of(two_level(16, 16, 16))
    with pytest.raises(Unsupported, match="few trees: more than 16384 routes"):
        EdgeRoutes.of(network)
    assert least_height(network) is None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("many", None, None), "--k: a number of trees a root, or optimal, not 'many'"),
        ((2, "1%", None), "--k and --loss exclude each other"),
        ((None, "x%", None), "--loss: "),
        ((None, None, "rate"), "--prefer: trees or height, not 'rate'"),
    ],
)
def test_what_is_refused(words: tuple[object, str | None, str | None], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        read_tree_aim(*words)  # type: ignore[arg-type]
