"""Hosts of one's own, as JSON.

    {"format": "topofinder-host", "version": 1, "accelerators": 4,
     "inner": {"kind": "links", "rate": "50GB/s", "links": [[0, 1], [0, 2, 2], [1, 3], [2, 3]]},
     "ports": {"owners": [0, 0, 3], "rate": "400Gbps", "latency": "1us"}}

A link [u, v, k] stands for k of them. `"each": 1` in the place of `owners` gives every accelerator
so many ports. A `switch` may say `"multicast": true` and `"reduce": true`.
"""

from fractions import Fraction
from typing import Any

from generators import quantities
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.hosts.template import (
    MOST_HOST_PORTS,
    HostTemplate,
    InnerFabric,
    InnerKind,
)

FORMAT, VERSION = "topofinder-host", 1
_FIELDS = {
    "document": ("format", "version", "accelerators", "inner", "ports"),
    "inner": ("kind", "rate", "latency", "links", "multicast", "reduce"),
    "ports": ("each", "owners", "rate", "latency"),
}


def host_of(document: dict[str, Any]) -> HostTemplate:
    """The host of a document that is parsed already.

    >>> inner = {"kind": "mesh", "rate": "64GB/s"}
    >>> str(host_of({"format": "topofinder-host", "version": 1, "accelerators": 2,
    ...     "inner": inner, "ports": {"each": 1, "rate": "50GB/s"}}))
    'Host(2;mesh@64GB/s;1@50GB/s)'
    """
    _require_fields("document", document)
    if document.get("format") != FORMAT or document.get("version") != VERSION:
        raise InvalidInput(f"format, version: {FORMAT}, {VERSION} is known")
    count, ports = document.get("accelerators"), _object(document, "ports")
    each, owners = ports.get("each"), ports.get("owners")
    if type(count) is not int:
        raise InvalidInput(f"accelerators: an integer is needed, not {excerpt(count)}")
    if (each is None) == (owners is None):
        raise InvalidInput("ports: each or owners, one of them, is needed")
    if each is not None:
        if type(each) is not int or not 1 <= each * count <= MOST_HOST_PORTS:
            raise InvalidInput(f"ports: each: an integer above 0 is needed, not {excerpt(each)}")
        owners = list(range(count)) * each
    return HostTemplate(
        accelerators=count,
        inner=_inner(_object(document, "inner")),
        owners=tuple(_integers("ports: owners", owners)),
        rate=_rate("ports", ports),
        latency=_latency("ports", ports),
    )


def _inner(row: dict[str, Any]) -> InnerFabric:
    kind = row.get("kind")
    if not isinstance(kind, str) or kind not in set(InnerKind):
        raise InvalidInput(f"inner: kind: one of {', '.join(InnerKind)}, not {excerpt(kind)}")
    if kind == InnerKind.NONE:
        return InnerFabric(kind=InnerKind.NONE)
    for ability in ("multicast", "reduce"):
        if not isinstance(row.get(ability, False), bool):
            raise InvalidInput(f"inner: {ability}: true or false, not {excerpt(row[ability])}")
    links = row.get("links", [])
    if not isinstance(links, list):
        raise InvalidInput(f"inner: links: a list is needed, not {excerpt(links)}")
    return InnerFabric(
        kind=InnerKind(kind),
        rate=_rate("inner", row),
        latency=_latency("inner", row),
        links=tuple(_link(link) for link in links),
        multicast=row.get("multicast", False),
        reduce=row.get("reduce", False),
    )


def _link(link: object) -> tuple[int, int, int]:
    numbers = _integers("inner: links", link)
    if len(numbers) not in (2, 3):
        raise InvalidInput(f"inner: links: [u, v] or [u, v, count], not {excerpt(link)}")
    u, v, count = (*numbers, 1)[:3]
    if not 1 <= count <= MOST_HOST_PORTS:
        raise InvalidInput(f"inner: links: 1 to {MOST_HOST_PORTS} of them, not {count}")
    return u, v, count


def _integers(place: str, values: object) -> list[int]:
    if not isinstance(values, list) or any(type(value) is not int for value in values):
        raise InvalidInput(f"{place}: a list of integers is needed, not {excerpt(values)}")
    return values


def _object(document: dict[str, Any], name: str) -> dict[str, Any]:
    row = document.get(name)
    if not isinstance(row, dict):
        raise InvalidInput(f"{name}: an object is needed, not {excerpt(row)}")
    _require_fields(name, row)
    return row


def _require_fields(name: str, row: dict[str, Any]) -> None:
    """A misspelt field would be passed over, and with it what it was to say."""
    for field in row:
        if field not in _FIELDS[name]:
            raise InvalidInput(f"{name}: {excerpt(field)} is none of {', '.join(_FIELDS[name])}")


def _rate(name: str, row: dict[str, Any]) -> Fraction:
    if not isinstance(row.get("rate"), str):
        raise InvalidInput(f"{name}: rate: a text such as 50GB/s, not {excerpt(row.get('rate'))}")
    return quantities.rate(row["rate"], f"{name}: rate")


def _latency(name: str, row: dict[str, Any]) -> Fraction | None:
    value = row.get("latency")
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidInput(f"{name}: latency: a text such as 1us, not {excerpt(value)}")
    return quantities.seconds(value, f"{name}: latency")
