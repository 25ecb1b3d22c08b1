"""Cross-connects in place, as CSV: one circuit a line, as panels export them.

The head names the columns: `port_a, port_b`, and optionally `mode` (duplex or simplex), or
`tx, rx` for simplex circuits, and optionally `panel`. A port is called by its host (`h0:1`), by its
position (`A:17`), or by a bare position where the panel is clear. Other columns are not read.
Fibres of trunks are listed one by one, or a trunk by its name (`h0:t1`) with all of them.
"""

import csv
import os
from collections.abc import Iterator

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, read_lines
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.trunks import bundled_receivers, fibre_receivers
from topofinder.model.inventory.wiring import Circuit, Wiring

LARGEST = 16 << 20
"""Bytes of a file of cross-connects at most."""
MAX_LINE = 1 << 16
"""Characters of a line at most."""
MOST_LINES = 1 << 19
"""Lines at most, with comments and empty ones: four for each port that an inventory may have."""


class _WiringDraft:
    """The wiring so far, and the line that used each transmitter and receiver."""

    def __init__(self, fabric: PortMap) -> None:
        self.whole, self.fabric = fabric, fabric.by_fibre
        self.to = np.full(self.fabric.ports, -1, dtype=np.int32)
        self._used: dict[tuple[int, str], int] = {}

    def add(self, row: dict[str, str], number: int) -> None:
        for circuit in self._circuits(row):
            self._add(circuit, number)

    def _add(self, circuit: Circuit, number: int) -> None:
        a, b, duplex = circuit
        names, panel = self.fabric.names, self.fabric.panel
        if a == b:
            raise InvalidInput(f"{names[a]} is connected to itself")
        if panel[a] != panel[b]:
            kept = [self.fabric.panels[panel[port]].name for port in (a, b)]
            raise InvalidInput(f"{names[a]} is on panel {kept[0]}, {names[b]} on {kept[1]}")
        if sides := self.fabric.forbidden.sides:
            require_sides(names[a], names[b], sides[a] + sides[b], duplex)
        for port, side in ((a, "tx"), (b, "rx"), (b, "tx"), (a, "rx"))[: 4 if duplex else 2]:
            before = self._used.setdefault((port, side), number)
            if before != number:
                end = "" if duplex else f" {side}"
                raise InvalidInput(f"port {names[port]}{end} is used on line {before} already")
        self.to[a] = b
        if duplex:
            self.to[b] = a

    def _circuits(self, row: dict[str, str]) -> list[Circuit]:
        """The circuit of a line, or those of all fibres where it names trunks."""
        columns = ("tx", "rx") if "tx" in row else ("port_a", "port_b")
        mode = "simplex" if "tx" in row else row.get("mode") or "duplex"
        if mode not in ("duplex", "simplex"):
            raise InvalidInput(f"mode: duplex or simplex, not {excerpt(mode)}")
        one, two = (self._ports(row, column) for column in columns)
        if len(one) != len(two):
            raise InvalidInput(f"{row[columns[0]]} and {row[columns[1]]} have not as many ports")
        return [Circuit(a, b, mode == "duplex") for a, b in zip(one, two, strict=True)]

    def _ports(self, row: dict[str, str], column: str) -> tuple[int, ...]:
        """The port that a line names; of a trunk all."""
        name = row[column]
        panel = row.get("panel")
        if panel and all(panel != known.name for known in self.fabric.panels):
            raise InvalidInput(f"panel: no panel is called {excerpt(panel)}")
        if panel is None and len(self.fabric.panels) == 1:
            panel = self.fabric.panels[0].name
        found = self.whole.ports_called(name) or self.whole.ports_called(f"{panel}:{name}")
        if not found:
            raise InvalidInput(f"{column}: no port is called {excerpt(name)}")
        if row.get("panel") and self.fabric.panels[self.fabric.panel[found[0]]].name != panel:
            raise InvalidInput(f"{column}: {name} is not on panel {panel}")
        return found


def bundle_wiring(fabric: PortMap, fibres: Wiring) -> Wiring:
    """The wiring of trunks, from that of their fibres; the same where there are none.

    Raises InvalidInput for a trunk whose fibres do not lead to one other.
    """
    if fabric.bundles is None:
        return fibres
    to = bundled_receivers(fibres.to, fabric.bundles, fabric.by_fibre.names)
    there = tuple(tuple(fibres.to[list(ports)].tolist()) for ports in fabric.bundles.ports)
    return Wiring(to=to, fibres=there)


def fibre_wiring(fabric: PortMap, wiring: Wiring) -> Wiring:
    """The wiring of all fibres, from that of trunks: in their order, else first to first."""
    if fabric.bundles is None:
        return wiring
    to = np.full(fabric.by_fibre.ports, -1, dtype=np.int32)
    for a, b, _ in wiring.circuits(split=True):
        to[list(fabric.bundles.ports[a])] = fibre_receivers(fabric.bundles, a, b, wiring.fibres)
    return Wiring(to=to)


def require_sides(one: str, two: str, sides: str, duplex: bool) -> None:
    """Refuse what circulators cannot carry: a circuit within a side, and one way alone."""
    if sides and not duplex:
        raise InvalidInput(f"{one} and {two} have circulators: duplex circuits are needed")
    if sides in ("AA", "BB"):
        raise InvalidInput(f"{one} and {two} are both on side {sides[0]} of the switch")


def read_wiring(path: str | os.PathLike[str], fabric: PortMap) -> Wiring:
    """The wiring in a file of cross-connects, by trunk where there are trunks.

    Raises InvalidInput with file and line for a port that is unknown, used twice, connected to
    itself or to another panel, and for lines that cannot be read; and for a trunk of which not all
    fibres lead to one other.
    """
    fibres = read_fibres(path, fabric)
    try:
        return bundle_wiring(fabric, fibres)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def read_fibres(path: str | os.PathLike[str], fabric: PortMap) -> Wiring:
    """The same port by port, whatever the trunks."""
    made = _WiringDraft(fabric)
    for number, row in _rows(path):
        try:
            made.add(row, number)
        except InvalidInput as error:
            raise InvalidInput(f"{path}, line {number}: {error}") from None
    return Wiring(to=made.to)


def bundled_repair(fabric: PortMap, found: Wiring, wanted: Wiring) -> tuple[Wiring, Wiring] | None:
    """Two wirings of fibres by trunk, where moving trunks leads from one to the other, else None.

    It does where each trunk leads to one other in both, in whatever order; None too where there are
    no trunks.
    """
    if fabric.bundles is None:
        return None
    try:
        return bundle_wiring(fabric, found), bundle_wiring(fabric, wanted)
    except InvalidInput:
        return None


def wiring_text(fabric: PortMap, wiring: Wiring) -> str:
    """The CSV text of a wiring, fibre by fibre, which `read_wiring` reads back.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> pair = port_map(inventory_for(hosts=2, ports=1))
    >>> print(wiring_text(pair, Wiring(to=np.array([1, 0]))), end="")
    panel,port_a,port_b,mode
    P0,h0:0,h1:0,duplex
    """
    lines = ["panel,port_a,port_b,mode"]
    wiring, fabric = fibre_wiring(fabric, wiring), fabric.by_fibre
    for a, b, duplex in wiring.circuits():
        panel = fabric.panels[fabric.panel[a]].name
        mode = "duplex" if duplex else "simplex"
        lines.append(f"{panel},{fabric.names[a]},{fabric.names[b]},{mode}")
    return "\n".join(lines) + "\n"


def read_csv(path: str | os.PathLike[str], largest: int) -> Iterator[tuple[int, list[str]]]:
    """The number and fields of each line, without blanks around them.

    Empty lines and those that begin with `#` are left out. Raises InvalidInput, with file and
    line, for a file of more than `largest` bytes and for what is not CSV in UTF-8.
    """
    # Not str.splitlines, which ends lines at characters at which editors do not.
    reader = csv.reader(read_lines(path, largest, MAX_LINE, MOST_LINES), strict=True)
    while True:
        try:
            row = next(reader, None)
        except TextError as error:
            raise InvalidInput(f"{path}, {error}") from None
        except csv.Error as error:
            raise InvalidInput(f"{path}, line {reader.line_num}: {error}") from None
        if row is None:
            return
        fields = [field.strip() for field in row]
        if any(fields) and not fields[0].startswith("#"):
            yield reader.line_num, fields


def _rows(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The lines below the head with their numbers, as columns by name."""
    head: list[str] | None = None
    for number, fields in read_csv(path, LARGEST):
        where = f"{path}, line {number}"
        if head is None:
            head = _read_head([field.lower() for field in fields], where)
            continue
        if len(fields) != len(head):
            raise InvalidInput(f"{where}: {len(fields)} fields, where the head has {len(head)}")
        yield number, dict(zip(head, fields, strict=True))
    if head is None:
        raise InvalidInput(f"{path}: a head such as port_a,port_b is needed")


def _read_head(columns: list[str], where: str) -> list[str]:
    ends = ({"port_a", "port_b"}, {"tx", "rx"})
    if sum(pair <= set(columns) for pair in ends) != 1:
        raise InvalidInput(f"{where}: columns port_a and port_b, or tx and rx, are needed")
    if {"tx", "mode"} <= set(columns):
        raise InvalidInput(f"{where}: mode: circuits from tx to rx are simplex")
    for column in ("port_a", "port_b", "tx", "rx", "mode", "panel"):
        if columns.count(column) > 1:
            raise InvalidInput(f"{where}: two columns are called {column}")
    return columns
