"""The routes that an edge of a tree may take: links, and shortest ways through switches alone."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import Unsupported
from generators.topology import Int64Array
from topofinder.forests.optimality.network import Network

MAX_ROUTES = 1 << 14
Way = tuple[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EdgeRoutes:
    """Route r leads from host `tail[r]` to host `head[r]` over `arc[start[r]:start[r + 1]]`.

    Hosts are places in `network.compute`, arcs those of the network. `reverse[r]` is a route back
    over as many arcs, -1 where there is none. `into` = (start, route): the routes into every host.
    All int64.
    """

    hosts: int
    tail: Int64Array
    head: Int64Array
    start: Int64Array
    arc: Int64Array
    reverse: Int64Array
    into: tuple[Int64Array, Int64Array]

    @classmethod
    def of(cls, network: Network) -> "EdgeRoutes":
        """All such routes of a network. Raises Unsupported for more than MAX_ROUTES.

        >>> from generators.fabrics.mi250 import mi250
        >>> routes = EdgeRoutes.of(Network.of(mi250(2)))
        >>> len(routes.tail), np.diff(routes.start).max()
        (1104, np.int64(2))
        """
        place = {node: at for at, node in enumerate(network.compute.tolist())}
        found: list[tuple[int, int, tuple[int, ...]]] = []
        for node, at in place.items():
            for other, arcs in _ways(network, node, place):
                found.append((at, place[other], arcs))
                if len(found) > MAX_ROUTES:
                    raise Unsupported(f"few trees: more than {MAX_ROUTES} routes between hosts")
        back = {(u, v, len(arcs)): r for r, (u, v, arcs) in enumerate(found)}
        head = np.array([v for _, v, _ in found], np.int64)
        return cls(
            hosts=len(place),
            tail=np.array([u for u, _, _ in found], np.int64),
            head=head,
            start=np.cumsum([0, *(len(arcs) for _, _, arcs in found)], dtype=np.int64),
            arc=np.array([e for _, _, arcs in found for e in arcs], np.int64),
            reverse=np.array([back.get((v, u, len(arcs)), -1) for u, v, arcs in found], np.int64),
            into=csr_by_node(head, len(place)),
        )

    @property
    def columns(self) -> tuple[Int64Array, Int64Array, Int64Array, Int64Array, Int64Array]:
        """What the kernels take."""
        return self.tail, self.head, self.start, self.arc, self.reverse


def _ways(network: Network, node: int, place: dict[int, int]) -> Iterator[Way]:
    """Every other host with arcs that lead to it from `node` through switches alone.

    No switch is entered later than it can be.
    """
    start, arc = csr_by_node(network.tail, network.n)
    level = {node: 0}
    ends: list[Way] = [(node, ())]
    while ends:
        onward: list[Way] = []
        for here, arcs in ends:
            for e in arc[start[here] : start[here + 1]].tolist():
                there = int(network.head[e])
                if there in place:
                    if there != node:
                        yield there, (*arcs, e)
                elif level.setdefault(there, len(arcs) + 1) == len(arcs) + 1:
                    onward.append((there, (*arcs, e)))
        ends = onward
