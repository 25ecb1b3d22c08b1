"""Plans of one of several targets: those that are named, or the frontier for the hosts in place."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from os import PathLike

import numpy as np

from db.rows import CandidateRow
from expansions.cost import Cost
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.topology import Int64Array
from topofinder.api.plan_link_rates import cost_rated_target, rate_target, rated_workload
from topofinder.api.plan_methods import PlanResult, PlanWish, require_true, target_of
from topofinder.api.plan_wired_ports import wired_ports
from topofinder.api.shared.default_effort import effort_or_default
from topofinder.api.shared.frontiers import search_size
from topofinder.api.shared.tree_aims import read_loss
from topofinder.api.shared.workloads import read_workload
from topofinder.discovery.grafts.near import NearGraph, find_near_graphs
from topofinder.discovery.grafts.near_ports import LinkPorts
from topofinder.model.candidate import LinkMode
from topofinder.model.inventory.document import State
from topofinder.model.inventory.hosts import named_hosts
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.workload import Workload
from topofinder.patching.existing_circuits import IN_PLACE, wired_hosts, wired_topology
from topofinder.patching.nearest_targets import (
    CostedTarget,
    MoveBudget,
    TriedTarget,
    choose_target,
)
from topofinder.patching.planner import PlanOptions, Target, eligible_hosts
from topofinder.patching.trunk_targets import recipe_in_trunks, trunk_target
from topofinder.schedules.deferral.least_costs import least_costs

MOST_TARGETS = 12
"""Candidates of a size that are considered, the quickest first."""
GROWN_TARGETS = 4
"""The same of a larger or smaller size: most of what counts then is near the wiring in place."""
NEAR_SECONDS = 1.0
"""To better a placement that is near the wiring in place already."""
LOADS_A_SECOND = 500_000
"""Loads that are computed for graphs near the wiring in place, for each second of `--time`."""
USUAL = "10us", "1MiB", "100Gbps"
"""Latency, size and bandwidth that wirings are judged by where nothing else is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestRequest:
    """What is sought: one of the `targets`, recipes or files, or of a frontier if there are none.

    They are judged by the allreduce of a `workload`; frontiers are looked up and stored in `db`.
    The frontier is one for so many hosts more than are in place as `grow` says, below 0 for fewer.
    """

    targets: tuple[str, ...] = ()
    budget: MoveBudget
    workload: Workload | None = None
    grow: int = 0
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
    if wish.pins and not request.targets:
        raise InvalidInput("--pin: nodes are those of targets that --to names")
    if request.targets and request.grow:
        raise InvalidInput("--grow: the frontier is looked up, and no --to may be given")
    offers = _offers(fabric, wiring, request, wish, mode)
    each = replace(wish, time=wish.time / len(offers))

    def options(costed: CostedTarget) -> PlanOptions:
        found = each.options(fabric, wiring, costed.target)[0]
        if costed.start is None:
            return found
        near = min(each.time, NEAR_SECONDS)
        placement = replace(found.placement, start=costed.start, time=near)
        return replace(found, placement=placement)

    tried = choose_target(fabric, wiring, offers, options, request.budget)
    chosen = next(one for one in tried if one.chosen)
    if chosen.placement is None:
        raise InvalidInput(f"--to: {chosen.costed.target.subject} is not placed")
    plan = chosen.placement.plan()
    require_true(plan, wiring)
    reserve = each.options(fabric, wiring, chosen.costed.target)[1]
    if not reserve and not wish.pins:
        tried = [_with_no_moves(one) for one in tried]
    return PlanResult(plan=plan, spares=reserve, targets=tuple(tried))


def _with_no_moves(one: TriedTarget) -> TriedTarget:
    """What is in place takes no moves, also where it was not tried."""
    untried = one.placement is None and one.refused is None
    if one.costed.target.subject != IN_PLACE or not untried:
        return one
    return replace(one, known=0, bound=0)


def _offers(
    fabric: PortMap,
    wiring: Wiring,
    request: NearestRequest,
    wish: PlanWish,
    mode: LinkMode | str | None,
) -> list[CostedTarget]:
    """The targets with their costs, at hosts of as many ports as the largest uses."""
    if fabric.forbidden.rates:
        return _rated_offers(fabric, wiring, request, wish, mode)
    workload = request.workload or read_workload(*USUAL)
    if workload is None:
        raise InvalidInput("--alpha: a workload is needed")
    named = [trunk_target(target_of(text, mode), fabric.links) for text in request.targets]
    now = _wiring_in_place(fabric, wiring, wish, mode, named)
    if not named and now is None:
        raise InvalidInput("--to: what to wire is needed where no circuits are in place")
    keeps = request.budget.max_moves is not None and not request.grow
    beside = [now] if now is not None and keeps else []
    d = _most_ports(fabric, [*named, *([now] if now else [])])
    found = [_cost_target(target, d, workload) for target in [*beside, *named]]
    offers = [one for one in found if one is not None]
    if now is not None and not named:
        offers += _stored_offers(now, d, workload, request, fabric.links)
        offers += near_offers(fabric, wiring, now, d, workload, request, wish)
    if not offers:
        raise InvalidInput("--to: no target connects its hosts")
    return offers


def _rated_offers(
    fabric: PortMap,
    wiring: Wiring,
    request: NearestRequest,
    wish: PlanWish,
    mode: LinkMode | str | None,
) -> list[CostedTarget]:
    """The same where ports have rates: each target at the quickest ones, or those of its file."""
    hosts = None if wish.hosts is None else named_hosts(fabric, wish.hosts)
    workload = rated_workload(fabric, hosts, request.workload)
    asked = [target_of(text, mode, rated=True) for text in request.targets]
    named = [trunk_target(target, fabric.links) for target in asked]
    now = _wiring_in_place(fabric, wiring, wish, mode, named)
    if not named and now is None:
        raise InvalidInput("--to: what to wire is needed where no circuits are in place")
    if not named and now is not None:
        d = now.topology.degree
        stored = _stored_offers(now, d, workload, request, fabric.links)
        named = [one.target for one in stored[:GROWN_TARGETS]]
    found = [now] if now is not None and request.budget.max_moves is not None else []
    found = [] if request.grow else found
    for target in named:
        with suppress(Unsupported):  # its links do not fall into such rates
            found.append(rate_target(fabric, target, hosts, workload))
    offers = [cost_rated_target(target, workload) for target in found]
    costed = [one for one in offers if one is not None]
    if not costed:
        raise InvalidInput("--to: no target connects its hosts by links of these rates")
    return costed


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
    """A target with its least costs on shortest paths; None where it does not connect its hosts."""
    try:
        costs = least_costs(target.topology)
    except (InvalidInput, Unsupported):
        return None
    scale = Fraction(d, target.topology.degree)
    one = CostedTarget(
        target=target,
        allgather=Cost(costs.forth.steps, costs.forth.bandwidth * scale),
        reduce_scatter=Cost(costs.back.steps, costs.back.bandwidth * scale),
        seconds=Fraction(),
        method=costs.method.value,
    )
    return replace(one, seconds=workload.seconds(one))


def _stored_offers(
    now: Target, d: int, workload: Workload, request: NearestRequest, trunk: int = 1
) -> list[CostedTarget]:
    """The quickest of the frontier and the pool for the hosts that are sought.

    Of trunks with so many links each, they are those with one, named with all.
    """
    links = LinkMode.DUPLEX if now.duplex else LinkMode.SIMPLEX
    n = now.topology.n + request.grow
    if n < 2:
        left = now.topology.n - 2
        raise InvalidInput(f"--grow: at most {left} hosts may leave, not {-request.grow}")
    if now.duplex and d == 1 and n > 2:
        raise InvalidInput(f"--mode: duplex circuits, one a host, do not connect {n} hosts")
    found = search_size(n, d, links, request.db, effort_or_default(None))
    rows = (*found.frontier.members, *(found.pool or ()))
    ranked: dict[str, CandidateRow] = {}  # the quickest of each graph
    for row in sorted(rows, key=lambda row: (workload.seconds(row), row.recipe)):
        ranked.setdefault(row.recipe, row)
    return [
        CostedTarget(
            target=trunk_target(target_of(recipe_in_trunks(row.recipe, trunk), links), trunk),
            allgather=row.allgather,
            reduce_scatter=row.reduce_scatter,
            seconds=workload.seconds(row),
            method=row.method,
        )
        for row in islice(ranked.values(), GROWN_TARGETS if request.grow else MOST_TARGETS)
    ]


def near_offers(
    fabric: PortMap,
    wiring: Wiring,
    now: Target,
    d: int,
    workload: Workload,
    request: NearestRequest,
    wish: PlanWish,
) -> list[CostedTarget]:
    """Wirings a few circuits away from the one in place: of equal moves the quickest alone.

    Hosts that join are those with enough ports that are not in place, in their order. On several
    panels half of the work is for wirings whose circuits, new and kept, fit the panels as they are.
    """
    most = request.budget.max_moves
    if now.topology.degree != d or (most is None and not request.grow):
        return []
    allowed = eligible_hosts(
        fabric, None if wish.hosts is None else named_hosts(fabric, wish.hosts)
    )
    hosts = wired_hosts(fabric, wiring, duplex=now.duplex, allowed=allowed)
    ports = np.bincount(fabric.host[fabric.of_state(State.LIVE)], minlength=len(allowed))
    free = np.setdiff1d(np.flatnonzero(allowed & (ports >= d)), hosts)
    if len(free) < request.grow:
        raise InvalidInput(
            f"--grow: {len(free)} hosts with {d} live ports are not in place, not {request.grow}"
        )
    joining = free[: max(request.grow, 0)]
    ways: list[tuple[LinkPorts | None, Int64Array]] = [(None, joining)]
    there, ordered = wired_ports(fabric, wiring, joining, duplex=now.duplex, allowed=allowed)
    ways += [(there, ordered)] if len(np.unique(there.kind)) > 1 else []
    offers = [
        (one.new, own is None, _near_offer(one, now, hosts, new, workload))
        for own, new in ways
        for one in find_near_graphs(
            now.topology,
            request.grow,
            duplex=now.duplex,
            most=most,
            loads=int(LOADS_A_SECOND * wish.time) // len(ways),
            seed=wish.seed,
            ports=own,
        )
        if one.new
    ]
    return _best_offers(offers)


def _best_offers(offers: Sequence[tuple[int, bool, CostedTarget]]) -> list[CostedTarget]:
    """Those that no other beats in new circuits and in time.

    With each stands whether panels may take more moves: such a one beats none that takes no more.
    """
    found, least = list[CostedTarget](), dict[bool, Fraction]()
    for _, more, offer in sorted(offers, key=lambda one: (one[0], one[1], one[2].seconds)):
        if all(offer.seconds < least[kind] for kind in {False, more} & least.keys()):
            found.append(offer)
            least[more] = offer.seconds
    return found


def _near_offer(
    one: NearGraph, now: Target, hosts: Int64Array, free: Int64Array, workload: Workload
) -> CostedTarget:
    """A graph near the wiring in place as a target, each node on the host that it was."""
    start = np.full(one.graph.n, -1, dtype=np.int32)
    old = one.origin >= 0
    start[old] = hosts[one.origin[old]]
    start[~old] = free[: int(np.count_nonzero(~old))]
    target = Target(
        subject=f"{IN_PLACE}, {one.new} circuits new",
        recipe=None,
        topology=one.graph,
        duplex=now.duplex,
    )
    offer = CostedTarget(
        target=target,
        allgather=one.forth,
        reduce_scatter=one.back,
        seconds=Fraction(),
        start=start,
        method=one.method.value,
    )
    return replace(offer, seconds=workload.seconds(offer))


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
