"""Switch removal, by the guess and by exact splits: no cut loses, every route is real."""

from collections import Counter

import numpy as np
import pytest

import topofinder.forests.switch_removal.edge_splitting
from generators.errors import Unsupported
from tests.forests import boxes, cuts_allow, fat_tree, random_fabric, without_links
from topofinder.forests.clock import Clock
from topofinder.forests.optimality.bottleneck_cut import optimality
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Fabric
from topofinder.forests.optimality.tree_count import least_count, places
from topofinder.forests.switch_removal.edge_splitting import _holds, without_switches
from topofinder.forests.switch_removal.initial_splits import angles
from topofinder.forests.switch_removal.rotation import rotate
from topofinder.forests.switch_removal.routes import bundles
from topofinder.forests.switch_removal.split_state import Splitting
from topofinder.forests.switch_removal.tiers import ABOVE, Tiers

WAYS = {"guess": (True, 2), "switch by switch": (False, 2), "pair by pair": (False, 0)}


def start(fabric: Fabric) -> tuple[Splitting, list[int], list[int]]:
    cuts = Cuts(fabric.n, fabric.tail, fabric.head, fabric.compute)
    count = least_count(fabric, optimality(fabric, cuts), cuts)
    held = places(fabric, count.inverse_tree)
    supply = [count.k * weight for weight in fabric.weight]
    return Splitting(fabric.n, fabric.tail, fabric.head, held), held, supply


def logical(fabric: Fabric, state: Splitting) -> Fabric:
    """What is left, as a fabric with the capacities as they are."""
    alive = np.flatnonzero(state.capacity)
    return Fabric(
        n=fabric.n,
        tail=state.tail[alive].astype(np.int32),
        head=state.head[alive].astype(np.int32),
        capacity=tuple(state.capacity[alive].tolist()),
        unit=fabric.unit,
        compute=fabric.compute,
        weight=fabric.weight,
    )


def check_removal(fabric: Fabric, guess: bool, rounds: int, *, brute: bool = True) -> None:
    state, held, supply = start(fabric)
    state = without_switches(state, fabric.compute, supply, guess=guess, rounds=rounds)
    left = logical(fabric, state)
    assert np.isin(left.tail, fabric.compute).all()
    assert np.isin(left.head, fabric.compute).all()
    k = supply[int(fabric.compute[0])] // fabric.weight[int(fabric.compute[0])]
    if brute:
        assert cuts_allow(left, list(left.capacity), k)
    assert _holds(state, fabric.compute, supply)
    check_routes(fabric, state, held)


def check_routes(fabric: Fabric, state: Splitting, held: list[int]) -> None:
    alive = np.flatnonzero(state.capacity)
    first, amount, begin, route = bundles(state, held, alive)
    carried: Counter[int] = Counter()
    for i, a in enumerate(alive.tolist()):
        assert sum(amount[first[i] : first[i + 1]]) == state.capacity[a]
        for b in range(first[i], first[i + 1]):
            arcs = route[begin[b] : begin[b + 1]]
            assert fabric.tail[arcs[0]] == state.tail[a]
            assert fabric.head[arcs[-1]] == state.head[a]
            assert (fabric.head[arcs[:-1]] == fabric.tail[arcs[1:]]).all()
            assert len(np.unique(fabric.head[arcs])) == len(arcs)
            carried.update({e: int(amount[b]) for e in arcs.tolist()})
    assert all(carried[e] <= held[e] for e in range(fabric.arcs))


@pytest.mark.parametrize("way", WAYS)
def test_small_networks_keep_their_optimum(way: str) -> None:
    for seed in range(60):
        check_removal(random_fabric(seed, switches=True), *WAYS[way])


def test_time_that_is_over_ends_the_removal() -> None:
    fabric = random_fabric(4, switches=True)
    state, _, supply = start(fabric)
    told: list[str] = []
    with pytest.raises(Unsupported, match=r"^switches: not done after 0 s; give more time"):
        without_switches(
            state, fabric.compute, supply, guess=False, rounds=0, clock=Clock.of(0, told.append)
        )
    assert told == ["switches: 0 are split off"]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_many_small_networks_keep_their_optimum(way: str) -> None:
    for seed in range(60, 400):
        check_removal(random_fabric(seed, switches=True, rational=seed % 2 == 0), *WAYS[way])


def test_the_optimum_holds_after_every_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    exactly, seen = topofinder.forests.switch_removal.edge_splitting._exactly, []

    def checked(state: Splitting, w: int, compute: object, supply: list[int], clock: Clock) -> None:
        exactly(state, w, compute, supply, clock)  # type: ignore[arg-type]
        left = logical(fabric, state)
        assert cuts_allow(left, list(left.capacity), max(supply))
        seen.append(w)

    monkeypatch.setattr(topofinder.forests.switch_removal.edge_splitting, "_exactly", checked)
    for seed in range(40):
        fabric = random_fabric(seed, switches=True)
        before = len(seen)
        state, _, supply = start(fabric)
        without_switches(state, fabric.compute, supply, guess=False, rounds=seed % 3)
        assert sorted(seen[before:]) == fabric.switches.tolist()


@pytest.mark.parametrize("way", WAYS)
def test_boxes_and_fat_trees(way: str) -> None:
    for topology in (boxes(3), boxes(2, inside=7, beyond=2), fat_tree(4, 2, 2), fat_tree(3, 4, 2)):
        check_removal(Fabric.of(topology), *WAYS[way], brute=False)


def test_damaged_boxes() -> None:
    for seed in range(6):
        topology = without_links(boxes(4, inside=3), 0.05, seed)
        check_removal(Fabric.of(topology), guess=seed % 2 == 0, rounds=2, brute=False)


def test_the_guess_is_enough_for_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topofinder.forests.switch_removal.edge_splitting, "_exactly", None)
    monkeypatch.setattr(topofinder.forests.switch_removal.edge_splitting, "_split_kept", None)
    for topology in (boxes(2), boxes(5), boxes(8, hosts=3)):
        check_removal(Fabric.of(topology), *WAYS["guess"], brute=False)


def test_rotation_uses_every_port_fully_and_avoids_the_own_group() -> None:
    generator = np.random.default_rng(1)
    for _ in range(100):
        groups = np.repeat(np.arange(int(generator.integers(2, 6))), 2)
        amount = np.repeat(generator.integers(1, 20), len(groups))
        lower = np.array([len(groups), len(groups)])
        turns = angles(int(groups.max()) + 1, 3)
        pairs = rotate(amount, groups, amount, groups, lower, turns, 0)
        for column in (0, 1):
            used = np.bincount(pairs[:, column], weights=pairs[:, 2], minlength=len(groups))
            assert (used == amount).all()
        inside = groups[pairs[:, 0]] == groups[pairs[:, 1]]
        assert pairs[inside, 2].sum() == 0


def test_tiers_of_a_fat_tree() -> None:
    fabric = Fabric.of(fat_tree(3, 2, 2))
    tiers = Tiers.of(fabric.n, fabric.tail, fabric.head, fabric.compute)
    assert tiers.tier.tolist() == [0] * 6 + [1] * 3 + [2] * 2
    assert tiers.order() == [9, 10, 6, 7, 8]
    below = tiers.group(9, np.array([6, 7, 8]))
    assert len(set(below.tolist())) == 3
    assert ABOVE not in below
    assert tiers.group(6, np.array([0, 9, 7])).tolist()[1:] == [ABOVE, ABOVE]
