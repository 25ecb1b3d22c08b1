"""Writing fabric JSON; the format is described in `generators.formats.fabric_reader`."""

import json
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.fabric_reader import FORMAT, VERSION
from generators.formats.quantities import exact_text
from generators.formats.rows import arc_attributes, arc_ends, node_attributes
from generators.topology import HOST_COSTS, Topology

_UNITS = {
    "capacity": ("unit_rate", 10**9, "GB/s"),
    "latency": ("unit_latency", Fraction(1, 10**6), "us"),
}
Values = tuple[tuple[str, Fraction], ...]


def fabric_text(topology: Topology) -> str:
    """The document, one node or link a line; equal links there and back are one line.

    Hosts come first and arcs in pairs, so that nodes and arcs may be numbered anew. Raises
    InvalidInput for two nodes of one name.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(2, 2))
    >>> print(fabric_text(pair), end="")
    {"format": "topofinder-fabric", "version": 1,
    "nodes": ["0", "1"],
    "switches": [
    ],
    "links": [
    {"from": "0", "to": "1", "bandwidth": "2"}
    ]}
    """
    names = topology.names or tuple(map(str, range(topology.n)))
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InvalidInput(f"names: two nodes are called {excerpt(twice[0])}")
    hosts, switches = [], []
    for name, known in zip(names, node_attributes(topology), strict=True):
        able = {ability: True for ability in ("multicast", "reduce") if ability in known}
        if "switch" in known:
            tier = {"tier": known["tier"]} if "tier" in known else {}
            switches.append(json.dumps({"name": name} | able | tier))
        else:
            hosts.append(json.dumps(name))
    return "\n".join(
        [
            f'{{"format": "{FORMAT}", "version": {VERSION},',
            *_host_costs(topology),
            f'"nodes": [{", ".join(hosts)}],',
            '"switches": [', *([",\n".join(switches)] if switches else ()), "],",
            '"links": [', *([",\n".join(_links(topology, names))] if topology.arcs else ()), "]}",
            "",
        ]
    )  # fmt: skip


def _host_costs(topology: Topology) -> list[str]:
    """A line for each of what hosts add, with a unit where the topology has one."""
    found = []
    for field in (field for field in HOST_COSTS if getattr(topology, field) is not None):
        value = getattr(topology, field)
        if field == "epsilon":
            text = exact_text(field, value)
        else:
            text = _link_fields(topology, (("capacity", value),))[0][1]
        found.append(f"{json.dumps(field)}: {json.dumps(text)},")
    return found


def _links(topology: Topology, names: tuple[str, ...]) -> list[str]:
    """Each link as text, in the order of its first arc."""
    count: dict[tuple[int, int, Values], int] = {}
    for (u, v), known in zip(arc_ends(topology), arc_attributes(topology), strict=True):
        values = tuple(({"capacity": Fraction(1)} | known).items())
        count[u, v, values] = count.get((u, v, values), 0) + 1
    lines = []
    for (u, v, values), there in count.items():
        back = count.get((v, u, values), 0) if u != v else 0
        both = min(there, back)
        ends = {"from": names[u], "to": names[v]}
        told = ends | dict(_link_fields(topology, values))
        if both and u < v:
            lines.append(_line(told, both))
        if there > both:
            lines.append(_line(told | {"duplex": False}, there - both))
    return lines


def _line(link: Mapping[str, object], count: int) -> str:
    return json.dumps(dict(link) | ({"count": count} if count > 1 else {}))


def _link_fields(topology: Topology, values: Values) -> list[tuple[str, str]]:
    """The fields of a link, with a unit where the topology has one and the text is a decimal."""
    found = []
    for field, value in values:
        unit_field, unit, name = _UNITS[field]
        own = getattr(topology, unit_field)
        text = exact_text(field, value) if own is None else _quantity(value * own / unit) + name
        found.append(({"capacity": "bandwidth"}.get(field, field), text))
    return found


def _quantity(value: Fraction) -> str:
    """A decimal that says exactly so much."""
    scaled, digits = value, 0
    while scaled.denominator != 1 and digits < 30:
        scaled, digits = scaled * 10, digits + 1
    if scaled.denominator != 1:
        raise InvalidInput(f"capacity: {value} is no decimal, so it cannot have a unit in a file")
    text = str(scaled.numerator).rjust(digits + 1, "0")
    return text if not digits else f"{text[:-digits]}.{text[-digits:]}"
