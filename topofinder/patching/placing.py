"""Who plays which node, on which panels, by the engine; circuits that must stay are respected.

A pinned circuit stays whatever comes. It counts for the target where the placement has an arc
between its hosts, else it remains beside the target and takes a port away. First the placement is
free, and it is enough if every pinned circuit is of use; then nodes are fixed so that each falls
on an arc; where the ports do not suffice, ports of pinned circuits are left out.
"""

from collections.abc import Sequence
from contextlib import suppress
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

SEARCHES = 3
"""Searches that share the time where circuits are pinned: free, fixed, and without some."""


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
    _require_ports_of(place, target, wish.fixed)
    every = range(place.pinned)
    if place.pinned:
        wish = replace(wish, time=wish.time / SEARCHES)
    free = _placed(place, target, allowed, wish, every)
    if _kept(place, free) == set(every) and _fits(place, target, free):
        return free
    offers = []
    fixed = _fixed_by_pins(place, target, wish.fixed)
    if fixed is not None:
        # The hosts that are left may have too few ports for the other nodes.
        with suppress(InvalidInput):
            bound_to = replace(wish, fixed=fixed, start=None)
            offers.append(_placed(place, target, allowed, bound_to, every))
    offers = [offer for offer in offers if _fits(place, target, offer)]
    try:
        offers.append(_fitting(place, target, allowed, wish, free))
    except TooFewPorts:
        if not offers:
            raise
    # The bound of the free placement, which counts the most ports, holds for all of them.
    bound = free.assignment.bound
    best = min(offers, key=lambda offer: (offer.assignment.unplaced, offer.assignment.moves))
    return replace(best, assignment=replace(best.assignment, bound=bound))


def _fitting(
    place: Standing, target: Circuits, allowed: NDArray[np.bool_], wish: Wish, found: Placed
) -> Placed:
    """A placement for which the ports suffice: pinned circuits of no use are given up in turn."""
    pinned: Sequence[int] = range(place.pinned)
    while not _fits(place, target, found):
        kept = sorted(_kept(place, found))
        pinned = kept if len(kept) < len(pinned) else ()
        found = _placed(place, target, allowed, wish, pinned)
    return found


def _placed(
    place: Standing,
    target: Circuits,
    allowed: NDArray[np.bool_],
    wish: Wish,
    pinned: Sequence[int],
) -> Placed:
    """A placement in which these pinned circuits may stay for the target."""
    room = place.room(pinned)
    _require_room(place, target, room, allowed)
    there, which = place.engine_circuits
    if len(pinned) < place.pinned:
        kept = (which >= place.pinned) | np.isin(which, pinned)
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


def _kept(place: Standing, found: Placed) -> set[int]:
    """The pinned circuits that stay for the target."""
    return {circuit for circuit in found.stays.tolist() if 0 <= circuit < place.pinned}


def _fits(place: Standing, target: Circuits, found: Placed) -> bool:
    """Whether there are ports for all circuits but pinned ones, on both sides.

    A pinned circuit that is of no use takes ports away, and so does the other fibre of a port
    with a pinned simplex circuit.
    """
    answer, room = found.assignment, place.room(())
    own = (answer.panel >= 0) & ((found.stays < 0) | (found.stays >= place.pinned))
    used = np.zeros((2, *room.shape), dtype=np.int64)
    for side, ends in enumerate((target.tail, target.head)):
        np.add.at(used[side], (answer.host[ends[own]], answer.panel[own]), 1)
    most = used.sum(axis=0) if target.duplex else used.max(axis=0)
    return bool((most <= room).all())


def _fixed_by_pins(place: Standing, target: Circuits, fixed: IntArray | None) -> IntArray | None:
    """Nodes for the hosts of pinned circuits such that each is an arc of the target."""
    host = place.fabric.host
    pins = [(int(host[c.a]), int(host[c.b])) for c in place.circuits[: place.pinned]]
    ports = place.room(range(place.pinned)).sum(axis=1)
    return embedded(pins, target, ports, fixed)


def _require_ports_of(place: Standing, target: Circuits, fixed: IntArray | None) -> None:
    """Name the first host that is to play a node for which it has too few ports."""
    if fixed is None:
        return
    need = np.maximum(target.sends, target.receives)
    ports = place.room(range(place.pinned)).sum(axis=1)
    for node in np.flatnonzero((fixed >= 0) & (ports[fixed] < need)).tolist():
        host, fabric = int(fixed[node]), place.fabric
        raise InvalidInput(
            f"--pin: {fabric.where(host)}: {fabric.hosts[host]} has {ports[host]} usable ports, "
            f"fewer than the {need[node]} of node {node}"
        )


def _require_room(
    place: Standing, target: Circuits, room: NDArray[np.int64], allowed: NDArray[np.bool_]
) -> None:
    """Name the first host, with its place in the inventory, that has too few ports."""
    need = -np.sort(-np.maximum(target.sends, target.receives))
    ports = np.where(allowed, room.sum(axis=1), -1)
    if target.n > int(allowed.sum()):
        raise TooFewPorts(
            f"{place.fabric.source.at('hosts')}: the target has {target.n} nodes, but only "
            f"{int(allowed.sum())} hosts may play; see --degraded"
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
