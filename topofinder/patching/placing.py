"""Who plays which node, on which panels, by the engine; circuits that must stay are respected.

A pinned circuit stays whatever comes. It counts for the target where the placement has an arc
between its hosts: first the placement is free, and it is enough if every pinned circuit is of
use; then nodes are fixed so that each falls on an arc; if that is impossible too, pinned ports
are left out, and pinned circuits remain beside the target.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from generators.errors import InvalidInput
from generators.topology import IntArray
from topofinder.patching.embedding import embedded
from topofinder.patching.standing import Standing
from topofinder.planning.assign import assign
from topofinder.planning.assignment import Assignment
from topofinder.planning.circuits import Circuits
from topofinder.planning.constraints import Constraints


class TooFewPorts(InvalidInput):
    """Too few hosts have the ports that a target needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a user asks of a placement: nodes fixed to hosts, a placement to begin with, effort.

    `fixed[v]` is a host or -1, `start[v]` a host; shapes (nodes,). `time` is in seconds.
    """

    fixed: IntArray | None = None
    start: IntArray | None = None
    seed: int = 0
    time: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placed:
    """An assignment, and `stays[i]`: the circuit in place that realises circuit i, or -1."""

    assignment: Assignment
    stays: NDArray[np.int64]


def placed(place: Standing, target: Circuits, allowed: NDArray[np.bool_], wish: Wish) -> Placed:
    """The best placement found of the target on the hosts that are allowed.

    Raises TooFewPorts where too few hosts have the ports that the target needs.
    """
    found = _placed(place, target, allowed, wish, pinned=True)
    if not place.pinned or _pinned_kept(place, found):
        return found
    fixed = _fixed_by_pins(place, target, wish.fixed)
    bound = found.assignment.bound
    if fixed is not None:
        found = _placed(place, target, allowed, replace(wish, fixed=fixed, start=None), pinned=True)
        if _pinned_kept(place, found):
            # The bound of the free placement holds for this one, which allows less.
            return replace(found, assignment=replace(found.assignment, bound=bound))
    _require_room(place, target, place.free_room, allowed)
    return _placed(place, target, allowed, wish, pinned=False)


def _placed(
    place: Standing, target: Circuits, allowed: NDArray[np.bool_], wish: Wish, *, pinned: bool
) -> Placed:
    room = place.room if pinned else place.free_room
    _require_room(place, target, room, allowed)
    there, which = place.engine_circuits
    if not pinned:
        kept = which >= place.pinned
        panel = there.panel if there.panel is None else there.panel[kept]
        there = replace(there, tail=there.tail[kept], head=there.head[kept], panel=panel)
        which = which[kept]
    found = assign(
        there,
        target,
        constraints=Constraints(fixed=wish.fixed, allowed=allowed, ports=room.astype(np.int32)),
        seed=wish.seed,
        time=wish.time,
        start=wish.start,
    )
    stays = np.full(target.count, -1, dtype=np.int64)
    stays[found.kept >= 0] = which[found.kept[found.kept >= 0]]
    return Placed(assignment=found, stays=stays)


def _pinned_kept(place: Standing, found: Placed) -> bool:
    return set(range(place.pinned)) <= set(found.stays.tolist())


def _fixed_by_pins(place: Standing, target: Circuits, fixed: IntArray | None) -> IntArray | None:
    """Nodes for the hosts of pinned circuits such that each is an arc of the target."""
    host = place.fabric.host
    pins = [(int(host[c.a]), int(host[c.b])) for c in place.circuits[: place.pinned]]
    return embedded(pins, target, fixed)


def _require_room(
    place: Standing, target: Circuits, room: NDArray[np.int64], allowed: NDArray[np.bool_]
) -> None:
    """Name the first host, with its place in the inventory, that has too few ports."""
    need = -np.sort(-np.maximum(target.sends, target.receives))
    ports = np.where(allowed, room.sum(axis=1), -1)
    if target.n > int(allowed.sum()):
        raise TooFewPorts(
            f"hosts: the target has {target.n} nodes, but only {int(allowed.sum())} hosts may play"
        )
    best = np.argsort(-ports, kind="stable")[: target.n]
    short = np.flatnonzero(ports[best] < need)
    if short.size:
        host, wants = int(best[short[0]]), int(need[short[0]])
        fabric = place.fabric
        raise TooFewPorts(
            f"{fabric.where(host)}: {fabric.hosts[host]} has {ports[host]} usable ports, "
            f"fewer than {wants}; see --degraded"
        )
