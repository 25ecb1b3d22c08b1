"""What the maps of this floor share: which graphs they take, and the order they give arcs.

Every map lists the arcs of its result by tail, and the arcs of one tail in the order of their
parents. That makes the maps associative down to the arc numbers, which are the node numbers of
a line graph: `expansions.canonical` may merge them.
"""

import numpy as np

from generators.errors import InvalidInput
from generators.limits import MAX_ARCS, MAX_NODES
from generators.topology import Int64Array, IntArray, Topology


def require_equal_links(topology: Topology) -> None:
    """Refuse a graph with capacities, latencies or switches: the theorems have none."""
    for name in ("capacity", "latency"):
        if getattr(topology, name) is not None:
            raise InvalidInput(f"{name}: an expansion takes a graph of equal links")
    if topology.switches:
        raise InvalidInput(f"switches: an expansion takes hosts only, not {topology.switches}")


def require_room(nodes: int, arcs: int) -> None:
    """Refuse a result larger than a Topology can be, before any array is made."""
    for name, count, limit in (("nodes", nodes, MAX_NODES), ("arcs", arcs, MAX_ARCS)):
        if count > limit:
            raise InvalidInput(f"{name}: at most {limit}, not {count}")


def places_by_tail(tail: Int64Array) -> Int64Array:
    """Where each arc stands once arcs are sorted by tail, equals in their order; shape of `tail`.

    >>> places_by_tail(np.array([1, 0, 1])).tolist()
    [1, 0, 2]
    """
    places = np.empty(tail.size, dtype=np.int64)
    places[np.argsort(tail, axis=None, kind="stable")] = np.arange(tail.size)
    return places.reshape(tail.shape)


def scatter_values(values: Int64Array, places: Int64Array) -> IntArray:
    """The values, each at its place; shape (values.size,)."""
    out = np.empty(values.size, dtype=np.int32)
    out[places.ravel()] = values.ravel()
    return out


def representatives(topology: Topology) -> Int64Array:
    """Nodes that meet every orbit of the known automorphisms: node 0, the orbits, or all nodes."""
    if topology.translation is not None:
        return np.zeros(1, dtype=np.int64)
    if topology.orbits is not None:
        return topology.orbits.astype(np.int64)
    return np.arange(topology.n)


def as_orbits(nodes: Int64Array, n: int) -> IntArray | None:
    """The representatives as a Topology holds them; None when they say nothing."""
    return nodes.astype(np.int32) if len(nodes) < n else None
