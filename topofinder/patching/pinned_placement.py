"""Who plays which node, on which panels, by the engine; circuits that must stay are respected.

A pinned circuit stays whatever comes. It counts for the target where the placement has an arc
between its hosts, else it remains beside the target and takes a port away. Of a few hosts all
placements are tried with this. Of more, first the placement is free, and it is enough if every
pinned circuit is of use; then nodes are fixed so that each falls on an arc; where the ports do not
suffice, ports of pinned circuits are left out.
"""

import time as clock
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from generators.errors import InvalidInput
from generators.topology import BoolArray, Int64Array, IntArray
from topofinder.compilation import announcer
from topofinder.interrupts import require_interrupt
from topofinder.model.plan import Bound
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.existing_circuits import ExistingCircuits
from topofinder.patching.forbidden_placement import AllowedPlacement, AllowedSearch
from topofinder.patching.pin_embedding import embed_pins
from topofinder.patching.placement.assign import assign
from topofinder.patching.placement.assignment import Assignment
from topofinder.patching.placement.few_hosts import (
    EXHAUSTIVE,
    FEW_HOSTS_LIMITS,
    FewHostsLimits,
    few_hosts,
    is_few,
)
from topofinder.patching.placement.fixed_placement import prove_panels
from topofinder.patching.placement.integer_program import Effort, least_proof_seconds
from topofinder.patching.placement.port_split import CircuitWays
from topofinder.patching.placement.problem import TooFewPorts, checked_start
from topofinder.patching.port_room import place_with_room, require_ports_of, require_room
from topofinder.patching.rated_placement import place_by_rate
from topofinder.patching.sided_placement import place_by_side, require_two_sides
from topofinder.progress import work_progress

BRANCHES_A_SECOND = 1 << 17
"""Branches for the panels of a program of one variable, for each second that is offered."""
HASTE = 0.1
"""Seconds for each search that is needed after Ctrl-C."""
COPIES = 6
"""More placements that are repaired where some circuits must not be made, at most."""
REPAIRED_A_SECOND = 400
"""Circuits of such placements for each second that is offered."""
SEARCHES = 3
"""Searches that share the time where circuits are pinned: free, fixed, and without some."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementOptions:
    """What a user wants of a placement: nodes fixed to hosts, a placement to begin with, effort.

    `fixed[v]` is a host or -1, `start[v]` a host; shapes (nodes,). `time` is in seconds,
    `limits` are those of the search over all placements of a few hosts.
    """

    fixed: IntArray | None = None
    start: IntArray | None = None
    seed: int = 0
    time: float = 60.0
    limits: FewHostsLimits = FEW_HOSTS_LIMITS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedTarget:
    """An assignment, and `stays[i]`: the circuit in place that realises circuit i, or -1.

    Where ports are told apart, `classes` (circuits, 2) are those of the ports to take.
    """

    assignment: Assignment
    stays: Int64Array
    classes: Int64Array | None = None


def place_target(
    place: ExistingCircuits, target: Circuits, allowed: BoolArray, options: PlacementOptions
) -> PlacedTarget:
    """The best placement found of the target on the hosts that are allowed, on its best panels.

    Raises TooFewPorts where too few hosts have the ports that the target needs.
    """
    began, first = clock.perf_counter(), announcer.working_time()
    if place.fabric.forbidden:
        return _place_allowed(place, target, allowed, options)
    found = _best_placement(place, target, allowed, options)
    answer = found.assignment
    if answer.is_optimal:
        proved = replace(answer, least_made_here=answer.moves)
        return replace(found, assignment=proved)
    there, which = place.engine_circuits
    # The search may have left pinned circuits out, and numbered the rest on its own.
    kept = np.where(found.stays < 0, -1, np.searchsorted(which, found.stays)).astype(np.int32)
    settled = replace(answer, kept=kept)
    time = HASTE if answer.interrupted else options.time
    work_progress.tell(f"panels of the best placement; {answer.moves} moves so far")
    try:
        settled = prove_panels(
            there,
            target,
            _constraints(place.room(()), allowed, options),
            settled,
            pinned=place.pinned,
            effort=_effort(target.count * len(place.fabric.panels), time, first),
        )
    except (KeyboardInterrupt, SystemError) as error:
        require_interrupt(error)
        settled = replace(settled, interrupted=True)
    settled = replace(settled, seconds=clock.perf_counter() - began)
    return _placed_target(settled, which)


def _effort(variables: int, time: float, began: float) -> Effort:
    """Branches by the size of the program and the time, so that answers repeat; a clock besides."""
    end = max(began + time, announcer.working_time() + least_proof_seconds(variables))
    branches = int(BRANCHES_A_SECOND * (1 + time) / variables) + 1
    return Effort(branches=branches, seconds=lambda: end - announcer.working_time())


def _most_copies(variables: int, time: float) -> int:
    """More placements to repair, by the size of a program and the time, so that answers repeat.

    >>> _most_copies(32, 1.0), _most_copies(512, 1.5), _most_copies(4096, 3.0)
    (6, 1, 0)
    """
    return min(COPIES, int(REPAIRED_A_SECOND * (1 + time) / variables))


def _place_allowed(
    place: ExistingCircuits, target: Circuits, allowed: BoolArray, options: PlacementOptions
) -> PlacedTarget:
    """The best placement found in which nothing is made that must not be."""
    began, first = clock.perf_counter(), announcer.working_time()
    free_place = place_with_room(place, target, allowed, options.fixed)
    require_two_sides(free_place, target, allowed)
    search = AllowedSearch(
        ways=CircuitWays(place),
        target=target,
        fixed=options.fixed,
        allowed=allowed,
        effort=lambda: _effort(target.count * len(place.fabric.panels), options.time, first),
    )
    offers, found = list[AllowedPlacement](), EXHAUSTIVE
    count = max(0, target.count - int(np.count_nonzero(place.countable)))
    bound, least = Bound(moves=count, name="count"), 0
    if search.is_small:
        if (tried := search.try_all(options.time)) is None:
            raise _too_few_ports(place)
        offers = [tried]
    else:
        half = replace(options, time=options.time / 2)
        free = _best_placement(free_place, target, allowed, half).assignment
        sought = free_place, target, allowed, options.fixed, options.start, options.seed, half.time
        if target.rate is not None:
            offers.append(search.repair(place_by_rate(*sought), options.seed))
        offers += [search.repair(host, options.seed) for host in place_by_side(*sought)]
        bound, least, found = free.bound, free.least_unplaced, f"{free.found}, repaired"
        offers.append(search.repair(free.host, options.seed))
        variables = target.count * len(place.fabric.panels)
        end = first + options.time + least_proof_seconds(variables)
        for more in range(1, _most_copies(variables, options.time) + 1):
            late = announcer.working_time() > end
            if late or min(offer.split.price for offer in offers) <= (0, bound.moves):
                break
            part = replace(options, time=half.time / COPIES, seed=options.seed + more)
            other = _best_placement(free_place, target, allowed, part).assignment
            offers.append(search.repair(other.host, part.seed))
    if options.start is not None and not offers[0].whole:
        own = checked_start(options.start, target, place.engine_circuits[0])
        offers.append(search.repair(own, options.seed))
    best = min(offers, key=lambda offer: offer.split.price)
    out, made = best.split.price
    if best.whole:
        least = out
        bound = bound if out else Bound(moves=made, name=EXHAUSTIVE)
    _, which = place.engine_circuits
    stays = best.split.stays
    answer = Assignment(
        host=best.host,
        panel=best.split.panel,
        kept=np.where(stays < 0, -1, np.searchsorted(which, stays)).astype(np.int32),
        bound=bound,
        found=found,
        seed=options.seed,
        seconds=clock.perf_counter() - began,
        least_unplaced=least,
        least_out_here=best.split.out,
        least_made_here=best.split.made,
    )
    return PlacedTarget(assignment=answer, stays=stays, classes=best.split.classes)


def _best_placement(
    place: ExistingCircuits, target: Circuits, allowed: BoolArray, options: PlacementOptions
) -> PlacedTarget:
    """The best placement found, with panels that leave room for what is pinned."""
    require_ports_of(place, target, options.fixed)
    every = range(place.pinned)
    if place.pinned:
        if _are_few(place, target, allowed, options):
            options = replace(options, time=options.time / 2)
            if (few := _try_all_placements(place, target, allowed, options)) is not None:
                return few
        options = replace(options, time=options.time / SEARCHES)
    free = _place_with_pins(place, target, allowed, options, every)
    if _pins_in_use(place, free) == set(every) and _fits(place, target, free):
        return free
    if free.assignment.interrupted:
        options = replace(options, time=HASTE)
    offers = []
    fixed = _fixed_by_pins(place, target, options.fixed)
    if fixed is not None:
        # The hosts that are left may have too few ports for the other nodes.
        with suppress(InvalidInput):
            bound_to = replace(options, fixed=fixed, start=None)
            offers.append(_place_with_pins(place, target, allowed, bound_to, every))
    offers = [offer for offer in offers if _fits(place, target, offer)]
    try:
        offers.append(_give_up_pins(place, target, allowed, options, free))
    except TooFewPorts:
        if not offers:
            raise
    except InvalidInput:  # a node whose host is given may have no ports there beside the pinned
        if not offers:
            raise _too_few_ports(place) from None
    # The bounds of the free placement, which counts the most ports, hold for all of them.
    bound, least = free.assignment.bound, free.assignment.least_unplaced
    best = min(offers, key=lambda offer: offer.assignment.price)
    ended = free.assignment.interrupted or best.assignment.interrupted
    answer = replace(best.assignment, bound=bound, least_unplaced=least, interrupted=ended)
    return replace(best, assignment=answer)


def _are_few(
    place: ExistingCircuits, target: Circuits, allowed: BoolArray, options: PlacementOptions
) -> bool:
    """Whether so few hosts may play that all placements can be tried."""
    return is_few(place.engine_circuits[0], target, _constraints(place.room(()), allowed, options))


def _try_all_placements(
    place: ExistingCircuits, target: Circuits, allowed: BoolArray, options: PlacementOptions
) -> PlacedTarget | None:
    """The best of all placements of a few hosts with all that is pinned, if all were tried."""
    room = place.room(range(place.pinned))
    require_room(place, target, room, allowed)
    there, which = place.engine_circuits
    constraints = _constraints(place.room(()), allowed, options)
    began = clock.perf_counter()
    start = checked_start(options.start, target, there)
    found = few_hosts(
        there,
        target,
        constraints,
        pinned=place.pinned,
        start=start,
        seed=options.seed,
        time=options.time,
        limits=options.limits,
    )
    if not found.whole and not (found.assignment and found.assignment.interrupted):
        return None
    if found.assignment is None:
        raise _too_few_ports(place)
    seconds = clock.perf_counter() - began
    return _placed_target(replace(found.assignment, seconds=seconds), which)


def _too_few_ports(place: ExistingCircuits) -> TooFewPorts:
    return TooFewPorts(
        f"{place.fabric.source.at('hosts')}: too few hosts have the ports that the target "
        "needs beside the pinned circuits; see --degraded"
    )


def _constraints(room: Int64Array, allowed: BoolArray, options: PlacementOptions) -> Constraints:
    ports, receivers = room.astype(np.int32)
    return Constraints(fixed=options.fixed, allowed=allowed, ports=ports, receivers=receivers)


def _placed_target(found: Assignment, which: Int64Array) -> PlacedTarget:
    """An assignment with the circuits in place by their own numbers."""
    stays = np.full(len(found.kept), -1, dtype=np.int64)
    stays[found.kept >= 0] = which[found.kept[found.kept >= 0]]
    return PlacedTarget(assignment=found, stays=stays)


def _give_up_pins(
    place: ExistingCircuits,
    target: Circuits,
    allowed: BoolArray,
    options: PlacementOptions,
    found: PlacedTarget,
) -> PlacedTarget:
    """A placement for which the ports suffice: pinned circuits of no use are given up in turn."""
    pinned: Sequence[int] = range(place.pinned)
    while not _fits(place, target, found):
        kept = sorted(_pins_in_use(place, found))
        pinned = kept if len(kept) < len(pinned) else ()
        found = _place_with_pins(place, target, allowed, options, pinned)
    return found


def _place_with_pins(
    place: ExistingCircuits,
    target: Circuits,
    allowed: BoolArray,
    options: PlacementOptions,
    pinned: Sequence[int],
) -> PlacedTarget:
    """A placement in which these pinned circuits may stay for the target."""
    room = place.room(pinned)
    require_room(place, target, room, allowed)
    there, which = place.engine_circuits
    if len(pinned) < place.pinned:
        kept = (which >= place.pinned) | np.isin(which, pinned)
        panel = there.panel if there.panel is None else there.panel[kept]
        there = replace(there, tail=there.tail[kept], head=there.head[kept], panel=panel)
        which = which[kept]
    found = assign(
        there,
        target,
        constraints=_constraints(room, allowed, options),
        seed=options.seed,
        time=options.time,
        limits=options.limits,
        start=options.start,
    )
    return _placed_target(found, which)


def _pins_in_use(place: ExistingCircuits, found: PlacedTarget) -> set[int]:
    """The pinned circuits that stay for the target."""
    return {circuit for circuit in found.stays.tolist() if 0 <= circuit < place.pinned}


def _fits(place: ExistingCircuits, target: Circuits, found: PlacedTarget) -> bool:
    """Whether there are ports for all circuits but pinned ones, on both sides.

    A pinned circuit that is of no use takes ports away.
    """
    answer, room = found.assignment, place.room(())
    own = (answer.panel >= 0) & ((found.stays < 0) | (found.stays >= place.pinned))
    used = np.zeros_like(room)
    for side, ends in enumerate((target.tail, target.head)):
        np.add.at(used[side], (answer.host[ends[own]], answer.panel[own]), 1)
    if target.duplex:
        used[:] = used.sum(axis=0)
    return bool((used <= room).all())


def _fixed_by_pins(
    place: ExistingCircuits, target: Circuits, fixed: IntArray | None
) -> IntArray | None:
    """Nodes for the hosts of pinned circuits such that each is an arc of the target."""
    host = place.fabric.host
    pins = [(int(host[c.a]), int(host[c.b])) for c in place.circuits[: place.pinned]]
    ports = place.room(range(place.pinned)).sum(axis=2)
    return embed_pins(pins, target, ports, fixed)
