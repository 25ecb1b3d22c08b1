"""The fewest moves that make a miswired fabric what it should be.

A fabric is as it should be when its graph is: hosts may play one another's part, and which port
of a host a circuit ends in does not matter. So what is wanted is a placement, as in every plan;
but one is known that is near: each host plays itself, and each circuit that is lacking goes back
on the panel that it should be on. That takes no search, whatever the panels. Whether the fabric
is the same up to names is asked first (colour refinement with individualisation), and where the
bound leaves room, placements near the known one are tried.
"""

import time as clock
from dataclasses import dataclass, replace

import numpy as np

from generators.errors import InvalidInput
from generators.topology import BoolArray, Int64Array, IntArray
from topofinder.model.inventory.losses import PortLosses
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Bound, Plan
from topofinder.patching.bounds.lower_bound import least_moves
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.drained_order import DrainRules
from topofinder.patching.existing_circuits import (
    ExistingCircuits,
    existing_circuits,
    wired_topology,
)
from topofinder.patching.pinned_placement import PlacedTarget, PlacementOptions, place_target
from topofinder.patching.placement.assignment import Assignment, carry_placement, kept_circuits
from topofinder.patching.placement.few_hosts import MOST_FEW_HOSTS
from topofinder.patching.placement.isomorphism import find_isomorphism
from topofinder.patching.placement.problem import (
    PlacementProblem,
    lawful_placement,
    placement_problem,
    usable_circuits,
)
from topofinder.patching.placement.search import Search
from topofinder.patching.planner import PlanOptions, Target, eligible_hosts, plan_placement

AS_EXPECTED = "the wiring that should be"
"""What it is called beside recipes."""
PLACED = "hosts are given"
"""The argument of a bound where every host plays itself: circuits in place on no panel."""
NEAR = "near the expected placement"
SEARCH_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mending:
    """A plan that makes a fabric what it should be: host `plan.host[v]` plays `expected[v]`.

    `restored` are the moves that bring back every circuit on its own hosts and panel, None where
    that is impossible, since ports are not what they were.
    """

    plan: Plan
    expected: tuple[int, ...]
    restored: int | None

    @property
    def renamed(self) -> tuple[tuple[int, int], ...]:
        """Hosts that play another host's part, with that host."""
        pairs = zip(self.plan.host, self.expected, strict=True)
        return tuple(sorted((host, part) for host, part in pairs if host != part))


def mend_wiring(
    fabric: PortMap,
    observed: Wiring,
    expected: Wiring,
    *,
    seed: int = 0,
    time: float = SEARCH_SECONDS,
    keep_connected: bool = False,
    drain: DrainRules | None = None,
    losses: PortLosses | None = None,
    loss_budget: int | None = None,
    intact: PortMap | None = None,
    subject: str = AS_EXPECTED,
    fixed: bool = False,
) -> Mending:
    """The plan with the fewest moves found from the wiring observed to one like that expected.

    Of equals it is the one in which every host plays itself; with `fixed` every host must. `time`
    is what a search for fewer moves than there are lacking circuits may take, in seconds; it fixes
    the work in advance. The expected circuits between good ports are wanted, or between ports that
    are good in the `intact` fabric, where ports failed since; the plan calls them the `subject`.
    `drain` says what stays up in the middle of its stages. New circuits take ports by `losses`; the
    plan tells which are above the budget, in thousandths of a decibel.

    Raises InvalidInput where no placement has the ports.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> pairs = port_map(inventory_for(hosts=4, ports=1))
    >>> seen, wanted = Wiring(to=np.array([2, 3, 0, 1])), Wiring(to=np.array([1, 0, 3, 2]))
    >>> found = mend_wiring(pairs, seen, wanted)
    >>> found.plan.moves, found.restored
    (0, 2)
    """
    began = clock.perf_counter()
    target, hosts = expected_target(intact or fabric, expected, subject)
    allowed = eligible_hosts(fabric, None)
    rates = sorted(set(fabric.forbidden.rates))
    circuits = Circuits.of(target.topology, duplex=target.duplex, rates=rates)
    task = _Task(
        place=existing_circuits(fabric, observed, duplex=target.duplex, allowed=allowed),
        circuits=circuits,
        panel=_expected_panels(intact or fabric, expected, circuits, hosts),
        hosts=hosts,
        allowed=allowed,
        seed=seed,
        fixed=fixed,
    )
    found, restored = _best_placement(task, time)
    found = _bound_by_hosts(task, found)
    seconds = clock.perf_counter() - began
    timed = replace(found, assignment=replace(found.assignment, seconds=seconds))
    placement = PlacementOptions(seed=seed, time=time)
    options = PlanOptions(
        placement=placement,
        keep_connected=keep_connected,
        drain=drain,
        losses=losses,
        loss_budget=loss_budget,
    )
    plan = plan_placement(observed, target, options, task.place, circuits, timed)
    return Mending(plan=plan, expected=tuple(hosts.tolist()), restored=restored)


def expected_target(
    fabric: PortMap, expected: Wiring, subject: str = AS_EXPECTED
) -> tuple[Target, IntArray]:
    """The graph of a wiring between hosts with usable ports, and the host that is each node.

    Raises InvalidInput where it joins no two hosts.
    """
    allowed = eligible_hosts(fabric, None)
    duplex = all(circuit.duplex for circuit in expected.circuits())
    topology = wired_topology(fabric, expected, duplex=duplex, allowed=allowed)
    if topology is None:
        raise InvalidInput("--expected: no circuit joins usable ports of two hosts")
    place = existing_circuits(fabric, expected, duplex=duplex, allowed=allowed)
    there = place.engine_circuits[0]
    between = there.tail != there.head
    hosts = np.unique(np.concatenate([there.tail[between], there.head[between]]))
    target = Target(subject=subject, recipe=None, topology=topology, duplex=duplex)
    return target, hosts.astype(np.int32)


def _expected_panels(
    fabric: PortMap, expected: Wiring, circuits: Circuits, hosts: IntArray
) -> IntArray:
    """The panel that each circuit of the target should be on."""
    allowed = eligible_hosts(fabric, None)
    place = existing_circuits(fabric, expected, duplex=circuits.duplex, allowed=allowed)
    there = place.engine_circuits[0]
    anywhere = np.zeros(circuits.count, dtype=np.int32)
    own = kept_circuits(replace(there, panel=None), circuits, hosts, anywhere)
    panel = np.zeros(there.count, dtype=np.int32) if there.panel is None else there.panel
    return panel[own]


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """What is in place, and the circuits of the target with the panels that they should be on.

    `hosts` should play its nodes, and must where that is `fixed`; those that are `allowed` may.
    """

    place: ExistingCircuits
    circuits: Circuits
    panel: IntArray
    hosts: IntArray
    allowed: BoolArray
    seed: int
    fixed: bool

    @property
    def constraints(self) -> Constraints:
        """The ports that may be used, those that pinned circuits take among them."""
        ports, receivers = self.place.room(range(self.place.pinned)).astype(np.int32)
        return Constraints(allowed=self.allowed, ports=ports, receivers=receivers)

    @property
    def there(self) -> Circuits:
        """The circuits in place that may stay."""
        return self.place.engine_circuits[0]

    def kept_anywhere(self, host: IntArray) -> IntArray:
        """The circuit in place that realises each of the target, whatever the panels, or -1."""
        anywhere = np.zeros(self.circuits.count, dtype=np.int32)
        return kept_circuits(replace(self.there, panel=None), self.circuits, host, anywhere)

    def own_panels(self, host: IntArray) -> IntArray:
        """The panel that each circuit in place is on, -1 for those to make."""
        kept, there = self.kept_anywhere(host), self.there
        if there.panel is None or not there.count:
            return np.where(kept < 0, -1, 0).astype(np.int32)
        return np.where(kept < 0, -1, there.panel[kept]).astype(np.int32)


def _best_placement(task: _Task, time: float) -> tuple[PlacedTarget, int | None]:
    """The best placement, and the moves that restore the expected one, where it may be made."""
    rules = bool(task.place.fabric.forbidden)
    own = None if rules else _offer(task, task.hosts, task.panel, "start")
    restored = None if own is None else own.moves
    if own is None or len(task.allowed) <= MOST_FEW_HOSTS:
        options = PlacementOptions(
            fixed=task.hosts if task.fixed else None,
            start=None if (own is None and not rules) or task.fixed else task.hosts,
            seed=task.seed,
            time=max(time, 1.0),
        )
        found = place_target(task.place, task.circuits, task.allowed, options)
        if own is None or found.assignment.price < own.price:
            return found, restored
        bounded = replace(own, bound=found.assignment.bound)
        return _with_stays(task, bounded), restored
    return _with_stays(task, _search_near(task, own, time)), restored


def _bound_by_hosts(task: _Task, found: PlacedTarget) -> PlacedTarget:
    """What is found, with a bound for the hosts that are given, where they are and that says more.

    A circuit of the target that is in place on no panel must be made.
    """
    least = int(np.count_nonzero(task.kept_anywhere(task.hosts) < 0))
    if not task.fixed or least <= found.assignment.bound.moves:
        return found
    bound = Bound(moves=least, name=PLACED)
    return replace(found, assignment=replace(found.assignment, bound=bound))


def _search_near(task: _Task, own: Assignment, time: float) -> Assignment:
    """The best of the expected placement, an isomorphism, and placements near the expected one."""
    panel = task.own_panels(task.hosts)
    offers = [_offer(task, task.hosts, np.where(panel < 0, task.panel, panel), "start"), own]
    if task.fixed:
        return min((one for one in offers if one is not None), key=lambda one: one.price)
    problem = placement_problem(task.there, task.circuits, task.constraints)
    first = lawful_placement(task.hosts, problem.rules, None)
    if own.moves:
        offers.append(_isomorphism(task, problem, first))
    bound = Bound(moves=0, name="count")
    moves = min(one.moves for one in offers if one is not None)
    if moves:
        bound = least_moves(usable_circuits(task.there, problem.rules), task.circuits, moves)
    if moves > bound.moves:
        offers.append(_repair_near(task, problem, first, bound, time))
    best = min((one for one in offers if one is not None), key=lambda one: one.price)
    return replace(best, bound=bound)


def _isomorphism(task: _Task, problem: PlacementProblem, first: Int64Array) -> Assignment | None:
    """The placement for which nothing moves, if there is one."""
    same = find_isomorphism(problem, first)
    if same.host is None:
        return None
    host = same.host[: task.circuits.n].astype(np.int32)
    return _offer(task, host, task.own_panels(host), "isomorphism")


def _repair_near(
    task: _Task, problem: PlacementProblem, first: Int64Array, bound: Bound, time: float
) -> Assignment | None:
    """The best placement that destroying and repairing finds around what is wrong."""
    search = Search(problem, first, task.seed, time)
    search.bound, begun = bound, search.kept
    search.repair_from(first, search.budget, NEAR)
    if search.kept == begun:
        return None
    seed, there = task.seed, task.there
    one = carry_placement(there, task.circuits, task.constraints, search.best, NEAR, seed)
    return _offer(task, one.host, one.panel, NEAR)


def _offer(task: _Task, host: IntArray, panel: IntArray, found: str) -> Assignment | None:
    """An assignment; None where ports are lacking for it, or pinned circuits have no part in it."""
    there, which = task.place.engine_circuits
    panel = panel.astype(np.int32)
    kept = kept_circuits(there, task.circuits, host, panel)
    pinned = which[kept[kept >= 0]] < task.place.pinned
    if (panel < 0).any() or pinned.sum() < task.place.pinned or not _has_room(task, host, panel):
        return None
    return Assignment(
        host=host,
        panel=panel,
        kept=kept,
        bound=Bound(moves=0, name="count"),
        found=found,
        seed=task.seed,
        seconds=0.0,
        least_made_here=int(np.count_nonzero(task.kept_anywhere(host) < 0)),
    )


def _has_room(task: _Task, host: IntArray, panel: IntArray) -> bool:
    """Whether the hosts have ports for circuits on these panels."""
    room = task.place.room(range(task.place.pinned))
    used = np.zeros_like(room)
    for side, ends in enumerate((task.circuits.tail, task.circuits.head)):
        np.add.at(used[side], (host[ends], panel), 1)
    if task.circuits.duplex:
        used[:] = used.sum(axis=0)
    return bool((used <= room).all())


def _with_stays(task: _Task, found: Assignment) -> PlacedTarget:
    """The assignment with the circuits that stay by their numbers among all in place."""
    which = task.place.engine_circuits[1]
    stays = np.full(len(found.kept), -1, dtype=np.int64)
    stays[found.kept >= 0] = which[found.kept[found.kept >= 0]]
    return PlacedTarget(assignment=found, stays=stays)
