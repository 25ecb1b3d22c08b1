"""Plans from JSON files, for their replay: names become ports, anything odd is one line."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import read_bounded
from generators.topology import Topology
from topofinder.model.inventory.document import State
from topofinder.model.inventory.losses import PortLosses, losses_from_rows
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Claim, Stage
from topofinder.model.plan_document import (
    LISTED_BYTES,
    WRITTEN_BYTES,
    LossFields,
    NamedCircuit,
    PlanFields,
    StageFields,
    parse_plan_fields,
)
from topofinder.verification.plan_wirings import ClaimedWiring


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SavedPlan:
    """What a plan file says: stages there and back, the claim, and the wirings after each.

    `fabric` is that of the inventory with the ports dead that were so when the plan was made, all
    that was forbidden then, and the rates that ports had.
    `told` are the wirings after each stage, `undone` those after each stage of the rollback, and
    `end` is the one at the end; `losses` are those that ports were chosen by, where the file lists
    them. All else is in `fields`.
    """

    fabric: PortMap
    fields: PlanFields
    claim: Claim
    stages: tuple[Stage, ...]
    rollback: tuple[Stage, ...]
    told: tuple[ClaimedWiring, ...]
    undone: tuple[ClaimedWiring, ...]
    end: ClaimedWiring
    losses: PortLosses | None = None


def read_plan(path: str | os.PathLike[str], fabric: PortMap) -> SavedPlan:
    """The plan in a file that `topofinder plan` wrote, for this fabric.

    Raises InvalidInput with one line naming the file and what is wrong with it.
    """
    content = read_bounded(path, largest_file(fabric))
    try:
        return parse_plan(content, fabric)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def fabric_of_plan(plan: SavedPlan, fabric: PortMap) -> PortMap:
    """An inventory's fabric as a plan of it has its ports: by trunk, or by fibre."""
    return fabric.by_fibre if plan.fabric.bundles is None else fabric


def largest_file(fabric: PortMap) -> int:
    """Bytes that a file of a plan for a fabric has at most.

    Every port is in at most one circuit of a wiring, is made and taken out once there and once
    back, and is the occasion of one stage; the names are the longest part of each.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> largest_file(port_map(inventory_for(hosts=16, ports=4)))
    17896192
    """
    width = max(map(len, (*fabric.names, *fabric.positions)))
    return (1 << 20) + LISTED_BYTES + WRITTEN_BYTES + fabric.by_fibre.ports * (20 * width + 1000)


def parse_plan(content: bytes, fabric: PortMap) -> SavedPlan:
    """The plan in the text of a file. Raises InvalidInput naming field and value.

    Every transmitter is taken out once and made once at most, and no stage moves nothing. A plan
    that moves the fibres of trunks one by one, as repairs may, is of the ports by fibre.
    """
    return _resolve_names(parse_plan_fields(content, 2 * fabric.by_fibre.ports), fabric)


def _resolve_names(plan: PlanFields, fabric: PortMap) -> SavedPlan:
    if plan.trunk == 1 and fabric.links > 1:
        fabric = fabric.by_fibre
    if plan.trunk != fabric.links:
        raise InvalidInput(f"trunk: {plan.trunk} links, where trunks have {fabric.links}")
    if plan.n != len(plan.hosts):
        raise InvalidInput(f"n: {plan.n} nodes, but {len(plan.hosts)} hosts")
    if len(plan.arcs[0]) != len(plan.arcs[1]):
        raise InvalidInput(f"arcs: {len(plan.arcs[0])} tails, but {len(plan.arcs[1])} heads")
    for name, told, count in (
        ("port_rates", plan.port_rates, fabric.ports),
        ("arc_rates", plan.arc_rates, len(plan.arcs[0])),
    ):
        if len(told) != (count if plan.port_rates else 0):
            raise InvalidInput(f"{name}: {len(told)} rates, where there are {count}")
    known = fabric.forbidden.rates
    if known and known != tuple(map(Fraction, plan.port_rates)):
        raise InvalidInput("port_rates: not those of the inventory")
    tail, head = (np.array(ends, dtype=np.int32) for ends in plan.arcs)
    rates = tuple(map(Fraction, plan.arc_rates))
    claim = Claim(
        topology=Topology(
            n=plan.n,
            tail=tail,
            head=head,
            capacity=rates or None,
            unit_rate=Fraction(1) if rates else None,
        ),
        host=_hosts(fabric, plan.hosts),
        duplex=plan.mode == "duplex",
        missing=tuple(plan.missing),
    )
    return SavedPlan(
        fabric=_with_dead_ports(fabric, plan.dead)
        .with_forbidden(("forbidden", pair) for pair in plan.forbidden)
        .with_rates(map(Fraction, plan.port_rates)),
        fields=plan,
        claim=claim,
        stages=tuple(_stage(fabric, stage, "stages", i) for i, stage in enumerate(plan.stages)),
        rollback=tuple(
            _stage(fabric, stage, "rollback", i) for i, stage in enumerate(plan.rollback)
        ),
        told=tuple(_told_wiring(fabric, stage, "stages") for stage in plan.stages),
        undone=tuple(_told_wiring(fabric, stage, "rollback") for stage in plan.rollback),
        end=ClaimedWiring(digest=plan.after, circuits=_circuits(fabric, plan.wiring, "wiring")),
        losses=_losses(fabric, plan.losses),
    )


def _losses(fabric: PortMap, told: LossFields | None) -> PortLosses | None:
    if told is None or told.ports is None or told.pairs is None:
        return None
    return losses_from_rows(fabric, told.ports, told.pairs)


def _hosts(fabric: PortMap, names: Sequence[str]) -> tuple[int, ...]:
    number = {name: place for place, name in enumerate(fabric.hosts)}
    for name in names:
        if name not in number:
            raise InvalidInput(f"hosts: the inventory has no host {excerpt(name)}")
    return tuple(number[name] for name in names)


def _with_dead_ports(fabric: PortMap, names: list[str]) -> PortMap:
    for name in names:
        if name not in fabric.number:
            raise InvalidInput(f"dead: the inventory has no port {excerpt(name)}")
    dead = {fabric.number[name] for name in names}
    states = tuple(
        State.DEAD if port in dead and state in (State.LIVE, State.PINNED) else state
        for port, state in enumerate(fabric.states)
    )
    return replace(fabric, states=states)


def _stage(fabric: PortMap, stage: StageFields, name: str, place: int) -> Stage:
    where = f"{name}.{place}"
    return Stage(
        frees=_circuits(fabric, stage.disconnect, f"{where}.disconnect"),
        connects=_circuits(fabric, stage.connect, f"{where}.connect"),
        seconds=Fraction(stage.seconds),
        parts=stage.parts,
    )


def _told_wiring(fabric: PortMap, stage: StageFields, name: str) -> ClaimedWiring:
    rows = stage.wiring
    circuits = None if rows is None else _circuits(fabric, rows, f"{name}.wiring")
    return ClaimedWiring(digest=stage.digest, circuits=circuits)


def _circuits(fabric: PortMap, rows: Sequence[NamedCircuit], where: str) -> tuple[Circuit, ...]:
    number = fabric.number
    try:
        return tuple([Circuit(number[a], number[b], _MODES[mode]) for a, b, mode in rows])
    except KeyError:  # found again, with a line
        return tuple(_circuit(fabric, row, where) for row in rows)


_MODES = {"duplex": True, "simplex": False}


def _circuit(fabric: PortMap, row: NamedCircuit, where: str) -> Circuit:
    *names, mode = row
    if mode not in ("duplex", "simplex"):
        raise InvalidInput(f"{where}: mode: duplex or simplex, not {excerpt(mode)}")
    for name in names:
        if name not in fabric.number:
            raise InvalidInput(f"{where}: the inventory has no port {excerpt(name)}")
    return Circuit(fabric.number[names[0]], fabric.number[names[1]], mode == "duplex")
