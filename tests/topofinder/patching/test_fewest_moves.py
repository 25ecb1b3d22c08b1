"""Plans for a few hosts against all placements and all splits over panels."""

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.topology import Topology
from tests.patch_cases import Case, drawn_case
from tests.patch_moves import fewest, fewest_of
from tests.sampled import sampled
from topofinder.model.inventory.document import Host, Inventory, Panel, Port, State
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.placement.few_hosts import FEW_HOSTS_LIMITS, FewHostsLimits
from topofinder.patching.placement.problem import TooFewPorts
from topofinder.patching.planner import PlanOptions, Target, make_plan

CHUNK, SAMPLE, ALL, WIDE = 100, 1200, 20_000, 300


def plan_of(
    case: Case, limits: FewHostsLimits = FEW_HOSTS_LIMITS, time: float = 10.0
) -> Plan | None:
    """The plan, None where it is refused for want of ports."""
    target = Target(subject="drawn", recipe=None, topology=case.graph, duplex=case.duplex)
    fixed = None if case.fixed is None else np.array(case.fixed, dtype=np.int32)
    placement = PlacementOptions(fixed=fixed, time=time, limits=limits)
    try:
        return make_plan(
            case.fabric, case.wiring, target, PlanOptions(hosts=case.hosts, placement=placement)
        )
    except TooFewPorts:
        return None
    except InvalidInput as error:
        if "--pin" not in str(error):
            raise
        return None


def require_the_best(seed: int, limits: FewHostsLimits = FEW_HOSTS_LIMITS) -> None:
    """No bound is above the optimum, no claim is false, and nothing that can be done is refused."""
    case = drawn_case(seed)
    least, moves = fewest(
        case.fabric,
        case.wiring,
        case.graph,
        duplex=case.duplex,
        hosts=case.hosts,
        fixed=case.fixed,
    )
    plan = plan_of(case, limits)
    if plan is None:
        assert least, f"seed {seed}: refused, though {moves} moves do it"
        return
    if not least:
        assert plan.bound.moves <= moves, f"seed {seed}: a bound above the optimum"
    # So few hosts are searched through, so that every plan is the best and says so.
    assert (len(plan.missing), plan.moves) == (least, moves), f"seed {seed}: not the best"
    assert (plan.placement_missing, plan.placement_moves) == (least, moves), f"seed {seed}"
    assert plan.missing_proved, f"seed {seed}: what is left out is not proved"
    assert least or plan.bound.moves == moves, f"seed {seed}: the best is not proved"


@pytest.mark.parametrize("first", sampled(range(0, SAMPLE, CHUNK), 5))
def test_no_plan_is_better_than_the_one_found(first: int) -> None:
    for seed in range(first, first + CHUNK):
        require_the_best(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(SAMPLE, SAMPLE + ALL, 10 * CHUNK))
def test_no_plan_of_many_is_better_than_the_one_found(first: int) -> None:
    for seed in range(first, first + 10 * CHUNK):
        require_the_best(seed)


def require_the_best_panels(seed: int) -> None:
    """Of more hosts than are searched through: the plan is the best of those of its placement."""
    case = drawn_case(seed, more=11)
    plan = plan_of(case, time=0.02)
    if plan is None:
        return
    least, moves = fewest_of(
        case.fabric, case.wiring, case.graph, plan.host, duplex=case.duplex, hosts=case.hosts
    )
    assert (len(plan.missing), plan.moves) == (least, moves), f"seed {seed}: not the best panels"
    proved = plan.placement_missing, plan.placement_moves
    assert proved == (least, moves), f"seed {seed}: {proved} proved of {(least, moves)}"


@pytest.mark.parametrize("first", sampled(range(0, WIDE, CHUNK), 1))
def test_no_other_panels_are_better(first: int) -> None:
    for seed in range(first, first + CHUNK):
        require_the_best_panels(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(WIDE, WIDE + ALL // 4, 10 * CHUNK))
def test_no_other_panels_of_many_plans_are_better(first: int) -> None:
    for seed in range(first, first + 10 * CHUNK):
        require_the_best_panels(seed)


def test_a_given_host_whose_ports_are_all_pinned_is_refused_for_want_of_ports() -> None:
    """Once its pinned circuits are given up for others, its node finds no port there."""
    require_the_best_panels(1923)


def test_the_cases_are_the_hard_ones() -> None:
    cases = [drawn_case(seed) for seed in range(300)]
    assert {case.duplex for case in cases} == {True, False}
    assert {len(case.fabric.panels) for case in cases} == {1, 2, 3}
    assert {len(case.fabric.hosts) for case in cases} == set(range(2, 8))
    assert {state for case in cases for state in case.fabric.states} == set(State)
    assert sum(map(half_locked, cases)) > 30
    assert sum(map(parallel, cases)) > 30
    assert sum(case.fixed is not None for case in cases) > 20


def half_locked(case: Case) -> bool:
    """Whether one fibre of a live port leads to or from a port that is not to be touched."""
    locked = {State.HELD, State.RESERVED, State.PINNED}
    states, to = case.fabric.states, case.wiring.to.tolist()
    ends = [(a, b) for a, b in enumerate(to) if b >= 0 and to[b] != a]
    return any((states[a] in locked) != (states[b] in locked) for a, b in ends)


def parallel(case: Case) -> bool:
    """Whether two circuits join the same hosts on different panels."""
    host, panel = case.fabric.host, case.fabric.panel
    ends = [(host[c.a], host[c.b], panel[c.a]) for c in case.wiring.circuits()]
    return len({end[:2] for end in ends}) < len(set(ends))


def fabric_with(*hosts: str, reserved: tuple[str, ...] = ()) -> PortMap:
    """Hosts a, b, ... with a port on each of the panels that their word names."""
    listed, used = [], 0
    for name, panels in zip("abcdefghij", hosts, strict=False):
        ports = []
        for place, panel in enumerate(panels):
            used += 1
            state = State.RESERVED if f"{name}:{place}" in reserved else State.LIVE
            ports.append(Port(panel=panel, position=used, state=state))
        listed.append(Host(name=name, ports=ports))
    return port_map(
        Inventory(panels=[Panel(name=p) for p in sorted(set("".join(hosts)))], hosts=listed)
    )


def wiring_of(fabric: PortMap, *circuits: str) -> Wiring:
    """Circuits such as `a:0>b:0`, which sends, and `a:0=b:0`, which is two-way."""
    to = np.full(fabric.ports, -1)
    for text in circuits:
        a, b = (fabric.number[name] for name in text.replace("=", ">").split(">"))
        to[a] = b
        if "=" in text:
            to[b] = a
    return Wiring(to=to)


def target_of(n: int, *arcs: tuple[int, int], duplex: bool) -> Target:
    both = [*arcs, *((v, u) for u, v in arcs)] if duplex else arcs
    graph = Topology.from_arcs(n, both)
    return Target(subject="target", recipe=None, topology=graph, duplex=duplex)


def test_a_port_with_a_locked_fibre_keeps_its_other() -> None:
    fabric = fabric_with("PP", "P", "P", reserved=("c:0",))
    wiring = wiring_of(fabric, "a:0>c:0", "b:0>a:0")
    pair = target_of(2, (0, 1), (1, 0), duplex=False)
    plan = make_plan(fabric, wiring, pair, PlanOptions(hosts=(0, 1)))
    assert (plan.moves, plan.kept, plan.bound.moves) == (1, 1, 1)
    assert plan.after.to[fabric.number["b:0"]] == fabric.number["a:0"]


def test_a_target_in_place_over_half_locked_ports_is_not_refused() -> None:
    fabric = fabric_with("P", "P", "P", reserved=("c:0",))
    wiring = wiring_of(fabric, "a:0>c:0", "b:0>a:0")
    plan = make_plan(fabric, wiring, target_of(2, (0, 1), duplex=False), PlanOptions())
    assert (plan.moves, plan.kept, plan.missing) == (0, 1, ())


@pytest.mark.parametrize("side", [0, 1])
def test_hosts_that_only_send_or_hear_play_what_does(side: int) -> None:
    # Twelve hosts are more than are searched through. The receivers (side 0) or transmitters (1) of
    # the even ones are taken by ports that are reserved.
    hosts = [Host(name=f"h{h}", ports=[Port(panel="P", position=h + 1)]) for h in range(12)]
    ends = [Port(panel="P", position=20 + h, state=State.RESERVED) for h in range(6)]
    fabric = port_map(
        Inventory(panels=[Panel(name="P")], hosts=[*hosts, Host(name="x", ports=ends)])
    )
    locked = [f"h{2 * i}:0>x:{i}" if side else f"x:{i}>h{2 * i}:0" for i in range(6)]
    wiring = wiring_of(fabric, *locked)
    stars = [(2 * i, 2 * i + 1) for i in range(6)]
    plan = make_plan(
        fabric,
        wiring,
        target_of(12, *stars, duplex=False),
        PlanOptions(placement=PlacementOptions(time=1)),
    )
    assert (plan.moves, plan.missing) == (6, ())
    assert {plan.host[u] for u, _ in stars} == set(range(side, 12, 2))
    with pytest.raises(TooFewPorts):
        make_plan(fabric, wiring, target_of(12, *stars, (1, 2), duplex=False), PlanOptions())


@pytest.mark.parametrize("duplex", [True, False])
def test_parallel_circuits_on_several_panels_stay(duplex: bool) -> None:
    fabric = fabric_with("PPQQ", "PPQQ")
    sign = "=" if duplex else ">"
    wiring = wiring_of(fabric, f"a:0{sign}b:0", f"a:2{sign}b:2")
    plan = make_plan(fabric, wiring, target_of(2, (0, 1), (0, 1), duplex=duplex), PlanOptions())
    assert (plan.moves, plan.kept, plan.missing) == (0, 2, ())


def test_a_placement_on_one_panel_is_found() -> None:
    fabric = fabric_with("P", "Q", "P")
    nothing = Wiring(to=np.full(3, -1))
    plan = make_plan(fabric, nothing, target_of(2, (0, 1), duplex=True), PlanOptions())
    assert (plan.moves, plan.missing, sorted(plan.host)) == (1, (), [0, 2])


def test_what_no_placement_can_place_is_proved() -> None:
    fabric = fabric_with("P", "Q", "R", "PQ")
    nothing = Wiring(to=np.full(5, -1))
    path = target_of(3, (0, 1), (1, 2), duplex=True)
    plan = make_plan(fabric, nothing, path, PlanOptions())
    assert (len(plan.missing), plan.missing_proved) == (0, True)
    triangle = target_of(3, (0, 1), (1, 2), (2, 0), duplex=True)
    with pytest.raises(TooFewPorts):
        make_plan(fabric, nothing, triangle, PlanOptions())
    alone = make_plan(fabric_with("P", "Q", "R"), Wiring(to=np.full(3, -1)),
                      target_of(2, (0, 1), duplex=True), PlanOptions())  # fmt: skip
    assert (len(alone.missing), alone.missing_proved) == (1, True)


@pytest.mark.parametrize("first", sampled(range(0, SAMPLE // 2, CHUNK), 2))
def test_prices_of_ports_cut_no_plan_that_is_better(first: int) -> None:
    # So early that even these cases need prices, and relaxations for their panels.
    early = FewHostsLimits(first_steps=8, chunk_steps=64, quick_steps=2, descents=2)
    for seed in range(first, first + CHUNK):
        require_the_best(seed, early)
