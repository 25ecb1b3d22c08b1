"""Hosts that work now stay connected; those that join or leave are told apart from them."""

import json
from dataclasses import replace

import networkx as nx
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generators.topology import Topology
from tests.fabrics import fabric_for, topology, wired
from tests.topofinder.patching.test_planner import fabrics, wirings
from topofinder.model.inventory.document import State
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.model.plan_files import plan_document_text
from topofinder.patching.moves.connectivity import MOST_GROUPS
from topofinder.patching.pinned_placement import PlacementOptions, TooFewPorts
from topofinder.patching.planner import PlanOptions, Target, make_plan
from topofinder.verification.plans import replay_stages


def plan_to(
    fabric: PortMap,
    before: Wiring,
    graph: Topology,
    *,
    duplex: bool,
    keep: bool = True,
    **placement: object,
) -> Plan:
    target = Target(subject="graph", recipe=None, topology=graph, duplex=duplex)
    return make_plan(
        fabric,
        before,
        target,
        PlanOptions(placement=PlacementOptions(**{"time": 0.2} | placement), keep_connected=keep),
    )


def who(plan: Plan) -> tuple[list[str], list[str]]:
    document = json.loads(plan_document_text(plan))
    return document["joining"], document["leaving"]


def test_a_fabric_that_grows_stays_connected() -> None:
    fabric = fabric_for(hosts=12, ports=4)
    before = wired(fabric, topology("Torus(3,3)"), duplex=True)
    plan = plan_to(fabric, before, topology("Torus(3,4)"), duplex=True)
    assert plan.moves >= 6
    assert plan.dark_stages == ()
    assert who(plan) == (["h9", "h10", "h11"], [])


def test_an_empty_fabric_has_nothing_to_keep() -> None:
    fabric = fabric_for(hosts=4, ports=2)
    nothing = Wiring(to=np.full(8, -1))
    for keep in (True, False):
        plan = plan_to(fabric, nothing, topology("BiRing(2,4)"), duplex=True, keep=keep)
        assert (plan.dark_stages, [stage.parts for stage in plan.stages]) == ((), [1] * 4)
        assert who(plan) == (["h0", "h1", "h2", "h3"], [])


def test_a_host_that_leaves_carries_until_it_is_taken_out() -> None:
    # A one-way ring of six: the five that stay reach one another through the sixth.
    fabric = fabric_for(hosts=6, ports=1)
    before = wired(fabric, topology("UniRing(1,6)"), duplex=False)
    fixed = np.arange(5, dtype=np.int32)
    plan = plan_to(fabric, before, topology("UniRing(1,5)"), duplex=False, fixed=fixed)
    assert [stage.parts for stage in plan.stages] == [5]
    assert plan.dark_stages == (1,)
    assert who(plan) == ([], ["h5"])


def test_a_spare_port_lets_a_host_leave_without_a_break() -> None:
    fabric = fabric_for(hosts=6, ports=2)
    before = wired(fabric, topology("UniRing(1,6)"), duplex=False)
    fixed = np.arange(5, dtype=np.int32)
    plan = plan_to(fabric, before, topology("UniRing(1,5)"), duplex=False, fixed=fixed)
    assert (plan.moves, plan.dark_stages) == (1, ())


def test_two_rings_become_one_and_neither_counts_as_broken_before() -> None:
    fabric = fabric_for(hosts=6, ports=3)
    twice = [(a, b) for ring in ((0, 1, 2), (3, 4, 5)) for a in ring for b in ring if a != b]
    before = wired(fabric, Topology.from_arcs(6, twice), duplex=True)
    plan = plan_to(fabric, before, topology("BiRing(2,6)"), duplex=True)
    assert (plan.dark_stages, plan.working.groups, who(plan)) == ((), 2, ([], []))


def test_what_other_jobs_hold_carries_nothing() -> None:
    fabric = fabric_for(hosts=3, ports=2)
    before = wired(fabric, topology("BiRing(2,3)"), duplex=True)
    states = tuple(State.HELD if host == 2 else State.LIVE for host in fabric.host.tolist())
    held = replace(fabric, states=states)
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    plan = plan_to(held, before, pair, duplex=True)
    assert (plan.moves, who(plan)) == (0, ([], []))


def pieces(plan: Plan, to: list[int], players: set[int]) -> set[frozenset[int]]:
    """The players that reach one another along good ports, by networkx."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(plan.fabric.hosts)))
    good, host = (State.LIVE, State.PINNED), plan.fabric.host.tolist()
    for p, q in enumerate(to):
        if q >= 0 and plan.fabric.states[p] in good and plan.fabric.states[q] in good:
            graph.add_edge(host[p], host[q])
    found = (frozenset(part & players) for part in nx.strongly_connected_components(graph))
    return {part for part in found if part}


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(data=st.data())
def test_parts_are_those_that_groups_of_the_start_fall_into(data: st.DataObject) -> None:
    fabric = data.draw(fabrics())
    before = data.draw(wirings(fabric))
    graph = topology(data.draw(st.sampled_from(["K(3)", "BiRing(2,4)", "UniRing(1,5)", "K(2,2)"])))
    duplex = graph.is_bidirectional and data.draw(st.booleans())
    try:
        plan = plan_to(fabric, before, graph, duplex=duplex, keep=data.draw(st.booleans()))
    except TooFewPorts:
        return
    players = set(plan.host)
    groups = pieces(plan, before.to.tolist(), players)
    to = before.to.tolist()
    for stage in plan.stages:
        for a, b, both in stage.frees:
            to[a] = -1
            to[b] = -1 if both else to[b]
        parts = pieces(plan, to, players)
        split = sum(sum(bool(part & group) for part in parts) - 1 for group in groups)
        assert stage.parts == 1 + split
        for a, b, both in stage.connects:
            to[a] = b
            to[b] = a if both else to[b]
    alone = {host for group in groups if len(group) == 1 for host in group}
    assert who(plan)[0] == [plan.fabric.hosts[host] for host in sorted(alone)]
    assert replay_stages(plan.fabric, before, plan.stages, plan.claim).violation is None


def test_many_pairs_that_become_a_ring_are_looked_at_together() -> None:
    fabric = fabric_for(hosts=12, ports=3)
    pairs = [arc for u in range(0, 12, 2) for arc in ((u, u + 1), (u + 1, u))]
    before = wired(fabric, Topology.from_arcs(12, pairs), duplex=True)
    plan = plan_to(fabric, before, topology("BiRing(2,12)"), duplex=True)
    assert plan.working.groups == 6 > MOST_GROUPS
    assert plan.dark_stages == ()
    bare = fabric_for(hosts=12, ports=1)
    before = wired(bare, Topology.from_arcs(12, pairs), duplex=True)
    plan = plan_to(bare, before, topology("UniRing(1,12)"), duplex=False)
    assert plan.dark_stages
    assert max(stage.parts for stage in plan.stages) == 7
