"""What a fabric says of its own wiring: links between named ends, and the wiring they make up.

Whoever looked, a daemon of LLDP, a database of cables or a person with a list, tells ends by
name. An end is a port of the inventory under either of its names, `h0:1` or `A:17`; a link between
two ports that the inventory does not know is of no concern, one between a known and an unknown
port is a stray. A cable between a port and a position of a panel is no circuit: it tells where the
fibres of the port lead. Without circulators a switch has two fibres at each position: `P0:17A` is
the transmitter of the port there, `P0:17B` its receiver. A link between two of these is one way.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from generators.errors import InvalidInput
from generators.topology import IntArray
from topofinder.model.inventory.document import PanelKind
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring


class LinkKind(StrEnum):
    """What a link says."""

    DUPLEX = "duplex"
    """Both fibres of both ports."""
    SIMPLEX = "simplex"
    """The transmitter of the near port at the receiver of the far one."""
    CABLE = "cable"
    """A cable: a circuit, or from a port of a host to the position that its fibres lead to."""
    HEARD = "heard"
    """The near port hears the far one; what the far one hears is for it to say."""


class SeenLink(NamedTuple):
    """A link between two ends; `near` and `far` are names that an end may have, best first."""

    near: tuple[str, ...]
    far: tuple[str, ...]
    kind: LinkKind
    where: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Observation:
    """The circuits that were seen, and what is none of them.

    `to[p]` is the port whose receiver the transmitter of port p reaches, or -1; shape (ports,), of
    circuits within one panel. `across` are fibres between ports of two panels, as (from, to),
    `alike` those between ports that are on one side of a switch with circulators;
    `strays` are ports with the name at the other end, which the inventory does not know; `leads`
    are ports whose fibres lead elsewhere than it says, with that position. `foreign` links join
    two ends that it does not know, `assumed` circuits were seen from one end alone.
    """

    to: IntArray
    across: tuple[tuple[int, int], ...] = ()
    alike: tuple[tuple[int, int], ...] = ()
    strays: tuple[tuple[int, str], ...] = ()
    leads: tuple[tuple[int, str], ...] = ()
    foreign: int = 0
    assumed: int = 0

    @property
    def wiring(self) -> Wiring:
        """The circuits within panels."""
        return Wiring(to=self.to)


def observation_of(fabric: PortMap, links: Iterable[SeenLink]) -> Observation:
    """The circuits that links make up.

    Raises InvalidInput with the place of the link for a fibre that two links use.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> pair = port_map(inventory_for(hosts=2, ports=1))
    >>> seen = SeenLink(("h1:0",), ("h0:0",), LinkKind.HEARD, "line 1")
    >>> observation_of(pair, [seen]).to.tolist()
    [1, 0]
    """
    draft = _Draft(fabric)
    for link in links:
        try:
            draft.add(link)
        except InvalidInput as error:
            raise InvalidInput(f"{link.where}: {error}") from None
    return draft.observation()


class _End(NamedTuple):
    """A port, whether it is called by its name on its host, and which of its two fibres is meant.

    `side` is A for the transmitter, B for the receiver, empty for both.
    """

    port: int
    on_host: bool
    side: str = ""


class _Draft:
    """The fibres so far, and which link told each of them."""

    def __init__(self, fabric: PortMap) -> None:
        self.fabric = fabric
        self.to: dict[int, int] = {}
        self.hears: dict[int, int] = {}
        self.strays: dict[int, str] = {}
        self.leads: dict[int, str] = {}
        self.speakers: set[int] = set()
        self.heard: list[tuple[int, int]] = []
        self.foreign = 0

    def add(self, link: SeenLink) -> None:
        """Take a link in."""
        near, far = (self._end(names) for names in (link.near, link.far))
        if link.kind is LinkKind.HEARD and near is not None:
            self.speakers.add(int(self.fabric.host[near.port]))
        if near is None and far is None:
            self.foreign += 1
        elif near is None or far is None:
            known, names = (near, link.far) if near is not None else (far, link.near)
            if known is not None:
                self._add_stray(known, names[0], link.kind)
        elif link.kind is LinkKind.CABLE and near.on_host != far.on_host:
            self._add_lead(*((near.port, far.port) if near.on_host else (far.port, near.port)))
        elif near.side or far.side:
            self._add_way(near, far)
        else:
            self._add_circuit(near.port, far.port, link.kind)

    def _end(self, names: Iterable[str]) -> _End | None:
        """The port of the first name that is known, or the fibre of a switch's side."""
        for name in names:
            port = self.fabric.number.get(name)
            if port is not None:
                return _End(port, self.fabric.names[port] == name)
            port = self.fabric.number.get(name[:-1]) if name[-1:] in ("A", "B") else None
            if port is not None and self._is_switch_position(port, name[:-1]):
                return _End(port, False, name[-1])
        return None

    def _is_switch_position(self, port: int, name: str) -> bool:
        panel = self.fabric.panels[self.fabric.panel[port]]
        return panel.kind is PanelKind.OCS and self.fabric.positions[port] == name

    def _add_way(self, near: _End, far: _End) -> None:
        """One way, from side A to side B, of which one may be left untold."""
        a, b = (near, far) if "B" not in near.side and "A" not in far.side else (far, near)
        if "B" in a.side or "A" in b.side:
            names = [self.fabric.positions[end.port] + end.side for end in (near, far)]
            raise InvalidInput(f"{names[0]} and {names[1]} are both on side {near.side}")
        self._add_fibre(a.port, b.port)

    def _add_stray(self, end: _End, other: str, kind: LinkKind) -> None:
        panel = other.rpartition(":")[0]
        known = any(panel == one.name for one in self.fabric.panels)
        own = self.fabric.positions[end.port]
        if kind is LinkKind.CABLE and end.on_host and own in (f"{other}A", f"{other}B"):
            return  # its position, and not on which side of it
        if kind is LinkKind.CABLE and end.on_host and known:
            self.leads[end.port] = other
        else:
            self.strays[end.port] = other

    def _add_lead(self, port: int, position: int) -> None:
        if port != position:
            self.leads[port] = self.fabric.positions[position]

    def _add_circuit(self, a: int, b: int, kind: LinkKind) -> None:
        if kind is LinkKind.HEARD:
            self._add_fibre(b, a)
            self.heard.append((a, b))
            return
        self._add_fibre(a, b)
        if kind is not LinkKind.SIMPLEX:
            self._add_fibre(b, a)

    def _add_fibre(self, a: int, b: int) -> None:
        names = self.fabric.names
        if self.to.setdefault(a, b) != b:
            raise InvalidInput(f"{names[a]} reaches {names[self.to[a]]} already, not {names[b]}")
        if self.hears.setdefault(b, a) != a:
            raise InvalidInput(f"{names[b]} hears {names[self.hears[b]]} already, not {names[a]}")

    def observation(self) -> Observation:
        """All that was seen; what hosts that say nothing hear is what the others say back."""
        assumed = 0
        for near, far in self.heard:
            silent = int(self.fabric.host[far]) not in self.speakers
            if silent and near not in self.to and far not in self.hears:
                self._add_fibre(near, far)
                assumed += 1
        to = np.full(self.fabric.ports, -1, dtype=np.int32)
        across, alike, strays = [], [], dict(self.strays)
        sides = self.fabric.forbidden.sides
        for a, b in sorted(self.to.items()):
            if a == b:
                strays[a] = self.fabric.names[a]
            elif self.fabric.panel[a] != self.fabric.panel[b]:
                across.append((a, b))
            elif sides and sides[a] == sides[b] != "":
                alike.append((a, b))
            else:
                to[a] = b
        return Observation(
            to=to,
            across=tuple(across),
            alike=tuple(alike),
            strays=tuple(sorted(strays.items())),
            leads=tuple(sorted(self.leads.items())),
            foreign=self.foreign,
            assumed=assumed,
        )
