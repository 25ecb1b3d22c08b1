from dataclasses import replace

import numpy as np
import pytest

from benchmarks.panels import PanelCase, fabric_of
from tests.sampled import sampled
from tests.topofinder.patching.panels.test_split import most_kept, require_room
from tests.topofinder.patching.twins import bundle, regular, rewired
from topofinder.patching.circuits import Circuits
from topofinder.patching.panels import overfull
from topofinder.patching.panels.overfull import ANNEALINGS, split_by_overfull_slots
from topofinder.patching.panels.overfull_kernels import anneal_overfull
from topofinder.patching.panels.split import empty_split
from topofinder.patching.placement.assign import assign
from topofinder.patching.placement.assignment import carry_placement
from topofinder.patching.placement.exact_split import relax_panels
from topofinder.patching.placement.integer_program import Effort


def kept_by(wiring: Circuits, placed: Circuits, panel: np.ndarray) -> int:
    """How many circuits stay, by counting what both have."""
    return (bundle(placed, panel=panel) & bundle(wiring, panel=wiring.panel)).total()


@pytest.mark.parametrize("seed", sampled(range(12), 4))
def test_panels_of_few_circuits_are_as_good_as_those_of_all_ways(seed: int) -> None:
    duplex = seed % 2 == 0
    wiring = regular(seed, duplex=duplex, n=4, d=4 if duplex else 2)
    placed = rewired(wiring, seed, 2)
    panels = 2 + seed % 2
    drawn = np.random.default_rng(seed).integers(panels, size=wiring.count)
    wiring = replace(wiring, panel=drawn.astype(np.int32))
    ports = np.full((4, panels), 2, dtype=np.int32)
    panel = split_by_overfull_slots(wiring, placed, ports, 3000, seed)
    most = most_kept(wiring, placed, ports)
    if most[0] < placed.count:
        assert panel is None
        return
    assert panel is not None
    require_room(placed, ports, panel)
    assert kept_by(wiring, placed, panel) == most[1]


def test_nothing_is_found_where_not_all_circuits_have_room() -> None:
    ring = Circuits(n=3, duplex=True, tail=np.arange(3), head=np.array([1, 2, 0]))
    ports = np.ones((3, 2), dtype=np.int32)
    assert split_by_overfull_slots(ring, ring, ports, 1000, 0) is None


def test_plans_are_no_worse_than_panels_without_overfull_slots() -> None:
    wiring, target, constraints = fabric_of(PanelCase("Random(128)", True, 4, 4, 0), 1)
    own = np.arange(wiring.n, dtype=np.int64)
    carried = carry_placement(wiring, target, constraints, own, "start", 0)
    found = assign(wiring, target, constraints=constraints, time=0.2)
    assert found.price <= carried.price
    assert constraints.ports is not None
    require_room(target.on_hosts(found.host, wiring.n), constraints.ports, found.panel)


@pytest.mark.parametrize("seed", range(4))
def test_annealing_keeps_its_lists_and_tells_what_its_best_panels_cost(seed: int) -> None:
    wiring = regular(seed, duplex=seed % 2 == 0, n=16, d=4)
    placed = rewired(wiring, seed, 3)
    drawn = np.random.default_rng(seed).integers(3, size=wiring.count)
    wiring = replace(wiring, panel=drawn.astype(np.int32))
    empty = empty_split(wiring, placed, np.full((16, 3), 2 + seed // 2, dtype=np.int32))
    split = overfull.split_at_home(empty, overfull.home_panels(empty), seed)
    best = np.empty_like(split.panel)
    heat, price, closing = (np.array(part) for part in ANNEALINGS[-1])
    tolls = overfull.away_tolls(empty, split.home)
    away = anneal_overfull(split, tolls, heat, price, 5000, closing, seed, best)
    room = empty.room.copy()
    for side in range(2):
        np.add.at(room, (empty.ends[:, side], split.panel), -1)
    off = np.flatnonzero(split.panel != split.home)
    assert (room == split.room).all()
    assert split.size.tolist() == [(room < 0).sum(), len(off), np.maximum(0, -room).sum()]
    assert set(split.full[: split.size[0]]) == set(np.flatnonzero(room < 0))
    assert set(split.off[: split.size[1]]) == set(off)
    if away >= 0:
        assert (best != split.home).sum() == away
        for side in range(2):
            used = np.zeros_like(room)
            np.add.at(used, (empty.ends[:, side], best), 1)
            assert (used <= empty.room).all()


@pytest.mark.parametrize(("steps", "count"), [(2_000_000, 2), (1_000_000, 1), (5_000, 1)])
def test_long_runs_are_the_best_of_hot_ones_from_other_seeds(steps: int, count: int) -> None:
    """As many as are long, however many steps there are for each."""
    wiring = regular(1, duplex=True, n=20, d=4)
    placed = rewired(wiring, 1, 3)
    drawn = np.random.default_rng(1).integers(3, size=wiring.count)
    wiring = replace(wiring, panel=drawn.astype(np.int32))
    empty = empty_split(wiring, placed, np.full((20, 3), 2, dtype=np.int32))
    homes = overfull.home_panels(empty)
    parts = [np.array(part) for part in overfull.HOT]
    found = []
    for seed in range(7, 7 + count):
        split, best = overfull.split_at_home(empty, homes, seed), np.empty_like(homes)
        tolls = overfull.away_tolls(empty, homes)
        away = anneal_overfull(split, tolls, *parts[:2], steps // count, parts[2], seed, best)
        found.append((away, best.tolist()))
    run = overfull.long_runs(empty, homes, steps, 7)
    least = min(away for away, _ in found)
    assert run is not None
    assert least >= 0
    assert (run.away, run.panel.tolist()) == next(one for one in found if one[0] == least)


@pytest.mark.parametrize(("name", "duplex"), [("Random(24)", True), ("Random(24)", False)])
def test_splits_on_all_ports_cost_as_much_more_than_one_another_as_their_tolls(
    name: str, duplex: bool
) -> None:
    """Moves less tolls are the same for all splits that use every port: the relaxation's value."""
    wiring, target, constraints = fabric_of(PanelCase(name, duplex, 4, 3, 0), 2)
    assert constraints.ports is not None
    empty = empty_split(wiring, target, constraints.ports)
    homes, relaxed = overfull.home_panels(empty), relax_panels(empty, Effort())
    assert relaxed is not None
    tolls = relaxed.tolls
    assert tolls.min() >= -1e-6
    floors = list[float]()
    for seed in range(4):
        run = overfull.varied_runs(empty, homes, 20_000, seed, tolls)
        assert run is not None
        above = tolls[np.arange(len(homes)), run.panel].sum()
        away = int((run.panel != homes).sum())
        floors.append(away - above)
        assert run.away == away >= floors[0] - 1e-6
    assert floors == pytest.approx([relaxed.least] * 4)


def test_a_structured_change_is_annealed_with_tolls_where_that_is_much_better() -> None:
    wiring, target, constraints = fabric_of(PanelCase("Torus(20,20)", True, 4, 40, 0), 0)
    assert constraints.ports is not None
    empty = empty_split(wiring, target, constraints.ports)
    homes, relaxed = overfull.home_panels(empty), relax_panels(empty, Effort())
    assert relaxed is not None
    tolls = relaxed.tolls
    plain = overfull.long_runs(empty, homes, 2 * 1000 * len(homes), 0, long=1000)
    tolled = overfull.long_runs(empty, homes, 2 * 1000 * len(homes), 0, tolls, long=1000)
    assert plain is not None
    assert tolled is not None
    assert tolled.which == 1
    assert tolled.away < overfull.MUCH_BETTER * plain.away


def test_many_circuits_have_four_long_runs_at_most() -> None:
    assert overfull.most_steps(2048) == 4 * 25_000 * 2048
    assert overfull.most_steps(2047) == 50_000 * 2047


def test_where_tolls_suit_all_runs_are_with_them() -> None:
    wiring, target, constraints = fabric_of(PanelCase("Torus(12,12)", True, 4, 20, 0), 0)
    assert constraints.ports is not None
    empty = empty_split(wiring, target, constraints.ports)
    homes, relaxed = overfull.home_panels(empty), relax_panels(empty, Effort())
    assert relaxed is not None
    for steps, count in ((100_000, 1), (6_000_000, 2)):
        each = min(steps // count, int(overfull.LONG * len(homes) / overfull.TOLLED_PART))
        kind = overfull.AnnealingKind(overfull.TOLLED, relaxed.tolls)
        runs = [overfull._run(empty, homes, kind, 1, each, 5 + turn) for turn in range(count)]
        found = overfull.tolled_runs(empty, homes, steps, 5, relaxed.tolls)
        assert found is not None
        assert found.away == min(run[0].away for run in runs if run)
