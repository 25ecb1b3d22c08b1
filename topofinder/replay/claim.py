"""What a plan says of its end, and whether the fibres bear it out."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from generators.topology import Topology
from topofinder.inventory.fabric import Fabric
from topofinder.inventory.model import State

Fibres = dict[int, int]
"""The receiver, by port, that each transmitter in use reaches."""

Pairs = Counter[tuple[int, int]]

_ALIVE = {State.LIVE, State.PINNED}
_HALF = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Claim:
    """Host `host[v]` plays node v of a topology, all of whose circuits but `missing` are there."""

    topology: Topology
    host: tuple[int, ...]
    duplex: bool
    missing: tuple[tuple[int, int], ...] = ()


def parts(fabric: Fabric, fibres: Fibres, claim: Claim) -> int:
    """Strongly connected components of the hosts that play nodes, over fibres between good ports.

    >>> from topofinder.inventory.example import inventory_for
    >>> from topofinder.inventory.fabric import fabric_of
    >>> fabric = fabric_of(inventory_for(hosts=2, ports=1))
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> claim = Claim(topology=pair, host=(0, 1), duplex=True)
    >>> parts(fabric, {0: 1, 1: 0}, claim), parts(fabric, {0: 1}, claim)
    (1, 2)
    """
    n = claim.topology.n
    node = _nodes(fabric, claim)
    good = np.array([state in _ALIVE for state in fabric.states])
    ends = np.array(list(fibres.items()), dtype=np.int64).reshape(-1, 2)
    tail, head = node[ends[good[ends].all(axis=1)]].T
    inside = (tail >= 0) & (head >= 0)
    ones = np.ones(int(inside.sum()), dtype=np.int8)
    graph = coo_matrix((ones, (tail[inside], head[inside])), shape=(n, n)).tocsr()
    return int(connected_components(graph, directed=True, connection="strong")[0])


def difference(fabric: Fabric, fibres: Fibres, claim: Claim) -> str | None:
    """A line on the first arc of which there are too few or too many; None if there is none.

    Arcs over a pinned port may be more than the target asks for: they could not be taken out.
    """
    if len(set(claim.host)) < len(claim.host) or len(claim.host) != claim.topology.n:
        return "a host plays two nodes, or a node has no host"
    wanted, (moved, pinned) = _wanted(claim), _there(fabric, fibres, claim)
    for u, v in sorted(set(wanted) | set(moved)):
        if not moved[u, v] <= wanted[u, v] <= moved[u, v] + pinned[u, v]:
            names = [fabric.hosts[claim.host[node]] for node in (u, v)]
            return _line((u, v), names, moved[u, v] + pinned[u, v], wanted[u, v])
    return None


def _line(nodes: tuple[int, int], names: list[str], there: int, wanted: int) -> str:
    where = f"from {names[0]} to {names[1]}"
    if there >= _HALF:
        return f"at the end a fibre leads {where}, and none back"
    target = f"nodes {nodes[0]} and {nodes[1]} of the target have {wanted}"
    return f"at the end {there} arcs lead {where}, where {target}"


def _nodes(fabric: Fabric, claim: Claim) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """The node that the host of each port plays, or -1."""
    player = np.full(len(fabric.hosts), -1, dtype=np.int64)
    player[list(claim.host)] = np.arange(len(claim.host))
    return player[fabric.host]


def _wanted(claim: Claim) -> Pairs:
    pairs = zip(claim.topology.tail.tolist(), claim.topology.head.tolist(), strict=True)
    wanted = Counter((u, v) for u, v in pairs if u != v)
    for u, v in claim.missing:
        wanted.subtract([(u, v), (v, u)] if claim.duplex else [(u, v)])
    return wanted


def _there(fabric: Fabric, fibres: Fibres, claim: Claim) -> tuple[Pairs, Pairs]:
    """Arcs between players over live ports, and those with a pinned end."""
    node = _nodes(fabric, claim).tolist()
    moved: Pairs = Counter()
    pinned: Pairs = Counter()
    for sender, receiver in fibres.items():
        states = {fabric.states[sender], fabric.states[receiver]}
        u, v = node[sender], node[receiver]
        if u < 0 or v < 0 or u == v or not states <= _ALIVE:
            continue
        whole = not claim.duplex or fibres.get(receiver) == sender
        if State.PINNED in states:
            pinned[u, v] += whole
        else:
            # In a duplex fabric half a circuit is of no use, and must not be left.
            moved[u, v] += 1 if whole else _HALF
    return moved, pinned
