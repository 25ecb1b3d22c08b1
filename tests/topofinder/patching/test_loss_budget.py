"""A budget of insertion loss: kept with the fewest moves, or refused, against all wirings."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest

from tests.fabrics import topology
from topofinder.model.inventory.document import PanelKind, inventory_for
from topofinder.model.inventory.losses import PortLosses
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.wiring import Circuit, Wiring
from topofinder.patching import planner
from topofinder.patching.loss_budget import OverBudget, bar_lossy_pairs
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target, make_plan

Pairs = frozenset[tuple[int, int]]
CASES = [
    ("", "BiRing(2,4)", 4, 2, 1),
    ("", "K(4)", 4, 3, 1),
    ("BiRing(2,4)", "K(4)", 4, 3, 1),
    ("BiRing(2,5)", "BiRing(2,5)", 5, 2, 1),
    ("BiRing(2,4)", "K(4)", 4, 4, 2),
]


def perfect(ports: list[int], panel: list[int], host: list[int], circuits: int) -> Iterator[Pairs]:
    """All ways to join so many pairs of ports of two hosts on one panel."""
    if not circuits:
        yield frozenset()
    elif len(ports) >= 2 * circuits:
        a, rest = ports[0], ports[1:]
        for b in rest:
            if panel[a] == panel[b] and host[a] != host[b]:
                others = [p for p in rest if p != b]
                for made in perfect(others, panel, host, circuits - 1):
                    yield made | {(a, b)}
        yield from perfect(rest, panel, host, circuits)


def fewest_moves(
    fabric: PortMap, before: Wiring, end: str, losses: PortLosses, budget: int
) -> int | None:
    """New circuits of the nearest wiring that is the graph, none of them above the budget."""
    host, panel = fabric.host.tolist(), fabric.panel.tolist()
    graph = topology(end)
    pairs = sorted((u, v) for u, v in zip(graph.tail, graph.head, strict=True) if u < v)
    copies = {
        tuple(sorted(tuple(sorted((way[u], way[v]))) for u, v in pairs))
        for way in permutations(range(len(fabric.hosts)))
    }
    there = {(min(a, b), max(a, b)) for a, b, _ in before.circuits()}
    best = None
    for made in perfect(list(range(fabric.ports)), panel, host, len(pairs)):
        if tuple(sorted((host[a], host[b]) for a, b in made)) not in copies:
            continue
        new = made - there
        if all(losses.of_circuit(Circuit(a, b, True)) <= budget for a, b in new):
            best = len(new) if best is None else min(best, len(new))
    return best


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}>{case[1]}, {case[4]}")
def test_a_budget_is_kept_with_the_fewest_moves_or_refused(
    case: tuple[str, str, int, int, int],
) -> None:
    begin, end, hosts, ports, panels = case
    fabric = port_map(inventory_for(hosts=hosts, ports=ports, panels=panels, kind=PanelKind.OCS))
    nothing = Wiring(to=np.full(fabric.ports, -1))
    quick = PlanOptions(placement=PlacementOptions(time=0.1))
    before = nothing
    if begin:
        first = Target(subject=begin, recipe=begin, topology=topology(begin), duplex=True)
        before = make_plan(fabric, nothing, first, quick).after
    target = Target(subject=end, recipe=end, topology=topology(end), duplex=True)
    outcomes = set()
    for seed in range(4 // panels**2 + 1):
        random = np.random.default_rng(seed)
        losses = PortLosses(
            port={p: int(random.integers(0, 6)) * 250 for p in range(fabric.ports)},
            pair={
                (a, b): int(random.integers(0, 5)) * 300
                for a in range(fabric.ports) for b in range(fabric.ports)
            },
        )  # fmt: skip
        for budget in (1000, 1900, 2400, 3000):
            options = PlanOptions(
                placement=PlacementOptions(time=0.1), losses=losses, loss_budget=budget
            )
            least = fewest_moves(fabric, before, end, losses, budget)
            outcomes.add(least is None)
            if least is None:
                with pytest.raises(OverBudget, match=r"--loss-budget: h[0-9]:[0-9] - h"):
                    make_plan(fabric, before, target, options)
                continue
            plan = make_plan(fabric, before, target, options)
            made = [one for stage in plan.stages for one in stage.connects]
            assert max(map(losses.of_circuit, made), default=0) <= budget
            assert (plan.moves, plan.missing) == (least, ())
            assert plan.fabric is fabric
    assert begin == end or outcomes == {False, True}


def test_pairs_are_barred_whichever_way_they_lose_too_much() -> None:
    fabric = port_map(inventory_for(hosts=3, ports=1))
    losses = PortLosses(port={2: 500}, pair={(1, 0): 600})
    for budget, barred in ((600, set()), (599, {(0, 1)}), (499, {(0, 1), (0, 2), (1, 2)})):
        found = bar_lossy_pairs(fabric, losses, budget)
        assert found is not None
        assert set(found.forbidden.ports) == barred


def test_two_searches_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half for moves alone, half without what is lossy; all of it where nothing is."""
    times: list[float] = []
    find = planner.find_placement

    def timed(fabric: PortMap, wiring: Wiring, target: Target, options: PlanOptions):
        times.append(options.placement.time)
        return find(fabric, wiring, target, options)

    monkeypatch.setattr(planner, "find_placement", timed)
    fabric = port_map(inventory_for(hosts=5, ports=3, kind=PanelKind.OCS))
    nothing = Wiring(to=np.full(fabric.ports, -1))
    target = Target(subject="", recipe=None, topology=topology("BiRing(2,5)"), duplex=True)
    losses = PortLosses(pair={(a, b): 900 for a in range(3) for b in range(3, 6)})
    for budget, expected in ((500, [0.5, 0.5]), (900, [1.0])):
        times.clear()
        options = PlanOptions(
            placement=PlacementOptions(time=1.0, start=np.arange(5, dtype=np.int32)),
            losses=losses,
            loss_budget=budget,
        )
        assert make_plan(fabric, nothing, target, options).moves == 5
        assert times == expected


def test_losses_of_trunks_are_those_of_their_worst_fibres() -> None:
    fabric = port_map(inventory_for(hosts=4, ports=2, kind=PanelKind.OCS))
    random = np.random.default_rng(3)
    losses = PortLosses(
        port={f: int(random.integers(0, 5)) * 100 for f in range(16)},
        pair={(a, b): int(random.integers(0, 5)) * 100 for a in range(16) for b in range(0, 16, 3)},
        trunks=tuple((2 * p, 2 * p + 1) for p in range(8)),
    )
    pairs = [(a, b) for a in range(8) for b in range(a + 1, 8)]
    for budget in range(0, 1300, 100):
        found = bar_lossy_pairs(fabric, losses, budget)
        assert found is not None
        assert found.forbidden.ports == {
            pair for pair in pairs if losses.of_circuit(Circuit(*pair, True)) > budget
        }
