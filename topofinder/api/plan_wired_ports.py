"""The kinds of port that circuits in place end at, and those of hosts that join, for edits."""

from dataclasses import replace

import numpy as np

from generators.topology import BoolArray, Int64Array, IntArray
from topofinder.discovery.grafts.near_ports import LinkPorts
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.patching.existing_circuits import existing_circuits


def wired_ports(
    fabric: PortMap, wiring: Wiring, joining: Int64Array, *, duplex: bool, allowed: BoolArray
) -> tuple[LinkPorts, Int64Array]:
    """The ports of the links of `wired_topology` and of hosts that are `joining`; their order.

    Those come first that can be put on whole circuits. A panel has two kinds: in simplex its
    senders and receivers, with circulators its sides; else one is unused.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> fabric = port_map(inventory_for(hosts=3, ports=2, panels=2))
    >>> pairs = Wiring(to=np.array([2, 3, 0, 1, -1, -1]))
    >>> found, _ = wired_ports(fabric, pairs, np.array([2]), duplex=True, allowed=np.ones(3, bool))
    >>> found.kind.tolist(), found.mate.tolist(), found.ports.tolist()
    ([0, 2], [0, 1, 2, 3], [[1, 0, 1, 0]])
    """
    place = existing_circuits(fabric, wiring, duplex=duplex, allowed=allowed)
    circuits, which = place.engine_circuits
    ends = np.array([place.circuits[i][:2] for i in which.tolist()]).reshape(-1, 2).T
    ends = ends[:, circuits.tail != circuits.head]
    if duplex:
        ends = np.take_along_axis(ends, np.argsort(fabric.host[ends], axis=0), axis=0)
    tail, head = fabric.host[ends].astype(np.int64)
    ends = ends[:, np.lexsort((head, tail))]
    kinds = _port_kinds(fabric, duplex=duplex)
    mate = np.arange(2 * len(fabric.panels), dtype=np.int32)
    sides = np.array(fabric.forbidden.sides or [""] * fabric.ports)
    unlike = np.isin(mate // 2, fabric.panel if not duplex else fabric.panel[sides != ""])
    ports = np.zeros((len(fabric.hosts), len(mate)), dtype=np.int32)
    for search in (0,) if duplex else (0, 1):
        good = place.usable.all(axis=0) if duplex else place.usable[search]
        np.add.at(ports, (fabric.host[good], kinds[search, good]), 1)
    found = LinkPorts(
        kind=kinds[0, ends[0]], mate=np.where(unlike, mate ^ 1, mate), ports=ports[joining]
    )
    used = 2 * len(found.kind) // len(np.unique(fabric.host[ends]))
    order = np.argsort(~found.make_pairs(used), kind="stable")
    return replace(found, ports=found.ports[order]), joining[order]


def _port_kinds(fabric: PortMap, *, duplex: bool) -> IntArray:
    """The kind of each port where it sends, and where it hears; shape (2, ports)."""
    own = 2 * fabric.panel
    if not duplex:
        return np.stack([own, own + 1])
    if fabric.forbidden.sides:
        own = own + (np.array(fabric.forbidden.sides) == "B")
    return np.stack([own, own])
