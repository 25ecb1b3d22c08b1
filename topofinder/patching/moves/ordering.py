"""The order of moves: stages that free ports and use them, with as little dark as possible.

Within a stage all frees come first and all new circuits after them, so that robots need not wait
for one another. With `keep_connected` a circuit is only taken out while the others, in the middle
of the stage and before anything new is made, still connect the hosts that work, see `LiveArcs`,
as well as before, and while hosts and cuts keep the links that they are to keep. The choice is
greedy. Where every waiting circuit would break a limit, the one that breaks it least is taken; that
no such order was found is no proof that there is none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from generators.topology import BoolArray, Int64Array, IntArray
from topofinder.model.inventory.document import State
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Stage, stage_seconds
from topofinder.patching.existing_circuits import ExistingCircuits
from topofinder.patching.moves.connectivity import LiveArcs
from topofinder.patching.moves.limits import LinkCounts, StageLimits
from topofinder.patching.moves.middles import wiring_of
from topofinder.patching.moves.occupancy import (
    ConnectOption,
    NewCircuit,
    PendingCircuits,
    PortOccupancy,
)
from topofinder.progress import work_progress

FORCED = 64
"""Options that are compared when each of them breaks the connection."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MoveTask:
    """What is to be done: `wanted` circuits to make; `stays[i]`: circuit i in place is kept.

    `player[h]` is the node that host h plays, or -1.
    """

    place: ExistingCircuits
    wanted: tuple[NewCircuit, ...]
    stays: frozenset[int]
    player: IntArray

    def ends(self, circuit: Circuit) -> tuple[int, int]:
        """The nodes that a circuit joins, -1 for a host that plays none."""
        host = self.place.fabric.host
        return int(self.player[host[circuit.a]]), int(self.player[host[circuit.b]])

    def goes(self, number: int) -> bool:
        """Whether a circuit in place is in the way of the target itself, not just of a port."""
        circuit = self.place.circuits[number]
        u, v = self.ends(circuit)
        states = self.place.fabric.states
        live = states[circuit.a] is State.LIVE and states[circuit.b] is State.LIVE
        inside = u >= 0 and v >= 0 and u != v
        return bool(inside and live and number not in self.stays and self.place.movable[number])


class Ordering:
    """One attempt at an order; `seed` 0 takes circuits as they come, others shuffle them.

    A stage makes at most so many circuits, if `most` is given. `faults` counts the stages so far
    in which a limit does not hold.
    """

    def __init__(
        self, task: MoveTask, limits: StageLimits, *, seed: int = 0, most: int | None = None
    ) -> None:
        self._task, self._limits, self._most = task, limits, most
        self.faults = 0
        self._fabric: PortMap = task.place.fabric
        goes = np.array([task.goes(i) for i in range(len(task.place.circuits))], dtype=np.bool_)
        stays = np.zeros(len(goes), dtype=np.bool_)
        stays[sorted(task.stays)] = True
        self._site = PortOccupancy(task.place, task.place.movable & ~stays, ~goes)
        self._going = dict.fromkeys(np.flatnonzero(goes).tolist())
        order = list(range(len(task.wanted)))
        if seed:
            order = np.random.default_rng(seed).permutation(len(task.wanted)).tolist()
        self._pending = [
            PendingCircuits(
                self._site, {i: task.wanted[i] for i in order if task.wanted[i].panel == panel}
            )
            for panel in range(len(self._fabric.panels))
        ]
        self._arcs: list[list[int]] = []
        self._live = self._all_arcs(goes)
        self._parts = self._live.parts

    def stages(self) -> Iterator[Stage]:
        """The stages, one after the other; the last may only take out what is left over."""
        all_ = len(self._task.wanted)
        while left := sum(len(pending.left) for pending in self._pending):
            work_progress.count("moves in order", all_ - left, all_)
            yield self._next_stage()
        if self._going:
            frees = list(self._going)
            self._take_out(frees)
            yield self._close_stage(frees, [])

    def options(self, number: int) -> list[ConnectOption]:
        """The ways of making a wanted circuit now."""
        return self._site.options(self._task.wanted[number])

    def put(self, number: int, option: ConnectOption) -> None:
        """Make a circuit for the time being, until `take_back`."""
        self._set_arcs([arc for out in option.frees for arc in self._arcs[out]], False)
        self._site.free(option.frees)
        self._site.connect(option.plugs)
        self._set_arcs(self._new_arcs[number], True)

    def take_back(self, number: int, option: ConnectOption) -> None:
        """Undo the latest `put`."""
        self._set_arcs(self._new_arcs[number], False)
        self._site.take_back(option)
        self._set_arcs([arc for out in option.frees for arc in self._arcs[out]], True)

    def make_stage(self, number: int, option: ConnectOption) -> Stage:
        """A stage that makes one circuit in one of its options."""
        frees: list[int] = []
        chosen: list[tuple[int, ConnectOption]] = []
        pending = next(pending for pending in self._pending if number in pending.left)
        self._start_circuit(number, option, pending, frees, chosen)
        pending.remove(number)
        return self._close_stage(frees, chosen)

    def _next_stage(self) -> Stage:
        frees: list[int] = []
        chosen: list[tuple[int, ConnectOption]] = []
        for panel, pending in zip(self._fabric.panels, self._pending, strict=True):
            slots = panel.at_once or len(pending.left)
            if self._most is not None:
                slots = min(slots, self._most - len(chosen))
            # A circuit made in this stage counts as up only after it.
            for number in islice(self._start_possible(pending, frees, chosen), slots):
                pending.remove(number)
        if not chosen:
            self._force_least_break(frees, chosen)
        return self._close_stage(frees, chosen)

    def _start_possible(
        self, pending: PendingCircuits, frees: list[int], chosen: list[tuple[int, ConnectOption]]
    ) -> Iterator[int]:
        """Put in hand one circuit after the other that can be made in this stage."""
        for number in pending.candidates():
            for option in self._site.options(pending.left[number]):
                if self.may_go(option.frees):
                    self._start_circuit(number, option, pending, frees, chosen)
                    yield number
                    break

    def _start_circuit(
        self,
        number: int,
        option: ConnectOption,
        pending: PendingCircuits,
        frees: list[int],
        chosen: list[tuple[int, ConnectOption]],
    ) -> None:
        frees += option.frees
        groups = self._take_out(list(option.frees))
        self._site.connect(option.plugs)
        chosen.append((number, option))
        for other in self._pending:
            other.add_open_groups(groups)

    def may_go(self, numbers: tuple[int, ...]) -> bool:
        """Whether circuits may be taken out, so far as connection and links go."""
        if not numbers:
            return True
        if self._links is not None:
            arcs = [arc for number in numbers for arc in self._arcs[number]]
            if not self._links.fits_without(arcs):
                return False
        return not self._limits.keep_connected or self._parts_without(numbers) <= self._parts

    def carries_without(self, numbers: tuple[int, ...]) -> bool:
        """Whether what is up carries what it is to, once circuits are taken out."""
        if self._limits.carries is None:
            return True
        up = [circuit for number, circuit in self._site.plugged_in if number not in numbers]
        return self._limits.carries(wiring_of(up, self._fabric.ports))

    def _parts_without(self, numbers: tuple[int, ...], *, exactly: bool = False) -> int:
        """The parts that taking circuits out leaves; 2 may stand for more unless `exactly`."""
        arcs = [arc for number in numbers for arc in self._arcs[number]]
        self._live.set(arcs, False)
        if self._parts == 1 and not exactly:
            left = 1 if self._live.connected else 2
        else:
            left = self._live.parts
        self._live.set(arcs, True)
        return left

    def _force_least_break(self, frees: list[int], chosen: list[tuple[int, ConnectOption]]) -> None:
        """Nothing goes without a break: take what breaks least."""
        options = [
            (pending, number, option)
            for pending in self._pending
            for number in islice(pending.left, FORCED)
            for option in self._site.options(pending.left[number])[:2]
        ]
        pending, number, option = min(options, key=lambda found: self._breaks(found[2].frees))
        self._start_circuit(number, option, pending, frees, chosen)
        pending.remove(number)

    def _breaks(self, numbers: tuple[int, ...]) -> tuple[int, int]:
        """How much taking circuits out breaks: the parts that it leaves, the links that lack."""
        parts = self._parts_without(numbers, exactly=True)
        if self._links is None:
            return parts, 0
        arcs = [arc for number in numbers for arc in self._arcs[number]]
        self._links.set(arcs, False)
        lacking = self._links.lacking
        self._links.set(arcs, True)
        return parts, lacking

    def _set_arcs(self, arcs: list[int], up: bool) -> None:
        self._live.set(arcs, up)
        if self._links is not None:
            self._links.set(arcs, up)

    def _take_out(self, numbers: list[int]) -> list[int]:
        self._set_arcs([arc for number in numbers for arc in self._arcs[number]], False)
        for number in numbers:
            self._going.pop(number, None)
        return self._site.free(numbers)

    def _close_stage(self, frees: list[int], chosen: list[tuple[int, ConnectOption]]) -> Stage:
        circuits = self._site.circuits
        dark = self._live.parts
        broken = self._limits.keep_connected and dark > 1
        self.faults += broken or not (self._links is None or self._links.fits)
        first = len(circuits) - len(chosen)
        self._set_arcs([arc for number, _ in chosen for arc in self._new_arcs[number]], True)
        self._parts = self._live.parts
        out, made = [circuits[number] for number in sorted(frees)], circuits[first:]
        return Stage(
            frees=tuple(out),
            connects=tuple(made),
            seconds=stage_seconds(self._fabric, out, made),
            parts=dark,
        )

    def _all_arcs(self, goes: BoolArray) -> LiveArcs:
        """The arcs of what is in place, up, and of what is wanted, down."""
        pairs: list[tuple[int, int]] = []
        host, place = self._fabric.host.tolist(), self._task.place
        for circuit in place.circuits:
            carries = self._carries(circuit)
            ends = host[circuit.a], host[circuit.b]
            self._arcs.append(_append_arcs(pairs, *ends, circuit.duplex) if carries else [])
        there = len(pairs)
        self._new_arcs = [
            _append_arcs(pairs, tail, head, place.duplex) for tail, head, *_ in self._task.wanted
        ]
        players = np.flatnonzero(self._task.player >= 0)
        joined = np.array(pairs, dtype=np.int64).reshape(-1)
        hosts, node = np.unique(np.concatenate([players, joined]), return_inverse=True)
        tail, head = node[len(players) :].reshape(-1, 2).T
        self._links = self._link_counts(hosts, tail, head, there, goes)
        return LiveArcs(len(hosts), tail, head, there, node[: len(players)])

    def _link_counts(
        self, hosts: Int64Array, tail: Int64Array, head: Int64Array, there: int, goes: BoolArray
    ) -> LinkCounts | None:
        """The links of the hosts of the plan: circuits in place come first, then wanted ones."""
        if self._limits.take_out is None:
            return None
        plays = self._task.player[hosts] >= 0
        arcs, earlier = len(tail), self._earlier_arcs(hosts)
        tail, head = np.concatenate([[tail, head], earlier], axis=1)
        number = np.arange(len(tail))
        first, last = number < there, number < arcs
        out = [arc for number in np.flatnonzero(goes).tolist() for arc in self._arcs[number]]
        last[out] = False
        return LinkCounts(
            len(hosts),
            tail,
            head,
            plays[tail] & plays[head],
            [side[hosts] for side in self._limits.cuts],
            (first, last),
            self._limits.take_out,
            None if self._limits.since is None else number >= arcs,
        )

    def _earlier_arcs(self, hosts: Int64Array) -> Int64Array:
        """The arcs between `hosts`, by their places there, before an earlier plan; (2, arcs)."""
        since = self._limits.since
        if since is None:
            return np.zeros((2, 0), dtype=np.int64)
        good = np.isin(np.array(self._fabric.states), (State.LIVE, State.PINNED))
        sender = np.flatnonzero((since >= 0) & good)
        sender = sender[good[since[sender]]]
        ends = self._fabric.host[np.stack([sender, since[sender]])]
        ends = ends[:, (ends[0] != ends[1]) & np.isin(ends, hosts).all(axis=0)]
        places: Int64Array = np.searchsorted(hosts, ends).astype(np.int64)
        return places

    def _carries(self, circuit: Circuit) -> bool:
        """Whether a circuit in place carries what the hosts send: its ports are ours and good."""
        good = (State.LIVE, State.PINNED)
        return all(self._fabric.states[port] in good for port in circuit[:2])


def _append_arcs(pairs: list[tuple[int, int]], u: int, v: int, duplex: bool) -> list[int]:
    """Append the arcs of a circuit between two hosts; their numbers."""
    if u == v:
        return []
    pairs += [(u, v), (v, u)] if duplex else [(u, v)]
    return list(range(len(pairs) - (2 if duplex else 1), len(pairs)))


def greedy_order(
    task: MoveTask, limits: StageLimits, *, most: int | None = None, attempts: int = 6
) -> tuple[tuple[Stage, ...], int]:
    """The stages of the attempt with the fewest that break a limit, and how many do."""
    best: tuple[tuple[Stage, ...], int] = (), 0
    for seed in range(attempts if limits.is_strict else 1):
        order = Ordering(task, limits, seed=seed, most=most)
        found = tuple(order.stages())
        if not seed or order.faults < best[1]:
            best = found, order.faults
        if not best[1]:
            break
    return best
