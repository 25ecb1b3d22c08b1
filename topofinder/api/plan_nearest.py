"""Plans of one of several targets: those that are named, or the frontier for the hosts in place."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.api.plan_methods import PlanResult, PlanWish, require_true, target_of
from topofinder.api.shared.default_effort import effort_or_default
from topofinder.api.shared.frontiers import search_size
from topofinder.api.shared.tree_aims import read_loss
from topofinder.api.shared.workloads import read_workload
from topofinder.model.candidate import LinkMode
from topofinder.model.inventory.document import State
from topofinder.model.inventory.hosts import named_hosts
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.workload import Workload
from topofinder.patching.existing_circuits import IN_PLACE, wired_topology
from topofinder.patching.fewer_links import bfb_costs
from topofinder.patching.nearest_targets import CostedTarget, MoveBudget, choose_target
from topofinder.patching.planner import PlanOptions, Target, eligible_hosts

MOST_TARGETS = 12
"""Candidates of a size that are considered, the quickest first."""
USUAL = "10us", "1MiB", "100Gbps"
"""Latency, size and bandwidth that wirings are judged by where nothing else is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestRequest:
    """What is sought: one of the `targets`, recipes or files, or of a frontier if there are none.

    They are judged by the allreduce of a `workload`; frontiers are looked up and stored in `db`.
    """

    targets: tuple[str, ...] = ()
    budget: MoveBudget
    workload: Workload | None = None
    db: str | PathLike[str] | None = None


def find_nearest_plan(
    fabric: PortMap,
    wiring: Wiring,
    request: NearestRequest,
    wish: PlanWish,
    *,
    mode: LinkMode | str | None = None,
) -> PlanResult:
    """The moves to the target that the budget chooses; every plan has passed its replay.

    What is in place is among the targets where there is a number of moves to keep to. Raises
    InvalidInput, with file and line, for whatever is wrong with the input, and where no target is
    within the budget.
    """
    if wish.start is not None:
        raise InvalidInput("--start: a placement is one of a single --to")
    offers = _offers(fabric, wiring, request, wish, mode)
    each = replace(wish, time=wish.time / len(offers))

    def options(target: Target) -> PlanOptions:
        return each.options(fabric, wiring, target)[0]

    tried = choose_target(fabric, wiring, offers, options, request.budget)
    chosen = next(one for one in tried if one.chosen)
    if chosen.placement is None:
        raise InvalidInput(f"--to: {chosen.costed.target.subject} is not placed")
    plan = chosen.placement.plan()
    require_true(plan, wiring)
    reserve = each.options(fabric, wiring, chosen.costed.target)[1]
    return PlanResult(plan=plan, spares=reserve, targets=tuple(tried))


def _offers(
    fabric: PortMap,
    wiring: Wiring,
    request: NearestRequest,
    wish: PlanWish,
    mode: LinkMode | str | None,
) -> list[CostedTarget]:
    """The targets with their costs, at hosts of as many ports as the largest uses."""
    workload = request.workload or read_workload(*USUAL)
    if workload is None:
        raise InvalidInput("--alpha: a workload is needed")
    named = [target_of(text, mode) for text in request.targets]
    now = _wiring_in_place(fabric, wiring, wish, mode, named)
    if not named and now is None:
        raise InvalidInput("--to: what to wire is needed where no circuits are in place")
    beside = [now] if now is not None and request.budget.max_moves is not None else []
    d = _most_ports(fabric, [*named, *([now] if now else [])])
    found = [_cost_target(target, d, workload) for target in [*beside, *named]]
    offers = [one for one in found if one is not None]
    if now is not None and not named:
        offers += _stored_offers(now, d, workload, request.db)
    if not offers:
        raise InvalidInput("--to: no target connects its hosts")
    return offers


def _most_ports(fabric: PortMap, targets: Sequence[Target]) -> int:
    """The largest degree of the targets, of those that some host has ports for."""
    ports = np.bincount(fabric.host[fabric.of_state(State.LIVE, State.PINNED)]).max(initial=0)
    degrees = [target.topology.degree for target in targets]
    return max([d for d in degrees if d <= ports] or degrees)


def _wiring_in_place(
    fabric: PortMap,
    wiring: Wiring,
    wish: PlanWish,
    mode: LinkMode | str | None,
    named: Sequence[Target],
) -> Target | None:
    """What is in place as a target, in the mode of those that are named; None where nothing is.

    Where none is, it is duplex unless the mode says otherwise or a circuit leads one way.
    """
    allowed = eligible_hosts(
        fabric, None if wish.hosts is None else named_hosts(fabric, wish.hosts)
    )
    if named:
        duplex = named[0].duplex
    elif mode is not None:
        duplex = mode == LinkMode.DUPLEX
    else:
        duplex = all(circuit.duplex for circuit in wiring.circuits(split=False))
    topology = wired_topology(fabric, wiring, duplex=duplex, allowed=allowed)
    if topology is None or (named and topology.n != named[0].topology.n):
        return None
    return Target(subject=IN_PLACE, recipe=None, topology=topology, duplex=duplex)


def _cost_target(target: Target, d: int, workload: Workload) -> CostedTarget | None:
    """A target with its costs by BFB; None where it does not connect its hosts."""
    costs = bfb_costs(target.topology, d)
    if costs is None:
        return None
    one = CostedTarget(
        target=target, allgather=costs[0], reduce_scatter=costs[1], seconds=Fraction()
    )
    return replace(one, seconds=workload.seconds(one))


def _stored_offers(
    now: Target, d: int, workload: Workload, db: str | PathLike[str] | None
) -> list[CostedTarget]:
    """The quickest of the frontier and the pool for as many hosts and ports."""
    links = LinkMode.DUPLEX if now.duplex else LinkMode.SIMPLEX
    found = search_size(now.topology.n, d, links, db, effort_or_default(None))
    rows = {row.recipe: row for row in (*found.frontier.members, *(found.pool or ()))}
    ranked = sorted(rows.values(), key=lambda row: (workload.seconds(row), row.recipe))
    return [
        CostedTarget(
            target=target_of(row.recipe, links),
            allgather=row.allgather,
            reduce_scatter=row.reduce_scatter,
            seconds=workload.seconds(row),
        )
        for row in ranked[:MOST_TARGETS]
    ]


def read_budget(max_moves: int | None, loss: str | None) -> MoveBudget | None:
    """The budget that options tell; None where they tell none.

    >>> read_budget(40, None), read_budget(None, "5%").loss
    (MoveBudget(max_moves=40, loss=None), Fraction(1, 20))
    """
    if max_moves is None and loss is None:
        return None
    if max_moves is not None and max_moves < 0:
        raise InvalidInput(f"--max-moves: 0 or more, not {excerpt(max_moves)}")
    return MoveBudget(max_moves=max_moves, loss=None if loss is None else read_loss(loss))
