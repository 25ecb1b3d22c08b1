"""Plans for a few hosts: all placements are tried, with all ways to put circuits on panels.

What is found is the best there is: no plan leaves out fewer circuits, and none that leaves out as
few makes fewer. Circuits that must stay whatever comes are part of the problem: they serve the
target where they join the right hosts, and take up their ports where they do not.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from generators.topology import BoolArray, Int64Array, IntArray
from topofinder.compilation import announcer
from topofinder.interrupts import require_interrupt
from topofinder.model.plan import Bound
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.assignment import Assignment, kept_circuits
from topofinder.patching.placement.exact_split import RelaxedSplit, best_split, relaxed_split
from topofinder.patching.placement.exact_split import SplitProblem as Split
from topofinder.patching.placement.few_host_kernels import (
    FewHostsProblem,
    best_placement,
    first_walk,
)
from topofinder.patching.placement.few_hosts_problem import few_hosts_problem
from topofinder.patching.placement.integer_program import SCALE, Effort
from topofinder.patching.placement.port_price_kernels import (
    add_prices,
    exchange_hosts,
    is_cut_here,
    no_prices,
    shuffle_hosts,
)
from topofinder.progress import work_progress

LOGGER = logging.getLogger("topofinder.patching")

MOST_FEW_HOSTS = 10
"""Hosts that may play, at most."""
STEPS_A_SECOND = 1 << 21
"""Steps that are always taken, in less than a second, and for each second that is offered."""
PRICED = 1 << 14
"""Steps that a relaxation is worth."""
SECONDS_BESIDE = 1.0
"""Seconds by the clock that are there for the steps that are always taken."""
SPLIT_BRANCHES = 1 << 12
"""Branches for the panels of one placement."""
EXHAUSTIVE = "exhaustive search"


@dataclass(frozen=True, slots=True, kw_only=True)
class FewHostsLimits:
    """When ports are priced, and what is spent on it.

    `first_steps` are taken before ports are priced, `chunk_steps` then between two looks at the
    clock; `quick_steps` for the panels of one placement, before a relaxation is asked for them;
    `descents` is the number of placements whose panels are relaxed to begin with. `clock` gives
    seconds, and stands while kernels are compiled.
    """

    first_steps: int = 1 << 21
    chunk_steps: int = 1 << 20
    quick_steps: int = 1 << 12
    descents: int = 40
    clock: Callable[[], float] = announcer.working_time


FEW_HOSTS_LIMITS = FewHostsLimits()
"""What the planner works with."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FewHostsAnswer:
    """An answer, None where no host has the ports; `whole`: all placements were tried."""

    assignment: Assignment | None
    whole: bool


def is_few(wiring: Circuits, target: Circuits, constraints: Constraints) -> bool:
    """Whether so few hosts may play that all placements can be tried."""
    return target.n <= len(_eligible(wiring, constraints)) <= MOST_FEW_HOSTS


def few_hosts(
    wiring: Circuits,
    target: Circuits,
    constraints: Constraints,
    *,
    pinned: int = 0,
    start: IntArray | None = None,
    seed: int = 0,
    time: float = 60.0,
    limits: FewHostsLimits = FEW_HOSTS_LIMITS,
) -> FewHostsAnswer:
    """The best of all assignments that give the circuits of every node ports, if not all a panel.

    The first `pinned` circuits of the wiring stay whatever comes, and `constraints` do not count
    their ports. If every such assignment leaves circuits out, also those are tried whose hosts
    have too few ports. Of equals `start` (nodes,) is preferred. Where steps run out, as many as
    take less than `time` seconds, or a clock says so, which stands while kernels are compiled, the
    answer is the best so far and claims nothing.

    >>> ring = Circuits(n=3, duplex=True, tail=np.arange(3), head=np.array([1, 2, 0]))
    >>> two = Constraints(ports=np.ones((3, 2), dtype=np.int32))
    >>> found = few_hosts(ring, ring, two)
    >>> found.assignment.unplaced, found.assignment.least_unplaced
    (1, 1)
    """
    hosts = _eligible(wiring, constraints)
    if constraints.fixed is not None and not set(constraints.fixed.tolist()) <= {
        -1,
        *hosts.tolist(),
    }:
        return FewHostsAnswer(assignment=None, whole=True)
    search = _Search(wiring, target, constraints, pinned, hosts, time, limits)
    search.take_start(start)
    whole = search.run(strict=True)
    if not search.known:
        return FewHostsAnswer(assignment=None, whole=whole)
    if search.best[0] > search.least and not search.interrupted:
        whole = whole and search.run(strict=False)
    return FewHostsAnswer(assignment=search.answer(seed, whole=whole), whole=whole)


def _eligible(wiring: Circuits, constraints: Constraints) -> Int64Array:
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
        time: float,
        limits: FewHostsLimits = FEW_HOSTS_LIMITS,
    ) -> None:
        self.limits = limits
        self.wiring, self.target, self.pinned, self.hosts = wiring, target, pinned, hosts
        self.number = np.full(wiring.n, -1, dtype=np.int64)
        self.number[hosts] = np.arange(len(hosts))
        self.pair, self.problem = few_hosts_problem(
            wiring, target, constraints, pinned, hosts, self.number
        )
        self.fixed = np.full(target.n, -1, dtype=np.int64)
        if constraints.fixed is not None:
            chosen = constraints.fixed >= 0
            self.fixed[chosen] = self.number[constraints.fixed[chosen]]
        self.least, self.found, self.interrupted = 0, EXHAUSTIVE, False
        self.steps = int(STEPS_A_SECOND * (1 + time))
        self.end = limits.clock() + SECONDS_BESIDE + time
        self.best = np.array([target.count + 1, target.count + 1, 0], dtype=np.int64)
        self.prices = no_prices(self.problem.times, len(hosts), SCALE)
        self.host = self.fixed.copy()
        panels = self.problem.room.shape[1]
        self.used = np.zeros((len(self.problem.times), panels), dtype=np.int64)

    @property
    def known(self) -> bool:
        """Whether any plan is known."""
        return bool(self.best[0] <= self.target.count)

    def take_start(self, start: IntArray | None) -> None:
        """Take the placement to start from, where it may be taken."""
        wanted = range(self.target.n) if start is None else start
        own = self.number[np.array(wanted, dtype=np.int64)]
        if (own < 0).any() or ((self.fixed >= 0) & (own != self.fixed)).any():
            return
        problem = self.problem._replace(lower=np.zeros_like(self.problem.lower))
        self._walk_placements(problem, own, strict=True)
        if self.known:
            self.found = "start"
            if self._all_hosts_alike():
                self.least = int(self.best[0])

    def run(self, *, strict: bool) -> bool:
        """Try all placements; whether it came to the end, with no Ctrl-C before."""
        before = self.best[:2].tolist()
        try:
            whole = self._walk_placements(self.problem, self.fixed, strict=strict)
        except (KeyboardInterrupt, SystemError) as error:
            require_interrupt(error)
            LOGGER.warning("interrupted; the plan is of the best placement so far")
            self.interrupted, whole = True, False
        if self.best[:2].tolist() != before:
            self.found = EXHAUSTIVE
        return whole

    def _walk_placements(
        self, problem: FewHostsProblem, fixed: Int64Array, *, strict: bool
    ) -> bool:
        """Try the placements with such fixed nodes; whether all of them were."""
        limits, walk, priced = self.limits, first_walk(problem, fixed), False
        first = self.steps - limits.first_steps
        while walk.depth[0] >= 0:
            before = self.best[:2].tolist()
            self._tell_best(before)
            each = min(self.steps, limits.chunk_steps if priced else max(1, self.steps - first))
            if each <= 0 or limits.clock() >= self.end:
                return False
            left = best_placement(
                problem,
                self.prices,
                walk,
                priced,
                fixed,
                strict,
                self.least,
                self.best,
                self.host,
                self.used,
                each,
                min(each, limits.quick_steps),
            )
            self.steps -= each - left
            if priced and self.best[:2].tolist() != before:
                self._take_prices(self.host)
            if self.best[2] and not self._solve_panels(walk.now):
                return False
            if not priced and self.steps <= first and self.known and walk.depth[0] >= 0:
                priced = True
                self._take_prices(self.host)
                self._descend_prices(strict=strict)
        return True

    def _tell_best(self, price: list[int]) -> None:
        if self.known:
            out = f" and {price[0]} circuits left out" if price[0] else ""
            work_progress.tell(f"all placements of few hosts; {price[1]} moves{out} so far")

    def _take_prices(self, now: Int64Array) -> RelaxedSplit | None:
        """Take the prices of ports that the relaxation of a placement gives."""
        self.steps -= PRICED
        found = relaxed_split(self._split_problem(now), self.prices.out_cost, self._effort)
        if found is not None:
            add_prices(self.prices, self.problem, found.price)
        return found

    def _solve_panels(self, now: Int64Array) -> bool:
        """The best panels of a placement, if they make a better plan; whether that is proved."""
        found = self._take_prices(now)
        if found is not None and is_cut_here(self.prices, self.problem, now, self.best):
            return True
        split = self._split_problem(now)
        if found is not None and found.on is not None:
            self._keep_better(now, found.on, *split.price(found.on))
            return True
        self.steps -= 2 * PRICED
        proved = best_split(split, np.zeros_like(split.there), self._effort)
        price = split.price(proved.on)
        self._keep_better(now, proved.on, *price)
        return price == (proved.out, proved.made)

    def _keep_better(self, now: Int64Array, on: Int64Array, out: int, made: int) -> None:
        """Keep a plan if it is the best so far."""
        if (out, made) < tuple(self.best[:2].tolist()):
            self.best[:2], self.host, self.used = (out, made), now.copy(), on.copy()

    def _descend_prices(self, *, strict: bool) -> None:
        """Better plans, and prices, from placements that are cheap by the prices so far."""
        now, random = self.host.copy(), np.random.default_rng(0)
        may = self._allowed_hosts(strict=strict)
        for _ in range(self.limits.descents):
            before = now.copy()
            exchange_hosts(self.prices, self.problem, now, may)
            if (now == before).all():
                shuffle_hosts(now, may, random)
                exchange_hosts(self.prices, self.problem, now, may)
            self._solve_panels(now)

    def _allowed_hosts(self, *, strict: bool) -> BoolArray:
        """Which hosts each node may be on, shape (nodes, hosts)."""
        problem, k = self.problem, len(self.hosts)
        has = [
            problem.ports[:k] + problem.pins.sum(axis=1),
            problem.ports[-k:] + problem.pins.sum(axis=0),
        ]
        fits = (problem.need[:, None] <= np.stack(has, axis=1)[None]).all(axis=2)
        fixed = self.fixed[:, None]
        return np.asarray((fits | (not strict)) & ((fixed < 0) | (fixed == np.arange(k))))

    @property
    def _effort(self) -> Effort:
        return Effort(branches=SPLIT_BRANCHES, seconds=lambda: self.end - self.limits.clock())

    def _split_problem(self, now: Int64Array) -> Split:
        """The circuits of a placement, for which panels are sought."""
        problem = self.problem
        tail, head = now[problem.tail], now[problem.head]
        return Split(
            ends=np.stack([tail, problem.far + head], axis=1),
            wanted=np.maximum(0, problem.times - problem.pins[tail, head]),
            there=problem.there[tail, head],
            room=problem.room,
        )

    def _all_hosts_alike(self) -> bool:
        """Whether all hosts have the same ports: every placement then leaves out as many."""
        room = self.problem.room.reshape(-1, len(self.hosts), self.problem.room.shape[1])
        return bool((room == room[:, :1]).all()) and not self.problem.pins.any()

    def answer(self, seed: int, *, whole: bool) -> Assignment:
        """The best plan so far, as an assignment of the hosts and panels asked for."""
        host = self.hosts[self.host].astype(np.int32)
        panel = self._panels()
        out, made, _ = self.best.tolist()
        count = Bound(moves=max(0, self.target.count - self.wiring.count), name="count")
        proved = whole and not out
        return Assignment(
            host=host,
            panel=panel,
            kept=kept_circuits(self.wiring, self.target, host, panel),
            bound=Bound(moves=made, name=EXHAUSTIVE) if proved else count,
            least_unplaced=out if whole else self.least,
            found=self.found,
            seed=seed,
            seconds=0.0,
            interrupted=self.interrupted,
        )

    def _panels(self) -> IntArray:
        """The panel of each circuit: first those that pinned circuits are on, -1 for left out."""
        wiring, target, problem = self.wiring, self.target, self.problem
        panel = np.full(target.count, -1, dtype=np.int32)
        for i in range(len(problem.times)):
            ends = self.hosts[self.host[[problem.tail[i], problem.head[i]]]]
            tail, head = wiring.tail[: self.pinned], wiring.head[: self.pinned]
            pinned = (tail == ends[0]) & (head == ends[1])
            if target.duplex:
                pinned |= (tail == ends[1]) & (head == ends[0])
            where = np.zeros(0, dtype=np.int32)
            if self.pinned and wiring.panel is not None:
                where = wiring.panel[: self.pinned][pinned]
            own = np.repeat(np.arange(problem.room.shape[1]), self.used[i])
            circuits = np.flatnonzero(self.pair == i)
            carried = np.concatenate([where, own])[: len(circuits)]
            panel[circuits[: len(carried)]] = carried
        return panel
