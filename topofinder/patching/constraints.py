"""The nouns Constraints and PlacementRules: what an assignment of nodes to hosts must respect."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from generators.errors import InvalidInput
from generators.topology import BoolArray, Int64Array, IntArray
from topofinder.patching.circuits import Circuits, checked_integers

NO_PORTS = -1
"""What a padding node needs, and all that a host has that may not play."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Constraints:
    """What is fixed, allowed and wired; None says nothing, and the default allows everything.

    `fixed[v]` is the host that must play node v, or -1; shape (nodes,). `allowed[h]` says whether
    host h may play a node; shape (hosts,). `ports[h, p]` is the number of usable ports of host h
    that are wired to panel p (dead, held and pinned ones not counted); shape (hosts, panels). A
    duplex circuit uses one port at each end, on one panel; a simplex circuit the sending fibre of
    one port and the receiving fibre of another. Where one fibre of a port may be usable and the
    other not, `ports` counts sending fibres and `receivers`, of the same shape, receiving ones;
    it is set to `ports` where it is left out.

    Raises InvalidInput when shapes are wrong, a host is fixed to two nodes, or ports are negative,
    and for receivers without ports.

    >>> Constraints(fixed=np.array([-1, 0, 2])).fixed.tolist()
    [-1, 0, 2]
    """

    fixed: IntArray | None = None
    allowed: BoolArray | None = None
    ports: IntArray | None = None
    receivers: IntArray | None = None

    def __post_init__(self) -> None:
        if self.fixed is not None:
            object.__setattr__(self, "fixed", checked_integers("fixed", self.fixed, -1, 1 << 20))
            hosts, uses = np.unique(self.fixed[self.fixed >= 0], return_counts=True)
            if (uses > 1).any():
                raise InvalidInput(f"fixed: host {hosts[uses > 1][0]} is fixed to two nodes")
        if self.allowed is not None:
            allowed = np.array(self.allowed, dtype=np.bool_)
            allowed.setflags(write=False)
            object.__setattr__(self, "allowed", allowed)
        if self.ports is not None:
            self._set_ports("ports", np.array(self.ports))
        if self.receivers is None:
            object.__setattr__(self, "receivers", self.ports)
            return
        self._set_ports("receivers", np.array(self.receivers))
        if self.ports is None or self.ports.shape != self.receivers.shape:
            raise InvalidInput("receivers: ports of the same hosts and panels are needed")

    def _set_ports(self, name: str, ports: Int64Array) -> None:
        if ports.ndim != 2 or ports.dtype.kind not in "iu" or not ports.shape[1]:
            raise InvalidInput(f"{name}: counts of shape (hosts, panels), not {ports.shape}")
        if ports.size and ports.min() < 0:
            raise InvalidInput(f"{name}: a host has {ports.min()} ports on a panel")
        ports = ports.astype(np.int32)
        ports.setflags(write=False)
        object.__setattr__(self, name, ports)

    @property
    def panels(self) -> int:
        """Number of panels."""
        return 1 if self.ports is None else self.ports.shape[1]


class PlacementRules(NamedTuple):
    """`fixed[v]` (n,): node v stays where it is; what nodes need of hosts, and hosts have.

    `need[v]` and `room[h]`, shapes (n, 2), count fibres that send and fibres that hear; in duplex
    both are the ports. Node v may sit on host h if it needs no more of either.
    """

    fixed: BoolArray
    need: Int64Array
    room: Int64Array

    def allows(self, node: Any, host: Any) -> bool:
        """Whether a node may sit on a host, or each of some nodes on its own."""
        return bool((self.need[node] <= self.room[host]).all())


def placement_rules(target: Circuits, hosts: int, constraints: Constraints) -> PlacementRules:
    """The rules for a target padded with nodes that need nothing up to the number of hosts.

    A host has room for as many circuits as it has ports. One that is not allowed takes padding
    nodes only, though a node of the target may need no port either.
    """
    need = np.full((hosts, 2), NO_PORTS, dtype=np.int64)
    need[: target.n] = np.stack([target.sends, target.receives], axis=1)
    fixed = np.zeros(hosts, dtype=np.bool_)
    room = np.full((hosts, 2), max(1, int(need.max())), dtype=np.int64)
    if constraints.ports is not None and constraints.receivers is not None:
        sides = constraints.ports, constraints.receivers
        room = np.stack([side.sum(axis=1, dtype=np.int64) for side in sides], axis=1)
    if constraints.allowed is not None:
        room[~constraints.allowed] = NO_PORTS
    if constraints.fixed is not None:
        fixed[: target.n] = constraints.fixed >= 0
    return PlacementRules(fixed, need, room)
