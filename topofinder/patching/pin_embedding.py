"""A few circuits between hosts laid onto arcs of a target: a small subgraph isomorphism."""

from collections import Counter

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.patching.circuits import Circuits

MOST_TRIES = 200_000
"""Nodes tried before the search gives up."""


def embed_pins(
    pins: list[tuple[int, int]],
    target: Circuits,
    ports: Int64Array,
    fixed: IntArray | None = None,
) -> IntArray | None:
    """`fixed[v]`: the host of node v, or -1, so that each pair of hosts has a circuit of its own.

    Hosts that `fixed` places already stay there; host h plays no node that needs more than its
    `ports[:, h]`, which send and hear; shape (2, hosts). None where there is no such placement,
    or none was found in MOST_TRIES steps.

    >>> ring = Circuits(n=4, duplex=True, tail=np.arange(4), head=(np.arange(4) + 1) % 4)
    >>> embed_pins([(7, 3), (3, 5)], ring, np.full((2, 8), 2)).tolist()
    [7, 3, 5, -1]
    """
    search = _Search(pins, target, ports)
    nodes = [-1] * target.n if fixed is None else fixed.tolist()
    node_of = {host: node for node, host in enumerate(nodes) if host >= 0}
    if not search.extend(node_of, 0):
        return None
    answer = np.full(target.n, -1, dtype=np.int32)
    for host, node in node_of.items():
        answer[node] = host
    return answer


class _Search:
    """Hosts in an order in which each, where possible, is tied to one before it."""

    def __init__(self, pins: list[tuple[int, int]], target: Circuits, ports: Int64Array) -> None:
        both = [1, -1] if target.duplex else [1]
        ties = [(u, v)[::way] for u, v in pins for way in both]
        arcs = list(zip(target.tail.tolist(), target.head.tolist(), strict=True))
        self.ports = ports
        self.degree = np.stack([target.sends, target.receives])
        self.need = Counter(ties)
        self.have = Counter(arc[::way] for arc in arcs for way in both)
        self.near: list[set[int]] = [set() for _ in range(target.n)]
        for u, v in arcs:
            self.near[u].add(v)
            self.near[v].add(u)
        self.tied: dict[int, set[int]] = {}
        for u, v in pins:
            self.tied.setdefault(u, set()).add(v)
            self.tied.setdefault(v, set()).add(u)
        self.order = self._connected_order()
        self.left = MOST_TRIES

    def _connected_order(self) -> list[int]:
        order: list[int] = []
        for host in self.tied:
            waiting = [host]
            while waiting:
                first = waiting.pop()
                if first not in order:
                    order.append(first)
                    waiting += sorted(self.tied[first], reverse=True)
        return order

    def extend(self, node_of: dict[int, int], depth: int) -> bool:
        """Place the hosts from `depth` on; `node_of` is filled in place."""
        if depth == len(self.order):
            return self._fits(node_of)
        host = self.order[depth]
        if host in node_of:
            return self.extend(node_of, depth + 1)
        before = [node_of[other] for other in self.tied[host] if other in node_of]
        choices = (
            set(range(len(self.near)))
            if not before
            else set.intersection(*(self.near[node] for node in before))
        )
        for node in sorted(choices - set(node_of.values())):
            if (self.degree[:, node] > self.ports[:, host]).any():
                continue
            self.left -= 1
            if self.left < 0:
                return False
            node_of[host] = node
            if self._fits(node_of) and self.extend(node_of, depth + 1):
                return True
            del node_of[host]
        return False

    def _fits(self, node_of: dict[int, int]) -> bool:
        """Whether the target has enough arcs between all hosts that are placed."""
        return all(
            self.have[node_of[u], node_of[v]] >= count
            for (u, v), count in self.need.items()
            if u in node_of and v in node_of
        )
