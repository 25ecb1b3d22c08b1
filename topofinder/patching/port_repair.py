"""Repairs that bring every fibre back to its own port, as trunks need that are not whole.

Other repairs take any port of a host on a panel, which would leave trunks whose fibres lead to
several others. Here each port is in a class of its own, so that new circuits end where they should.
"""

from dataclasses import replace

import numpy as np

from topofinder.model.inventory.forbidden import port_classes
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Wiring
from topofinder.model.plan import Bound
from topofinder.patching.circuits import Circuits
from topofinder.patching.existing_circuits import ExistingCircuits, existing_circuits
from topofinder.patching.mending import Mending, expected_target
from topofinder.patching.pinned_placement import PlacedTarget
from topofinder.patching.placement.assignment import Assignment
from topofinder.patching.planner import PlanOptions, eligible_hosts, plan_placement

GIVEN = "ports are given"
"""The argument of the bound: what is not in place at its two ports is made there."""


def restore_ports(
    fabric: PortMap, observed: Wiring, expected: Wiring, *, keep_connected: bool = False
) -> Mending:
    """The plan with the fewest moves after which every expected circuit is at its own ports.

    Raises InvalidInput where ports that must not be touched are in the way.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> twice = port_map(inventory_for(hosts=2, ports=2))
    >>> seen, wanted = Wiring(to=np.array([3, 2, 1, 0])), Wiring(to=np.array([2, 3, 0, 1]))
    >>> restore_ports(twice, seen, wanted).plan.moves
    2
    """
    alone = frozenset((port, port) for port in range(fabric.ports))
    apart = replace(fabric, forbidden=replace(fabric.forbidden, ports=alone))
    target, hosts = expected_target(fabric, expected)
    circuits = Circuits.of(target.topology, duplex=target.duplex)
    allowed = eligible_hosts(fabric, None)
    place = existing_circuits(apart, observed, duplex=target.duplex, allowed=allowed)
    wanted = existing_circuits(fabric, expected, duplex=target.duplex, allowed=allowed)
    ends = _port_pairs(wanted, circuits, hosts.tolist())
    numbers = {_key(circuit): number for number, circuit in enumerate(place.circuits)}
    stays = np.array([numbers.get(_key(one), -1) for one in ends], dtype=np.int64)
    least = int(np.count_nonzero(stays < 0))
    engine = {int(which): row for row, which in enumerate(place.engine_circuits[1].tolist())}
    found = Assignment(
        host=hosts,
        panel=np.array([fabric.panel[one.a] for one in ends], dtype=np.int32),
        kept=np.array([engine.get(int(number), -1) for number in stays], dtype=np.int64),
        bound=Bound(moves=least, name=GIVEN),
        found="start",
        seed=0,
        seconds=0.0,
        least_made_here=least,
    )
    classes = port_classes(apart.forbidden, fabric.ports)[[one[:2] for one in ends]]
    placed = PlacedTarget(assignment=found, stays=stays, classes=classes)
    options = PlanOptions(keep_connected=keep_connected)
    plan = plan_placement(observed, target, options, place, circuits, placed)
    whole = replace(plan, fabric=fabric)
    return Mending(plan=whole, expected=tuple(hosts.tolist()), restored=plan.moves)


def _key(circuit: Circuit) -> tuple[int, ...]:
    a, b, duplex = circuit
    return (min(a, b), max(a, b), 1) if duplex else (a, b, 0)


def _port_pairs(wanted: ExistingCircuits, circuits: Circuits, hosts: list[int]) -> list[Circuit]:
    """The ports of each circuit of the target, the tail's first; those alike in any order."""
    node = {host: number for number, host in enumerate(hosts)}
    waiting: dict[tuple[int, int], list[Circuit]] = {}
    for which in wanted.engine_circuits[1].tolist():
        a, b, duplex = wanted.circuits[which]
        u, v = (node.get(int(wanted.fabric.host[port]), -1) for port in (a, b))
        if duplex and u > v:
            (a, b), (u, v) = (b, a), (v, u)
        waiting.setdefault((u, v), []).append(Circuit(a, b, duplex))
    return [waiting[tail, head].pop() for tail, head, _ in circuits.rows]
