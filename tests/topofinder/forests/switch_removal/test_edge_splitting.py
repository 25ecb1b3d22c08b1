"""Switch removal, by the initial splits and by exact splits: no cut loses, every route is real."""

from collections import Counter

import numpy as np
import pytest

from generators.errors import Unsupported
from generators.topology import IntArray
from tests.forests import boxes, cuts_allow, fat_tree, random_network, without_links
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import least_count, tree_capacities
from topofinder.forests.switch_removal.edge_splitting import remove_switches
from topofinder.forests.switch_removal.initial_splits import ABOVE, Tiers, rotation_angles
from topofinder.forests.switch_removal.rotation_kernels import rotation_pairs
from topofinder.forests.switch_removal.split_state import Splitting

WAYS = {"initial splits": (True, 2), "switch by switch": (False, 2), "pair by pair": (False, 0)}


def start(network: Network) -> tuple[Splitting, list[int], list[int]]:
    cuts = Cuts.of(network)
    count = least_count(network, find_optimum(network, cuts), cuts)
    held = tree_capacities(network, count.inverse_tree)
    supply = [count.k * weight for weight in network.weight]
    return Splitting(network.n, network.tail, network.head, held), held, supply


def logical(network: Network, state: Splitting) -> Network:
    """What is left, as a network with the capacities as they are."""
    alive = np.flatnonzero(state.capacity)
    return Network(
        n=network.n,
        tail=state.tail[alive].astype(np.int32),
        head=state.head[alive].astype(np.int32),
        capacity=tuple(state.capacity[alive].tolist()),
        unit=network.unit,
        compute=network.compute,
        weight=network.weight,
    )


def every_target_passes(state: Splitting, compute: IntArray, supply: list[int]) -> bool:
    cuts = Cuts(state.n, state.tail, state.head, compute)
    cuts.load(state.capacity, supply)
    return cuts.test() == len(cuts.order)


def check_removal(
    network: Network, at_once: bool, rounds: int, *, brute: bool = True, clock: Clock = NO_LIMIT
) -> None:
    state, held, supply = start(network)
    state = remove_switches(
        state, network.compute, supply, at_once=at_once, rounds=rounds, clock=clock
    )
    left = logical(network, state)
    assert np.isin(left.tail, network.compute).all()
    assert np.isin(left.head, network.compute).all()
    k = supply[int(network.compute[0])] // network.weight[int(network.compute[0])]
    if brute:
        assert cuts_allow(left, list(left.capacity), k)
    assert every_target_passes(state, network.compute, supply)
    check_routes(network, state, held)


def check_routes(network: Network, state: Splitting, held: list[int]) -> None:
    alive = np.flatnonzero(state.capacity)
    first, amount, begin, route = state.route_bundles(alive)
    carried: Counter[int] = Counter()
    for i, a in enumerate(alive.tolist()):
        assert sum(amount[first[i] : first[i + 1]]) == state.capacity[a]
        for b in range(first[i], first[i + 1]):
            arcs = route[begin[b] : begin[b + 1]]
            assert network.tail[arcs[0]] == state.tail[a]
            assert network.head[arcs[-1]] == state.head[a]
            assert (network.head[arcs[:-1]] == network.tail[arcs[1:]]).all()
            assert len(np.unique(network.head[arcs])) == len(arcs)
            carried.update({e: int(amount[b]) for e in arcs.tolist()})
    assert all(carried[e] <= held[e] for e in range(network.arcs))


@pytest.mark.parametrize("way", WAYS)
def test_small_networks_keep_their_optimum(way: str) -> None:
    for seed in range(60):
        check_removal(random_network(seed, switches=True), *WAYS[way])


def test_time_that_is_over_ends_the_removal() -> None:
    network = random_network(4, switches=True)
    state, _, supply = start(network)
    told: list[str] = []
    with pytest.raises(
        Unsupported, match=r"^switches: not done after 0 s; give more time or a smaller k"
    ):
        remove_switches(
            state, network.compute, supply, at_once=False, rounds=0, clock=Clock.of(0, told.append)
        )
    assert told == ["switches: 0 are split off"]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_many_small_networks_keep_their_optimum(way: str) -> None:
    for seed in range(60, 400):
        check_removal(random_network(seed, switches=True, rational=seed % 2 == 0), *WAYS[way])


def test_the_optimum_holds_before_and_after_every_switch() -> None:
    for seed in range(40):
        network = random_network(seed, switches=True)
        state, _, supply = start(network)
        lines: list[str] = []

        def check(line: str) -> None:
            left = logical(network, state)  # noqa: B023
            assert cuts_allow(left, list(left.capacity), max(supply))  # noqa: B023
            lines.append(line)  # noqa: B023

        clock = Clock.of(None, check)
        remove_switches(state, network.compute, supply, at_once=False, rounds=seed % 3, clock=clock)
        check("after the last")
        assert len(lines) == len(network.switches) + 1


@pytest.mark.parametrize("way", WAYS)
def test_boxes_and_fat_trees(way: str) -> None:
    for topology in (boxes(3), boxes(2, inside=7, beyond=2), fat_tree(4, 2, 2), fat_tree(3, 4, 2)):
        check_removal(Network.of(topology), *WAYS[way], brute=False)


def test_damaged_boxes() -> None:
    for seed in range(6):
        topology = without_links(boxes(4, inside=3), 0.05, seed)
        check_removal(Network.of(topology), at_once=seed % 2 == 0, rounds=2, brute=False)


def test_the_initial_splits_are_enough_for_boxes() -> None:
    lines: list[str] = []
    clock = Clock.of(None, lines.append)
    for topology in (boxes(2), boxes(5), boxes(8, hosts=3)):
        check_removal(Network.of(topology), *WAYS["initial splits"], brute=False, clock=clock)
    assert lines == []


def test_rotation_uses_every_port_fully_and_avoids_the_own_group() -> None:
    generator = np.random.default_rng(1)
    for _ in range(100):
        groups = np.repeat(np.arange(int(generator.integers(2, 6))), 2)
        amount = np.repeat(generator.integers(1, 20), len(groups))
        lower = np.array([len(groups), len(groups)])
        turns = rotation_angles(int(groups.max()) + 1, 3)
        pairs = rotation_pairs(amount, groups, amount, groups, lower, turns, 0)
        for column in (0, 1):
            used = np.bincount(pairs[:, column], weights=pairs[:, 2], minlength=len(groups))
            assert (used == amount).all()
        inside = groups[pairs[:, 0]] == groups[pairs[:, 1]]
        assert pairs[inside, 2].sum() == 0


def test_tiers_of_a_fat_tree() -> None:
    network = Network.of(fat_tree(3, 2, 2))
    tiers = Tiers.of(network.n, network.tail, network.head, network.compute)
    assert tiers.tier.tolist() == [0] * 6 + [1] * 3 + [2] * 2
    assert tiers.order() == [9, 10, 6, 7, 8]
    below = tiers.group(9, np.array([6, 7, 8]))
    assert len(set(below.tolist())) == 3
    assert ABOVE not in below
    assert tiers.group(6, np.array([0, 9, 7])).tolist()[1:] == [ABOVE, ABOVE]
