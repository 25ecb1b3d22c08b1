"""Who plays which node where switches have circulators: circuits join ports of A and of B alone.

Where each host has ports on one side, all circuits lead from hosts of A to hosts of B. Which node
is on which side follows from the two colours of the target, but for an exchange in each of its
parts; so oriented, circuits are those of a digraph: tails need senders, heads receivers.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from generators.errors import InvalidInput
from generators.topology import BoolArray, Int64Array, IntArray
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.existing_circuits import ExistingCircuits
from topofinder.patching.orientation import TwoColouring
from topofinder.patching.placement.assign import assign

A, B, BOTH = 0, 1, 2
MOST_NAMED = 9
"""Nodes of an odd cycle that are named."""


def sides_of_hosts(place: ExistingCircuits) -> Int64Array:
    """The side on which the ports of each host are that the target may use, A if it has none."""
    fabric = place.fabric
    on_b = np.array([side == "B" for side in fabric.forbidden.sides])
    without = np.array([not side for side in fabric.forbidden.sides])
    pins = [port for circuit in place.circuits[: place.pinned] for port in circuit[:2]]
    good = np.union1d(np.flatnonzero(place.usable.any(axis=0)), np.array(pins, dtype=np.int64))
    ports = np.zeros((2, len(fabric.hosts)), dtype=np.int64)
    for side, chosen in enumerate((~on_b | without, on_b | without)):
        np.add.at(ports[side], fabric.host[good[chosen[good]]], 1)
    return np.where(ports[B] == 0, A, np.where(ports[A] == 0, B, BOTH)).astype(np.int64)


def require_two_sides(place: ExistingCircuits, target: Circuits, allowed: BoolArray) -> None:
    """Refuse a target that hosts with ports on one side each cannot be joined to.

    Raises InvalidInput with an odd cycle of the target, or with the hosts of either side.
    """
    if not place.fabric.forbidden.sides:
        return
    if not target.duplex:
        raise InvalidInput("--mode: switches have circulators, which need duplex circuits")
    sides = sides_of_hosts(place)[allowed]
    if (sides == BOTH).any():
        return
    colouring = TwoColouring(target.n, target.tail, target.head)
    if cycle := colouring.cycle:
        named = ", ".join(map(str, cycle[:MOST_NAMED])) + ", ..." * (len(cycle) > MOST_NAMED)
        raise InvalidInput(
            f"--to: each host has ports on one side of the switches alone, A or B, and the target "
            f"has an odd cycle, of {len(cycle)} nodes: {named}"
        )
    on_a, on_b = (int(np.count_nonzero(sides == side)) for side in (A, B))
    if target.n <= len(sides) and colouring.with_counts(target.n - on_b, on_a) is None:
        few = int((colouring.colour == A).sum())
        raise InvalidInput(
            f"--to: {on_a} hosts have their ports on side A of the switches and {on_b} on side B, "
            f"and the target's circuits lead from {few} nodes to {target.n - few} others"
        )


def place_by_side(
    place: ExistingCircuits,
    target: Circuits,
    allowed: BoolArray,
    fixed: IntArray | None,
    start: IntArray | None,
    seed: int,
    time: float,
) -> Iterator[IntArray]:
    """Hosts for the nodes, (nodes,), such that each circuit joins a host of A and one of B.

    `fixed[v]` is a host or -1, `start[v]` a host to begin with, `allowed[h]` says who may play.
    Nothing is found where hosts have ports on both sides.
    """
    if not place.fabric.forbidden.sides:
        return
    sides = sides_of_hosts(place)
    if (sides[allowed] == BOTH).any():
        return
    there = _orient_circuits(place.engine_circuits[0], sides)
    room = place.room(range(place.pinned))[0].astype(np.int32)
    constraints = Constraints(
        fixed=fixed,
        allowed=allowed,
        ports=np.where((sides == A)[:, None], room, 0),
        receivers=np.where((sides == B)[:, None], room, 0),
    )
    on_a, on_b = (int(np.count_nonzero(sides[allowed] == side)) for side in (A, B))
    found = TwoColouring(target.n, target.tail, target.head)
    one = found.with_counts(target.n - on_b, on_a)
    two = found.with_counts(target.n - on_a, on_b)
    for colour in (one, None if two is None else 1 - two):
        if colour is not None:
            with suppress(InvalidInput):  # a node may have too few ports on that side
                yield assign(
                    there,
                    _orient_circuits(target, colour),
                    constraints=constraints,
                    seed=seed,
                    time=time / 2,
                    start=start,
                ).host


def _orient_circuits(circuits: Circuits, side: Int64Array) -> Circuits:
    """Simplex circuits from A to B; those between two ends of one side are left out."""
    own = side[circuits.tail] != side[circuits.head]
    turned = side[circuits.tail[own]] == B
    tail, head = circuits.tail[own], circuits.head[own]
    return replace(
        circuits,
        duplex=False,
        tail=np.where(turned, head, tail),
        head=np.where(turned, tail, head),
        panel=None if circuits.panel is None else circuits.panel[own],
        rate=None if circuits.rate is None else circuits.rate[own],
    )
