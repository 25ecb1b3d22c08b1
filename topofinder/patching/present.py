"""The topology that a wiring in place gives the hosts, whatever it is: it needs no moves."""

import numpy as np

from generators.topology import BoolArray, Topology
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.patching.existing_circuits import existing_circuits

IN_PLACE = "the wiring in place"
"""What it is called beside recipes."""


def wired_topology(
    fabric: PortMap, wiring: Wiring, *, duplex: bool, allowed: BoolArray
) -> Topology | None:
    """Nodes are the hosts with a circuit, of those `allowed` (hosts,), in their order.

    None where there is no circuit. With `duplex` only two-way circuits count.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> fabric = port_map(inventory_for(hosts=3, ports=1))
    >>> pair = Wiring(to=np.array([2, -1, 0]))
    >>> found = wired_topology(fabric, pair, duplex=True, allowed=np.ones(3, bool))
    >>> found.n, found.tail.tolist(), found.head.tolist()
    (2, [0, 1], [1, 0])
    """
    there, _ = existing_circuits(fabric, wiring, duplex=duplex, allowed=allowed).engine_circuits
    ends = np.stack([there.tail, there.head])
    ends = ends[:, ends[0] != ends[1]]
    hosts, nodes = np.unique(ends, return_inverse=True)
    if not len(hosts):
        return None
    tail, head = nodes.reshape(ends.shape).astype(np.int32)
    if duplex:
        tail, head = np.concatenate([tail, head]), np.concatenate([head, tail])
    return Topology(n=len(hosts), tail=tail, head=head)
