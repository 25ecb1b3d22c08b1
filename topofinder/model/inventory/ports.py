"""The noun PortMap: an inventory as arrays, with numbered ports, from JSON files and back.

Every mistake is named with the place in the inventory, and the line where there is a file.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from pydantic import ValidationError

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import read_bounded, write_whole
from generators.formats.document import parse_object
from generators.formats.json_lines import line_of
from generators.topology import IntArray
from topofinder.model.inventory.document import MOST_PORTS, Inventory, Panel, State
from topofinder.model.inventory.forbidden import Forbidden, forbidden_pairs
from topofinder.model.inventory.port_kinds import port_sides, unlike_fibres, unlike_rates
from topofinder.model.inventory.trays import CableLengths, cable_lengths
from topofinder.model.inventory.trunks import (
    Bundles,
    bundles_of,
    common_state,
    span_of_positions,
    trunk_rates,
    trunk_sides,
)

LARGEST = 32 << 20
"""Bytes of an inventory file at most."""
MOST_MEMORY = 48_000_000
"""Bytes that its values may take once they are in memory: those of a hundred thousand ports."""


@dataclass(frozen=True, slots=True)
class InventorySource:
    """The text that an inventory was read from, and what to call it."""

    name: str = "inventory"
    text: str | None = None

    def at(self, *path: str | int) -> str:
        """Where the value at a path stands, for a message."""
        if self.text is None:
            return f"{self.name}: {'.'.join(map(str, path))}"
        return f"{self.name}, line {line_of(self.text, path)}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PortMap:
    """Hosts and panels with their ports, in the order of the inventory.

    Port p is `names[p]`, such as `h0:1`, on host `host[p]`, and leads to `positions[p]`, such as
    `A:17`, of panel `panel[p]`; shapes (ports,). `number` finds a port by either name. `within[p]`
    is its place among the ports of its host. `racks[h]` is where host h stands, or empty;
    so are `labels[p]` and `cables[p]`. `walks` are seconds from a panel to another; `lengths` are
    those along trays, where these are told; what is `forbidden` must not be made.

    Where fibres are bundled in trunks, each trunk is a port: `fibres` are then the ports of the
    inventory one by one, and `bundles` tells which belong together.
    """

    panels: tuple[Panel, ...]
    hosts: tuple[str, ...]
    names: tuple[str, ...]
    positions: tuple[str, ...]
    states: tuple[State, ...]
    host: IntArray
    panel: IntArray
    within: IntArray
    racks: tuple[str, ...]
    labels: tuple[str, ...]
    cables: tuple[str, ...]
    walks: dict[tuple[int, int], Fraction]
    lengths: CableLengths | None = None
    forbidden: Forbidden = field(default_factory=Forbidden)
    source: InventorySource = field(default_factory=InventorySource)
    number: dict[str, int] = field(repr=False)
    fibres: "PortMap | None" = None
    bundles: Bundles | None = None

    @property
    def by_fibre(self) -> "PortMap":
        """The ports of the inventory one by one, with no regard to trunks."""
        return self.fibres or self

    @property
    def links(self) -> int:
        """Links that a circuit carries: ports of a trunk."""
        return 1 if self.bundles is None else self.bundles.size

    @property
    def ports(self) -> int:
        """Number of ports of all hosts."""
        return len(self.names)

    def ports_called(self, name: str) -> tuple[int, ...]:
        """The port of that name or position, one by one; of a trunk all. None where none is."""
        port = self.by_fibre.number.get(name)
        if port is not None:
            return (port,)
        trunk = None if self.bundles is None else self.number.get(name)
        return () if self.bundles is None or trunk is None else self.bundles.ports[trunk]

    def of_state(self, *states: State) -> IntArray:
        """The ports in one of the states."""
        chosen = [port for port, state in enumerate(self.states) if state in states]
        return np.array(chosen, dtype=np.int32)

    def with_forbidden(self, pairs: Iterable[tuple[str, Sequence[str]]]) -> "PortMap":
        """The same with these pairs of names forbidden too, see `forbidden_pairs`."""
        names = [panel.name for panel in self.panels]
        more = forbidden_pairs(pairs, self.hosts, self.number, names)
        return replace(self, forbidden=self.forbidden | more)

    def with_rates(self, rates: Iterable[Fraction]) -> "PortMap":
        """The same where each port has a rate in bytes a second: circuits join those of one."""
        return replace(self, forbidden=replace(self.forbidden, rates=tuple(rates)))

    def circuit_length(self, a: int, b: int) -> int | None:
        """Millimetres of the way of light between two ports on one panel, where trays are told."""
        if self.lengths is None:
            return None
        one, two = (self.racks[self.host[port]] for port in (a, b))
        return self.lengths.circuit(one, self.panels[self.panel[a]].rack or "", two)

    @property
    def forbidden_names(self) -> list[list[str]]:
        """The pairs that are forbidden, by name."""
        panels = [panel.name for panel in self.panels]
        return self.forbidden.names(self.hosts, self.names, panels)

    def where(self, host: int) -> str:
        """The place of a host in the inventory, for a message."""
        return self.source.at("hosts", host)


def read_inventory(path: str | os.PathLike[str]) -> Inventory:
    """The inventory in a file; errors as of `read_port_map`."""
    inventory, source = _read_document(path)
    port_map(inventory, source)
    return inventory


def read_port_map(path: str | os.PathLike[str]) -> PortMap:
    """The ports that an inventory file describes.

    Raises InvalidInput with file and line for whatever is wrong with it.
    """
    return port_map(*_read_document(path))


def write_inventory(inventory: Inventory, path: str | os.PathLike[str]) -> None:
    """Write an inventory to a JSON file, whole or not at all. Raises InvalidInput."""
    write_whole(path, inventory_text(inventory))


def port_map(inventory: Inventory, source: InventorySource | None = None) -> PortMap:
    """The ports that an inventory describes.

    Raises InvalidInput, with file and line where there is a file, for names used twice, unknown
    panels, and positions used twice or beyond the ports of their panel.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> port_map(inventory_for(hosts=3, ports=2)).names
    ('h0:0', 'h0:1', 'h1:0', 'h1:1', 'h2:0', 'h2:1')
    """
    source = source or InventorySource()
    panels = {panel.name: place for place, panel in enumerate(inventory.panels)}
    _require_names(inventory, source)
    rows = list(_rows(inventory, source, panels))
    if not 1 <= len(rows) <= MOST_PORTS:
        raise InvalidInput(f"{source.at('hosts')}: {len(rows)} ports; from 1 to {MOST_PORTS}")
    names, positions, states, host, panel, within = zip(*rows, strict=True)
    number: dict[str, int] = {name: port for port, name in enumerate(names)}
    for port, position in enumerate(positions):
        if position in number:
            other = names[number[position]]
            place = source.at("hosts", host[port], "ports", within[port], "position")
            raise InvalidInput(f"{place}: {position} is wired to {other} and to {names[port]}")
        number[position] = port
    found = PortMap(
        panels=tuple(inventory.panels),
        hosts=tuple(host.name for host in inventory.hosts),
        names=names,
        positions=positions,
        states=states,
        host=np.array(host, dtype=np.int32),
        panel=np.array(panel, dtype=np.int32),
        within=np.array(within, dtype=np.int32),
        racks=tuple(host.rack or "" for host in inventory.hosts),
        labels=tuple(port.label or "" for host in inventory.hosts for port in host.ports),
        cables=tuple(port.cable or "" for host in inventory.hosts for port in host.ports),
        walks=_walks(inventory, source, panels),
        lengths=cable_lengths(inventory, source.at),
        forbidden=forbidden_pairs(
            (
                (f"{source.at('forbidden', i)}: forbidden", pair)
                for i, pair in enumerate(inventory.forbidden)
            ),
            [host.name for host in inventory.hosts],
            number,
            list(panels),
        )
        | Forbidden(
            fibres=unlike_fibres(inventory),
            rates=unlike_rates(inventory, source.at),
            sides=port_sides(inventory, source.at),
        ),
        source=source,
        number=number,
    )
    bundles = bundles_of(inventory, source.at)
    return found if bundles is None else _bundle_ports(found, bundles)


def _bundle_ports(fabric: PortMap, bundles: Bundles) -> PortMap:
    """The same where each trunk is one port, which the names of its fibres stand for too."""
    first = np.array([ports[0] for ports in bundles.ports])
    number = {name: int(bundles.of[port]) for name, port in fabric.number.items()}
    names, positions, states = list[str](), list[str](), list[State]()
    for place, (ports, trunk) in enumerate(zip(bundles.ports, bundles.names, strict=True)):
        host = fabric.hosts[fabric.host[ports[0]]]
        name = f"{host}:{trunk}" if trunk else fabric.names[ports[0]]
        if len({int(fabric.panel[port]) for port in ports}) > 1:
            raise InvalidInput(
                f"{fabric.where(int(fabric.host[ports[0]]))}: {name} is on two panels"
            )
        if trunk and name in fabric.number and bundles.of[fabric.number[name]] != place:
            raise InvalidInput(f"{fabric.where(int(fabric.host[ports[0]]))}: {name} is a port too")
        names.append(name)
        positions.append(span_of_positions([fabric.positions[port] for port in ports]))
        states.append(common_state([fabric.states[port] for port in ports], name))
        number |= {name: place, positions[-1]: place}
    barred = {tuple(sorted(bundles.of[list(pair)].tolist())) for pair in fabric.forbidden.ports}
    sizes = tuple(map(len, bundles.ports))
    return replace(
        fabric,
        names=tuple(names),
        positions=tuple(positions),
        states=tuple(states),
        host=fabric.host[first],
        panel=fabric.panel[first],
        within=_places_within(fabric.host[first]),
        labels=tuple(_joint(fabric.labels, ports) for ports in bundles.ports),
        cables=tuple(_joint(fabric.cables, ports) for ports in bundles.ports),
        forbidden=replace(
            fabric.forbidden,
            ports=frozenset((a, b) for a, b in barred),
            fibres=sizes if len(set(sizes)) > 1 else (),
            rates=trunk_rates(fabric.forbidden.rates, bundles, names),
            sides=trunk_sides(fabric.forbidden.sides, bundles, names),
        ),
        number=number,
        fibres=fabric,
        bundles=bundles,
    )


def _joint(texts: Sequence[str], ports: Sequence[int]) -> str:
    """What is written at ports of a trunk, each once."""
    return " ".join(dict.fromkeys(texts[port] for port in ports if texts[port]))


def _places_within(host: IntArray) -> IntArray:
    """The place of each port among those of its host; ports are in the order of hosts."""
    return np.arange(len(host), dtype=np.int32) - np.searchsorted(host, host).astype(np.int32)


def inventory_text(inventory: Inventory) -> str:
    """The JSON text of an inventory: a panel or a host a line, what was not given left out.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> print(inventory_text(inventory_for(hosts=1, ports=1)).splitlines()[7])
     {"name": "h0", "ports": [{"panel": "P0", "position": 1}]}
    """
    known = inventory.model_dump(mode="json", exclude_unset=True)
    parts = [
        f'"{name}": [\n' + ",\n".join(f" {json.dumps(row)}" for row in known[name]) + "\n]"
        for name in ("panels", "hosts", "walks", "trays", "forbidden")
        if name in known
    ]
    if inventory.slack is not None:
        parts.append(f'"slack": {json.dumps(inventory.slack)}')
    head = [f'"format": "{inventory.format}"', f'"version": {inventory.version}']
    return "{\n" + ",\n".join(head + parts) + "\n}\n"


def inventory_schema() -> dict[str, Any]:
    """The JSON Schema of inventory files.

    >>> inventory_schema()["title"]
    'topofinder inventory'
    """
    return Inventory.model_json_schema()


def _rows(
    inventory: Inventory, source: InventorySource, panels: dict[str, int]
) -> Iterator[tuple[str, str, State, int, int, int]]:
    for h, host in enumerate(inventory.hosts):
        for place, port in enumerate(host.ports):
            if port.panel not in panels:
                where = source.at("hosts", h, "ports", place, "panel")
                raise InvalidInput(f"{where}: no panel is called {port.panel}")
            panel = inventory.panels[panels[port.panel]]
            if port.position > panel.limit:
                where = source.at("hosts", h, "ports", place, "position")
                raise InvalidInput(
                    f"{where}: panel {panel.name} has {panel.limit} ports, not {port.position}"
                )
            state = port.state if host.state is State.LIVE else host.state
            name = f"{host.name}:{port.name or place}"
            position = f"{panel.name}:{port.position}{port.side or ''}"
            yield name, position, state, h, panels[port.panel], place


def _walks(
    inventory: Inventory, source: InventorySource, panels: dict[str, int]
) -> dict[tuple[int, int], Fraction]:
    """The time between each two panels that it is told of, both ways."""
    found = dict[tuple[int, int], Fraction]()
    for place, walk in enumerate(inventory.walks):
        where = source.at("walks", place)
        for name in walk.between:
            if name not in panels:
                raise InvalidInput(f"{where}: between: no panel is called {name}")
        one, two = (panels[name] for name in walk.between)
        if one == two or (one, two) in found:
            raise InvalidInput(f"{where}: between: {' and '.join(walk.between)} is told already")
        found[one, two] = found[two, one] = walk.seconds
    return found


def _require_names(inventory: Inventory, source: InventorySource) -> None:
    """No two panels or hosts, and no two ports of a host, may share a name."""
    listed = [("panels", place, panel.name) for place, panel in enumerate(inventory.panels)]
    listed += [("hosts", place, host.name) for place, host in enumerate(inventory.hosts)]
    if twice := _first_repeat([name for _, _, name in listed]):
        kind, place, name = listed[twice]
        raise InvalidInput(f"{source.at(kind, place, 'name')}: {name} is used twice")
    for h, host in enumerate(inventory.hosts):
        names = [port.name or str(place) for place, port in enumerate(host.ports)]
        if twice := _first_repeat(names):
            where = source.at("hosts", h, "ports", twice)
            raise InvalidInput(f"{where}: {host.name} has two ports {names[twice]}")


def _first_repeat(names: Sequence[str]) -> int | None:
    """The place of the first name that was there before; never 0."""
    if len(set(names)) == len(names):
        return None
    seen: Counter[str] = Counter()
    for place, name in enumerate(names):
        seen[name] += 1
        if seen[name] == 2:
            return place
    return None


def _read_document(path: str | os.PathLike[str]) -> tuple[Inventory, InventorySource]:
    content = read_bounded(path, LARGEST)
    try:
        document = parse_object(content, MOST_MEMORY)
    except InvalidInput as error:
        raise InvalidInput(f"{path}, {error}") from None
    source = InventorySource(os.fspath(path), content.decode("utf-8-sig"))
    return _validate(document, source), source


def _validate(document: dict[str, Any], source: InventorySource) -> Inventory:
    try:
        return Inventory.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    where, reason = first["loc"], first["msg"].removeprefix("Value error, ")
    reason = reason[:1].lower() + reason[1:]
    if first["type"] == "string_pattern_mismatch":
        reason = "letters, digits and _ . / - are needed, and none of . / - first"
    offered = "" if first["type"] == "missing" else f", not {excerpt(first['input'])}"
    del first
    document.clear()  # to find the line the text is parsed again, which takes as much memory
    place = ".".join(map(str, where)) or "document"
    raise InvalidInput(f"{source.at(*where)}: {place}: {reason}{offered}")
