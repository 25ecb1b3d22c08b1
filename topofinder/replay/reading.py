"""Plans from JSON files, for their replay: names become ports, anything odd is one line."""

import os
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from pydantic import BaseModel, Field, ValidationError

from generators.errors import InvalidInput
from generators.files import read_bounded
from generators.formats.document import parsed
from generators.formats.quantities import shown
from generators.topology import MAX_ARCS, MAX_NODES, Topology
from topofinder.inventory.fabric import Fabric
from topofinder.inventory.model import State
from topofinder.inventory.stage import Stage
from topofinder.inventory.wiring import Circuit
from topofinder.replay.claim import Claim

LARGEST = 128 << 20
"""Bytes of a plan file at most."""

_Named = tuple[str, str, str]
_TIME = r"^[0-9]{1,30}(/[1-9][0-9]{0,30})?$"


class _Stage(BaseModel):
    disconnect: list[_Named]
    connect: list[_Named]
    seconds: str = Field(pattern=_TIME)
    parts: int = Field(ge=1, le=MAX_NODES)
    digest: str


class _Plan(BaseModel):
    format: str = Field(pattern=r"^topofinder-plan$")
    version: int = Field(ge=1, le=1)
    recipe: str | None
    n: int = Field(ge=1, le=MAX_NODES)
    mode: str = Field(pattern=r"^(duplex|simplex)$")
    arcs: tuple[list[int], list[int]]
    hosts: list[str] = Field(max_length=MAX_NODES)
    dead: list[str] = Field(max_length=MAX_ARCS)
    missing: list[tuple[int, int]] = Field(max_length=MAX_ARCS)
    moves: int = Field(ge=0, le=MAX_ARCS)
    before: str
    after: str
    stages: list[_Stage]
    rollback: list[_Stage]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SavedPlan:
    """What a plan file says: stages there and back, the claim, and hashes of wirings.

    `fabric` is that of the inventory with the ports dead that were so when the plan was made.

    `moves` are circuits to make. `before` and `after` are the hashes of the wirings that it starts
    from and ends in; `digests` those after each stage and
    `undone` those after each stage of the rollback.
    """

    fabric: Fabric
    recipe: str | None
    claim: Claim
    stages: tuple[Stage, ...]
    rollback: tuple[Stage, ...]
    moves: int
    before: str
    after: str
    digests: tuple[str, ...]
    undone: tuple[str, ...]


def read_plan(path: str | os.PathLike[str], fabric: Fabric) -> SavedPlan:
    """The plan in a file that `topofinder plan` wrote, for this fabric.

    Raises InvalidInput with one line naming the file and what is wrong with it.
    """
    content = read_bounded(path, LARGEST)
    try:
        return _saved(_model(parsed(content)), fabric)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def _model(document: dict[str, Any]) -> _Plan:
    try:
        return _Plan.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"]))
    raise InvalidInput(f"{place}: {first['msg'].lower()}, not {shown(first['input'])}")


def _saved(plan: _Plan, fabric: Fabric) -> SavedPlan:
    tail, head = plan.arcs
    topology = Topology(n=plan.n, tail=np.array(tail or [0])[: len(tail)],
                        head=np.array(head or [0])[: len(head)])  # fmt: skip
    number = {name: place for place, name in enumerate(fabric.hosts)}
    for name in plan.hosts:
        if name not in number:
            raise InvalidInput(f"hosts: the inventory has no host {shown(name)}")
    claim = Claim(
        topology=topology,
        host=tuple(number[name] for name in plan.hosts),
        duplex=plan.mode == "duplex",
        missing=tuple(plan.missing),
    )
    return SavedPlan(
        fabric=_damaged(fabric, plan.dead),
        recipe=plan.recipe,
        claim=claim,
        stages=tuple(_stage(fabric, stage) for stage in plan.stages),
        rollback=tuple(_stage(fabric, stage) for stage in plan.rollback),
        moves=plan.moves,
        before=plan.before,
        after=plan.after,
        digests=tuple(stage.digest for stage in plan.stages),
        undone=tuple(stage.digest for stage in plan.rollback),
    )


def _damaged(fabric: Fabric, names: list[str]) -> Fabric:
    for name in names:
        if name not in fabric.number:
            raise InvalidInput(f"dead: the inventory has no port {shown(name)}")
    dead = {fabric.number[name] for name in names}
    states = tuple(
        State.DEAD if port in dead and state in (State.LIVE, State.PINNED) else state
        for port, state in enumerate(fabric.states)
    )
    return replace(fabric, states=states)


def _stage(fabric: Fabric, stage: _Stage) -> Stage:
    return Stage(
        frees=tuple(_circuit(fabric, row) for row in stage.disconnect),
        connects=tuple(_circuit(fabric, row) for row in stage.connect),
        seconds=Fraction(stage.seconds),
        parts=stage.parts,
    )


def _circuit(fabric: Fabric, row: _Named) -> Circuit:
    *names, mode = row
    if mode not in ("duplex", "simplex"):
        raise InvalidInput(f"mode: duplex or simplex, not {shown(mode)}")
    for name in names:
        if name not in fabric.number:
            raise InvalidInput(f"the inventory has no port {shown(name)}")
    return Circuit(fabric.number[names[0]], fabric.number[names[1]], mode == "duplex")
