"""Cables as others list them: NetBox's table of cables, PTM's topology file, a list of ports.

NetBox exports the columns of its list of cables by their titles (Device A, Termination A), and
imports `side_a_device`, `side_a_name`. PTM, the Prescriptive Topology Manager of Cumulus Linux,
reads a graph in the DOT language, `"h0":"swp1" -- "h1":"swp3"`. A list of ports is CSV as of
cross-connects, but its ends may be on any panels.
"""

import os
import re
from collections.abc import Iterator, Sequence

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, read_lines
from topofinder.model.inventory.cross_connects import LARGEST, MAX_LINE, MOST_LINES, read_csv
from topofinder.model.inventory.observed import LinkKind, SeenLink

NETBOX = (
    ("side_a_device", "side_a_name", "side_b_device", "side_b_name"),
    ("device a", "termination a", "device b", "termination b"),
)
"""Columns of the ends of a cable: those of NetBox's import, and of its list of cables."""
HOSTS = ("host_a", "port_a", "host_b", "port_b")
"""Columns of a list of ports, each beside its host."""
_OFF = ("planned", "decommissioning")
"""Cables that are not there, by NetBox's status."""

_ID = r'(?:"(?:[^"\\]|\\.)*"|[A-Za-z0-9_./-]+?)'
_EDGE = re.compile(
    rf"^({_ID})\s*:\s*({_ID})\s*(--|->)\s*({_ID})\s*:\s*({_ID})\s*(?:\[[^\]]*\])?\s*;?$"
)
_HEAD = re.compile(r"^(?:strict\s+)?(?:di)?graph\b[^{]*\{", re.IGNORECASE)
_SKIPPED = re.compile(r"^(?:\}|(?:graph|node|edge)\s*\[[^\]]*\]\s*;?|[\w-]+\s*=\s*\S+;?)?$")


def is_dot(line: str) -> bool:
    """Whether a line begins a graph in the DOT language.

    >>> is_dot("graph G {"), is_dot("port_a,port_b")
    (True, False)
    """
    return _HEAD.match(line.strip()) is not None


def read_ptm(path: str | os.PathLike[str]) -> Iterator[SeenLink]:
    """The links of a PTM topology file, an edge a line. Raises InvalidInput with file and line."""
    try:
        for number, line in enumerate(read_lines(path, LARGEST, MAX_LINE, MOST_LINES), 1):
            text = re.sub(r"(^|\s)(#|//).*$", "", line).strip()
            text = _HEAD.sub("", text).strip()
            if _SKIPPED.match(text):
                continue
            found = _EDGE.match(text)
            if not found:
                raise InvalidInput(
                    f'{path}, line {number}: "host":"port" -- "host":"port" is needed, '
                    f"not {excerpt(text)}"
                )
            a, port_a, sign, b, port_b = (_unquote(word) for word in found.groups())
            kind = LinkKind.DUPLEX if sign == "--" else LinkKind.SIMPLEX
            near, far = f"{a}:{port_a}", f"{b}:{port_b}"
            yield SeenLink((near,), (far,), kind, f"{path}, line {number}")
    except TextError as error:
        raise InvalidInput(f"{path}, {error}") from None


def _unquote(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word.startswith('"') else word


def read_cables(path: str | os.PathLike[str]) -> Iterator[SeenLink]:
    """The links of a CSV file: NetBox's cables, or a list of ports; the head tells which.

    Raises InvalidInput with file and line.
    """
    columns: list[str] | None = None
    names: Sequence[str] = ()
    for number, fields in read_csv(path, LARGEST):
        where = f"{path}, line {number}"
        if columns is None:
            columns = [field.lower() for field in fields]
            names = _columns_of(columns, where)
            continue
        if len(fields) != len(columns):
            raise InvalidInput(f"{where}: {len(fields)} fields, where the head has {len(columns)}")
        yield from _cable(dict(zip(columns, fields, strict=True)), names, where)
    if columns is None:
        raise InvalidInput(f"{path}: a head such as port_a,port_b is needed")


def _columns_of(columns: Sequence[str], where: str) -> Sequence[str]:
    for names in (*NETBOX, HOSTS, ("port_a", "port_b"), ("tx", "rx")):
        if set(names) <= set(columns):
            for name in names:
                if columns.count(name) > 1:
                    raise InvalidInput(f"{where}: two columns are called {name}")
            return names
    raise InvalidInput(
        f"{where}: columns port_a and port_b, tx and rx, or those of NetBox's cables are needed"
    )


def _cable(row: dict[str, str], names: Sequence[str], where: str) -> Iterator[SeenLink]:
    """The link of a row; none for a cable that is planned, or has an end that is not a port."""
    ends = [row[name] for name in names]
    if names in NETBOX:
        if row.get("status", "").lower() in _OFF or not all(ends):
            return
    elif not all(ends):
        raise InvalidInput(f"{where}: {names[ends.index('')]} is empty")
    if len(ends) == 4:
        ends = [f"{ends[0]}:{ends[1]}", f"{ends[2]}:{ends[3]}"]
    mode = row.get("mode") or ("simplex" if names[0] == "tx" else "duplex")
    if mode not in ("duplex", "simplex"):
        raise InvalidInput(f"{where}: mode: duplex or simplex, not {excerpt(mode)}")
    kind = LinkKind.CABLE if names in NETBOX else LinkKind(mode)
    yield SeenLink((ends[0],), (ends[1],), kind, where)
