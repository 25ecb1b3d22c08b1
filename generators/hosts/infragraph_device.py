"""Devices of an InfraGraph, expanded: each component by itself, each edge by itself.

A device has components of a `count`; an endpoint such as `nvsw[0:4]` or `cx5[0].port` names some of
them, in the notation of Python's slices. A component of choice `device` stands for another device,
whose components and edges are expanded with it.

Source: github.com/Keysight/infragraph, schema of version 3.1 (PyPI `infragraph`).
"""

import re
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from generators.errors import InvalidInput
from generators.excerpts import excerpt

MOST_COMPONENTS, MOST_EDGES, DEEPEST = 1 << 12, 1 << 16, 8
_ELEMENT = re.compile(r"([^\[\]]+)(?:\[([^\[\]]*)\])?")
_SLICE = re.compile(r"(-?\d{1,6})?(?:(:)(-?\d{1,6})?(?::(-?\d{1,6})?)?)?", re.ASCII)
Row = dict[str, Any]


@dataclass(slots=True)
class ExpandedDevice:
    """Components by name, such as `xpu.0` or `cx5.1.port.0`, and edges with the row of a link."""

    kinds: dict[str, str] = field(default_factory=dict)
    edges: list[tuple[str, str, Row]] = field(default_factory=list)

    def of_kind(self, kind: str) -> list[str]:
        """All components of a kind, in order."""
        return [name for name, one in self.kinds.items() if one == kind]


def expand_device(devices: dict[str, Row], name: str) -> ExpandedDevice:
    """All components and edges of a device.

    Raises InvalidInput for what refers to nothing, and for what is too large.

    >>> xpu, switch = ({"name": n, "choice": n, "count": 2} for n in ("xpu", "switch"))
    >>> edge = {"ep1": {"component": "xpu"}, "ep2": {"component": "switch[0]"}}
    >>> one = {"components": [xpu, switch], "edges": [{**edge, "scheme": "many2many", "link": "a"}]}
    >>> found = expand_device({"host": one}, "host")
    >>> list(found.kinds), [edge[:2] for edge in found.edges]
    (['xpu.0', 'xpu.1', 'switch.0', 'switch.1'], [('xpu.0', 'switch.0'), ('xpu.1', 'switch.0')])
    """
    found = ExpandedDevice()
    _expand(found, devices, name, "", 0)
    return found


def _expand(
    found: ExpandedDevice, devices: dict[str, Row], name: str, prefix: str, depth: int
) -> None:
    if depth > DEEPEST:
        raise InvalidInput(f"devices: {excerpt(name)} is nested more than {DEEPEST} deep")
    device = devices[name]
    for component in object_list(device, "components"):
        kind, own = str(component.get("choice")), str(component.get("name"))
        if kind == "custom" and isinstance(component.get("custom"), dict):
            kind = str(component["custom"].get("type"))
        for i in range(_count(component)):
            if kind == "device":
                _require_device(devices, own)
                _expand(found, devices, own, f"{prefix}{own}.{i}.", depth + 1)
            else:
                found.kinds[f"{prefix}{own}.{i}"] = kind
            if len(found.kinds) > MOST_COMPONENTS:
                raise InvalidInput(f"devices: more than {MOST_COMPONENTS} components")
    links = {str(link.get("name")): link for link in object_list(device, "links")}
    for edge in object_list(device, "edges"):
        ends = [endpoint_names(devices, name, edge.get(end)) for end in ("ep1", "ep2")]
        link = str(edge.get("link"))
        for u, v in edge_pairs(edge, *ends):
            found.edges.append((prefix + u, prefix + v, links.get(link, {"name": link})))
            if len(found.edges) > MOST_EDGES:
                raise InvalidInput(f"edges: more than {MOST_EDGES}")


def edge_pairs(edge: Row, one: list[str], other: list[str]) -> list[tuple[str, str]]:
    """The pairs that an edge joins, by its scheme."""
    scheme = edge.get("scheme", "one2one")
    if scheme == "one2one":
        pairs = list(zip(one, other, strict=False))
    elif scheme == "many2many":
        if len(one) * len(other) > MOST_EDGES:
            raise InvalidInput(f"edges: more than {MOST_EDGES}")
        pairs = list(product(one, other))
    else:
        raise InvalidInput(f"scheme: one2one or many2many, not {excerpt(scheme)}")
    return [(u, v) for u, v in pairs if u != v]


def endpoint_names(devices: dict[str, Row], device: str, endpoint: object) -> list[str]:
    """The components that an endpoint of a device names."""
    if not isinstance(endpoint, dict) or not isinstance(endpoint.get("component"), str):
        raise InvalidInput(f"edges: an endpoint with a component, not {excerpt(endpoint)}")
    path = [endpoint["device"]] if isinstance(endpoint.get("device"), str) else []
    names = [""]
    for element in [*path, *endpoint["component"].split(".")]:
        word = _ELEMENT.fullmatch(element)
        counts = {
            str(c.get("name")): _count(c)
            for c in object_list(devices.get(device, {}), "components")
        }
        if word is None or word[1] not in counts:
            raise InvalidInput(f"edges: {excerpt(element)} is no component of {excerpt(device)}")
        chosen = slice_indices(word[2] or "", counts[word[1]])
        if len(names) * len(chosen) > MOST_COMPONENTS:
            raise InvalidInput(f"edges: more than {MOST_COMPONENTS} components")
        names = [f"{name}{word[1]}.{i}." for name in names for i in chosen]
        device = word[1]
    return [name[:-1] for name in names]


def slice_indices(text: str, count: int) -> list[int]:
    """What a slice in brackets takes of so many.

    >>> slice_indices("1:4:2", 8), slice_indices("", 2), slice_indices("-1", 4)
    ([1, 3], [0, 1], [3])
    """
    found = _SLICE.fullmatch(text.strip())
    if found is None or found[4] in ("0", "-0"):
        raise InvalidInput(f"edges: a slice such as 0:2 is needed, not {excerpt(text)}")
    start, stop, step = (None if found[i] is None else int(found[i]) for i in (1, 3, 4))
    if found[2] or start is None:
        return list(range(*slice(start, stop, step).indices(count)))
    if not -count <= start < count:
        raise InvalidInput(f"edges: [{start}], where there are {count}")
    return [start % count]


def object_list(row: Row, name: str) -> list[Row]:
    """The objects of a list, which may be missing."""
    rows = row.get(name) or []
    if not isinstance(rows, list) or not all(isinstance(one, dict) for one in rows):
        raise InvalidInput(f"{name}: a list of objects is needed, not {excerpt(rows)}")
    return rows


def _count(component: Row) -> int:
    count = component.get("count")
    if type(count) is not int or not 0 <= count <= MOST_COMPONENTS:
        raise InvalidInput(f"components: count: 0 to {MOST_COMPONENTS}, not {excerpt(count)}")
    return count


def _require_device(devices: dict[str, Row], name: str) -> None:
    if name not in devices:
        raise InvalidInput(f"components: {excerpt(name)} is none of the devices")
