"""Whether trees can exist at all: whoever has to send reaches every compute node."""

from collections.abc import Sequence

import numpy as np

from generators.errors import InvalidInput
from generators.topology import BoolArray, IntArray, Topology


def require_reach(topology: Topology, weight: Sequence[int]) -> None:
    """Refuse a topology on which a node of positive weight cannot reach a compute node.

    Raises InvalidInput naming both nodes.
    """
    senders = np.flatnonzero(np.array(weight) > 0)
    hosts = np.setdiff1d(np.arange(topology.n), topology.switches)
    first = int(senders[0])
    far = hosts[~_reachable(topology.tail, topology.head, topology.n, first)[hosts]]
    if far.size:
        raise _refusal(topology, first, int(far[0]))
    lost = senders[~_reachable(topology.head, topology.tail, topology.n, first)[senders]]
    if lost.size:
        raise _refusal(topology, int(lost[0]), first)


def _reachable(tail: IntArray, head: IntArray, n: int, start: int) -> BoolArray:
    """Which nodes can be reached from one; by layers, each arc looked at a layer."""
    seen = np.zeros(n, dtype=np.bool_)
    seen[start], found = True, 0
    while found != (found := int(seen.sum())):
        seen[head[seen[tail]]] = True
    return seen


def _refusal(topology: Topology, u: int, v: int) -> InvalidInput:
    names = topology.names or tuple(map(str, range(topology.n)))
    return InvalidInput(f"node {names[v]} cannot be reached from node {names[u]}")
