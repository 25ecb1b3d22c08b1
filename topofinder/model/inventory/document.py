"""The inventory file: panels with what a move costs, hosts with their ports and where these lead.

A patch panel has robots that carry one fibre at a time, minutes each; an optical circuit switch
sets all its mirrors at once (section 2.1 of Zhao et al.: about 1008 duplex ports and minutes,
about 384 ports and 10 ms). `docs/planning.md` tells every field; `Inventory.model_json_schema()`
is the JSON Schema.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from generators import quantities
from generators.errors import InvalidInput

MOST_PORTS = 1 << 17
"""Ports of all hosts, and of one panel, at most."""
MOST_ROBOTS = 1 << 17
MOST_PAIRS = 1 << 10
"""Pairs of fibres of one connector, at most."""
LONGEST = 10**9
"""Millimetres of a cable or a tray, at most."""
_NO_LENGTH = re.compile(rf"0+(?:\.0*)?\s*(?:{'|'.join(quantities.LENGTHS)})", re.ASCII)


class PanelKind(StrEnum):
    """What holds the circuits of a panel."""

    PATCH_PANEL = "patch-panel"
    OCS = "ocs"


class State(StrEnum):
    """What may be done with a port, or with all ports of a host."""

    LIVE = "live"
    """It may be used and moved."""
    DEAD = "dead"
    """It carries nothing; what is plugged in may be taken out."""
    RESERVED = "reserved"
    """It is kept free: neither used nor touched."""
    PINNED = "pinned"
    """What is plugged in stays, and counts for the target where it fits."""
    HELD = "held"
    """It belongs to another job and is never touched."""


class Side(StrEnum):
    """The side of an optical circuit switch: it connects ports of A to ports of B alone."""

    A = "A"
    B = "B"


PORTS = {PanelKind.PATCH_PANEL: 1008, PanelKind.OCS: 384}
MOVE_TIMES = {PanelKind.PATCH_PANEL: "2min", PanelKind.OCS: "10ms"}
ROBOTS = {PanelKind.PATCH_PANEL: 1, PanelKind.OCS: None}


def _require_time(text: str) -> str:
    """A time with a unit, or 0."""
    if text.strip() != "0":
        try:
            quantities.duration(text)
        except InvalidInput as error:
            raise ValueError(str(error)) from None
    return text


def _require_rate(text: str) -> str:
    """A rate with a unit."""
    try:
        quantities.rate(text, "rate")
    except InvalidInput as error:
        raise ValueError(str(error)) from None
    return text


def read_millimetres(text: str, name: str = "length") -> int:
    """A length in whole millimetres, at most 1000 km; `0m` is one.

    >>> read_millimetres("12.5m"), read_millimetres("0m")
    (12500, 0)
    """
    if _NO_LENGTH.fullmatch(text.strip()):
        return 0
    found = 1000 * quantities.length(text, name)
    if found.denominator != 1 or found > LONGEST:
        raise InvalidInput(f"{name}: {text} is no whole number of millimetres up to 1000 km")
    return int(found)


def _require_length(text: str) -> str:
    """A length with a unit."""
    try:
        read_millimetres(text)
    except InvalidInput as error:
        raise ValueError(str(error)) from None
    return text


def _require_way(text: str) -> str:
    """A length with a unit, above 0."""
    if not read_millimetres(_require_length(text)):
        raise ValueError(f"length: {text} is not above zero")
    return text


Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_./\-]*$", max_length=64)]
PortName = Annotated[str, Field(max_length=130)]
"""A host, a panel, or a port such as `h0:1` or `A:17`."""
Time = Annotated[
    str, AfterValidator(_require_time), Field(max_length=40, examples=["2min", "10ms"])
]
Rate = Annotated[str, AfterValidator(_require_rate), Field(max_length=40, examples=["100Gbps"])]
Length = Annotated[str, AfterValidator(_require_length), Field(max_length=40, examples=["3m"])]
Way = Annotated[str, AfterValidator(_require_way), Field(max_length=40, examples=["12.5m"])]
Remark = Annotated[str, Field(pattern=r"^[ -~]*$", max_length=64)]
_STRICT = ConfigDict(extra="forbid", frozen=True, strict=False)


class Panel(BaseModel):
    """A patch panel or optical switch. What is left out has the default of its kind.

    `ports` are its duplex ports, numbered from 1. `move_time` is that of one new circuit (of one
    setting of all mirrors, where `robots` is null: all at once); `free_time` that of one circuit
    that is only taken out, `test_time` that of the test of a new one. `rack` is where it stands.
    """

    model_config = _STRICT

    name: Name
    kind: PanelKind = PanelKind.PATCH_PANEL
    ports: int | None = Field(default=None, ge=1, le=MOST_PORTS, strict=True)
    move_time: Time | None = None
    free_time: Time = "0s"
    test_time: Time = "0s"
    robots: int | None = Field(default=None, ge=1, le=MOST_ROBOTS, strict=True)
    rack: Name | None = None
    rate: Rate | None = None

    @property
    def limit(self) -> int:
        """Number of its ports."""
        return self.ports or PORTS[self.kind]

    @property
    def at_once(self) -> int | None:
        """Circuits it can make at the same time; None for any number."""
        return self.robots or ROBOTS[self.kind]

    @property
    def move_seconds(self) -> Fraction:
        """Time of one round of new circuits, with their tests."""
        return _seconds(self.move_time or MOVE_TIMES[self.kind]) + _seconds(self.test_time)

    @property
    def free_seconds(self) -> Fraction:
        """Time of one round of circuits that are only taken out."""
        return _seconds(self.free_time)


class Port(BaseModel):
    """A port of a host: both of its fibres lead to one position of a panel.

    `name` is its number on the host, from 0, where it is left out; `label` is what is written at
    its position, `cable` what the fibres between host and panel are called. Of a trunk, whose
    fibres move at once, `pairs` is how many pairs of fibres are in its connector; where each has a
    port of its own, the ports of a host with one `trunk` do. `rate` is that of
    its panel if left out, one in a trunk; ports of unlike rates are not joined. `side` is that of a
    switch to which a circulator, with both directions on one fibre, leads: circuits join A and B.
    """

    model_config = _STRICT

    name: Name | None = None
    panel: Name
    position: int = Field(ge=1, le=MOST_PORTS, strict=True)
    state: State = State.LIVE
    job: str | None = Field(default=None, max_length=200, description="Who holds the port.")
    label: Remark | None = None
    cable: Remark | None = None
    pairs: int = Field(default=1, ge=1, le=MOST_PAIRS, strict=True)
    trunk: Name | None = None
    rate: Rate | None = None
    side: Side | None = None


class Host(BaseModel):
    """A host with its ports; `state` is that of all of them unless it is live.

    `rack` is where it stands.
    """

    model_config = _STRICT

    name: Name
    ports: list[Port] = Field(max_length=MOST_PORTS, fail_fast=True)
    state: State = State.LIVE
    rack: Name | None = None


class Walk(BaseModel):
    """How long a crew takes from a panel to another one, and back."""

    model_config = _STRICT

    between: tuple[Name, Name]
    time: Time

    @property
    def seconds(self) -> Fraction:
        """That time."""
        return _seconds(self.time)


class Tray(BaseModel):
    """A tray for cables between two racks, or corners where trays meet, and its length."""

    model_config = _STRICT

    between: tuple[Name, Name]
    length: Way

    @property
    def millimetres(self) -> int:
        """That length."""
        return read_millimetres(self.length)


class Inventory(BaseModel):
    """Panels and hosts of one fabric, and the `walks` between panels, 0 where none is told.

    With `trays` between racks cables have lengths: each has the `slack` besides. `forbidden` are
    pairs that must not be joined: two hosts, two ports, or a host on a panel.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, title="topofinder inventory")

    format: Literal["topofinder-inventory"] = "topofinder-inventory"
    version: Literal[1] = 1
    panels: list[Panel] = Field(min_length=1, max_length=1 << 12, fail_fast=True)
    hosts: list[Host] = Field(min_length=1, max_length=MOST_PORTS, fail_fast=True)
    walks: list[Walk] = Field(default=[], max_length=MOST_PORTS, fail_fast=True)
    trays: list[Tray] = Field(default=[], max_length=MOST_PORTS, fail_fast=True)
    slack: Length | None = None
    forbidden: list[tuple[PortName, PortName]] = Field(
        default=[], max_length=MOST_PORTS, fail_fast=True
    )

    @property
    def slack_millimetres(self) -> int:
        """What each cable is longer than its trays."""
        return 0 if self.slack is None else read_millimetres(self.slack)


@lru_cache(maxsize=256)
def _seconds(text: str) -> Fraction:
    return Fraction() if text.strip() == "0" else quantities.duration(text)


def inventory_for(
    *,
    hosts: int,
    ports: int,
    panels: int = 1,
    kind: PanelKind = PanelKind.PATCH_PANEL,
    names: Sequence[str] = (),
    trunk: int = 1,
) -> Inventory:
    """Hosts h0, h1, ... of so many ports each; port j of every host is on panel j mod `panels`.

    With a `trunk` of more than one port, so many at a time are t0, t1, ..., and trunk t is there.

    Panels P0, P1, ... have the ports that they need, if that is more than is usual for their kind.
    The first ports of every host have the `names`, such as those of accelerators that own them.

    >>> inventory_for(hosts=2, ports=2, panels=2).hosts[1].ports[1].panel
    'P1'
    """
    if min(hosts, ports) < 1:
        raise InvalidInput(f"ports: one host with one port at least, not {hosts} with {ports}")
    own = [*names[:ports], *[None] * (ports - len(names))]
    return inventory_of([own] * hosts, panels=panels, kind=kind, trunk=trunk)


def inventory_of(
    ports: Sequence[Sequence[str | None]],
    *,
    panels: int = 1,
    kind: PanelKind = PanelKind.PATCH_PANEL,
    trunk: int = 1,
) -> Inventory:
    """Hosts h0, h1, ... with ports of these names, None for a number, as `inventory_for` has them.

    >>> unlike = inventory_of([["gpu0"], ["gpu0", "gpu1"]])
    >>> [[port.name for port in host.ports] for host in unlike.hosts]
    [['gpu0'], ['gpu0', 'gpu1']]
    """
    most = max(map(len, ports)) // trunk
    if not 1 <= panels <= most:
        what = "ports" if trunk == 1 else "trunks"
        raise InvalidInput(f"panels: from 1 to {most} ({what} of a host), not {panels}")
    used = [0] * panels
    listed = []
    for h, names in enumerate(ports):
        own = []
        for j, name in enumerate(names):
            on = j // trunk % panels
            used[on] += 1
            port = Port(panel=f"P{on}", position=used[on])
            if trunk > 1:
                port = port.model_copy(update={"trunk": f"t{j // trunk}"})
            own.append(port if name is None else port.model_copy(update={"name": name}))
        listed.append(Host(name=f"h{h}", ports=own))
    made = [_panel(f"P{place}", kind, count) for place, count in enumerate(used)]
    return Inventory(panels=made, hosts=listed)


def _panel(name: str, kind: PanelKind, ports: int) -> Panel:
    return Panel(
        name=name,
        kind=kind,
        ports=max(ports, PORTS[kind]),
        move_time=MOVE_TIMES[kind],
        robots=ROBOTS[kind],
    )
