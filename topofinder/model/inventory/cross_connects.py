"""Cross-connects in place, as CSV: one circuit a line, as panels export them.

The head names the columns: `port_a, port_b`, and optionally `mode` (duplex or simplex), or
`tx, rx` for simplex circuits, and optionally `panel`. A port is called by its host (`h0:1`), by its
position (`A:17`), or by a bare position where the panel is clear. Other columns are not read.
"""

import csv
import os
from collections.abc import Iterator

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, read_lines
from topofinder.model.inventory.ports import PortMap
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
        self.fabric = fabric
        self.to = np.full(fabric.ports, -1, dtype=np.int32)
        self._used: dict[tuple[int, str], int] = {}

    def add(self, row: dict[str, str], number: int) -> None:
        circuit = self._circuit(row)
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

    def _circuit(self, row: dict[str, str]) -> Circuit:
        if "tx" in row:
            return Circuit(self._port(row, "tx"), self._port(row, "rx"), False)
        mode = row.get("mode") or "duplex"
        if mode not in ("duplex", "simplex"):
            raise InvalidInput(f"mode: duplex or simplex, not {excerpt(mode)}")
        return Circuit(self._port(row, "port_a"), self._port(row, "port_b"), mode == "duplex")

    def _port(self, row: dict[str, str], column: str) -> int:
        name, number = row[column], self.fabric.number
        panel = row.get("panel")
        if panel and all(panel != known.name for known in self.fabric.panels):
            raise InvalidInput(f"panel: no panel is called {excerpt(panel)}")
        if panel is None and len(self.fabric.panels) == 1:
            panel = self.fabric.panels[0].name
        port = number.get(name, number.get(f"{panel}:{name}"))
        if port is None:
            raise InvalidInput(f"{column}: no port is called {excerpt(name)}")
        if row.get("panel") and self.fabric.panels[self.fabric.panel[port]].name != panel:
            raise InvalidInput(f"{column}: {name} is not on panel {panel}")
        return port


def require_sides(one: str, two: str, sides: str, duplex: bool) -> None:
    """Refuse what circulators cannot carry: a circuit within a side, and one way alone."""
    if sides and not duplex:
        raise InvalidInput(f"{one} and {two} have circulators: duplex circuits are needed")
    if sides in ("AA", "BB"):
        raise InvalidInput(f"{one} and {two} are both on side {sides[0]} of the switch")


def read_wiring(path: str | os.PathLike[str], fabric: PortMap) -> Wiring:
    """The wiring in a file of cross-connects.

    Raises InvalidInput with file and line for a port that is unknown, used twice, connected to
    itself or to another panel, and for lines that cannot be read.
    """
    made = _WiringDraft(fabric)
    for number, row in _rows(path):
        try:
            made.add(row, number)
        except InvalidInput as error:
            raise InvalidInput(f"{path}, line {number}: {error}") from None
    return Wiring(to=made.to)


def wiring_text(fabric: PortMap, wiring: Wiring) -> str:
    """The CSV text of a wiring, which `read_wiring` reads back.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> pair = port_map(inventory_for(hosts=2, ports=1))
    >>> print(wiring_text(pair, Wiring(to=np.array([1, 0]))), end="")
    panel,port_a,port_b,mode
    P0,h0:0,h1:0,duplex
    """
    lines = ["panel,port_a,port_b,mode"]
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
