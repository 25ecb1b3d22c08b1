"""A fabric of hosts as an InfraGraph, in JSON.

Each size of host is a device: `xpu`, a `port` that its owner is joined to, and `inner` links or an
inner `switch`. Every circuit is an edge of the infrastructure, one way from `ep1` to `ep2`.

Source: github.com/Keysight/infragraph, schema of version 3.1 (PyPI `infragraph`).
"""

import json
from fractions import Fraction
from typing import Any

import numpy as np

from expansions.hosts import HostFabric, host_wiring
from generators.hosts.template import GIGABYTE, MICROSECOND, HostTemplate, InnerKind

Row = dict[str, Any]


def infragraph_text(fabric: HostFabric) -> str:
    """The document, which `infragraph` and `read_host_file` read.

    >>> from expansions.hosts import parse_host_fabric
    >>> document = json.loads(infragraph_text(parse_host_fabric("HostA100[K(8,8)]")))
    >>> document["instances"], len(document["edges"])
    ([{'name': 'host8', 'device': 'Host8', 'count': 16}], 128)
    """
    sizes = fabric.host_sizes
    template = fabric.template
    document = {
        "name": "fabric of hosts",
        "description": str(fabric),
        "devices": [_device(g, host) for g, host in fabric.each_size.items()],
        "links": [_link("circuit", "one way, from ep1 to ep2", template.rate, template.latency)],
        "instances": [
            {"name": f"host{g}", "device": f"Host{g}", "count": sizes.count(g)}
            for g in fabric.each_size
        ],
        "edges": _circuits(fabric),
    }
    return json.dumps(document, indent=1) + "\n"


def _device(g: int, host: HostTemplate) -> Row:
    inner = host.inner
    components = [_component("xpu", g), _component("port", host.ports)]
    edges = [_edge(f"xpu[{owner}]", f"port[{c}]", "port") for c, owner in enumerate(host.owners)]
    links: list[Row] = [{"name": "port", "description": "of an accelerator"}]
    if inner.kind is InnerKind.SWITCH:
        components.append(_component("switch", 1))
        edges.append(_edge("xpu", "switch[0]", "inner", "many2many"))
    for u, v, count in inner.pairs(g):
        edges += [_edge(f"xpu[{u}]", f"xpu[{v}]", "inner")] * count
    if inner.kind is not InnerKind.NONE:
        links.append(_link("inner", f"inside, {inner.kind.value}", inner.rate, inner.latency))
    return {"name": f"Host{g}", "description": str(host), "components": components,
            "links": links, "edges": edges}  # fmt: skip


def _circuits(fabric: HostFabric) -> list[Row]:
    """The circuits, in the order of the arcs of the graph."""
    wiring, sizes = host_wiring(fabric), np.array(fabric.host_sizes)
    number = np.zeros(len(sizes), dtype=np.int64)
    for g in fabric.each_size:
        number[sizes == g] = np.arange((sizes == g).sum())
    ends = []
    for node, port in ((wiring.graph.tail, wiring.rail), (wiring.graph.head, wiring.rail_into)):
        host = wiring.node_host[node].tolist()
        ends.append([
            {"instance": f"host{sizes[h]}[{number[h]}]", "component": f"port[{c}]"}
            for h, c in zip(host, port.tolist(), strict=True)
        ])  # fmt: skip
    return [
        {"ep1": one, "ep2": other, "scheme": "one2one", "link": "circuit"}
        for one, other in zip(*ends, strict=True)
    ]


def _component(kind: str, count: int) -> Row:
    return {"name": kind, "choice": kind, "count": count}


def _edge(one: str, other: str, link: str, scheme: str = "one2one") -> Row:
    ends = {"ep1": {"component": one}, "ep2": {"component": other}}
    return {**ends, "scheme": scheme, "link": link}


def _link(name: str, told: str, rate: Fraction, latency: Fraction | None) -> Row:
    unit = "gigabytes_per_second"
    physical: Row = {"bandwidth": {"choice": unit, unit: float(rate / GIGABYTE)}}
    if latency is not None:
        physical["latency"] = {"choice": "us", "us": float(latency / MICROSECOND)}
    return {"name": name, "description": told, "physical": physical}
