"""Random fabrics and wirings: every plan can be carried out, undone and made again."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.topology import Topology
from tests.fabrics import fabric_for, topology, wired
from topofinder.api.replay import check_plan
from topofinder.model.inventory.document import Host, Inventory, Panel, PanelKind, Port, State
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan, apply_stage
from topofinder.model.plan_files import plan_document_text
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.placement.problem import TooFewPorts
from topofinder.patching.planner import PlanOptions, Target, make_plan
from topofinder.verification.plan_reader import parse_plan

QUICK = PlacementOptions(time=0.05)
FEW = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@st.composite
def fabrics(draw: st.DrawFn) -> PortMap:
    """4 to 7 hosts of 3 to 5 ports on one to three panels, some of them not to be used."""
    hosts, ports = draw(st.integers(4, 7)), draw(st.integers(3, 5))
    panels, uneven = draw(st.integers(1, 3)), draw(st.integers(0, 1))
    places = st.integers(0, hosts * ports - 1)
    odd = draw(st.dictionaries(places, st.sampled_from(State), max_size=5))
    listed = [
        Host(
            name=f"h{h}",
            ports=[
                Port(
                    panel=f"A{(h * uneven + j) % panels}",
                    position=h * ports + j + 1,
                    state=odd.get(h * ports + j, "live"),
                )
                for j in range(ports)
            ],
        )
        for h in range(hosts)
    ]
    made = [
        Panel(
            name=f"A{panel}",
            kind=draw(st.sampled_from(PanelKind)),
            robots=draw(st.sampled_from([1, 2, None])),
            free_time="5s",
        )
        for panel in range(panels)
    ]
    return port_map(Inventory(panels=made, hosts=listed))


def wirings(fabric: PortMap) -> st.SearchStrategy[Wiring]:
    """Fibres inside each panel in any way, many of them in pairs."""

    def made(order: list[int], pairs: int, fibres: int) -> Wiring:
        to = np.full(fabric.ports, -1)
        for panel in range(len(fabric.panels)):
            here = [port for port in order if fabric.panel[port] == panel]
            both, rest = here[: 2 * pairs], here[2 * pairs :][:fibres]
            for a, b in zip(both[::2], both[1::2], strict=False):
                to[a], to[b] = b, a
            if len(rest) > 1:
                to[rest] = np.roll(rest, 1)
        return Wiring(to=to)

    half = fabric.ports // 2
    return st.builds(
        made, st.permutations(range(fabric.ports)), st.integers(0, half), st.integers(0, 9)
    )


def same_circuits(plan: Plan) -> bool:
    """The arcs between the players over live ports, counted anew, hold the target's."""
    states, host = plan.fabric.states, plan.fabric.host
    node = {h: v for v, h in enumerate(plan.host)}
    there = np.zeros((plan.topology.n, plan.topology.n), dtype=int)
    to = plan.after.to
    for p, q in enumerate(to.tolist()):
        alive = q >= 0 and {states[p], states[q]} <= {State.LIVE, State.PINNED}
        if alive and host[p] in node and host[q] in node and (to[q] == p or not plan.duplex):
            there[node[host[p]], node[host[q]]] += 1
    wanted = np.zeros_like(there)
    np.add.at(wanted, (plan.topology.tail, plan.topology.head), 1)
    np.fill_diagonal(wanted, 0)
    for u, v in plan.missing:
        wanted[u, v] -= 1
        wanted[v, u] -= plan.duplex
    return bool((there >= wanted).all())


GRAPHS = ["K(3)", "K(4)", "BiRing(2,4)", "BiRing(2,5)", "K(2,2)", "UniRing(1,4)", "UniRing(2,4)"]


@FEW
@given(data=st.data())
def test_every_plan_can_be_replayed_undone_and_made_again(data: st.DataObject) -> None:
    fabric = data.draw(fabrics())
    wiring = data.draw(wirings(fabric))
    name = data.draw(st.sampled_from(GRAPHS))
    graph = topology(name)
    duplex = graph.is_bidirectional and data.draw(st.booleans())
    target = Target(subject=name, recipe=name, topology=graph, duplex=duplex)
    options = PlanOptions(placement=QUICK, keep_connected=data.draw(st.booleans()))
    try:
        plan = make_plan(fabric, wiring, target, options)
    except TooFewPorts:
        return
    assert plan.moves + len(plan.missing) >= plan.bound.moves
    arcs = int((graph.tail != graph.head).sum())
    assert plan.moves + plan.kept + len(plan.missing) == (arcs // 2 if duplex else arcs)
    assert same_circuits(plan)
    text = plan_document_text(plan)
    assert check_plan(fabric, wiring, parse_plan(text.encode(), fabric)).violation is None
    to = plan.after.to.copy()
    for stage in plan.rollback:
        apply_stage(to, stage)
    assert np.array_equal(to, wiring.to)
    assert plan_document_text(make_plan(fabric, wiring, target, options)) == text
    held = [p for p, state in enumerate(fabric.states) if state in ("held", "reserved", "pinned")]
    touched = {p for s in plan.stages for c in (*s.frees, *s.connects) for p in c[:2]}
    assert not touched & set(held)


def plan_for(
    fabric: PortMap, wiring: Wiring, name: str, *, duplex: bool, **options: object
) -> Plan:
    target = Target(subject=name, recipe=name, topology=topology(name), duplex=duplex)
    return make_plan(
        fabric, wiring, target, PlanOptions(**{"placement": PlacementOptions(time=1)} | options)
    )


@pytest.mark.parametrize(
    ("before", "name", "duplex", "ports"),
    [
        ("Torus(4,4)", "C(16,{3,4})", True, 4),
        ("Q(4)", "Pi(4,16)", False, 4),
        ("BiRing(4,16)", "Torus(4,4)", True, 4),
    ],
)
def test_hosts_stay_connected_in_every_stage(
    before: str, name: str, duplex: bool, ports: int
) -> None:
    fabric = fabric_for(hosts=16, ports=ports)
    wiring = wired(fabric, topology(before), duplex=duplex, seed=1)
    plan = plan_for(fabric, wiring, name, duplex=duplex, keep_connected=True)
    assert plan.moves
    assert plan.dark_stages == ()
    assert all(len(stage.frees) <= 2 for stage in plan.stages[:-1])


def test_robots_share_the_work_and_a_switch_does_it_at_once() -> None:
    for robots, kind, stages in (
        (1, PanelKind.PATCH_PANEL, 8),
        (4, PanelKind.PATCH_PANEL, 2),
        (None, PanelKind.OCS, 1),
    ):
        hosts = [Host(name=f"h{h}", ports=[Port(panel="A", position=h + 1)]) for h in range(16)]
        panel = Panel(name="A", kind=kind, robots=robots, move_time="1min")
        fabric = port_map(Inventory(panels=[panel], hosts=hosts))
        nothing = Wiring(to=np.full(16, -1))
        graph = Topology.from_arcs(16, [(u, u ^ 1) for u in range(16)])
        target = Target(subject="pairs", recipe=None, topology=graph, duplex=True)
        plan = make_plan(fabric, nothing, target, PlanOptions(placement=QUICK))
        assert (len(plan.stages), plan.moves) == (stages, 8)
        assert plan.seconds_estimated == 60 * stages


def test_a_pinned_circuit_stays_and_counts() -> None:
    fabric = pinned_fabric({(0, 0), (3, 0)}, hosts=6, ports=2)
    to = np.full(12, -1)
    to[0], to[6] = 6, 0
    plan = plan_for(fabric, Wiring(to=to), "BiRing(2,6)", duplex=True)
    assert plan.kept == 1
    assert plan.after.to[0] == 6
    assert abs(plan.host.index(0) - plan.host.index(3)) in (1, 5)


def pinned_fabric(pins: set[tuple[int, int]], *, hosts: int, ports: int) -> PortMap:
    listed = [
        Host(
            name=f"h{h}",
            ports=[
                Port(
                    panel="A",
                    position=ports * h + j + 1,
                    state="pinned" if (h, j) in pins else "live",
                )
                for j in range(ports)
            ],
        )
        for h in range(hosts)
    ]
    return port_map(Inventory(panels=[Panel(name="A")], hosts=listed))


def test_the_other_fibre_of_a_pinned_simplex_circuit_is_no_room_for_another() -> None:
    # Every node of the ring sends once and hears once; h0 has one port, whose transmitter is pinned
    # to h1, so that h0 cannot hear, and plays no node.
    fabric = pinned_fabric({(0, 0)}, hosts=5, ports=1)
    to = np.full(5, -1)
    to[0] = 1
    with pytest.raises(InvalidInput, match="too few hosts have the ports"):
        plan_for(fabric, Wiring(to=to), "UniRing(1,4)", duplex=False)
    spare = pinned_fabric({(0, 0)}, hosts=6, ports=1)
    to = np.append(to, -1)
    plan = plan_for(spare, Wiring(to=to), "UniRing(1,4)", duplex=False)
    assert sorted(plan.host) == [2, 3, 4, 5]
    assert (plan.kept, plan.after.to[0]) == (0, 1)


def test_a_host_with_few_ports_plays_no_large_node_for_its_pin() -> None:
    fabric = pinned_fabric({(0, 0)}, hosts=5, ports=3)
    states = tuple(State.DEAD if port in (1, 2) else s for port, s in enumerate(fabric.states))
    to = np.full(15, -1)
    to[0], to[3] = 3, 0
    plan = plan_for(replace(fabric, states=states), Wiring(to=to), "BiRing(2,4)", duplex=True)
    assert sorted(plan.host) == [1, 2, 3, 4]
    assert plan.after.to[0] == 3


def test_a_free_host_takes_the_place_of_one_whose_ports_are_held() -> None:
    hosts = [
        Host(
            name=f"h{h}",
            state="held" if h == 1 else "live",
            ports=[Port(panel="A", position=2 * h + j + 1) for j in range(2)],
        )
        for h in range(5)
    ]
    fabric = port_map(Inventory(panels=[Panel(name="A")], hosts=hosts))
    plan = plan_for(fabric, Wiring(to=np.full(10, -1)), "BiRing(2,4)", duplex=True)
    assert sorted(plan.host) == [0, 2, 3, 4]


def test_a_host_that_lacks_ports_is_named() -> None:
    fabric = fabric_for(hosts=4, ports=2)
    with pytest.raises(InvalidInput, match=r"inventory: hosts\.0: h0 has 2 usable ports, fewer"):
        plan_for(fabric, Wiring(to=np.full(8, -1)), "K(4)", duplex=True)


@pytest.mark.parametrize(
    ("name", "duplex"), [("Q(6)", True), ("Torus(8,8)", True), ("Pi(4,64)", False)]
)
def test_the_target_under_other_labels_needs_no_moves(name: str, duplex: bool) -> None:
    graph = topology(name)
    fabric = fabric_for(hosts=64, ports=graph.degree)
    plan = plan_for(fabric, wired(fabric, graph, duplex=duplex, seed=7), name, duplex=duplex)
    assert (plan.moves, plan.bound.moves, plan.stages) == (0, 0, ())
    assert same_circuits(plan)


def test_circuits_of_several_panels_stay_on_their_panels() -> None:
    fabric = fabric_for(hosts=16, ports=4, panels=4)
    nothing = Wiring(to=np.full(64, -1))
    before = plan_for(fabric, nothing, "Torus(4,4)", duplex=False).after
    plan = plan_for(fabric, before, "Pi(4,16)", duplex=False)
    assert plan.missing == ()
    for port, heard in enumerate(plan.after.to.tolist()):
        assert heard < 0 or fabric.panel[port] == fabric.panel[heard]
    assert max(len(stage.connects) for stage in plan.stages) <= 4


def test_an_odd_number_of_hosts_has_no_duplex_split_and_the_plan_says_so() -> None:
    fabric = fabric_for(hosts=5, ports=2, panels=2)
    plan = plan_for(fabric, Wiring(to=np.full(10, -1)), "BiRing(2,5)", duplex=True)
    assert len(plan.missing) == 1
    assert plan.moves == 4
