"""The file of a plan, field by field: what JSON holds, before names are looked up.

Every field of the format stands in `PlanFields` or `StageFields`; others are refused.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.document import MOST_TABLES, parse_object
from topofinder.model.inventory.document import MOST_PORTS

FORMAT = "topofinder-plan"
LISTED_BYTES = 12 << 20
"""Bytes of wirings after stages that a file has at most."""
WRITTEN_BYTES = LISTED_BYTES // 3
"""The same of files that are written: to read such lists takes 14 times as much memory."""
VERSION = 2
_ROWS = ("stages", "rollback")
"""Fields with a row a line."""

NamedCircuit = tuple[str, str, str]
"""Two ports by name, and duplex or simplex."""
_Node = Annotated[int, Field(strict=True, ge=0, lt=MOST_PORTS)]
_Count = Annotated[int, Field(strict=True, ge=0, le=MOST_PORTS)]
_MANY: Any = Field(max_length=MOST_PORTS, fail_fast=True)
"""Of a hundred thousand rows that are wrong, only the first is told."""
_Circuits = Annotated[list[NamedCircuit], _MANY]
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


_SHARE = r"^[0-9]{1,400}(/[1-9][0-9]{0,400})?$"
_Shares = Annotated[list[Annotated[str, Field(pattern=_SHARE)]], _MANY]


class DrainFields(BaseModel):
    """What was asked to stay up in the middle of stages, and what is, see `Drain`."""

    model_config = _STRICT

    take_out: str | None = Field(pattern=_SHARE)
    cuts: list[_Names] = Field(max_length=MOST_PORTS, fail_fast=True)
    most_out: _Shares
    keep_throughput: str | None = Field(pattern=_SHARE)
    demand: str = Field(max_length=200)
    whole: str = Field(pattern=_SHARE)
    throughputs: _Shares


_DECIBELS = r"^[0-9]{1,4}(\.[0-9]{1,3})?$"
_Decibels = Annotated[str, Field(pattern=_DECIBELS)]
_Losses = Annotated[list[_Decibels], _MANY]


class LossFields(BaseModel):
    """What light loses, in dB: the `worst` new circuit, the `budget`, and where it comes from.

    Losses are of `ports`, and of `pairs` from a transmitter to each of some receivers; both null
    where they are too long for a file.
    """

    model_config = _STRICT

    budget: _Decibels | None
    worst: _Decibels
    proved: bool = Field(strict=True)
    ports: Annotated[list[tuple[str, _Decibels]], _MANY] | None
    pairs: Annotated[list[tuple[str, _Names, _Losses]], _MANY] | None


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
    drain: DrainFields | None = None
    losses: LossFields | None = None
    forbidden: list[tuple[str, str]] = Field(default=[], max_length=MOST_PORTS, fail_fast=True)
    port_rates: _Shares = []
    arc_rates: _Shares = []
    trunk: int = Field(default=1, strict=True, ge=1, le=MOST_PORTS)
    stages: list[StageFields] = _MANY
    rollback: list[StageFields] = _MANY
    wiring: _Circuits


def document_text(fields: Mapping[str, Any]) -> str:
    """The JSON text of a plan: a field a line, a stage a line."""
    lines = []
    for name, value in fields.items():
        text = json.dumps(value)
        if name in _ROWS and value:
            text = "[\n" + ",\n".join(" " + json.dumps(row) for row in value) + "\n]"
        lines.append(f"{json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def parse_plan_fields(content: bytes, most_stages: int = MOST_PORTS) -> PlanFields:
    """The plan in the text of a file, of at most so many stages there, and back.

    Raises InvalidInput naming field and value.
    """
    document = parse_object(content, MOST_TABLES)
    for name in _ROWS:
        if isinstance(rows := document.get(name), list) and len(rows) > most_stages:
            raise InvalidInput(f"{name}: {len(rows)}, where the ports allow {most_stages}")
    if document.get("version") == 1:
        raise InvalidInput("version: 2 is needed, not 1; make the plan anew")
    try:
        return PlanFields.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"]))
    offered = "" if first["type"] == "missing" else f", not {excerpt(first['input'])}"
    raise InvalidInput(f"{excerpt(place)[1:-1]}: {first['msg'].lower()}{offered}")
