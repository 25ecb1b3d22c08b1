"""What ports hear by LLDP (IEEE 802.1AB), host by host, as JSON or as text.

JSON: an object that has, for each host, what `lldpctl -f json` (or `json0`) of lldpd prints there.
Text: `lldpctl -f keyvalue` of lldpd, or `show lldp table` of SONiC, of many hosts one after the
other. Who speaks is told by a prefix of each line, `h0: `, as pdsh and clush print it, or by a
prompt, `admin@h0:~$ show lldp table`.

A port hears whose transmitter its receiver is at: each entry is one fibre.
"""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, read_bounded, read_lines
from generators.formats.document import parse_object
from topofinder.model.inventory.observed import LinkKind, SeenLink

LARGEST = 64 << 20
"""Bytes of a file of neighbours at most."""
MAX_LINE = 1 << 14
"""Characters of a line at most."""
MOST_LINES = 1 << 22
"""Lines at most: a neighbour has some twenty of key and value."""

_PROMPT = re.compile(r"^(?:[\w.-]+@)?([\w.-]+)(?::\S*)?\s?[$#>] ?(?:\S.*)?$")
_PREFIX = re.compile(r"^([A-Za-z0-9_][\w./-]*): ?(.*)$")
_KEY = re.compile(r"^lldp\.(.+?)\.(chassis|port)\.([\w-]+)=(.*)$")
_RULE = re.compile(r"^-+( +-+){2,} *$")
_COLUMNS = ("localport", "remotedevice", "remoteportid", "remoteportdescr")

Fields = dict[str, str]


def read_neighbour_json(path: str | os.PathLike[str]) -> Iterator[SeenLink]:
    """The links in a JSON file. Raises InvalidInput with the file and the place in it."""
    try:
        document = parse_object(read_bounded(path, LARGEST))
    except InvalidInput as error:
        raise InvalidInput(f"{path}, {error}") from None
    for host, told in document.items():
        where = f"{path}, {excerpt(host)}"
        lldp = _only(told, where).get("lldp")
        for name, interface in _interfaces(_only(lldp or {}, where), where):
            fields = _json_fields(interface, f"{where}, {excerpt(name)}")
            yield from _link(host, name, fields, f"{where}, {name}")


def _only(value: Any, where: str) -> Mapping[str, Any]:
    """An object, or the first of a list of objects, which `json0` has for every object."""
    one = value[0] if isinstance(value, list) and value else value
    if isinstance(one, list) and not one:
        return {}
    if not isinstance(one, Mapping):
        raise InvalidInput(f"{where}: an object is needed, not {excerpt(str(one))}")
    return one


def _interfaces(lldp: Mapping[str, Any], where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Interfaces by name: an object of one, a list of such objects, or a list with `name`s."""
    told = lldp.get("interface", [])
    for entry in told if isinstance(told, list) else [told]:
        entry = _only(entry, where)
        if isinstance(entry.get("name"), str):
            yield entry["name"], entry
            continue
        for name, interface in entry.items():
            yield name, _only(interface, where)


def _json_fields(interface: Mapping[str, Any], where: str) -> Fields:
    chassis = _only(interface.get("chassis", {}), where)
    port = _only(interface.get("port", {}), where)
    fields = {}
    if "name" in chassis:
        fields["name"] = _text(chassis["name"], where)
    elif len(chassis) == 1 and isinstance(next(iter(chassis.values())), Mapping):
        fields["name"] = next(iter(chassis))
    if "id" in port:
        fields["id"] = _text(port["id"], where)
    if "descr" in port:
        fields["descr"] = _text(port["descr"], where)
    return fields


def _text(value: Any, where: str) -> str:
    if isinstance(value, str):
        return value
    text = _only(value, where).get("value")
    if not isinstance(text, str):
        raise InvalidInput(f"{where}: a text is needed, not {excerpt(str(text))}")
    return text


def read_neighbour_text(path: str | os.PathLike[str]) -> Iterator[SeenLink]:
    """The links in a text. Raises InvalidInput with file and line."""
    table, known = _Table(), _KeyValues()
    try:
        for number, line in enumerate(read_lines(path, LARGEST, MAX_LINE, MOST_LINES), 1):
            where = f"{path}, line {number}"
            host, text = _speaker(line.rstrip("\r\n"), table.host)
            if text is None:
                table = _Table(host)
            elif found := _KEY.match(text):
                known.add(_require_host(host, where), found.groups(), where)
            elif (row := table.row(host, text)) is not None:
                yield from _link(_require_host(host, where), row.pop("port"), row, where)
    except TextError as error:
        raise InvalidInput(f"{path}, {error}") from None
    for (host, port), (fields, where) in known.fields.items():
        yield from _link(host, port, fields, where)


def _require_host(host: str | None, where: str) -> str:
    if host is None:
        raise InvalidInput(f"{where}: who hears this? h0: before the line, or admin@h0:~$ above")
    return host


def _speaker(line: str, now: str | None) -> tuple[str | None, str | None]:
    """Whose line it is, and its text; no text for a prompt."""
    if found := _PREFIX.match(line):
        return found[1], found[2]
    if found := _PROMPT.match(line):
        return found[1], None
    return now, line


class _KeyValues:
    """Fields of each port of each host, with the line that they begin at."""

    def __init__(self) -> None:
        self.fields: dict[tuple[str, str], tuple[Fields, str]] = {}

    def add(self, host: str, words: tuple[str, ...], where: str) -> None:
        """Take in a line such as `lldp.eth0.chassis.name=h1`."""
        port, of, key, value = words
        fields, _ = self.fields.setdefault((host, port), ({}, where))
        name = _field_name(of, key)
        if name is None:
            return
        if fields.setdefault(name, value) != value:
            raise InvalidInput(f"{where}: {host}:{port} hears two neighbours")


def _field_name(of: str, key: str) -> str | None:
    if of == "chassis":
        return "name" if key == "name" else None
    if key in ("ifname", "local", "ifalias"):
        return "id"
    return "descr" if key == "descr" else None


class _Table:
    """The columns of `show lldp table`, which the line of dashes tells, of one host."""

    def __init__(self, host: str | None = None) -> None:
        self.host, self._head = host, ""
        self._spans: list[tuple[str, int, int | None]] = []

    def row(self, host: str | None, text: str) -> Fields | None:
        """The fields of a row; None for other lines."""
        if host != self.host:
            self.host, self._head, self._spans = host, "", []
        if _RULE.match(text) and self._head.lower().lstrip().startswith(_COLUMNS[0]):
            starts = [found.start() for found in re.finditer("-+", text)]
            ends: list[int | None] = [*starts[1:], None]
            heads = [self._head[a:b].strip().lower() for a, b in zip(starts, ends, strict=True)]
            self._spans = list(zip(heads, starts, ends, strict=True))
            return None
        self._head = text
        if not self._spans or not text.strip() or text.startswith("-"):
            return None
        cells = {name: text[a:b].strip() for name, a, b in self._spans}
        if not cells[_COLUMNS[0]] or not cells.get(_COLUMNS[1]):
            return None
        names = ("port", "name", "id", "descr")
        return {name: cells.get(column, "") for name, column in zip(names, _COLUMNS, strict=True)}


def _link(host: str, port: str, fields: Fields, where: str) -> Iterator[SeenLink]:
    """The link of a neighbour that says who it is; its port by its identity, or by its remark."""
    name = fields.get("name")
    ports = [fields[key] for key in ("id", "descr") if fields.get(key)]
    if name and ports:
        far = tuple(f"{who}:{which}" for which in ports for who in _names_of(name))
        yield SeenLink(
            tuple(f"{who}:{port}" for who in _names_of(host)), far, LinkKind.HEARD, where
        )


def _names_of(host: str) -> tuple[str, ...]:
    """The name, and without its domain."""
    return tuple(dict.fromkeys((host, host.partition(".")[0])))
