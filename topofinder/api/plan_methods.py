"""The plan that `topofinder plan` is asked for, from its files to the moves."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from db.rows import CandidateRow
from db.store import Store
from expansions.build import build
from expansions.hosts import (
    HostFabric,
    host_graph,
    host_wiring,
    is_host_fabric,
    parse_host_fabric,
)
from expansions.parser import parse
from expansions.recipe import Recipe
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.hosts.template import port_names
from generators.topology import IntArray, Topology
from topofinder.api.plan_drain import DrainRequest, drain_rules
from topofinder.api.plan_link_rates import rate_degraded, rate_target
from topofinder.api.plan_throughputs import rate_within
from topofinder.api.replay import check_plan
from topofinder.api.shared.stored_frontiers import StoredSizes
from topofinder.api.shared.subjects import subject_of
from topofinder.model.candidate import LinkMode
from topofinder.model.inventory.cross_connects import read_csv
from topofinder.model.inventory.hosts import named_hosts
from topofinder.model.inventory.losses import PortLosses
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.lengths import LeastOf
from topofinder.model.plan import Plan
from topofinder.model.plan_files import plan_document_text
from topofinder.model.workload import Workload
from topofinder.patching.degraded import (
    DegradedChoice,
    LeastAndMost,
    Members,
    RatedChoices,
    choices,
    no_members,
    plan_best_choice,
)
from topofinder.patching.nearest_targets import TriedTarget
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.placement.problem import TooFewPorts
from topofinder.patching.planner import PlanOptions, Target, eligible_hosts, make_plan, spare_hosts
from topofinder.patching.shortest_placement import plan_shortest
from topofinder.patching.trunk_targets import recipe_in_trunks, trunk_target
from topofinder.verification.plan_reader import parse_plan

SECONDS = 60.0
FEWER = ("moves", "links", "ports", "hosts")
"""What a graph that lacks something may have fewer of."""
RATE_SECONDS, FEW, FEW_SECONDS = 5.0, 128, 300.0
"""How long the throughput of each choice of a degraded fabric is searched for, and that of few
hosts: it takes a moment, but the first on a machine compiles, and answers should not tell which
was the first."""
_STARTS = 32 << 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanResult:
    """A plan, and what it was chosen from: where the fabric could not take the target, `choices`.

    `targets` are those among which it was chosen, the quickest first.
    """

    plan: Plan
    choices: tuple[DegradedChoice, ...] = ()
    spares: tuple[int, ...] = ()
    targets: tuple[TriedTarget, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanWish:
    """How a plan is wished for, in the words of the command, whatever the target.

    `hosts` are names or patterns with commas between them; `pins` fix hosts to nodes; `start` is a
    CSV file with a node and a host a line, which the answer never does worse than. So many `spares`
    with all ports in order take no part. `drain` is what stays up in the middle of stages; new
    circuits take ports by `losses`; those above the `reach`, in millimetres, are told, and the
    placement has the `least` of something.
    """

    hosts: str | None = None
    keep_connected: bool = False
    seed: int = 0
    time: float = SECONDS
    pins: Mapping[str, int] | None = None
    start: str | os.PathLike[str] | None = None
    spares: int = 0
    drain: DrainRequest | None = None
    losses: PortLosses | None = None
    loss_budget: int | None = None
    reach: int | None = None
    least: LeastOf = LeastOf.MOVES

    def options(
        self, fabric: PortMap, wiring: Wiring, target: Target
    ) -> tuple[PlanOptions, tuple[int, ...]]:
        """The planner's options for a target, and the hosts in reserve."""
        topology = target.topology
        placement = PlacementOptions(
            fixed=_fixed_nodes(fabric, topology, self.pins or {}),
            start=None if self.start is None else _start(self.start, fabric, topology),
            seed=_seed(self.seed),
            time=self.time,
        )
        chosen = None if self.hosts is None else named_hosts(fabric, self.hosts)
        reserve = _spare_hosts(fabric, wiring, chosen, target, placement, self.spares)
        options = PlanOptions(
            hosts=_hosts_but(fabric, chosen, reserve),
            placement=placement,
            keep_connected=self.keep_connected,
            drain=drain_rules(self.drain or DrainRequest(), fabric, topology),
            losses=self.losses,
            loss_budget=self.loss_budget,
            reach=self.reach,
        )
        return options, reserve


def find_plan(
    fabric: PortMap,
    wiring: Wiring,
    to: str,
    wish: PlanWish,
    *,
    mode: LinkMode | str | None = None,
    degraded: bool = False,
    fewer: str | None = None,
    store: Store | None = None,
    workload: Workload | None = None,
) -> PlanResult:
    """The moves from the wiring in place to a recipe, or the topology in a file.

    With `degraded` the best graph that the fabric can take is planned where it cannot take the
    target, or the best of those with `fewer` moves, links, ports or hosts; other recipes come from
    the frontiers in `store`. Where ports have rates the links of the target get theirs, by the
    `workload` where it does not say them. Every plan has passed its replay.

    Raises InvalidInput, with file and line, for whatever is wrong with the input.
    """
    rated = bool(fabric.forbidden.rates)
    target = trunk_target(target_of(to, mode, rated=rated), fabric.links)
    chosen = None if wish.hosts is None or not rated else named_hosts(fabric, wish.hosts)
    judge = None
    if rated and degraded:
        target, judge = rate_degraded(fabric, target, chosen, workload)
    elif rated:
        target = rate_target(fabric, target, chosen, workload)
    options, reserve = wish.options(fabric, wiring, target)
    if wish.least is not LeastOf.MOVES:
        found = PlanResult(plan=plan_shortest(fabric, wiring, target, options, wish.least))
    else:
        found = choose_plan(
            *(fabric, wiring, target, options),
            degraded=degraded,
            fewer=fewer,
            store=store,
            rated=judge,
        )
    if is_host_fabric(to) and found.plan.subject == to:
        require_sizes(found.plan, parse_host_fabric(to))
    require_true(found.plan, wiring)
    return replace(found, spares=reserve)


def _spare_hosts(
    fabric: PortMap,
    wiring: Wiring,
    hosts: tuple[int, ...] | None,
    target: Target,
    placement: PlacementOptions,
    spares: int,
) -> tuple[int, ...]:
    """The hosts in reserve: none that `placement` fixes to a node, or starts with."""
    if spares == 0:
        return ()
    fixed = np.zeros(len(fabric.hosts), dtype=np.bool_)
    for named in (placement.fixed, placement.start):
        if named is not None:
            fixed[named[named >= 0]] = True
    ports = target.topology.degree
    return spare_hosts(fabric, wiring, hosts, ports=ports, spares=spares, fixed=fixed)


def _hosts_but(
    fabric: PortMap, hosts: tuple[int, ...] | None, reserve: tuple[int, ...]
) -> tuple[int, ...] | None:
    """The hosts that may take part: those chosen, or all usable ones, without the reserve."""
    if not reserve:
        return hosts
    able = np.flatnonzero(eligible_hosts(fabric, hosts)).tolist()
    return tuple(host for host in able if host not in reserve)


def require_true(plan: Plan, wiring: Wiring) -> None:
    """Read a plan back from its text and check all that it says, as `topofinder replay` does."""
    saved = parse_plan(plan_document_text(plan).encode("utf-8"), plan.fabric)
    violation = check_plan(plan.fabric, wiring, saved).violation
    if violation is not None:
        raise InvalidInput(f"the plan does not pass its replay: {violation}")


def choose_plan(
    fabric: PortMap,
    wiring: Wiring,
    target: Target,
    options: PlanOptions,
    *,
    degraded: bool = False,
    fewer: str | None = None,
    store: Store | None = None,
    rated: RatedChoices | None = None,
) -> PlanResult:
    """The plan, or with `degraded` that of the best graph that the fabric can take.

    `fewer` says which kind of graph, see `Choice`; `rated` judges where ports have rates.
    """
    if fewer is not None and fewer not in FEWER:
        raise InvalidInput(f"--fewer: one of {', '.join(FEWER)}, not {excerpt(fewer)}")
    made = None
    try:
        made = make_plan(fabric, wiring, target, options)
    except TooFewPorts:
        if not degraded:
            raise
    if made is not None and not (degraded and made.missing):
        return PlanResult(plan=made)
    if options.placement.fixed is not None or options.placement.start is not None:
        raise InvalidInput("--degraded: --pin and --start are for the target itself")
    seconds = RATE_SECONDS if target.topology.n > FEW else FEW_SECONDS
    slowest = None if rated is None else rated.rates[0]
    rate = rate_within(seconds, slowest, trunks=fabric.links > 1)
    members = no_members if store is None else stored_members(store, fabric.links)
    found = choices(fabric, wiring, target, options, rate, members, made, rated)
    best, offered = plan_best_choice(fabric, wiring, options, found, fewer, rate, rated)
    return PlanResult(plan=best, choices=tuple(offered))


def target_of(to: str, mode: LinkMode | str | None, *, rated: bool = False) -> Target:
    """The topology that a text names; duplex if all its circuits are two-way and nobody objects.

    Of hosts with accelerators, such as `HostH100[K(8,8)]`, it is the graph that joins them.

    Raises InvalidInput for links with a capacity, unless they may be `rated`, or with a latency,
    for switches, and for a mode in which the topology cannot be wired.

    >>> target_of("Torus(3,3)", None).duplex, target_of("Kautz(2,2)", None).duplex
    (True, False)
    """
    recipe, topology = _hosts_alone(to) if is_host_fabric(to) else subject_of(to)
    unlike = topology.latency is not None or (topology.capacity is not None and not rated)
    if topology.switches or unlike:
        raise InvalidInput(f"--to: {to} has switches, or links that are not equal")
    if mode not in (None, *LinkMode):
        raise InvalidInput(f"--mode: duplex or simplex, not {mode}")
    duplex = topology.is_bidirectional if mode is None else mode == LinkMode.DUPLEX
    if duplex and not topology.is_bidirectional:
        raise InvalidInput(f"--mode: {to} has arcs without an arc back; use simplex, or Bi({to})")
    name = to if recipe is None else str(recipe)
    return Target(
        subject=name,
        recipe=None if recipe is None else str(recipe),
        topology=topology,
        duplex=duplex,
    )


def _hosts_alone(to: str) -> tuple[Recipe | None, Topology]:
    """The graph of hosts with accelerators: every port is a port of its host, on its own panel."""
    fabric = parse_host_fabric(to)
    wiring = host_wiring(fabric)
    if fabric.hosts == wiring.graph.n:
        return fabric.graph, wiring.graph
    return None, host_graph(fabric, wiring)


def require_sizes(plan: Plan, hosts: HostFabric) -> None:
    """Raise InvalidInput where a host of another size plays one of `hosts` of unlike size."""
    if not hosts.sizes:
        return
    names: list[set[str]] = [set() for _ in plan.fabric.hosts]
    for host, name in zip(plan.fabric.host.tolist(), plan.fabric.names, strict=True):
        names[host].add(name.partition(":")[2])
    for node, (host, size) in enumerate(zip(plan.host, hosts.sizes, strict=True)):
        wanted = set(port_names(hosts.each_size[size]))
        if len(names[host]) < len(wanted) or (names[host] ^ wanted and _are_owned(names[host])):
            raise InvalidInput(
                f"--to: {plan.fabric.hosts[host]} has not the ports of host {node} of "
                f"{excerpt(str(hosts))}, with {size} accelerators: use --pin or --hosts"
            )


def _are_owned(names: set[str]) -> bool:
    """Whether ports are named by the accelerators that own them."""
    return any(name.startswith("gpu") for name in names)


def _fixed_nodes(fabric: PortMap, topology: Topology, pins: Mapping[str, int]) -> IntArray | None:
    if not pins:
        return None
    numbers = {name: place for place, name in enumerate(fabric.hosts)}
    fixed = np.full(topology.n, -1, dtype=np.int32)
    for name, node in pins.items():
        if name not in numbers:
            raise InvalidInput(f"--pin: no host is called {excerpt(name)}")
        if not 0 <= node < topology.n:
            raise InvalidInput(f"--pin: a node from 0 to {topology.n - 1}, not {name}={node}")
        if fixed[node] >= 0:
            other = fabric.hosts[fixed[node]]
            raise InvalidInput(f"--pin: {other} plays node {node} already, not {name}={node}")
        fixed[node] = numbers[name]
    return fixed


def _start(path: str | os.PathLike[str], fabric: PortMap, topology: Topology) -> IntArray:
    """A host for each node from lines `node,host`."""
    numbers = {name: place for place, name in enumerate(fabric.hosts)}
    start = np.full(topology.n, -1, dtype=np.int32)
    for number, fields in read_csv(path, _STARTS):
        if fields == ["node", "host"]:
            continue
        _enter(start, fields, numbers, f"{path}, line {number}")
    if (start < 0).any():
        raise InvalidInput(f"{path}: node {int(np.argmin(start))} has no host")
    return start


def _enter(start: IntArray, fields: Sequence[str], numbers: Mapping[str, int], where: str) -> None:
    if len(fields) != 2 or not (fields[0].isascii() and fields[0].isdigit()):
        raise InvalidInput(
            f"{where}: a node and a host are needed, not {excerpt(','.join(fields))}"
        )
    digits, name = fields[0].lstrip("0") or "0", fields[1]
    if len(digits) > 9 or int(digits) >= len(start) or start[int(digits)] >= 0:
        raise InvalidInput(f"{where}: node {excerpt(digits)} is unknown or there already")
    if name not in numbers or numbers[name] in start:
        raise InvalidInput(f"{where}: host {excerpt(name)} is unknown or there already")
    start[int(digits)] = numbers[name]


def _seed(seed: int) -> int:
    if not 0 <= seed < 1 << 31:
        raise InvalidInput(f"--seed: from 0 to 2**31 - 1, not {seed}")
    return seed


MOST = 4
"""Members of one frontier that are looked at."""


def stored_members(store: Store, trunk: int = 1) -> Members:
    """The frontier of the largest stored size in a range of hosts and ports.

    Of trunks with so many links each, it is that of one link, named with all.
    """

    def members(hosts: LeastAndMost, ports: LeastAndMost, duplex: bool) -> Iterator[Target]:
        links = LinkMode.DUPLEX if duplex else LinkMode.SIMPLEX
        sizes = StoredSizes(store)
        for n, d in sorted(store.finished_sizes(links.value), reverse=True):
            if hosts[0] <= n <= hosts[1] and ports[0] <= d <= ports[1]:
                found = sizes.answer(n, d, links, least=0)
                if found and found.frontier.members:
                    yield from map(partial(_target, duplex, trunk), found.frontier.members[:MOST])
                    return

    return members


def _target(duplex: bool, trunk: int, row: CandidateRow) -> Target:
    name = recipe_in_trunks(row.recipe, trunk)
    found = Target(subject=name, recipe=name, topology=build(parse(name)), duplex=duplex)
    return trunk_target(found, trunk)
