"""Whether hosts have the ports that a target needs, and which of them falls short."""

import numpy as np

from generators.errors import InvalidInput
from generators.topology import BoolArray, Int64Array, IntArray
from topofinder.patching.circuits import Circuits
from topofinder.patching.existing_circuits import ExistingCircuits
from topofinder.patching.placement.problem import TooFewPorts


def place_with_room(
    place: ExistingCircuits, target: Circuits, allowed: BoolArray, fixed: IntArray | None
) -> ExistingCircuits:
    """What is in place with ports for all of the target to search for a placement in.

    Where there are so many only with those that must not be joined on their panel, it is with
    these: what cannot be made is left out after that. Raises TooFewPorts where there are not.
    """
    free = place
    try:
        require_ports_of(place, target, fixed)
        require_room(place, target, place.room(range(place.pinned)), allowed)
    except InvalidInput:
        if not place.barred.any():
            raise
        free = place.unbarred
        require_ports_of(free, target, fixed)
        require_room(free, target, free.room(range(free.pinned)), allowed)
    return free


def require_ports_of(place: ExistingCircuits, target: Circuits, fixed: IntArray | None) -> None:
    """Name the first host that is to play a node for which it has too few ports."""
    if fixed is None:
        return
    fabric, ports = place.fabric, place.room(range(place.pinned)).sum(axis=2)
    for node in np.flatnonzero(fixed >= 0).tolist():
        host = int(fixed[node])
        for side, uses in enumerate((target.sends, target.receives)):
            if ports[side, host] < uses[node]:
                raise InvalidInput(
                    f"--pin: {fabric.where(host)}: {fabric.hosts[host]} has "
                    f"{_ports(ports, side, host)}, fewer than the {uses[node]} of node {node}"
                )


def require_room(
    place: ExistingCircuits, target: Circuits, room: Int64Array, allowed: BoolArray
) -> None:
    """Name the first host, with its place in the inventory, that has too few ports."""
    if target.n > int(allowed.sum()):
        raise TooFewPorts(
            f"{place.fabric.source.at('hosts')}: the target has {target.n} nodes, but only "
            f"{int(allowed.sum())} hosts may play; see --degraded"
        )
    each = room.sum(axis=2)
    for side, uses in enumerate((target.sends, target.receives)):
        need, ports = -np.sort(-uses), np.where(allowed, each[side], -1)
        best = np.argsort(-ports, kind="stable")[: target.n]
        short = np.flatnonzero(ports[best] < need)
        if short.size:
            host, wants = int(best[short[0]]), int(need[short[0]])
            fabric = place.fabric
            raise TooFewPorts(
                f"{fabric.where(host)}: {fabric.hosts[host]} has {_ports(each, side, host)}, "
                f"fewer than {wants}; see --degraded"
            )


def _ports(each: Int64Array, side: int, host: int) -> str:
    """How many ports a host has; in simplex, where they are not alike, how many of a side."""
    kind = "" if each[0, host] == each[1, host] else ("transmitters of ", "receivers of ")[side]
    return f"{each[side, host]} {kind}usable ports"
