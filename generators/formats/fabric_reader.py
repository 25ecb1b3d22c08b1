"""Fabric JSON, for people: nodes, switches with their abilities, links with units.

    {"format": "topofinder-fabric", "version": 1,
     "nodes": ["gpu0", "gpu1"],
     "switches": [{"name": "nvswitch", "multicast": true, "reduce": true, "tier": 1}],
     "links": [
       {"from": "gpu0", "to": "nvswitch", "bandwidth": "450GB/s", "latency": "500ns"},
       {"from": "gpu1", "to": "nvswitch", "bandwidth": "450GB/s", "latency": "500ns"}]}

A link leads both ways with its bandwidth in each direction, unless it says `"duplex": false`;
`"count"` makes it several. Bandwidths and latencies have units, all of them, or are numbers. A
document may also say what hosts add, beside "nodes": `"injection"`, what a host sends, and
receives, at most over all its links, and `"reduce_rate"`, how fast it combines data, as bandwidths
are written, and `"epsilon"`, a time that a collective takes besides.
"""

import re
from fractions import Fraction
from typing import Any

from generators import quantities
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.document import document_in, kind
from generators.formats.draft import ABILITIES, MOST_ARCS, MOST_VALUES, Draft
from generators.formats.quantities import exact
from generators.topology import HOST_COSTS, Topology

FORMAT = "topofinder-fabric"
VERSION = 1
_FIELDS = ("format", "version", "nodes", "switches", "links", *HOST_COSTS)
_LINK_FIELDS = ("from", "to", "bandwidth", "latency", "duplex", "count")
_LETTER = re.compile(r"[^\W\d_]")
_QUANTITIES = {
    "bandwidth": ("capacity", "unit_rate", Fraction(10**9), quantities.rate),
    "latency": ("latency", "unit_latency", Fraction(1, 10**6), quantities.seconds),
}
"""For a field: the arc's, the unit's name, the unit itself, and what reads a text with a unit."""
_RATES = ("injection", "reduce_rate")
"""What hosts add that is written as bandwidths are."""


def read_fabric(source: str, content: bytes, *, directed: bool = False) -> Topology:
    """The topology of a fabric document; `source` names the file in messages.

    Bandwidths with units become GB/s, latencies microseconds. A link that leads both ways says so
    by itself, so `directed` changes nothing. Raises InvalidInput naming the node or link.

    >>> links = b'[{"from": "a", "to": "b", "bandwidth": "25GB/s"}]'
    >>> found = read_fabric("x", b'{"format": "topofinder-fabric", "version": 1, '
    ...     b'"nodes": ["a", "b"], "links": ' + links + b'}')
    >>> found.arcs, found.capacity[0], found.unit_rate
    (2, Fraction(25, 1), Fraction(1000000000, 1))
    """
    return fabric_topology(source, document_in(source, content))


def fabric_topology(source: str, document: dict[str, Any]) -> Topology:
    """The topology of a document that is parsed already; as `read_fabric`."""
    try:
        return _Reader(source, document).topology()
    except InvalidInput as error:
        told = str(error)
        raise InvalidInput(
            told if told.startswith(f"{source}: ") else f"{source}: {told}"
        ) from None


class _Reader:
    def __init__(self, source: str, document: dict[str, Any]) -> None:
        self._draft = Draft(source)
        self._document = document
        self._has_units: dict[str, bool] = {}
        self._known: dict[tuple[tuple[str, Any], ...], dict[str, object]] = {}
        self._arcs = 0

    def topology(self) -> Topology:
        self._require_fields("document", self._document, _FIELDS)
        version = self._document.get("version")
        if type(version) is not int or version != VERSION:
            raise InvalidInput(f"version: {VERSION} is known, not {excerpt(version)}")
        for index, node in enumerate(self._rows("nodes")):
            self._node(f"nodes[{index}]", node, switch=False)
        for index, node in enumerate(self._rows("switches")):
            self._node(f"switches[{index}]", node, switch=True)
        for index, link in enumerate(self._rows("links")):
            self._link(f"links[{index}]", link)
        self._host_costs()
        for field, has_units in self._has_units.items():
            _, name, unit, _ = _QUANTITIES[field]
            if has_units:
                self._draft.unit(name, unit, field)
        return self._draft.topology()

    def _host_costs(self) -> None:
        for field in (field for field in HOST_COSTS if field in self._document):
            value = self._document[field]
            if field in _RATES:
                value = self._value(field, "bandwidth", value)
            elif isinstance(value, str) and _LETTER.search(value):
                value = quantities.seconds(value, field)
            self._draft.unit(field, value, field)

    def _rows(self, field: str) -> list[Any]:
        rows = self._document.get(field, [] if field == "switches" else None)
        if not isinstance(rows, list):
            raise InvalidInput(f"{field}: a list is needed, not {kind(rows)}")
        return rows

    def _require_fields(self, place: str, row: dict[str, Any], known: tuple[str, ...]) -> None:
        """A misspelt field would be passed over, and with it what it was to say."""
        for field in row:
            if field not in known:
                raise InvalidInput(f"{place}: {excerpt(field)} is none of {', '.join(known)}")

    def _node(self, place: str, node: object, *, switch: bool) -> None:
        row = {"name": node} if isinstance(node, str) else node
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            raise InvalidInput(f"{place}: a name is needed, not {excerpt(node)}")
        abilities = ABILITIES[1:] if switch else ()
        self._require_fields(place, row, ("name", *abilities, *(["tier"] if switch else [])))
        for ability in abilities:
            if not isinstance(row.get(ability, False), bool):
                raise InvalidInput(
                    f"{place}: {ability}: must be true or false, not {excerpt(row[ability])}"
                )
        able = [ability for ability in abilities if row.get(ability)]
        label = f"={row['name']}"  # never taken for a number, so nodes keep the file's order
        self._draft.node(label, place, name=row["name"], abilities=["switch", *able] * switch)
        self._draft.tier(label, row.get("tier"), place)

    def _link(self, place: str, link: object) -> None:
        if not isinstance(link, dict):
            raise InvalidInput(f"{place}: an object is needed, not {excerpt(link)}")
        self._require_fields(place, link, _LINK_FIELDS)
        ends = (self._end(place, "from", link), self._end(place, "to", link))
        named = f"{place} ({ends[0][1:]} to {ends[1][1:]})"
        duplex, count = link.get("duplex", True), link.get("count", 1)
        if not isinstance(duplex, bool):
            raise InvalidInput(f"{named}: duplex: must be true or false, not {excerpt(duplex)}")
        self._arcs += count if type(count) is int else 0
        if type(count) is not int or count < 1 or self._arcs > MOST_ARCS:
            raise InvalidInput(f"{named}: count: 1 or more links are needed, not {excerpt(count)}")
        values = self._values(named, link)
        if "capacity" not in values:
            raise InvalidInput(f"{named}: no bandwidth")
        self._draft.edge(ends, named, two_way=duplex, values=values, count=count)

    def _end(self, place: str, field: str, link: dict[str, Any]) -> str:
        name = link.get(field)
        if not isinstance(name, str):
            raise InvalidInput(
                f"{place}: {field}: the name of a node is needed, not {excerpt(name)}"
            )
        if not self._draft.declares(f"={name}"):
            raise InvalidInput(f"{place}: {field}: node {excerpt(name)} is not declared")
        return f"={name}"

    def _values(self, place: str, link: dict[str, Any]) -> dict[str, object]:
        """Capacity and latency of a link; those of equal texts are parsed once."""
        offered = tuple((field, link[field]) for field in _QUANTITIES if field in link)
        is_text = all(type(value) is str for _, value in offered)
        if is_text and (known := self._known.get(offered)) is not None:
            return known
        values: dict[str, object] = {
            _QUANTITIES[field][0]: self._value(place, field, value) for field, value in offered
        }
        if is_text and len(self._known) < MOST_VALUES:
            self._known[offered] = values
        return values

    def _value(self, place: str, field: str, value: object) -> Fraction:
        arc_field, _, unit, read = _QUANTITIES[field]
        text = value if isinstance(value, str) else ""
        has_unit = _LETTER.search(text) is not None
        if self._has_units.setdefault(field, has_unit) != has_unit:
            raise InvalidInput(f"{place}: {field}: with a unit everywhere, or nowhere")
        try:
            return read(text) / unit if has_unit else exact(arc_field, value)
        except InvalidInput as error:
            told = str(error).partition(": ")[2]
            raise InvalidInput(f"{place}: {field}: {told}") from None
