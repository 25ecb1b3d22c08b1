"""Plans for a few hosts: all placements are tried, with all ways to put circuits on panels.

What is found is the best there is: no plan leaves out fewer circuits, and none that leaves out as
few makes fewer. Circuits that must stay whatever comes are part of the question: they serve the
target where they join the right hosts, and take up their ports where they do not.
"""

from dataclasses import dataclass

import numpy as np

from generators.arrays import csr_by_node
from generators.topology import Int64Array, IntArray
from topofinder.model.plan import Bound
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.assignment import Assignment
from topofinder.patching.placement.few_kernels import Question, best_placement
from topofinder.patching.placement.keeping import keep

LARGEST = 10
"""Hosts that may play, at most."""
STEPS = 1 << 22
"""Steps that are always taken, which is about a second, and for each second that is offered."""
QUICK = 400
"""Steps for the panels of one placement, before all of them are tried with as many as it takes."""
NAME = "exhaustive search"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Few:
    """An answer, None where no host has the ports; `whole`: all placements were tried."""

    assignment: Assignment | None
    whole: bool


def is_few(wiring: Circuits, target: Circuits, constraints: Constraints) -> bool:
    """Whether so few hosts may play that all placements can be tried."""
    return target.n <= len(_players(wiring, constraints)) <= LARGEST


def few_hosts(
    wiring: Circuits,
    target: Circuits,
    constraints: Constraints,
    *,
    pinned: int = 0,
    start: IntArray | None = None,
    seed: int = 0,
    time: float = 60.0,
) -> Few:
    """The best of all assignments that give the circuits of every node ports, if not all a panel.

    The first `pinned` circuits of the wiring stay whatever comes, and `constraints` do not count
    their ports. If every such assignment leaves circuits out, also those are tried whose hosts
    have too few ports. Of equals `start` (nodes,) is preferred. Where steps run out, for `time`
    seconds, the answer is the best so far and claims nothing.

    >>> ring = Circuits(n=3, duplex=True, tail=np.arange(3), head=np.array([1, 2, 0]))
    >>> two = Constraints(ports=np.ones((3, 2), dtype=np.int32))
    >>> found = few_hosts(ring, ring, two)
    >>> found.assignment.unplaced, found.assignment.least_unplaced
    (1, 1)
    """
    hosts = _players(wiring, constraints)
    if constraints.fixed is not None and not set(constraints.fixed.tolist()) <= {
        -1,
        *hosts.tolist(),
    }:
        return Few(assignment=None, whole=True)
    search = _Search(wiring, target, constraints, pinned, hosts, int(STEPS * (1 + time)))
    search.begin(start)
    search.run(strict=True)
    if not search.known:
        return Few(assignment=None, whole=search.steps > 0)
    if search.best[0] > search.least:
        search.run(strict=False)
    return Few(assignment=search.answer(seed), whole=search.steps > 0)


def _players(wiring: Circuits, constraints: Constraints) -> Int64Array:
    allowed = constraints.allowed
    return np.arange(wiring.n) if allowed is None else np.flatnonzero(allowed)


class _Search:
    """The best plan so far; hosts are numbered among those that may play."""

    def __init__(
        self,
        wiring: Circuits,
        target: Circuits,
        constraints: Constraints,
        pinned: int,
        hosts: Int64Array,
        steps: int,
    ) -> None:
        self.wiring, self.target, self.pinned, self.hosts = wiring, target, pinned, hosts
        self.number = np.full(wiring.n, -1, dtype=np.int64)
        self.number[hosts] = np.arange(len(hosts))
        self.pair, self.asked = _question(wiring, target, constraints, pinned, hosts, self.number)
        self.fixed = np.full(target.n, -1, dtype=np.int64)
        if constraints.fixed is not None:
            chosen = constraints.fixed >= 0
            self.fixed[chosen] = self.number[constraints.fixed[chosen]]
        self.steps, self.least, self.found = steps, 0, NAME
        self.best = np.array([target.count + 1, target.count + 1, 0], dtype=np.int64)
        self.host = self.fixed.copy()
        panels = self.asked.room.shape[1]
        self.used = np.zeros((len(self.asked.times), panels), dtype=np.int64)

    @property
    def known(self) -> bool:
        """Whether any plan is known."""
        return bool(self.best[0] <= self.target.count)

    def begin(self, start: IntArray | None) -> None:
        """Take the placement to start from, where it may be taken."""
        wanted = range(self.target.n) if start is None else start
        own = self.number[np.array(wanted, dtype=np.int64)]
        if (own < 0).any() or ((self.fixed >= 0) & (own != self.fixed)).any():
            return
        self._search(own, strict=True)
        if self.known:
            self.found = "start"
            if self._alike():
                self.least = int(self.best[0])

    def run(self, *, strict: bool) -> None:
        """Try all placements, first with a few steps for the panels of each."""
        before = self.best[:2].tolist()
        self._search(self.fixed, strict=strict, most_each=QUICK)
        if self.best[2]:
            self._search(self.fixed, strict=strict)
        if self.best[:2].tolist() != before:
            self.found = NAME

    def _search(self, fixed: Int64Array, *, strict: bool, most_each: int | None = None) -> None:
        steps = self.steps // 4 if most_each else self.steps
        if steps <= 0:
            return
        self.best[2] = 0
        left = best_placement(
            self.asked,
            fixed,
            strict,
            self.least,
            self.best,
            self.host,
            self.used,
            steps,
            most_each or steps,
        )
        self.best[2] += left <= 0
        self.steps -= steps - left

    def _alike(self) -> bool:
        """Whether all hosts have the same ports: every placement then leaves out as many."""
        room = self.asked.room.reshape(-1, len(self.hosts), self.asked.room.shape[1])
        return bool((room == room[:, :1]).all()) and not self.asked.pins.any()

    def answer(self, seed: int) -> Assignment:
        """The best plan so far, as an assignment of the hosts and panels asked for."""
        host = self.hosts[self.host].astype(np.int32)
        panel = self._panels()
        out, made, _ = self.best.tolist()
        whole = self.steps > 0
        count = Bound(moves=max(0, self.target.count - self.wiring.count), name="count")
        proved = whole and not out
        return Assignment(
            host=host,
            panel=panel,
            kept=keep(self.wiring, self.target, host, panel),
            bound=Bound(moves=made, name=NAME) if proved else count,
            least_unplaced=out if whole else self.least,
            found=self.found,
            seed=seed,
            seconds=0.0,
        )

    def _panels(self) -> IntArray:
        """The panel of each circuit: first those that pinned circuits are on, -1 for left out."""
        wiring, target, asked = self.wiring, self.target, self.asked
        panel = np.full(target.count, -1, dtype=np.int32)
        for i in range(len(asked.times)):
            ends = self.hosts[self.host[[asked.tail[i], asked.head[i]]]]
            tail, head = wiring.tail[: self.pinned], wiring.head[: self.pinned]
            pinned = (tail == ends[0]) & (head == ends[1])
            if target.duplex:
                pinned |= (tail == ends[1]) & (head == ends[0])
            where = np.zeros(0, dtype=np.int32)
            if self.pinned and wiring.panel is not None:
                where = wiring.panel[: self.pinned][pinned]
            own = np.repeat(np.arange(asked.room.shape[1]), self.used[i])
            circuits = np.flatnonzero(self.pair == i)
            carried = np.concatenate([where, own])[: len(circuits)]
            panel[circuits[: len(carried)]] = carried
        return panel


def _question(
    wiring: Circuits,
    target: Circuits,
    constraints: Constraints,
    pinned: int,
    hosts: Int64Array,
    number: Int64Array,
) -> tuple[Int64Array, Question]:
    """The pair of nodes of each circuit, numbered, and the question for the kernels."""
    ends = _ends(target, np.arange(target.n))
    pairs, pair, times = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    tail, head = pairs.T.astype(np.int64)
    start, by_node = csr_by_node(np.concatenate([tail, head]), target.n)
    by_node %= len(times)
    pins, there = _in_place(wiring, constraints.panels, pinned, hosts, number)
    room = _room(target, constraints, hosts)
    return pair.ravel(), Question(
        tail=tail,
        head=head,
        times=times.astype(np.int64),
        start=start,
        at=by_node.astype(np.int64),
        need=np.stack([target.sends, target.receives], axis=1).astype(np.int64),
        order=_order(target.n, tail, head, constraints.fixed),
        pins=pins,
        there=there,
        room=room,
        stay=there.sum(axis=2),
        ports=room.sum(axis=1),
        most=np.minimum(room[: len(hosts), None], room[None, -len(hosts) :]).sum(axis=2),
        far=0 if target.duplex else len(hosts),
        twin=_twins(pins, there, room.reshape(-1, len(hosts), room.shape[1])),
    )


def _ends(circuits: Circuits, number: Int64Array) -> Int64Array:
    """The ends of each circuit, shape (circuits, 2); the lower one first where they are alike."""
    ends = number[np.stack([circuits.tail, circuits.head], axis=1)]
    return np.sort(ends, axis=1) if circuits.duplex else ends


def _in_place(
    wiring: Circuits, panels: int, pinned: int, hosts: Int64Array, number: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Circuits that stay whatever comes, by host and host, and those that may, by panel as well."""
    k = len(hosts)
    counts = np.zeros((2, k, k, panels), dtype=np.int64)
    ends = _ends(wiring, number)
    panel = np.zeros(wiring.count, dtype=np.int64) if wiring.panel is None else wiring.panel
    free = (np.arange(wiring.count) >= pinned).astype(np.int64)
    good = (ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])
    np.add.at(counts, (free[good], ends[good, 0], ends[good, 1], panel[good]), 1)
    if wiring.duplex:
        counts += counts.transpose(0, 2, 1, 3)
    return counts[0].sum(axis=2), counts[1]


def _room(target: Circuits, constraints: Constraints, hosts: Int64Array) -> Int64Array:
    """The ports of each end, by panel; as many as there are circuits where nothing is said."""
    if constraints.ports is None or constraints.receivers is None:
        sides = [np.full((len(hosts), 1), target.count)] * 2
    else:
        sides = [constraints.ports[hosts], constraints.receivers[hosts]]
    return np.concatenate(sides[:1] if target.duplex else sides).astype(np.int64)


def _order(nodes: int, tail: Int64Array, head: Int64Array, fixed: IntArray | None) -> Int64Array:
    """Fixed nodes first, then each next to as many placed ones as possible; lone ones last."""
    near = np.zeros((nodes, nodes), dtype=np.int64)
    near[tail, head] = near[head, tail] = 1
    order: list[int] = [] if fixed is None else np.flatnonzero(fixed >= 0).tolist()
    while len(order) < nodes:
        rank = near[:, order].sum(axis=1) * nodes + near.sum(axis=1)
        rank[order] = -1
        order.append(int(np.argmax(rank)))
    return np.array(order, dtype=np.int64)


def _twins(pins: Int64Array, there: Int64Array, room: Int64Array) -> Int64Array:
    """The first host that each can be exchanged with, itself if there is none before it."""
    k = len(pins)
    twin = np.arange(k)
    for h in range(k):
        for g in range(h):
            swap = np.arange(k)
            swap[[g, h]] = h, g
            both = np.ix_(swap, swap)
            same = (pins[both] == pins).all() and (there[both] == there).all()
            if same and (room[:, g] == room[:, h]).all():
                twin[h] = twin[g]
                break
    return twin
