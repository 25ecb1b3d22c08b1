"""Forged plans whose hashes, counts and times all fit their stages are refused all the same."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from generators.topology import Topology
from tests.fabrics import fabric_for, topology, wired
from topofinder.api.replay import check_plan
from topofinder.model.inventory.document import State
from topofinder.model.inventory.wiring import Circuit, Stage, Wiring, stage_seconds
from topofinder.model.inventory.working import WorkingHosts
from topofinder.model.plan import Bound, Plan, apply_stage
from topofinder.model.plan_files import plan_document_text
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target, make_plan
from topofinder.verification.plan_reader import parse_plan

Steps = list[tuple[list[Circuit], list[Circuit]]]


def ring_of_four(ports: int = 4) -> Plan:
    """From a ring of nine hosts to one of the first four; the last port of each is spare."""
    fabric = fabric_for(hosts=9, ports=ports)
    before = wired(fabric, topology("BiRing(2,9)"), duplex=True)
    target = Target(subject="ring", recipe=None, topology=topology("BiRing(2,4)"), duplex=True)
    placement = PlacementOptions(time=0.2, fixed=np.arange(4, dtype=np.int32))
    return make_plan(fabric, before, target, PlanOptions(placement=placement))


def steps_of(plan: Plan) -> Steps:
    return [(list(stage.frees), list(stage.connects)) for stage in plan.stages]


def forged(plan: Plan, steps: Steps, **changes: Any) -> dict[str, Any]:
    """A document of other stages, in which everything that follows from them is true."""
    fabric, to = plan.fabric, plan.before.to.copy()
    working = WorkingHosts(fabric, plan.host, to)
    stages = []
    for frees, connects in steps:
        apply_stage(to, Stage(frees=tuple(frees), connects=(), seconds=0, parts=1))
        parts = working.parts(to)
        seconds = stage_seconds(fabric, frees, connects)
        stage = Stage(frees=tuple(frees), connects=tuple(connects), seconds=seconds, parts=parts)
        apply_stage(to, Stage(frees=(), connects=stage.connects, seconds=0, parts=1))
        stages.append(stage)
    values = {name: getattr(plan, name) for name in Plan.__dataclass_fields__}
    made = Plan(**(values | {"stages": tuple(stages)} | changes))
    kept = made.claim.circuits - len(made.missing) - made.moves
    document: dict[str, Any] = json.loads(plan_document_text(made))
    return document | {"kept": kept}


def verdict(plan: Plan, document: dict[str, Any]) -> str | None:
    saved = parse_plan(json.dumps(document).encode(), plan.fabric)
    return check_plan(plan.fabric, plan.before, saved).violation


def far(plan: Plan) -> list[Circuit]:
    """The circuits of the start that have no end at a host of the plan."""
    host = plan.fabric.host
    apart = (c for c in plan.before.circuits() if min(host[c.a], host[c.b]) > 3)
    return list(apart)


def test_a_forgery_of_the_same_stages_is_the_plan_itself() -> None:
    plan = ring_of_four()
    document = forged(plan, steps_of(plan))
    assert document == json.loads(plan_document_text(plan))
    assert verdict(plan, document) is None


def spare(u: int, v: int) -> Circuit:
    """A circuit between the spare ports of two hosts."""
    return Circuit(4 * u + 3, 4 * v + 3, True)


def bystanders(plan: Plan, steps: Steps) -> Steps:
    return [*steps, ([far(plan)[0]], [])]


def foreign(plan: Plan, steps: Steps) -> Steps:
    return [*steps, ([], [spare(4, 6)])]


def nothing(plan: Plan, steps: Steps) -> Steps:
    return [*steps, ([], [])]


def again(plan: Plan, steps: Steps) -> Steps:
    last = steps[-1][1][-1]
    return [*steps, ([last], [last])]


def halves(plan: Plan, steps: Steps) -> Steps:
    port = steps[0][1][0].a
    there = next(c for c in plan.before.circuits() if port not in c[:2])
    a, b, _ = there
    frees = [Circuit(a, b, False), Circuit(b, a, False)]
    return [*steps, (frees, [there])]


def half_made(plan: Plan, steps: Steps) -> Steps:
    frees, (first, *rest) = steps[0]
    a, b, _ = first
    return [(frees, [Circuit(a, b, False), Circuit(b, a, False), *rest]), *steps[1:]]


def one_too_many(plan: Plan, steps: Steps) -> Steps:
    return [*steps, ([], [spare(0, 1)])]


def both_at_once(plan: Plan, steps: Steps) -> Steps:
    return [*steps, ([], [spare(0, 1), spare(2, 3)])]


@pytest.mark.parametrize(
    ("forge", "line"),
    [
        (bystanders, "it is not in the way of anything"),
        (foreign, "the target has no such circuit"),
        (nothing, "nothing is moved"),
        (again, "the plan made it itself"),
        (halves, "one half of a duplex circuit"),
        (half_made, "a simplex circuit in a duplex plan"),
        (one_too_many, "at the end 2 arcs lead from h0 to h1"),
        (both_at_once, "2 circuits at once on panel P0, which makes 1"),
    ],
)
def test_a_consistent_forgery_is_refused(forge: Any, line: str) -> None:
    plan = ring_of_four()
    told = verdict(plan, forged(plan, forge(plan, steps_of(plan))))
    assert told is not None
    assert line in told


def test_a_simplex_plan_moves_one_fibre_at_a_time() -> None:
    fabric = fabric_for(hosts=3, ports=1)
    before = Wiring(to=np.array([1, 0, -1]))
    graph = Topology.from_arcs(3, [(0, 2), (2, 0)])
    target = Target(subject="pair", recipe=None, topology=graph, duplex=False)
    placement = PlacementOptions(time=0.2, fixed=np.arange(3, dtype=np.int32))
    plan = make_plan(fabric, before, target, PlanOptions(placement=placement))
    assert verdict(plan, json.loads(plan_document_text(plan))) is None
    steps: Steps = [([Circuit(0, 1, True)], [Circuit(0, 2, False)]), ([], [Circuit(2, 0, False)])]
    told = verdict(plan, forged(plan, steps))
    assert told == "stage 1: disconnect h0:0 - h1:0: a duplex circuit in a simplex plan"


def test_a_circuit_that_is_there_cannot_be_missing() -> None:
    # A pinned circuit may be more than the target asks for, so that the count would let it pass.
    pinned = replace(fabric_for(hosts=2, ports=1), states=(State.PINNED, State.PINNED))
    before = Wiring(to=np.array([1, 0]))
    graph = Topology.from_arcs(2, [(0, 1), (1, 0)])
    target = Target(subject="pair", recipe=None, topology=graph, duplex=True)
    plan = make_plan(pinned, before, target, PlanOptions(placement=PlacementOptions(time=0.2)))
    line = "missing: circuits from node 0 to node 1: the plan says 1; it is 0"
    assert (
        verdict(plan, forged(plan, [], missing=((0, 1),), bound=Bound(moves=0, name="count")))
        == line
    )


def test_a_rollback_of_its_own_is_refused() -> None:
    plan = ring_of_four(ports=2)
    sound = json.loads(plan_document_text(plan))
    steps = steps_of(plan)
    two: Steps = [(steps[0][0], []), ([], steps[0][1]), *steps[1:]]
    other = forged(plan, two)
    assert verdict(plan, other) is None
    assert verdict(plan, other | {"rollback": sound["rollback"]}) is not None
    back = [{**stage, "disconnect": stage["disconnect"][::-1]} for stage in sound["rollback"]]
    assert verdict(plan, sound | {"rollback": back}) is None
