"""The best panels of a settled placement against all ways to put its circuits on panels."""

from collections import Counter

import numpy as np
import pytest

from benchmarks.panels import PanelCase, fabric_of, split_blindly
from tests.patch_moves import Ground, cheapest
from tests.sampled import sampled
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.panels.split import empty_split
from topofinder.patching.placement.assignment import Assignment, Bound
from topofinder.patching.placement.exact_split import SplitProblem, best_split
from topofinder.patching.placement.fixed_placement import prove_panels
from topofinder.patching.placement.integer_program import Effort

CHUNK, SAMPLE, ALL = 100, 1000, 20_000


def drawn_question(seed: int) -> tuple[Circuits, Circuits, Constraints, int]:
    """Wiring, target and ports of 2 to 6 hosts on 2 or 3 panels; some circuits are pinned.

    Parallel circuits often, transmitters and receivers apart, and rarely enough ports.
    """
    random = np.random.default_rng(seed)
    n, panels, duplex = int(random.integers(2, 7)), int(random.integers(2, 4)), seed % 2 == 0

    def ends(count: int) -> tuple[np.ndarray, np.ndarray]:
        tail = random.integers(n, size=count) // int(random.integers(1, 3))
        return tail, (tail + 1 + random.integers(n - 1, size=count)) % n

    tail, head = ends(int(random.integers(1, 10)))
    wiring = Circuits(
        n=n, duplex=duplex, tail=tail, head=head, panel=random.integers(panels, size=len(tail))
    )
    tail, head = ends(int(random.integers(1, 9)))
    if random.random() < 0.6:
        take = random.random(wiring.count) < 0.7
        tail, head = np.append(tail[:2], wiring.tail[take]), np.append(head[:2], wiring.head[take])
    target = Circuits(n=n, duplex=duplex, tail=tail[:9], head=head[:9])
    most = int(random.integers(2, 5))
    ports, receivers = random.integers(most, size=(2, n, panels))
    constraints = Constraints(ports=ports, receivers=ports if duplex else receivers)
    return wiring, target, constraints, min(wiring.count, int(random.choice([0, 0, 1, 2])))


def ground(wiring: Circuits, constraints: Constraints, pinned: int) -> Ground:
    room, there, pins = Counter(), Counter(), Counter()
    for side, ports in enumerate((constraints.ports, constraints.receivers)):
        for host, panel in zip(*np.nonzero(ports), strict=True):
            room[side, int(host), int(panel)] = int(ports[host, panel])
    rows = zip(*(x.tolist() for x in (wiring.tail, wiring.head, wiring.panel)), strict=True)
    for i, (u, v, panel) in enumerate(rows):
        pair = (min(u, v), max(u, v)) if wiring.duplex else (u, v)
        if i < pinned:
            pins[pair] += 1
        else:
            there[(*pair, panel)] += 1
    return Ground(room, there, pins)


def fewest(wiring: Circuits, target: Circuits, constraints: Constraints, pinned: int, host):
    """Circuits left out and made by the best of all splits of one placement."""
    base = ground(wiring, constraints, pinned)
    open_, pins = [], base.pins.copy()
    for u, v in zip(host[target.tail].tolist(), host[target.head].tolist(), strict=True):
        pair = (min(u, v), max(u, v)) if target.duplex else (u, v)
        if pins[pair]:
            pins[pair] -= 1
        else:
            open_.append(pair)
    panels = range(constraints.panels)
    return cheapest(base, sorted(open_), panels, duplex=target.duplex)


def unplaced(target: Circuits, host: np.ndarray) -> Assignment:
    nothing = np.full(target.count, -1)
    return Assignment(
        host=host,
        panel=nothing,
        kept=nothing,
        bound=Bound(moves=0, name="count"),
        found="start",
        seed=0,
        seconds=0.0,
    )


def require_the_best(seed: int) -> None:
    wiring, target, constraints, pinned = drawn_question(seed)
    host = np.random.default_rng(seed).permutation(wiring.n)
    best = fewest(wiring, target, constraints, pinned, host)
    begun = unplaced(target, host)
    found = prove_panels(wiring, target, constraints, begun, pinned=pinned)
    proved = found.least_out_here, found.least_made_here
    assert found.price == best == proved, f"seed {seed}: {found.price}, proved {proved}, not {best}"
    require_sound(wiring, target, constraints, pinned, found)
    # With no time at all the answer is no worse, and claims no more than is true.
    none = Effort(seconds=lambda: 0.0)
    again = prove_panels(wiring, target, constraints, found, pinned=pinned, effort=none)
    assert again.price == best, f"seed {seed}: worse for want of time"
    poor = prove_panels(wiring, target, constraints, begun, pinned=pinned, effort=none)
    assert poor.least_out_here <= best[0], f"seed {seed}: a bound above the optimum"
    if poor.unplaced == best[0]:
        assert poor.least_made_here <= best[1], f"seed {seed}: a bound above the optimum"


def require_sound(wiring, target, constraints, pinned, found) -> None:
    """Ports suffice, what stays is in place where it is said to be, and nothing stays twice."""
    own = (found.panel >= 0) & ((found.kept < 0) | (found.kept >= pinned))
    used = np.zeros((2, *constraints.ports.shape), dtype=int)
    for side, ends in enumerate((target.tail, target.head)):
        np.add.at(used[side], (found.host[ends[own]], found.panel[own]), 1)
    if target.duplex:
        used[:] = used.sum(axis=0)
    assert (used[0] <= constraints.ports).all()
    assert (used[1] <= constraints.receivers).all()
    kept = np.flatnonzero(found.kept >= 0)
    assert len(set(found.kept[kept].tolist())) == len(kept)
    for i in kept.tolist():
        circuit = found.kept[i]
        ours = found.host[[target.tail[i], target.head[i]]].tolist()
        theirs = [int(wiring.tail[circuit]), int(wiring.head[circuit])]
        assert theirs in ([ours, ours[::-1]] if target.duplex else [ours])
        assert wiring.panel[circuit] == found.panel[i]


@pytest.mark.parametrize("first", sampled(range(0, SAMPLE, CHUNK), 5))
def test_no_split_of_a_placement_is_better(first: int) -> None:
    for seed in range(first, first + CHUNK):
        require_the_best(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(SAMPLE, SAMPLE + ALL, 10 * CHUNK))
def test_no_split_of_many_placements_is_better(first: int) -> None:
    for seed in range(first, first + 10 * CHUNK):
        require_the_best(seed)


def test_the_questions_are_the_hard_ones() -> None:
    prices = Counter()
    for seed in range(400):
        wiring, target, constraints, pinned = drawn_question(seed)
        out, made = fewest(wiring, target, constraints, pinned, np.arange(wiring.n))
        prices[out > 0, made > 0] += 1
    assert min(prices[out, made] for out in (True, False) for made in (True, False)) > 10


def test_a_relaxation_in_halves_is_closed_by_branching() -> None:
    # A five-cycle on two panels of one port a host: half of each circuit on each would do.
    ring = np.arange(5)
    asked = SplitProblem(
        ends=np.stack([ring, (ring + 1) % 5], axis=1),
        wanted=np.ones(5, dtype=np.int64),
        there=np.zeros((5, 2), dtype=np.int64),
        room=np.ones((5, 2), dtype=np.int64),
    )
    found = best_split(asked, np.zeros((5, 2), dtype=np.int64), Effort())
    assert (asked.price(found.on), found.out, found.made) == ((1, 4), 1, 4)


def test_what_is_near_the_relaxation_is_found_before_time_is_out() -> None:
    """A torus whose panels were chosen blindly: where the relaxation is whole, its panels stay."""
    case = PanelCase("Torus(16,16)", True, 4, 26, 0)
    wiring, target, constraints = fabric_of(case, 0)
    assert constraints.ports is not None
    empty = empty_split(wiring, target, constraints.ports)
    asked, blind = SplitProblem.of(empty), np.zeros_like(empty.spare)
    np.add.at(blind, (empty.pair, split_blindly(target, 4).panel), 1)
    seconds = iter([1e3] * 2)  # for the relaxation, and a part for what is nearest to it
    found = best_split(asked, blind, Effort(branches=64, seconds=lambda: next(seconds, 0.0)))
    out, made = asked.price(found.on)
    assert out == 0
    assert found.made <= made < 1.1 * found.made
    assert asked.price(blind)[1] > 3 * made
