"""Which swaps the constraints allow, in the form that the kernels read."""

from typing import Any, NamedTuple

import numpy as np

from generators.topology import BoolArray, Int64Array
from topofinder.kernels import inner
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints


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


NOTHING = -1
"""What a padding node needs, and all that a host has that may not play."""


def placement_rules(target: Circuits, hosts: int, constraints: Constraints) -> PlacementRules:
    """The rules for a target padded with nodes that need nothing up to the number of hosts.

    A host has room for as many circuits as it has ports. One that is not allowed takes padding
    nodes only, though a node of the target may need no port either.
    """
    need = np.full((hosts, 2), NOTHING, dtype=np.int64)
    need[: target.n] = np.stack([target.sends, target.receives], axis=1)
    fixed = np.zeros(hosts, dtype=np.bool_)
    room = np.full((hosts, 2), max(1, int(need.max())), dtype=np.int64)
    if constraints.ports is not None and constraints.receivers is not None:
        sides = constraints.ports, constraints.receivers
        room = np.stack([side.sum(axis=1, dtype=np.int64) for side in sides], axis=1)
    if constraints.allowed is not None:
        room[~constraints.allowed] = NOTHING
    if constraints.fixed is not None:
        fixed[: target.n] = constraints.fixed >= 0
    return PlacementRules(fixed, need, room)


@inner
def may_sit(rules: Any, v: int, h: int) -> bool:
    """Whether host h has the fibres that node v needs, for kernels."""
    return bool(rules.need[v, 0] <= rules.room[h, 0] and rules.need[v, 1] <= rules.room[h, 1])
