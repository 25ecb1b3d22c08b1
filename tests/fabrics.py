"""Fabrics and wirings for tests."""

from fractions import Fraction

import numpy as np

from expansions.build import build
from expansions.parser import parse
from generators.topology import Topology
from topofinder.model.inventory.document import PanelKind, inventory_for
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.wiring import Wiring

INVENTORY_TEXT = """{
 "panels": [
  {"name": "A", "move_time": "90s", "robots": 2},
  {"name": "B", "kind": "ocs", "ports": 8}
 ],
 "hosts": [
  {"name": "x", "ports": [
   {"panel": "A", "position": 1},
   {"name": "eth1", "panel": "B", "position": 1, "state": "dead"}
  ]},
  {"name": "y", "state": "held", "ports": [
   {"panel": "A", "position": 2},
   {"panel": "B", "position": 2}
  ]}
 ]
}
"""
"""Two hosts of two ports on two panels."""


def fabric_for(
    *, hosts: int, ports: int, panels: int = 1, kind: PanelKind = PanelKind.PATCH_PANEL
) -> PortMap:
    return port_map(inventory_for(hosts=hosts, ports=ports, panels=panels, kind=kind))


def topology(recipe: str) -> Topology:
    return build(parse(recipe))


def wired(fabric: PortMap, graph: Topology, *, duplex: bool, seed: int | None = None) -> Wiring:
    """Node v on host v, or on shuffled hosts; one panel, ports as they come."""
    order = np.arange(len(fabric.hosts))
    if seed is not None:
        order = np.random.default_rng(seed).permutation(order)
    to = np.full(fabric.ports, -1)
    into = np.full(fabric.ports, -1)
    for u, v in zip(graph.tail.tolist(), graph.head.tolist(), strict=True):
        if u == v or (duplex and u > v):
            continue
        both = duplex
        tails = np.flatnonzero((fabric.host == order[u]) & (to < 0) & ((into < 0) | (not both)))
        heads = np.flatnonzero((fabric.host == order[v]) & (into < 0) & ((to < 0) | (not both)))
        a, b = tails[0], heads[0]
        to[a], into[b] = b, a
        if duplex:
            to[b], into[a] = a, b
    return Wiring(to=to)


def random_fabric(seed: int) -> Topology:
    """A connected two-way graph of hosts and switches with links of unequal bandwidth."""
    generator = np.random.default_rng(seed)
    hosts, switches = int(generator.integers(3, 10)), int(generator.integers(0, 4))
    n = hosts + switches
    pairs = [(int(generator.integers(0, v)), v) for v in range(1, n)]
    pairs += [tuple(generator.choice(n, 2, replace=False).tolist()) for _ in range(n)]
    rates = generator.integers(1, 5, len(pairs)).tolist()
    nodes = generator.permutation(n)
    arcs = [(int(nodes[u]), int(nodes[v])) for pair in pairs for u, v in (pair, pair[::-1])]
    return Topology.from_arcs(
        n,
        arcs,
        capacity=[Fraction(rate) for rate in rates for _ in range(2)],
        switches=tuple(nodes[:switches].tolist()),
    )
