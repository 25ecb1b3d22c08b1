from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from tests.sampled import sampled
from tests.topofinder.patching.twins import bundle, drawn, regular, rewired, scrambled
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.panels.lp_rounding import round_relaxation
from topofinder.patching.panels.split import empty_split, least_unplaced, split_over_panels
from topofinder.patching.placement.assign import assign
from topofinder.patching.placement.assignment import kept_circuits


def require_room(placed: Circuits, ports: np.ndarray, panel: np.ndarray) -> None:
    used = [np.zeros_like(ports) for _ in range(2)]
    for i in np.flatnonzero(panel >= 0):
        used[0][placed.tail[i], panel[i]] += 1
        used[0 if placed.duplex else 1][placed.head[i], panel[i]] += 1
    assert all((one <= ports).all() for one in used)


def bare(circuits: Circuits) -> Circuits:
    nothing = np.array([], dtype=np.int32)
    return Circuits(n=circuits.n, duplex=circuits.duplex, tail=nothing, head=nothing, panel=nothing)


@pytest.mark.parametrize("seed", sampled(range(30), 10))
def test_a_regular_digraph_always_splits_into_permutations(seed: int) -> None:
    d = 2 + seed % 4
    circuits = regular(seed, duplex=False, n=5 + seed, d=d)
    ports = np.ones((circuits.n, d), dtype=np.int32)
    panel = split_over_panels(bare(circuits), circuits, ports, seed)
    assert (panel >= 0).all()
    require_room(circuits, ports, panel)


@pytest.mark.parametrize("recipe", ["Torus(8,8)", "Q(6)", "BiRing(4,64)", "C(64,{5,6})"])
def test_two_way_circuits_of_an_even_number_of_hosts_split(recipe: str) -> None:
    circuits = Circuits.of(build(parse(recipe)), duplex=True)
    ports = np.ones((64, int(circuits.sends.max())), dtype=np.int32)
    panel = split_over_panels(bare(circuits), circuits, ports, 0)
    assert (panel >= 0).all()
    require_room(circuits, ports, panel)


def test_an_odd_number_of_hosts_leaves_one_circuit_for_each_two_panels() -> None:
    circuits = Circuits.of(build(parse("C(25,{3,4})")), duplex=True)
    ports = np.ones((25, 4), dtype=np.int32)
    panel = split_over_panels(bare(circuits), circuits, ports, 0)
    assert least_unplaced(circuits, Constraints(ports=ports)) == 2
    assert np.count_nonzero(panel < 0) == 2
    require_room(circuits, ports, panel)
    answer = assign(circuits, circuits, constraints=Constraints(ports=ports), time=0.5)
    assert answer.unplaced == 2
    assert not answer.is_optimal
    wide = np.full((25, 2), 2, dtype=np.int32)
    assert (split_over_panels(bare(circuits), circuits, wide, 0) >= 0).all()


def most_kept(wiring: Circuits, placed: Circuits, ports: np.ndarray) -> tuple[int, int]:
    """By all ways to put circuits on panels or leave them out: most placed, then most kept."""
    best = (0, 0)
    there = bundle(wiring, panel=wiring.panel)
    for choice in product(range(-1, ports.shape[1]), repeat=placed.count):
        panel = np.array(choice)
        try:
            require_room(placed, ports, panel)
        except AssertionError:
            continue
        on = panel >= 0
        chosen = Circuits(
            n=placed.n, duplex=placed.duplex, tail=placed.tail[on], head=placed.head[on]
        )
        kept = (bundle(chosen, panel=panel[on]) & there).total()
        best = max(best, (int(on.sum()), kept))
    return best


@pytest.mark.parametrize("seed", range(24))
def test_small_splits_are_near_the_best_of_all(seed: int) -> None:
    duplex = seed % 2 == 0
    wiring = drawn(seed, duplex=duplex, n=4, most=1)
    random = np.random.default_rng(seed)
    wiring = Circuits(
        n=4,
        duplex=duplex,
        tail=wiring.tail,
        head=wiring.head,
        panel=random.integers(2, size=wiring.count),
    )
    placed = drawn(seed + 50, duplex=duplex, n=4, most=2)
    ports = random.integers(1, 4, size=(4, 2)).astype(np.int32)
    panel = split_over_panels(wiring, placed, ports, seed)
    require_room(placed, ports, panel)
    kept = np.count_nonzero(kept_circuits(wiring, placed, np.arange(4), panel) >= 0)
    out, most = most_kept(wiring, placed, ports)
    assert placed.count - least_unplaced(placed, Constraints(ports=ports)) >= out
    assert np.count_nonzero(panel >= 0) >= out - 1
    if np.count_nonzero(panel >= 0) == out:
        assert kept >= most - 2


@pytest.mark.parametrize("seed", range(16))
def test_a_whole_relaxation_is_the_best_of_all(seed: int) -> None:
    duplex = seed % 2 == 0
    first, second = (regular(seed + 40 * i, duplex=duplex, n=4, d=2) for i in (0, 1))
    wiring = replace(
        first, panel=split_over_panels(bare(first), first, np.ones((4, 2), dtype=np.int32), seed)
    )
    wiring = replace(wiring, panel=np.maximum(wiring.panel, 0))
    state = empty_split(wiring, second, np.ones((4, 2), dtype=np.int32))
    whole = round_relaxation(state)
    require_room(second, np.ones((4, 2), dtype=np.int32), state.panel)
    kept = np.count_nonzero(kept_circuits(wiring, second, np.arange(4), state.panel) >= 0)
    out, most = most_kept(wiring, second, np.ones((4, 2), dtype=np.int32))
    if whole:
        assert (np.count_nonzero(state.panel >= 0), kept) == (out, most)


@pytest.mark.parametrize("duplex", [True, False])
@pytest.mark.parametrize("seed", sampled(range(4), 1))
def test_the_books_are_right_after_a_dive(seed: int, duplex: bool) -> None:
    ports = np.ones((40, 4), dtype=np.int32)
    first, second = (regular(seed + 9 * i, duplex=duplex, n=40, d=4) for i in (0, 1))
    wiring = replace(first, panel=split_over_panels(bare(first), first, ports, seed))
    state, fresh = (empty_split(wiring, second, ports) for _ in range(2))
    round_relaxation(state)
    require_room(second, ports, state.panel)
    for i in np.flatnonzero(state.panel >= 0):
        fresh.spare[fresh.pair[i], state.panel[i]] -= 1
        fresh.room[fresh.ends[i], state.panel[i]] -= 1
    assert (fresh.spare == state.spare).all()
    assert (fresh.room == state.room).all()


def test_structured_changes_keep_all_that_can_be_kept() -> None:
    ports = np.ones((64, 4), dtype=np.int32)
    graph = Circuits.of(build(parse("C(64,{5,6})")), duplex=True)
    wiring = replace(graph, panel=split_over_panels(bare(graph), graph, ports, 0))
    target = rewired(graph, 0, 8)
    state = empty_split(wiring, target, ports)
    round_relaxation(state)
    panel = split_over_panels(wiring, target, ports, 0)
    kept = np.count_nonzero(kept_circuits(wiring, target, np.arange(64), panel) >= 0)
    assert (panel >= 0).all()
    assert kept >= target.count - 40


@pytest.mark.parametrize("duplex", [True, False])
@pytest.mark.parametrize("shape", [(1, 4), (2, 2)])
def test_what_is_in_place_stays_on_its_panel(duplex: bool, shape: tuple[int, int]) -> None:
    each, panels = shape
    circuits = regular(3, duplex=duplex, n=24, d=4)
    ports = np.full((24, panels), each, dtype=np.int32)
    panel = split_over_panels(bare(circuits), circuits, ports, 1)
    assert (panel >= 0).all()
    wiring = Circuits(n=24, duplex=duplex, tail=circuits.tail, head=circuits.head, panel=panel)
    constraints = Constraints(ports=ports)
    assert assign(wiring, circuits, constraints=constraints, time=0.2).moves == 0
    hidden = scrambled(circuits, 4)
    answer = assign(wiring, hidden, constraints=constraints, time=0.2)
    assert (answer.moves, answer.unplaced) == (0, 0)
    target = rewired(circuits, 5, 3)
    answer = assign(wiring, target, constraints=constraints, time=0.5)
    require_room(target.on_hosts(answer.host, 24), ports, answer.panel)
    kept = answer.kept >= 0
    assert (wiring.panel[answer.kept[kept]] == answer.panel[kept]).all()


@pytest.mark.parametrize("seed", sampled(range(30), 10))
def test_parallel_circuits_are_kept_as_multisets(seed: int) -> None:
    duplex = seed % 2 == 0
    random = np.random.default_rng(seed)
    wiring = drawn(seed, duplex=duplex, n=4, most=5, loops=True)
    wiring = Circuits(
        n=4,
        duplex=duplex,
        tail=wiring.tail,
        head=wiring.head,
        panel=random.integers(2, size=wiring.count),
    )
    target = drawn(seed + 1, duplex=duplex, n=4, most=5)
    panel = random.integers(-1, 2, size=target.count)
    host = random.permutation(4)
    kept = kept_circuits(wiring, target, host, panel)
    on = panel >= 0
    chosen = Circuits(n=4, duplex=duplex, tail=target.tail[on], head=target.head[on])
    both = bundle(chosen, host, panel[on]) & bundle(wiring, panel=wiring.panel)
    assert np.count_nonzero(kept >= 0) == both.total()
    assert len(np.unique(kept[kept >= 0])) == both.total()
    assert (kept[~on] < 0).all()


@pytest.mark.parametrize("duplex", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_parallel_circuits_that_stand_as_asked_are_not_moved(seed: int, duplex: bool) -> None:
    random = np.random.default_rng(seed)
    pairs = [(0, 1), (1, 2), (2, 0)]
    ends = [pairs[i] for i in random.integers(3, size=7)]
    tail, head = np.array(ends).T
    panel = random.integers(3, size=7)
    wiring = Circuits(n=3, duplex=duplex, tail=tail, head=head, panel=panel)
    # Ports to spare: each of the parallel circuits alone could be on any of their panels.
    ports = np.full((3, 3), 7, dtype=np.int32)
    placed = replace(wiring, panel=None)
    found = split_over_panels(wiring, placed, ports, seed)
    assert (kept_circuits(wiring, placed, np.arange(3), found) >= 0).all()
