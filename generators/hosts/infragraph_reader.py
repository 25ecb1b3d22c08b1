"""The device with accelerators of an InfraGraph, as a host.

Accelerators are components of choice `xpu`, ports those of choice `port`, or `nic` where there is
none. What joins accelerators is a link between them, or to switches that all of them have in
common; of several the quickest. A port is owned by the accelerator that is the fewest edges away.
Rates are those of the links, as far as they are told: one port's is that of the links that lead
out of the device.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import networkx as nx

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.hosts.infragraph_device import (
    ExpandedDevice,
    Row,
    expand_device,
    object_list,
)
from generators.hosts.partial_host import PartialHost, nearest_owners
from generators.hosts.template import InnerFabric, InnerKind

RATES = {
    "gigabits_per_second": Fraction(10**9, 8),
    "gigabytes_per_second": Fraction(10**9),
}
LATENCIES = {"ms": Fraction(1, 10**3), "us": Fraction(1, 10**6), "ns": Fraction(1, 10**9)}
Link = dict[tuple[str, str], int]


def host_of_infragraph(document: dict[str, Any]) -> PartialHost:
    """The host of a document that is parsed already.

    Raises InvalidInput for a document without such a device, or with several.

    >>> parts = [{"name": n, "choice": n, "count": 1} for n in ("xpu", "nic")]
    >>> edge = {"ep1": {"component": "xpu"}, "ep2": {"component": "nic"}, "link": "pcie"}
    >>> host = {"name": "a", "components": parts, "edges": [edge]}
    >>> str(host_of_infragraph({"devices": [host]}).complete(None, "50GB/s"))
    'Host(1;none;1@50GB/s)'
    """
    devices = {str(row.get("name")): row for row in object_list(document, "devices")}
    name, device = _only_host(document, devices)
    gpus, ports = device.of_kind("xpu"), device.of_kind("port") or device.of_kind("nic")
    if not ports:
        raise InvalidInput(f"{name}: no component of choice port or nic")
    inner, told = _inner(device, gpus)
    return PartialHost(
        accelerators=len(gpus),
        owners=_owners(device, gpus, ports),
        inner=inner,
        inner_told=told,
        port_rate=_of_links_out(document, name, _rate),
        port_latency=_of_links_out(document, name, _latency),
    )


def _only_host(document: Row, devices: dict[str, Row]) -> tuple[str, ExpandedDevice]:
    used = {str(row.get("device")) for row in object_list(document, "instances")}
    for one in used - set(devices):
        raise InvalidInput(f"instances: {excerpt(one)} is none of the devices")
    found = {name: expand_device(devices, name) for name in devices if name in used or not used}
    hosts = {name: device for name, device in found.items() if device.of_kind("xpu")}
    if len(hosts) != 1:
        told = "no device with a component of choice xpu" if not hosts else "several: "
        raise InvalidInput(f"devices: {told}{', '.join(map(excerpt, hosts))}")
    return hosts.popitem()


def _inner(device: ExpandedDevice, gpus: list[str]) -> tuple[InnerFabric | None, bool]:
    """What joins accelerators, and whether its rate is told."""
    ways = []
    for name in dict.fromkeys(str(link.get("name")) for _, _, link in device.edges):
        edges = [edge for edge in device.edges if str(edge[2].get("name")) == name]
        fabric = _own_links(edges, gpus) or _common_switches(device, edges, gpus)
        if fabric is not None:
            rate = _rate(edges[0][2])
            ways.append((rate or Fraction(0), _latency(edges[0][2]), fabric))
    if not ways:
        return None, False
    rate, latency, (kind, count, links) = max(ways, key=lambda way: way[0] * way[2][1])
    whole = InnerFabric(
        kind=kind, rate=rate * count if rate else Fraction(1), latency=latency, links=links
    )
    return whole, bool(rate)


Way = tuple[InnerKind, int, tuple[tuple[int, int, int], ...]]


def _own_links(edges: list[tuple[str, str, Row]], gpus: list[str]) -> Way | None:
    """Links between accelerators, if they join all."""
    number = {gpu: i for i, gpu in enumerate(gpus)}
    pairs = Counter(
        tuple(sorted((number[u], number[v]))) for u, v, _ in edges if u in number and v in number
    )
    graph = nx.Graph(list(pairs))
    graph.add_nodes_from(number.values())
    if len(gpus) < 2 or not nx.is_connected(graph):
        return None
    return InnerKind.LINKS, 1, tuple((u, v, c) for (u, v), c in sorted(pairs.items()))


def _common_switches(
    device: ExpandedDevice, edges: list[tuple[str, str, Row]], gpus: list[str]
) -> Way | None:
    """Switches that all accelerators have in common, equally many edges to them each."""
    to: dict[str, Counter[str]] = {gpu: Counter() for gpu in gpus}
    for u, v, _ in edges:
        for gpu, switch in ((u, v), (v, u)):
            if gpu in to and device.kinds.get(switch) == "switch":
                to[gpu][switch] += 1
    first = to[gpus[0]]
    if len(gpus) < 2 or not first or any(one != first for one in to.values()):
        return None
    return InnerKind.SWITCH, first.total(), ()


def _owners(device: ExpandedDevice, gpus: list[str], ports: list[str]) -> tuple[int, ...]:
    graph = nx.Graph([(u, v) for u, v, _ in device.edges])
    graph.add_nodes_from(device.kinds)
    away = [nx.single_source_shortest_path_length(graph, gpu) for gpu in gpus]
    far = len(device.kinds)
    return nearest_owners([[-lengths.get(port, far) for lengths in away] for port in ports])


def _of_links_out(
    document: Row, device: str, value: Callable[[Row], Fraction | None]
) -> Fraction | None:
    """A value of the links that lead out of a device; None if none tells it."""
    instances = {
        str(row.get("name"))
        for row in object_list(document, "instances")
        if row.get("device") == device
    }
    links = {str(row.get("name")): row for row in object_list(document, "links")}
    found = set()
    for edge in object_list(document, "edges"):
        ends = [edge.get(end) for end in ("ep1", "ep2")]
        names = {
            str(end.get("instance")).partition("[")[0] for end in ends if isinstance(end, dict)
        }
        if names & instances:
            found.add(value(links.get(str(edge.get("link")), {})))
    found.discard(None)
    if len(found) > 1:
        raise InvalidInput(f"links: unlike ones lead out of {excerpt(device)}; one kind is needed")
    return found.pop() if found else None


def _rate(link: Row) -> Fraction | None:
    """Bytes a second of a link, if it tells them."""
    return _physical(link, "bandwidth", RATES)


def _latency(link: Row) -> Fraction | None:
    """Seconds of a link, if it tells them."""
    return _physical(link, "latency", LATENCIES)


def _physical(link: Row, property_name: str, units: dict[str, Fraction]) -> Fraction | None:
    row = link
    for name in ("physical", property_name):
        row = row.get(name) or {}
        if not isinstance(row, dict):
            raise InvalidInput(f"links: {name}: an object is needed, not {excerpt(row)}")
    unit = row.get("choice")
    if unit not in units:
        return None
    value = row.get(unit)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 1e12:
        raise InvalidInput(f"links: {unit}: a number above 0 is needed, not {excerpt(value)}")
    return Fraction(str(value)) * units[unit]
