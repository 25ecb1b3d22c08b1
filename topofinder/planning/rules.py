"""Which swaps the constraints allow, in the form that the kernels read."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topofinder.planning.circuits import Circuits
from topofinder.planning.constraints import Constraints


class Rules(NamedTuple):
    """`fixed[v]` (n,): node v stays where it is; node v may sit on host h if need[v] <= room[h]."""

    fixed: NDArray[np.bool_]
    need: NDArray[np.int64]
    room: NDArray[np.int64]


def rules(target: Circuits, hosts: int, constraints: Constraints) -> Rules:
    """The rules for a target padded with nodes that need nothing up to the number of hosts.

    A host has room for as many circuits as it has ports, and a host that is not allowed for none.
    """
    need = np.zeros(hosts, dtype=np.int64)
    need[: target.n] = np.maximum(target.sends, target.receives)
    fixed = np.zeros(hosts, dtype=np.bool_)
    room = np.full(hosts, max(1, int(need.max())), dtype=np.int64)
    if constraints.ports is not None:
        room = constraints.ports.sum(axis=1).astype(np.int64)
    if constraints.allowed is not None:
        room[~constraints.allowed] = 0
    if constraints.fixed is not None:
        fixed[: target.n] = constraints.fixed >= 0
    return Rules(fixed, need, room)
