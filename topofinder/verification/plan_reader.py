"""Plans from JSON files, for their replay: names become ports, anything odd is one line.

Every field of the format stands in `PlanFields` or `StageFields`; others are refused.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from generators.errors import InvalidInput
from generators.files import read_bounded
from generators.formats.document import MOST_TABLES, parse_object
from generators.formats.quantities import shown
from generators.topology import Topology
from topofinder.model.inventory.document import MOST_PORTS, State
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Claim, Stage
from topofinder.verification.plan_wirings import ToldWiring

LISTED_BYTES = 12 << 20
"""Bytes of wirings after stages that a file lists at most."""
VERSION = 2

_Named = tuple[str, str, str]
_Node = Annotated[int, Field(strict=True, ge=0, lt=MOST_PORTS)]
_Count = Annotated[int, Field(strict=True, ge=0, le=MOST_PORTS)]
_MANY: Any = Field(max_length=MOST_PORTS)
_Circuits = Annotated[list[_Named], _MANY]
_Nodes = Annotated[list[_Node], _MANY]
_Names = Annotated[list[str], _MANY]
_TIME = r"^[0-9]{1,30}(/[1-9][0-9]{0,30})?$"
_STRICT = ConfigDict(extra="forbid")


class StageFields(BaseModel):
    """A stage as a file has it; `wiring` are the circuits after it, where they are listed."""

    model_config = _STRICT

    disconnect: _Circuits
    connect: _Circuits
    seconds: str = Field(pattern=_TIME)
    parts: int = Field(strict=True, ge=1, le=MOST_PORTS)
    digest: str
    wiring: _Circuits | None = None


class PlanFields(BaseModel):
    """A plan as a file has it, see `docs/planning.md`."""

    model_config = _STRICT

    format: str = Field(pattern=r"^topofinder-plan$")
    version: int = Field(strict=True, ge=VERSION, le=VERSION)
    by: str = Field(max_length=100)
    target: str
    recipe: str | None = Field(pattern=r"^[!-~ ]+$", max_length=10_000)
    n: int = Field(strict=True, ge=1, le=MOST_PORTS)
    d: _Count
    mode: str = Field(pattern=r"^(duplex|simplex)$")
    arcs: tuple[_Nodes, _Nodes]
    hosts: _Names
    joining: _Names
    leaving: _Names
    dead: _Names
    moves: _Count
    lower_bound: _Count
    bound: str = Field(max_length=100)
    kept: _Count
    disconnects: _Count
    missing: list[tuple[_Node, _Node]] = _MANY
    missing_proved: bool = Field(strict=True)
    placement_missing: _Count = 0
    placement_moves: _Count = 0
    seconds_estimated: float = Field(strict=True)
    keep_connected: bool = Field(strict=True)
    dark_stages: list[_Count] = _MANY
    found: str = Field(max_length=100)
    seed: int = Field(strict=True, ge=0, lt=1 << 31)
    before: str
    after: str
    stages: list[StageFields] = _MANY
    rollback: list[StageFields] = _MANY
    wiring: _Circuits


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SavedPlan:
    """What a plan file says: stages there and back, the claim, and the wirings after each.

    `fabric` is that of the inventory with the ports dead that were so when the plan was made.
    `told` are the wirings after each stage, `undone` those after each stage of the rollback, and
    `end` is the one at the end. All else is in `fields`.
    """

    fabric: PortMap
    fields: PlanFields
    claim: Claim
    stages: tuple[Stage, ...]
    rollback: tuple[Stage, ...]
    told: tuple[ToldWiring, ...]
    undone: tuple[ToldWiring, ...]
    end: ToldWiring


def read_plan(path: str | os.PathLike[str], fabric: PortMap) -> SavedPlan:
    """The plan in a file that `topofinder plan` wrote, for this fabric.

    Raises InvalidInput with one line naming the file and what is wrong with it.
    """
    content = read_bounded(path, largest_file(fabric))
    try:
        return parse_plan(content, fabric)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def largest_file(fabric: PortMap) -> int:
    """Bytes that a file of a plan for a fabric has at most.

    Every port is in at most one circuit of a wiring, is made and taken out once there and once
    back, and is the occasion of one stage; the names are the longest part of each.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> largest_file(port_map(inventory_for(hosts=16, ports=4)))
    13701888
    """
    width = max(map(len, (*fabric.names, *fabric.positions)))
    return (1 << 20) + LISTED_BYTES + fabric.ports * (20 * width + 1000)


def parse_plan(content: bytes, fabric: PortMap) -> SavedPlan:
    """The plan in the text of a file. Raises InvalidInput naming field and value."""
    return _resolve_names(_fields(parse_object(content, MOST_TABLES)), fabric)


def _fields(document: dict[str, Any]) -> PlanFields:
    try:
        return PlanFields.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"]))
    offered = "" if first["type"] == "missing" else f", not {shown(first['input'])}"
    old = first["loc"] == ("version",) and first["input"] == 1
    if old or document.get("version") == 1:
        raise InvalidInput("version: 2 is needed, not 1; make the plan anew")
    raise InvalidInput(f"{shown(place)[1:-1]}: {first['msg'].lower()}{offered}")


def _resolve_names(plan: PlanFields, fabric: PortMap) -> SavedPlan:
    if plan.n != len(plan.hosts):
        raise InvalidInput(f"n: {plan.n} nodes, but {len(plan.hosts)} hosts")
    if len(plan.arcs[0]) != len(plan.arcs[1]):
        raise InvalidInput(f"arcs: {len(plan.arcs[0])} tails, but {len(plan.arcs[1])} heads")
    tail, head = (np.array(ends, dtype=np.int32) for ends in plan.arcs)
    claim = Claim(
        topology=Topology(n=plan.n, tail=tail, head=head),
        host=_hosts(fabric, plan.hosts),
        duplex=plan.mode == "duplex",
        missing=tuple(plan.missing),
    )
    return SavedPlan(
        fabric=_with_dead_ports(fabric, plan.dead),
        fields=plan,
        claim=claim,
        stages=tuple(_stage(fabric, stage, "stages", i) for i, stage in enumerate(plan.stages)),
        rollback=tuple(
            _stage(fabric, stage, "rollback", i) for i, stage in enumerate(plan.rollback)
        ),
        told=tuple(_told_wiring(fabric, stage, "stages") for stage in plan.stages),
        undone=tuple(_told_wiring(fabric, stage, "rollback") for stage in plan.rollback),
        end=ToldWiring(digest=plan.after, circuits=_circuits(fabric, plan.wiring, "wiring")),
    )


def _hosts(fabric: PortMap, names: Sequence[str]) -> tuple[int, ...]:
    number = {name: place for place, name in enumerate(fabric.hosts)}
    for name in names:
        if name not in number:
            raise InvalidInput(f"hosts: the inventory has no host {shown(name)}")
    return tuple(number[name] for name in names)


def _with_dead_ports(fabric: PortMap, names: list[str]) -> PortMap:
    for name in names:
        if name not in fabric.number:
            raise InvalidInput(f"dead: the inventory has no port {shown(name)}")
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


def _told_wiring(fabric: PortMap, stage: StageFields, name: str) -> ToldWiring:
    rows = stage.wiring
    circuits = None if rows is None else _circuits(fabric, rows, f"{name}.wiring")
    return ToldWiring(digest=stage.digest, circuits=circuits)


def _circuits(fabric: PortMap, rows: Sequence[_Named], where: str) -> tuple[Circuit, ...]:
    return tuple(_circuit(fabric, row, where) for row in rows)


def _circuit(fabric: PortMap, row: _Named, where: str) -> Circuit:
    *names, mode = row
    if mode not in ("duplex", "simplex"):
        raise InvalidInput(f"{where}: mode: duplex or simplex, not {shown(mode)}")
    for name in names:
        if name not in fabric.number:
            raise InvalidInput(f"{where}: the inventory has no port {shown(name)}")
    return Circuit(fabric.number[names[0]], fabric.number[names[1]], mode == "duplex")
