"""One plan, from a fabric, its wiring and a target to stages that have been replayed."""

from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from generators.errors import InvalidInput
from generators.topology import BoolArray, IntArray, Topology
from topofinder.model.inventory.document import State
from topofinder.model.inventory.losses import PortLosses
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.patching.circuits import Circuits
from topofinder.patching.drained_order import DrainRules, order_drained
from topofinder.patching.existing_circuits import ExistingCircuits, existing_circuits
from topofinder.patching.lengths import measure_circuits
from topofinder.patching.loss_budget import OverBudget, bar_lossy_pairs, require_budget
from topofinder.patching.moves.occupancy import NewCircuit
from topofinder.patching.moves.ordering import MoveTask
from topofinder.patching.pinned_placement import (
    HASTE,
    PlacedTarget,
    PlacementOptions,
    place_target,
)
from topofinder.patching.placement.problem import TooFewPorts
from topofinder.patching.port_losses import assign_ports
from topofinder.verification.plans import replay_stages


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Target:
    """A topology to realise, and what to call it; `duplex` says with which circuits."""

    subject: str
    recipe: str | None
    topology: Topology
    duplex: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanOptions:
    """How to plan: `hosts` that may play nodes (all by default), the placement, the order.

    `drain` says what stays up in the middle of stages. With `losses` new circuits take the ports
    at which the worst one loses least; the budget, in thousandths of a decibel, must be kept.
    Circuits longer than the `reach`, in millimetres, are told.
    """

    hosts: tuple[int, ...] | None = None
    placement: PlacementOptions = field(default_factory=PlacementOptions)
    keep_connected: bool = False
    drain: DrainRules | None = None
    losses: PortLosses | None = None
    loss_budget: int | None = None
    reach: int | None = None

    @property
    def in_haste(self) -> "PlanOptions":
        """The same with next to no search: what is left to do after Ctrl-C."""
        return replace(self, placement=replace(self.placement, time=HASTE))


def make_plan(fabric: PortMap, wiring: Wiring, target: Target, options: PlanOptions) -> Plan:
    """The plan that was found, after its replay, forth and back.

    Raises InvalidInput where the target cannot be realised, with the host that falls short, and
    where a new circuit loses more light than the budget, also with other hosts and panels.
    """
    barred = _barred_by_budget(fabric, options)
    if barred is not None:  # two searches share the time
        half = options.placement.time / 2
        options = replace(options, placement=replace(options.placement, time=half))
    placement = find_placement(fabric, wiring, target, options)
    try:
        return placement.plan()
    except OverBudget:
        if placement.interrupted:
            options = options.in_haste
        other = None if barred is None else _plan_in_budget(barred, fabric, wiring, target, options)
        if other is None:
            raise
        return other


def _barred_by_budget(fabric: PortMap, options: PlanOptions) -> PortMap | None:
    """The fabric in which nothing above the budget may be made; None where that changes nothing."""
    if options.losses is None or options.loss_budget is None:
        return None
    barred = bar_lossy_pairs(fabric, options.losses, options.loss_budget)
    return None if barred is None or barred.forbidden == fabric.forbidden else barred


def _plan_in_budget(
    barred: PortMap, fabric: PortMap, wiring: Wiring, target: Target, options: PlanOptions
) -> Plan | None:
    """The plan that makes no circuit above the budget of loss; None where none is found whole."""
    with suppress(InvalidInput):  # no plan for want of ports, or none within the budget
        plan = find_placement(barred, wiring, target, options).plan()
        return None if plan.missing else replace(plan, fabric=fabric)
    return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TargetPlacement:
    """A placement that was found of a target on a fabric: all that its plan follows from."""

    wiring: Wiring
    target: Target
    options: PlanOptions
    place: ExistingCircuits
    circuits: Circuits
    found: PlacedTarget

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search for it."""
        return self.found.assignment.interrupted

    def plan(self) -> Plan:
        """The plan, after its replay. Raises OverBudget where a circuit loses too much light."""
        return require_budget(
            plan_placement(
                self.wiring, self.target, self.options, self.place, self.circuits, self.found
            )
        )


def find_placement(
    fabric: PortMap, wiring: Wiring, target: Target, options: PlanOptions
) -> TargetPlacement:
    """The placement with the fewest moves that is found.

    Raises InvalidInput where the target cannot be realised, with the host that falls short.
    """
    allowed = eligible_hosts(fabric, options.hosts)
    place = existing_circuits(fabric, wiring, duplex=target.duplex, allowed=allowed)
    rates = sorted(set(fabric.forbidden.rates))
    circuits = Circuits.of(target.topology, duplex=target.duplex, rates=rates)
    if not circuits.count:
        raise InvalidInput(f"--to: {target.subject} has no circuits between different hosts")
    return TargetPlacement(
        wiring=wiring,
        target=target,
        options=options,
        place=place,
        circuits=circuits,
        found=place_target(place, circuits, allowed, options.placement),
    )


def eligible_hosts(fabric: PortMap, hosts: tuple[int, ...] | None) -> BoolArray:
    """Which hosts may play nodes: those chosen, and of them those with a port that can be used."""
    usable = np.zeros(len(fabric.hosts), dtype=np.bool_)
    usable[fabric.host[fabric.of_state(State.LIVE, State.PINNED)]] = True
    if hosts is None:
        return usable
    chosen = np.zeros_like(usable)
    chosen[list(hosts)] = True
    for host in np.flatnonzero(chosen & ~usable).tolist():
        raise InvalidInput(f"{fabric.where(host)}: {fabric.hosts[host]} has no usable port")
    return chosen


def spare_hosts(
    fabric: PortMap,
    wiring: Wiring,
    hosts: tuple[int, ...] | None,
    *,
    ports: int,
    spares: int,
    fixed: BoolArray | None = None,
) -> tuple[int, ...]:
    """So many of the hosts that may take part, each with as many live ports as a host of the plan.

    Those with the fewest circuits in place come first, of equals the last of the inventory; hosts
    that are `fixed`, bool (hosts,), never. Raises InvalidInput where there are not enough.
    """
    able = eligible_hosts(fabric, hosts)
    live = np.bincount(fabric.host[fabric.of_state(State.LIVE)], minlength=len(able))
    able &= live >= ports
    if fixed is not None:
        able &= ~fixed
    offered = np.flatnonzero(able)
    if not 0 <= spares <= len(offered):
        raise InvalidInput(
            f"--spares: 0 to {len(offered)} hosts with {ports} live ports each, not {spares}"
        )
    to = np.asarray(wiring.to)
    joined = np.zeros(len(to), dtype=np.bool_)
    joined[np.flatnonzero(to >= 0)] = True
    joined[to[to >= 0]] = True
    busy = np.bincount(fabric.host[joined], minlength=len(able))[offered]
    order = np.lexsort((-offered, busy))
    return tuple(sorted(offered[order[:spares]].tolist()))


def require_replay(plan: Plan) -> None:
    """Replay a plan and its rollback. Raises InvalidInput if either does not hold."""
    done = replay_stages(plan.fabric, plan.before, plan.stages, plan.claim)
    back = replay_stages(plan.fabric, done.after, plan.rollback, undoing=True)
    undone = None if back.after.same(plan.before) else "the rollback does not restore the wiring"
    if violation := done.violation or back.violation or undone:
        raise InvalidInput(f"the plan does not pass its replay: {violation}")


def plan_placement(
    wiring: Wiring,
    target: Target,
    options: PlanOptions,
    place: ExistingCircuits,
    circuits: Circuits,
    found: PlacedTarget,
) -> Plan:
    """The plan of a placement that was found, after its replay, forth and back.

    `circuits` are those of the target, `place` what is in place. Raises InvalidInput where the
    replay does not hold.
    """
    answer = found.assignment
    if circuits.rate is not None and answer.unplaced:
        raise TooFewPorts(
            f"--link-rates: {answer.unplaced} of {circuits.count} circuits find no two ports of "
            "their rate on one panel"
        )
    host = tuple(answer.host.tolist())
    stages, drain = order_drained(
        _move_task(place, circuits, found),
        wiring,
        host,
        keep_connected=options.keep_connected,
        rules=options.drain,
    )
    lost = None
    if options.losses is not None:
        stages, lost = assign_ports(
            place.fabric, host, wiring, stages, options.losses, options.loss_budget
        )
    ends = np.stack([circuits.tail, circuits.head], axis=1)
    plan = Plan(
        fabric=place.fabric,
        before=wiring,
        subject=target.subject,
        recipe=target.recipe,
        topology=target.topology,
        duplex=target.duplex,
        host=host,
        stages=stages,
        kept=int(np.count_nonzero(found.stays >= 0)),
        missing=tuple((u, v) for u, v in ends[answer.panel < 0].tolist()),
        missing_proved=answer.leaves_out_least,
        bound=answer.bound,
        placement_missing=answer.least_out_here,
        placement_moves=answer.least_made_here,
        found=answer.found,
        seed=options.placement.seed,
        keep_connected=options.keep_connected,
        seconds=answer.seconds,
        drain=drain,
        losses=lost,
        lengths=measure_circuits(place.fabric, circuits, answer.host, answer.panel, options.reach),
    )
    require_replay(plan)
    return plan


def _move_task(place: ExistingCircuits, circuits: Circuits, found: PlacedTarget) -> MoveTask:
    host: IntArray = found.assignment.host
    player = np.full(len(place.fabric.hosts), -1, dtype=np.int32)
    player[host] = np.arange(len(host))
    new = np.flatnonzero((found.stays < 0) & (found.assignment.panel >= 0))
    classes = np.zeros((circuits.count, 2), dtype=np.int64)
    classes = (classes if found.classes is None else found.classes)[new]
    columns = host[circuits.tail[new]], host[circuits.head[new]], found.assignment.panel[new]
    rows = zip(*(column.tolist() for column in (*columns, *classes.T)), strict=True)
    return MoveTask(
        place=place,
        wanted=tuple(NewCircuit(u, v, panel, (a, b)) for u, v, panel, a, b in rows),
        stays=frozenset(found.stays[found.stays >= 0].tolist()),
        player=player,
    )
