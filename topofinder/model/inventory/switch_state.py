"""What is in place, from optical circuit switches under SONiC, or from cross-connects as CSV.

Of a switch, after the design "OCS Support in SONiC" (pull request 2269 of sonic-net/SONiC): what
`show ocs cross-connect config` or `status` and `show ocs port config` print (section 9.2), or its
CONFIG_DB as JSON, with the tables OCS_CROSS_CONNECT and OCS_PORT (section 6.1.1). Where there are
several panels, a prompt such as `admin@P0:~$ show ...` tells whose output follows, and the JSON is
an object with the CONFIG_DB of each. Transmitters are on A sides, receivers on B sides.

Output that was cut off is refused as far as it tells: in the middle of a line, where the widest
name of a table is gone (its line of dashes is as long), where `status` lacks what an earlier
`config` has, and where ports of the inventory are not among those of `show ocs port config`. A
table of cross-connects that nothing follows, no prompt and no other table, is `open_ended`.

Where ports have circulators a cross-connect is a duplex circuit, and each side a port of its own.
Ports with the state force_blocked pass no light: they count as dead.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, open_bounded, read_bounded, read_lines
from generators.formats.document import parse_object
from topofinder.model.inventory.cross_connects import (
    LARGEST,
    MAX_LINE,
    MOST_LINES,
    bundle_wiring,
    read_wiring,
)
from topofinder.model.inventory.observed import LinkKind, SeenLink
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring

_BLANK = b"\xef\xbb\xbf \t\r\n"
_BEGIN = 1 << 12
"""Bytes of a file that are looked at for a brace."""
BLOCKED = "force_blocked"
CROSS_CONNECTS = "OCS_CROSS_CONNECT"
"""The table of cross-connects in a switch's configuration."""
PORTS_VIEW = "show ocs port"
CONNECTS_VIEW = "show ocs cross-connect"
_PORT = re.compile(r"^([1-9][0-9]{0,5})([AB])$")
_PROMPT = re.compile(r"^(?:[\w.-]+@)?([\w./-]+)(?::\S*)?\s?[$#>] ?show ocs\b")
_BARE = re.compile(r"^(?:[\w.-]+@)?[\w./-]+(?::\S*)?\s?[$#>]\s*(?:exit|logout)?$")
"""A prompt behind which nothing is shown: what came before it is whole."""
_LEAST_DASHES = 4
"""Dashes below `id`, however short the names there are."""
_HEADS = ("id a_side b_side", "id a_side b_side a_side_status b_side_status", "id label state")


class CurrentWiring(NamedTuple):
    """What is in place, and the ports that are blocked, by name.

    `open_ended` tells of a file whose last table may have had more rows, or that shows none.
    """

    wiring: Wiring
    blocked: tuple[str, ...]
    open_ended: str | None = None


class _Row(NamedTuple):
    """A cross-connect (A side, B side), or a port and its state, of a switch.

    `view` is the head of its table, None in a configuration.
    """

    switch: str | None
    first: str
    second: str
    is_port: bool
    where: str
    view: str | None = None


def read_current(path: str | os.PathLike[str], fabric: PortMap) -> CurrentWiring:
    """The wiring in a file of cross-connects or of the state of switches, whichever it is.

    It is that of trunks where there are trunks. Raises InvalidInput with the file and the place in
    it, and for a trunk of which not all fibres lead to one other.
    """
    if not is_switch_state(path):
        return CurrentWiring(read_wiring(path, fabric), ())
    draft, told, last = _StateDraft(fabric.by_fibre), set[str](), list[str]()
    for row in _rows(path, told, last):
        try:
            draft.add(row)
        except InvalidInput as error:
            raise InvalidInput(f"{row.where}: {error}") from None
    used = set(fabric.panel.tolist())
    _require_all_told(path, [one.name for i, one in enumerate(fabric.panels) if i in used], told)
    try:
        draft.require_whole()
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None
    found = draft.state()._replace(open_ended=f"{path}: {last[0]}" if last else None)
    try:
        return found._replace(wiring=bundle_wiring(fabric, found.wiring))
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def read_switch_links(path: str | os.PathLike[str], panels: Sequence[str]) -> Iterator[SeenLink]:
    """The cross-connects of switches as cables between sides of positions, such as `P0:17A`.

    `panels` names those that there are. States of ports are left. Raises InvalidInput with the
    place in the file.
    """
    named = set[str]()
    for row in _rows(path, named):
        if row.is_port:
            continue
        if row.switch not in panels and len(panels) > 1:
            told = "a prompt tells" if row.switch is None else f"not {excerpt(row.switch)}"
            raise InvalidInput(f"{row.where}: one of the switches {', '.join(panels[:4])}: {told}")
        panel = row.switch if row.switch in panels else panels[0]
        ends = [
            (f"{panel}:{_side_of(side, letter, row.where)}",)
            for side, letter in ((row.first, "A"), (row.second, "B"))
        ]
        yield SeenLink(ends[0], ends[1], LinkKind.CABLE, row.where)
    _require_all_told(path, panels, named)


def _require_all_told(
    path: str | os.PathLike[str], panels: Sequence[str], told: Collection[str]
) -> None:
    """Refuse a file that does not name all of several panels: they are not known to be empty."""
    lacking = [name for name in panels if name not in told]
    if lacking and len(panels) > 1:
        raise InvalidInput(
            f"{path}: nothing is told of {', '.join(lacking[:4])}{', ...' * (len(lacking) > 4)}: "
            "one that is empty is named too, by a prompt before show ocs cross-connect, or as {}"
        )


def _side_of(text: str, letter: str, where: str) -> str:
    found = _PORT.match(text)
    if not found or found[2] != letter:
        raise InvalidInput(f"{where}: a port such as 17{letter} is needed, not {excerpt(text)}")
    return text


def is_switch_state(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as the output of a switch, or as its configuration."""
    if begins_as_json(path):
        return True
    try:
        for line in read_lines(path, LARGEST, MAX_LINE, MOST_LINES):
            text = line.strip().removeprefix("\ufeff")
            if _PROMPT.match(text) or " ".join(text.split()) in _HEADS:
                return True
            if text and not text.startswith("show ocs") and not text.startswith("#"):
                return False
            if text.startswith("show ocs"):
                return True
    except TextError:
        return False
    return False


def begins_as_json(path: str | os.PathLike[str], largest: int = LARGEST) -> bool:
    """Whether a brace comes first in a file, whose lines may be of any length."""
    with open_bounded(path, largest) as file:
        return file.read(_BEGIN).lstrip(_BLANK).startswith(b"{")


def _rows(
    path: str | os.PathLike[str], told: set[str], last: list[str] | None = None
) -> Iterator[_Row]:
    """The rows of a file; switches that it names the cross-connects of are added to `told`.

    What there is to say of an end that may not be one is added to `last`.
    """
    content = read_bounded(path, LARGEST)
    if content.lstrip(_BLANK).startswith(b"{"):
        yield from _json_rows(content, str(path), told)
        return
    try:
        yield from _table_rows(path, told, [] if last is None else last, content[-1:] in b"\n")
    except TextError as error:
        raise InvalidInput(f"{path}, {error}") from None


def _table_rows(
    path: str | os.PathLike[str], told: set[str], last: list[str], ends_in_line: bool
) -> Iterator[_Row]:
    """The rows of tables: columns as their line of dashes tells, labels may have blanks."""
    switch, head, spans = None, "", list[tuple[int, int | None]]()
    text, where, width, views, begun = "", str(path), _TableWidth(), set[str](), ""
    for number, line in enumerate(read_lines(path, LARGEST, MAX_LINE, MOST_LINES), 1):
        text, where = line.rstrip(), f"{path}, line {number}"
        found, bare = _PROMPT.match(text), _BARE.match(text)
        if found or bare or text.strip().startswith("show ocs"):
            width.close()
            head, spans = "", []
            begun = next((view for view in (CONNECTS_VIEW, PORTS_VIEW) if view in text), "")
            views.add(begun)
            switch = found[1] if found else switch
            if found and begun == CONNECTS_VIEW:
                told.add(found[1])
        elif not text.strip() or text.startswith("#"):
            width.close()
            head, spans = "", []
        elif " ".join(text.split()) in _HEADS:
            width.close()
            head, spans = " ".join(text.split()), []
            begun = PORTS_VIEW if head == _HEADS[-1] else CONNECTS_VIEW
            views.add(begun)
        elif head and not spans and set(text) <= {"-", " "}:
            starts = [found.start() for found in re.finditer("-+", text)]
            spans = list(zip(starts, [*starts[1:], None], strict=True))
            width.open(len(text.split()[0]), where)
        elif spans and text.strip() == "...":
            raise InvalidInput(f"{where}: rows are left out here; all of them are needed")
        elif spans:
            cells = [text[a:b].strip() for a, b in spans]
            if len(cells) != len(head.split()) or not cells[0]:
                raise InvalidInput(f"{where}: {head} is needed, not {excerpt(text)}")
            width.add(cells[0])
            begun = CONNECTS_VIEW * (begun == CONNECTS_VIEW)  # ports that lack are found by name
            yield _row(cells, switch, head, where)
        else:
            raise InvalidInput(f"{where}: a table of show ocs is needed, not {excerpt(text)}")
    width.close()
    if not ends_in_line and not _BARE.match(text):
        raise InvalidInput(f"{where}: cut off in the middle of a line, {excerpt(text)}")
    if begun or CONNECTS_VIEW not in views:
        last.append(f"nothing follows {begun}" if begun else f"without {CONNECTS_VIEW}")


class _TableWidth:
    """The dashes below the ids of a table, and the longest id: as long, if the table is whole."""

    dashes, longest, where = 0, 0, ""

    def open(self, dashes: int, where: str) -> None:
        """Begin a table."""
        self.dashes, self.longest, self.where = dashes, 0, where

    def add(self, name: str) -> None:
        """Take in the id of a row."""
        self.longest = max(self.longest, len(name))

    def close(self) -> None:
        """Raise InvalidInput where the longest id is not in the table any more."""
        if self.dashes > max(_LEAST_DASHES, self.longest):
            raise InvalidInput(
                f"{self.where}: the dashes are for an id of {self.dashes} characters, and none is "
                "there: rows are cut off"
            )
        self.dashes = 0


def _row(cells: list[str], switch: str | None, head: str, where: str) -> _Row:
    if head == _HEADS[-1]:
        return _Row(switch, cells[0], cells[2], True, where, head)
    if cells[0] != f"{cells[1]}-{cells[2]}":
        raise InvalidInput(f"{where}: id: {cells[1]}-{cells[2]} is needed, not {excerpt(cells[0])}")
    return _Row(switch, cells[1], cells[2], False, where, head)


def _json_rows(content: bytes, path: str, told: set[str]) -> Iterator[_Row]:
    try:
        document = parse_object(content)
    except InvalidInput as error:
        raise InvalidInput(f"{path}, {error}") from None
    if any(name.startswith("OCS_") for name in document):
        yield from _database_rows(document, None, path)
        return
    for switch, database in document.items():
        if not isinstance(database, Mapping):
            raise InvalidInput(f"{path}: {excerpt(switch)}: an object is needed")
        told.add(switch)
        yield from _database_rows(database, switch, f"{path}, {switch}")


def _database_rows(database: Mapping[str, Any], switch: str | None, path: str) -> Iterator[_Row]:
    """The rows of OCS_CROSS_CONNECT and OCS_PORT; other tables are not read."""
    for name, (first, second) in {
        CROSS_CONNECTS: ("a_side", "b_side"),
        "OCS_PORT": ("", "state"),
    }.items():
        rows = database.get(name, {})
        if not isinstance(rows, Mapping):
            raise InvalidInput(f"{path}: {name}: an object is needed, not {excerpt(rows)}")
        for key, row in rows.items():
            where = f"{path}, {name} {key}"
            if not isinstance(row, Mapping):
                raise InvalidInput(f"{where}: an object is needed, not {excerpt(row)}")
            one, two = str(row.get(first, key)), str(row.get(second, "normal"))
            if first and key != f"{one}-{two}":
                raise InvalidInput(f"{where}: {one}-{two} is in it")
            yield _Row(switch, one, two, not first, where)


def _by_number(side: str) -> tuple[int, str]:
    """Sides in their order: 9A before 10A."""
    return int(side[:-1]), side[-1]


class _StateDraft:
    """The fibres and the blocked ports so far."""

    def __init__(self, fabric: PortMap) -> None:
        self.fabric = fabric
        self.to: dict[int, int] = {}
        self.hears: dict[int, int] = {}
        self.blocked: set[int] = set()
        self.shown: dict[tuple[int, str], set[str]] = {}
        """What each view of a switch lists, the panel by number."""

    def add(self, row: _Row) -> None:
        """Take a row in."""
        panels = [panel.name for panel in self.fabric.panels]
        if row.view is not None:
            panel = panels.index(row.switch) if row.switch in panels else 0
            name = row.first if row.is_port else f"{row.first}-{row.second}"
            self.shown.setdefault((panel, row.view), set()).add(name)
        if row.is_port:
            if row.second not in ("normal", BLOCKED):
                raise InvalidInput(f"state: normal or {BLOCKED}, not {excerpt(row.second)}")
            port = self._port(row.switch, row.first, "AB", known=row.second == BLOCKED)
            if row.second == BLOCKED and port is not None:
                self.blocked.add(port)
            return
        a, b = self._port(row.switch, row.first, "A"), self._port(row.switch, row.second, "B")
        if a is None or b is None:
            return
        names = self.fabric.names
        if a == b:
            raise InvalidInput(f"{names[a]} is connected to itself")
        if self.to.setdefault(a, b) != b or self.hears.setdefault(b, a) != a:
            raise InvalidInput(f"{row.first} or {row.second} is in use already")

    def require_whole(self) -> None:
        """Raise InvalidInput where what a view lists lacks something that must be there."""
        config, status, ports = _HEADS
        for (panel, view), listed in self.shown.items():
            name = self.fabric.panels[panel].name
            if view == status and (lost := self.shown.get((panel, config), set()) - listed):
                raise InvalidInput(
                    f"{name}: {min(lost)} is in show ocs cross-connect config and not in status: "
                    "cut off?"
                )
            if view == ports and (lost := self._known_sides(panel) - listed):
                raise InvalidInput(
                    f"{name}: {min(lost, key=_by_number)} is not among the {len(listed)} ports of "
                    "show ocs port config: cut off?"
                )

    def _known_sides(self, panel: int) -> set[str]:
        """The sides of a switch that the inventory has ports at."""
        found = set[str]()
        for port in np.flatnonzero(self.fabric.panel == panel).tolist():
            place = self.fabric.positions[port].rpartition(":")[2]
            found |= {place} if _PORT.match(place) else {f"{place}A", f"{place}B"}
        return found

    def _port(self, switch: str | None, text: str, sides: str, *, known: bool = True) -> int | None:
        """The port of an end such as 17A; None for one that need not be known."""
        found = _PORT.match(text)
        if not found or found[2] not in sides:
            raise InvalidInput(f"a port such as 17{sides[0]} is needed, not {excerpt(text)}")
        panels = [panel.name for panel in self.fabric.panels]
        if switch is None and len(panels) > 1:
            raise InvalidInput(f"which of the switches {', '.join(panels[:4])}? A prompt tells")
        if switch is not None and len(panels) > 1 and switch not in panels:
            raise InvalidInput(f"no panel is called {excerpt(switch)}")
        name = f"{switch if switch in panels else panels[0]}:{found[1]}"
        port = self.fabric.number.get(name, self.fabric.number.get(name + found[2]))
        if port is None and known:
            raise InvalidInput(f"no port of the inventory is at {excerpt(name)}")
        return port

    def state(self) -> CurrentWiring:
        """The wiring, and the names of blocked ports."""
        to = np.full(self.fabric.ports, -1, dtype=np.int32)
        for a, b in self.to.items():
            to[a] = b
            if self.fabric.forbidden.sides and self.fabric.forbidden.sides[a]:
                to[b] = a
        names = tuple(self.fabric.names[port] for port in sorted(self.blocked))
        return CurrentWiring(Wiring(to=to), names)
