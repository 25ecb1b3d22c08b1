"""Circuits that must not be made: against all placements and all choices of ports."""

from dataclasses import replace
from itertools import combinations, count

import numpy as np
import pytest

from generators.topology import IntArray, Topology
from tests.fabrics import fabric_for, topology, wired
from tests.patch_cases import Case, drawn_case
from tests.patch_moves import fewest, fewest_allowed
from tests.topofinder.patching.test_fewest_moves import plan_of
from topofinder.model.inventory.document import PanelKind, inventory_for
from topofinder.model.inventory.forbidden import Forbidden
from topofinder.model.inventory.losses import PortLosses
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.patching import pinned_placement
from topofinder.patching.forbidden_placement import AllowedPlacement, AllowedSearch
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target, make_plan
from topofinder.verification.plans import replay_stages

SAMPLE, CHUNK, MORE = 100, 50, 2000
MOST_CIRCUITS = 5


def drawn_rules(seed: int, case: Case) -> list[list[str]]:
    """One to four pairs: two hosts or ports, a host and a panel, half of them joined now."""
    random, fabric = np.random.default_rng([seed, 1]), case.fabric
    found = []
    for _ in range(int(random.integers(1, 5))):
        a, b = random.permutation(fabric.ports)[:2].tolist()
        there = case.wiring.circuits()
        if there and random.random() < 0.5:
            a, b, _ = there[int(random.integers(len(there)))]
        kind = int(random.choice(3, p=[0.4, 0.4, 0.2]))
        if kind == 0 and fabric.host[a] != fabric.host[b]:
            found.append([fabric.hosts[fabric.host[a]], fabric.hosts[fabric.host[b]]])
        elif kind == 1:
            found.append([fabric.names[a], fabric.positions[b]])
        elif kind == 2:
            found.append([fabric.hosts[fabric.host[a]], fabric.panels[fabric.panel[a]].name])
    return found


def require_the_best_allowed(seed: int) -> int:
    """No better plan exists, and this one makes nothing that must not be (its replay says so)."""
    case = drawn_case(seed)
    rules = drawn_rules(seed, case)
    if len(case.graph.tail) > MOST_CIRCUITS * (1 + case.duplex) or not rules:
        return 0
    least, moves = fewest_allowed(
        case.fabric,
        case.wiring,
        case.graph,
        rules,
        duplex=case.duplex,
        hosts=case.hosts,
        fixed=case.fixed,
    )
    fabric = case.fabric.with_forbidden(("rule", pair) for pair in rules)
    plan = plan_of(replace(case, fabric=fabric))
    if plan is None:
        assert least, f"seed {seed}: refused, though {moves} moves do it"
        assert plan_of(case) is None, f"seed {seed}: refused, though ports are live"
        return 0
    assert (len(plan.missing), plan.moves) == (least, moves), f"seed {seed}: not the best"
    assert (plan.placement_missing, plan.placement_moves) == (least, moves), f"seed {seed}"
    assert plan.missing_proved
    assert least or plan.bound.moves == moves, f"seed {seed}: the best is not proved"
    return 1


@pytest.mark.parametrize("first", range(0, SAMPLE, CHUNK))
def test_no_allowed_plan_is_better_than_the_one_found(first: int) -> None:
    assert sum(map(require_the_best_allowed, range(first, first + CHUNK))) > CHUNK // 3


def require_the_best_ports(seed: int) -> None:
    """Of more hosts than are searched through: the best of those of its placement."""
    case = drawn_case(seed, more=11)
    rules = drawn_rules(seed, case)
    fabric = case.fabric.with_forbidden(("rule", pair) for pair in rules)
    plan = plan_of(replace(case, fabric=fabric), time=0.02)
    if plan is None or not rules or len(case.graph.tail) > MOST_CIRCUITS * (1 + case.duplex):
        return
    least, moves = fewest_allowed(
        case.fabric,
        case.wiring,
        case.graph,
        rules,
        duplex=case.duplex,
        hosts=case.hosts,
        place=plan.host,
    )
    assert (len(plan.missing), plan.moves) == (least, moves), f"seed {seed}: not the best ports"
    assert (plan.placement_missing, plan.placement_moves) == (least, moves), f"seed {seed}"


@pytest.mark.parametrize("first", range(0, SAMPLE, CHUNK))
def test_no_other_ports_of_more_hosts_are_better(first: int) -> None:
    for seed in range(first, first + CHUNK):
        require_the_best_ports(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(SAMPLE, SAMPLE + MORE, 10 * CHUNK))
def test_no_allowed_plan_of_many_is_better(first: int) -> None:
    for seed in range(first, first + 10 * CHUNK):
        require_the_best_allowed(seed)


def drawn_trunks(seed: int, case: Case) -> PortMap:
    """Some ports have four pairs of fibres; where circuits are in place both ends have as many."""
    random, fabric, to = np.random.default_rng([seed, 2]), case.fabric, case.wiring.to
    fibres = np.where(random.random(fabric.ports) < 0.4, 4, 1)
    for _ in range(fabric.ports):  # chains of simplex circuits are as their first port
        for port in np.flatnonzero(to >= 0).tolist():
            fibres[to[port]] = fibres[port]
    rules = Forbidden(fibres=tuple(fibres.tolist()))
    return replace(fabric, forbidden=rules if len(set(rules.fibres)) > 1 else Forbidden())


def require_the_best_trunks(seed: int) -> int:
    """Trunks are joined to trunks of as many fibres alone, and each counts as one move."""
    case = drawn_case(seed)
    fabric = drawn_trunks(seed, case)
    if len(case.graph.tail) > MOST_CIRCUITS * (1 + case.duplex) or not fabric.forbidden:
        return 0
    fibres, names = fabric.forbidden.fibres, fabric.names
    unlike = [
        (names[a], names[b])
        for a, b in combinations(range(fabric.ports), 2)
        if fibres[a] != fibres[b]
    ]
    least, moves = fewest_allowed(
        case.fabric,
        case.wiring,
        case.graph,
        unlike,
        duplex=case.duplex,
        hosts=case.hosts,
        fixed=case.fixed,
    )
    plan = plan_of(replace(case, fabric=fabric))
    if plan is None:
        assert least, f"seed {seed}: refused, though {moves} moves do it"
        return 0
    assert (len(plan.missing), plan.moves) == (least, moves), f"seed {seed}: not the best"
    assert plan.missing_proved
    assert all(fibres[c.a] == fibres[c.b] for stage in plan.stages for c in stage.connects)
    return 1


def test_trunks_are_joined_to_their_like_with_the_fewest_moves() -> None:
    assert sum(map(require_the_best_trunks, range(SAMPLE))) > SAMPLE // 3


@pytest.mark.slow
def test_trunks_of_many_fabrics() -> None:
    assert sum(map(require_the_best_trunks, range(SAMPLE, MORE))) > MORE // 3


def odd_case(seed: int) -> Case:
    """An odd number of hosts with a port on each panel, so that one is left free there."""
    random = np.random.default_rng(seed)
    hosts, panels = int(random.choice([3, 5])), int(random.choice([2, 3]))
    fabric = fabric_for(hosts=hosts, ports=panels, panels=panels)
    to = np.full(fabric.ports, -1)
    for panel in range(panels):
        own = random.permutation(np.flatnonzero(fabric.panel == panel))
        for a, b in zip(own[:-1:2].tolist(), own[1::2].tolist(), strict=False):
            if random.random() < 0.8:
                to[a], to[b] = b, a
    ring = random.permutation(hosts)
    pairs = list(zip(ring.tolist(), np.roll(ring, -1).tolist(), strict=True))
    graph = Topology.from_arcs(hosts, pairs + [(v, u) for u, v in pairs])
    return Case(fabric, Wiring(to=to), graph, True, tuple(range(hosts)), None)


@pytest.mark.parametrize("seed", range(20))
def test_odd_hosts_leave_a_port_free_on_each_panel(seed: int) -> None:
    case = odd_case(seed)
    least, moves = fewest(case.fabric, case.wiring, case.graph, duplex=True, hosts=case.hosts)
    plan = plan_of(case)
    assert (len(plan.missing), plan.moves) == (least, moves)
    # A ring of odd length needs three colours.
    assert bool(least) == (len(case.fabric.panels) < 3)
    assert plan.missing_proved
    assert least or plan.bound.moves == moves


def test_hosts_change_parts_where_theirs_must_not_be_joined() -> None:
    """A ring of 12 hosts in place; the circuits of four neighbours are cut, and forbidden."""
    fabric = fabric_for(hosts=12, ports=2)
    ring = wired(fabric, topology("BiRing(2,12)"), duplex=True)
    to, pairs = ring.to.copy(), []
    for h in range(0, 12, 3):
        a, b = next(c[:2] for c in ring.circuits() if set(fabric.host[[*c[:2]]]) == {h, h + 1})
        to[[a, b]] = -1
        pairs.append((f"h{h}", f"h{h + 1}"))
    target = Target(subject="ring", recipe=None, topology=topology("BiRing(2,12)"), duplex=True)
    options = PlanOptions(placement=PlacementOptions(time=2.0))
    free = make_plan(fabric, Wiring(to=to), target, options)
    ruled = fabric.with_forbidden((pair[0], pair) for pair in pairs)
    plan = make_plan(ruled, Wiring(to=to), target, options)
    assert (free.moves, len(free.missing)) == (4, 0)
    assert (plan.moves, len(plan.missing)) == (4, 0)
    made = {tuple(sorted(fabric.host[[*c[:2]]].tolist())) for s in plan.stages for c in s.connects}
    assert not made & {(h, h + 1) for h in range(0, 12, 3)}


@pytest.mark.parametrize("hosts", [7, 17])
def test_ports_that_must_not_be_joined_leave_circuits_out(hosts: int) -> None:
    """A host that may be joined on one panel of two has two circuits of four; none is refused."""
    fabric = fabric_for(hosts=hosts, ports=4, panels=2)
    ruled = fabric.with_forbidden([("here", ("h0", "P1"))])
    target = Target(subject="C", recipe=None, topology=topology(f"C({hosts},{{1,2}})"), duplex=True)
    empty = Wiring(to=np.full(fabric.ports, -1))
    plan = make_plan(ruled, empty, target, PlanOptions(placement=PlacementOptions(time=0.2)))
    assert len(plan.missing) == 2
    assert {plan.host[v] for pair in plan.missing for v in pair} >= {0}


def test_what_is_in_place_may_stay_and_is_put_back() -> None:
    fabric = fabric_for(hosts=4, ports=1)
    there = Wiring(to=np.array([1, 0, 3, 2]))
    ruled = fabric.with_forbidden([("here", ("h0", "h1"))])
    assert make_plan(ruled, there, pairs_of([(0, 1), (2, 3)]), PlanOptions()).moves == 0
    # Pinned to other hosts it goes, and comes back by the rollback.
    fixed = PlacementOptions(fixed=np.arange(4, dtype=np.int32))
    plan = make_plan(ruled, there, pairs_of([(0, 2), (1, 3)]), PlanOptions(placement=fixed))
    assert plan.moves == 2
    # Where it would have to be made it is left out.
    crossed = Wiring(to=np.array([2, 3, 0, 1]))
    plan = make_plan(ruled, crossed, pairs_of([(0, 1), (2, 3)]), PlanOptions(placement=fixed))
    assert (plan.missing, plan.moves, plan.missing_proved) == (((0, 1),), 1, True)


def pairs_of(ends: list[tuple[int, int]]) -> Target:
    graph = Topology.from_arcs(4, [*ends, *((v, u) for u, v in ends)])
    return Target(subject="pairs", recipe=None, topology=graph, duplex=True)


def test_a_replay_refuses_what_is_forbidden() -> None:
    fabric = fabric_for(hosts=4, ports=1)
    there = Wiring(to=np.array([2, 3, 0, 1]))
    plan = make_plan(fabric, there, pairs_of([(0, 1), (2, 3)]), PlanOptions(
        placement=PlacementOptions(fixed=np.arange(4, dtype=np.int32))))  # fmt: skip
    for pair, why in (
        (("h0", "h1"), "the two hosts must not be joined"),
        (("h1:0", "P0:1"), "the two ports must not be joined"),
        (("P0", "h1"), "a host must not be joined on that panel"),
    ):
        ruled = fabric.with_forbidden([("here", pair)])
        done = replay_stages(ruled, there, plan.stages, plan.claim)
        assert done.violation == f"stage 1: connect h0:0 - h1:0: {why}"
        assert replay_stages(ruled, plan.after, plan.rollback, undoing=True).violation is None


def test_losses_do_not_lead_to_ports_that_must_not_be_joined() -> None:
    fabric = fabric_for(hosts=2, ports=3, kind=PanelKind.OCS)
    losses = {port: 1000 * (1 + port % 3) for port in range(6)}
    ruled = fabric.with_forbidden(("here", ("h0:0", f"h1:{j}")) for j in range(3))
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    plan = make_plan(
        ruled,
        Wiring(to=np.full(6, -1)),
        Target(subject="pair", recipe=None, topology=pair, duplex=True),
        PlanOptions(losses=PortLosses(port=losses)),
    )
    [made] = plan.stages[0].connects
    assert {fabric.names[port] for port in made[:2]} == {"h0:1", "h1:0"}


def test_no_more_copies_are_repaired_once_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """h0 may be joined to h1 alone, so that a ring of ten lacks a circuit wherever it is."""
    fabric = port_map(inventory_for(hosts=10, ports=2))
    fabric = fabric.with_forbidden(("", ("h0", f"h{h}")) for h in range(2, 10))
    target = Target(subject="", recipe=None, topology=topology("BiRing(2,10)"), duplex=True)
    nothing = Wiring(to=np.full(fabric.ports, -1))
    repaired: list[int] = []
    repair = AllowedSearch.repair

    def counted(self: AllowedSearch, host: IntArray, seed: int) -> AllowedPlacement:
        repaired.append(seed)
        return repair(self, host, seed)

    monkeypatch.setattr(AllowedSearch, "repair", counted)
    for seconds, seeds in ((0.0, list(range(7))), (2.0, [0])):
        repaired.clear()
        ticks = count(0)
        monkeypatch.setattr(
            pinned_placement.announcer, "working_time", lambda s=seconds, t=ticks: s * next(t)
        )
        options = PlanOptions(placement=PlacementOptions(time=1.0))
        plan = make_plan(fabric, nothing, target, options)
        assert repaired == seeds
        assert len(plan.missing) == 1
