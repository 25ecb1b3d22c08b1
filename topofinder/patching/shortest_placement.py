"""The placement with the least fibre, or the fewest circuits longer than a reach.

Beside the plan with the fewest moves: what the lengths cost in moves is told with it. Of few hosts
all placements are tried, each on its best panels; of more they are searched for, and a linear
assignment of nodes to hosts, each by its shortest ports, bounds the fibre from below.
"""

import time as clock
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from generators.errors import InvalidInput
from generators.topology import BoolArray, Int64Array, IntArray
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.lengths import CircuitLengths, LeastOf, LengthTrade
from topofinder.model.plan import Plan
from topofinder.patching.lengths import length_table, measure_circuits
from topofinder.patching.pinned_placement import PlacedTarget
from topofinder.patching.placement.assignment import kept_circuits
from topofinder.patching.placement.length_exchange import UNUSABLE, ExchangeProblem
from topofinder.patching.placement.shortest_split import ShortestSplit, shortest_split
from topofinder.patching.planner import (
    PlanOptions,
    Target,
    TargetPlacement,
    eligible_hosts,
    find_placement,
)

AGAIN = 0.5
"""Share of the time, beside that of the fewest moves, for the panels of a short placement."""
MOST_HOSTS = 2048
"""Hosts of the largest fabric in which lengths between all are looked at."""

Price = tuple[int, int, int, int]
"""Circuits left out, those above the reach, millimetres, moves: less is better, in this order."""


def plan_shortest(
    fabric: PortMap, wiring: Wiring, target: Target, options: PlanOptions, least: LeastOf
) -> Plan:
    """The plan with the least of that, and of such the fewest moves that are found.

    The fabric has lengths, and the options a reach where few are to be above it. Raises
    InvalidInput where the target cannot be realised, and for too many hosts.
    """
    if len(fabric.hosts) > MOST_HOSTS:
        raise InvalidInput(f"--least: {len(fabric.hosts)} hosts; at most {MOST_HOSTS}")
    fewest = find_placement(fabric, wiring, target, options)
    search = _LengthSearch.of(fewest, least)
    best, proved = search.best()
    instead = search.measure(fewest.found)
    trade = LengthTrade(
        least=least, proved=proved, fewest=fewest.found.assignment.moves, instead=instead
    )
    return replace(replace(fewest, found=best).plan(), trade=trade)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LengthSearch:
    """A placement with few moves, the lengths (panels, hosts, hosts) and the ports of all hosts.

    `room` (2, hosts, panels) are ports that send and hear; `allowed` (hosts, hosts) says whether a
    node, or padding, may be played by a host.
    """

    fewest: TargetPlacement
    least: LeastOf
    table: Int64Array
    room: Int64Array
    allowed: BoolArray

    @classmethod
    def of(cls, fewest: TargetPlacement, least: LeastOf) -> "_LengthSearch":
        fabric, target, options = fewest.place.fabric, fewest.circuits, fewest.options
        room = fewest.place.room(range(fewest.place.pinned))
        sends, hears = room.sum(axis=2)
        may = eligible_hosts(fabric, options.hosts)
        allowed = np.ones((len(fabric.hosts),) * 2, dtype=np.bool_)
        fits = (target.sends[:, None] <= sends) & (target.receives[:, None] <= hears)
        allowed[: target.n] = fits & may
        if (fixed := options.placement.fixed) is not None:
            for node in np.flatnonzero(fixed >= 0).tolist():
                allowed[node], allowed[:, fixed[node]] = False, False
                allowed[node, fixed[node]] = True
        table = length_table(fabric)
        return cls(fewest=fewest, least=least, table=table, room=room, allowed=allowed)

    @property
    def plain(self) -> bool:
        """Whether panels may be chosen by lengths: no pair is forbidden and no circuit pinned."""
        return not self.fewest.place.fabric.forbidden and not self.fewest.place.pinned

    def best(self) -> tuple[PlacedTarget, bool]:
        """The best placement found, and whether no wiring has less of what is to be least."""
        problem, first = self._exchange_problem(), self.fewest.found
        if self._is_short(first):
            return first, True
        offers = [first, *self._offers_by_panel(first.assignment.host)]
        every = problem.best_first() if self.plain else None
        if every is not None:
            return self._best_of_all(problem, every, offers)
        host = problem.improve(self._pad_hosts(first.assignment.host))[: self.fewest.circuits.n]
        offers += [*self._by_moves(host), *self._offers_by_panel(host)]
        best = min(offers, key=self.price)
        _, above, _, _ = self.price(best)
        return best, not above if self.least is LeastOf.REACH else self._is_short(best)

    def _is_short(self, found: PlacedTarget) -> bool:
        """Whether no wiring is shorter, or has more within the reach, by the bound of fibre."""
        out, above, total, _ = self.price(found)
        return not out and not above and total <= self._least_fibre()

    def _best_of_all(
        self, problem: ExchangeProblem, every: Int64Array, offers: list[PlacedTarget]
    ) -> tuple[PlacedTarget, bool]:
        """The best of all placements, which come in the order of what they weigh at least."""
        end = clock.perf_counter() + self.fewest.options.placement.time
        best, whole = min(offers, key=self.price), True
        for host in every:
            least, known = self._at_least(host), self.price(best)
            if least[:3] > known[:3]:
                break
            if least >= known:
                continue
            if clock.perf_counter() > end:
                return best, False
            split = self._split(host)
            whole &= split.whole
            best = min([best, *self._offers(host, split)], key=self.price)
        return best, whole

    def price(self, found: PlacedTarget) -> Price:
        """What is to be least, and then the moves."""
        measured, answer = self.measure(found), found.assignment
        above = len(measured.above) if self.least is LeastOf.REACH else 0
        return answer.unplaced, above, measured.total, answer.moves

    def measure(self, found: PlacedTarget) -> CircuitLengths:
        """The lengths of a placement."""
        fabric, answer = self.fewest.place.fabric, found.assignment
        reach = self.fewest.options.reach
        measured = measure_circuits(fabric, self.fewest.circuits, answer.host, answer.panel, reach)
        if measured is None:
            raise InvalidInput("--least: the inventory has no trays")
        return measured

    def _shortest(self) -> Int64Array:
        """Of each two hosts, on the best panel that has ports of both; more than any if none."""
        open_ = (self.room[0].T[:, :, None] > 0) & (self.room[1].T[:, None, :] > 0)
        return np.asarray(np.where(open_, self.table, UNUSABLE).min(axis=0))

    def _in_place(self) -> Int64Array:
        """How many circuits lead from a host to another, both ways round in duplex."""
        there, _ = self.fewest.place.engine_circuits
        found = np.zeros(self.allowed.shape, dtype=np.int64)
        np.add.at(found, (there.tail, there.head), 1)
        return found + found.T if there.duplex else found

    def _exchange_problem(self) -> ExchangeProblem:
        """Weights in which above the reach, lengths and moves follow one another."""
        short, target = self._shortest(), self.fewest.circuits
        closed = short >= UNUSABLE
        scale = int(np.gcd.reduce(short[~closed], initial=0)) or 1
        short = np.where(closed, 0, short // scale)
        longest, reach = int(short.max()), self.fewest.options.reach
        if self.least is LeastOf.REACH and reach is not None:
            short = short + (short * scale > reach) * (longest * target.count + 1)
        weight = short * (target.count + 1) - np.minimum(self._in_place(), 1)
        return ExchangeProblem(
            target=target, weight=np.where(closed, UNUSABLE, weight), allowed=self.allowed
        )

    def _at_least(self, host: Int64Array) -> Price:
        """No wiring with this placement has a lower price."""
        target = self.fewest.circuits
        each = self._shortest()[host[target.tail], host[target.head]]
        reach = self.fewest.options.reach
        far = 0 if self.least is not LeastOf.REACH or reach is None else int((each > reach).sum())
        return 0, far, int(each.sum()), self._new_at_least(host)

    def _new_at_least(self, host: IntArray | Int64Array) -> int:
        """Circuits that no circuit between the same hosts can serve, on whatever panel."""
        there, _ = self.fewest.place.engine_circuits
        anywhere = np.zeros(self.fewest.circuits.count, dtype=np.int32)
        alike = replace(there, panel=None)
        kept = kept_circuits(alike, self.fewest.circuits, host.astype(np.int32), anywhere)
        return int(np.count_nonzero(kept < 0))

    def _pad_hosts(self, host: IntArray) -> Int64Array:
        rest = np.setdiff1d(np.arange(len(self.allowed)), host)
        return np.concatenate([host, rest]).astype(np.int64)

    def _by_moves(self, host: Int64Array) -> Iterator[PlacedTarget]:
        """That placement with as few moves as can be found."""
        options = self.fewest.options
        time = AGAIN * options.placement.time
        placement = replace(options.placement, fixed=host.astype(np.int32), start=None, time=time)
        try:
            found = find_placement(
                self.fewest.place.fabric,
                self.fewest.wiring,
                self.fewest.target,
                replace(options, placement=placement),
            ).found
        except InvalidInput:
            return  # its hosts have not the ports, or what is pinned is in the way
        own = self.fewest.found.assignment
        answer = replace(
            found.assignment, bound=own.bound, least_unplaced=own.least_unplaced, found=self._name
        )
        yield replace(found, assignment=answer)

    def _offers_by_panel(self, host: IntArray | Int64Array) -> Iterator[PlacedTarget]:
        """That placement on the panels that make it shortest, where they may be chosen."""
        if self.plain:
            yield from self._offers(host, self._split(host))

    def _split(self, host: IntArray | Int64Array) -> ShortestSplit:
        """The panels that make a placement shortest."""
        (there, _), target = self.fewest.place.engine_circuits, self.fewest.circuits
        placed = target.on_hosts(host.astype(np.int32), there.n)
        each = self.table[:, placed.tail, placed.head].T
        reach = self.fewest.options.reach
        far = [] if self.least is not LeastOf.REACH else [(each > (reach or 0)).astype(np.int64)]
        seconds = self.fewest.options.placement.time
        return shortest_split(there, placed, self.room, [*far, each], seconds)

    def _offers(self, host: IntArray | Int64Array, split: ShortestSplit) -> Iterator[PlacedTarget]:
        """The placement on those panels, if there are any."""
        there, which = self.fewest.place.engine_circuits
        target, own = self.fewest.circuits, self.fewest.found.assignment
        if split.panel is None:
            return
        kept = kept_circuits(there, target, host.astype(np.int32), split.panel)
        stays = np.where(kept < 0, -1, which[kept] if len(which) else -1).astype(np.int64)
        answer = replace(
            own,
            host=host.astype(np.int32),
            panel=split.panel,
            kept=kept,
            found=self._name,
            least_out_here=0,
            least_made_here=self._new_at_least(host),
        )
        yield PlacedTarget(assignment=answer, stays=stays)

    @property
    def _name(self) -> str:
        return f"least {self.least}"

    def _least_fibre(self) -> int:
        """No wiring of the target has less: each node by the shortest ports of its host."""
        fabric, target = self.fewest.place.fabric, self.fewest.circuits
        if any(panel.rack is None for panel in fabric.panels):
            nearest = self._shortest().min(axis=1)
            cost = (target.sends if target.duplex else target.sends + target.receives)[:, None]
            return -(-self._assignment_sum(cost * nearest) // 2)
        own = np.diagonal(self.table, axis1=1, axis2=2).T // 2
        sides = [(target.sends, 0)] if target.duplex else [(target.sends, 0), (target.receives, 1)]
        costs = np.zeros((target.n, len(own)), dtype=np.int64)
        for uses, side in sides:
            for host in range(len(own)):
                ports = np.sort(np.repeat(own[host], self.room[side, host]))
                sums = np.append(0, np.cumsum(ports))
                costs[:, host] += sums[np.minimum(uses, len(ports))]
        return self._assignment_sum(costs)

    def _assignment_sum(self, costs: Int64Array) -> int:
        """The least sum of costs (nodes, hosts), each node on a host of its own."""
        costs = np.where(self.allowed[: len(costs)], costs, UNUSABLE)
        return int(costs[linear_sum_assignment(costs)].sum())
