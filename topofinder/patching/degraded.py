"""What a damaged fabric can still be wired to, and what each choice costs against the intact one.

Either what is left of the wiring in place, or the target with some circuits left out, or another
recipe from the stored frontiers: for as many hosts with fewer ports each, or for fewer hosts. A
choice some of whose circuits find no panel is not what its costs say: it is replaced by the graph
of those that do, with the costs of that, and the best is sought again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from expansions.collective_costs import TwoPhaseAllreduce
from expansions.cost import Cost
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import BoolArray, Int64Array, Topology
from topofinder.forests.collectives.overlap_cost import OverlapCost, overlap_cost
from topofinder.model.inventory.forbidden import rate_numbers
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.patching.existing_circuits import (
    IN_PLACE,
    ExistingCircuits,
    existing_circuits,
    wired_topology,
)
from topofinder.patching.fewer_links import (
    Costs,
    bfb_costs,
    fewer_links,
    topology_of_rest,
    topology_without,
)
from topofinder.patching.placement.problem import TooFewPorts
from topofinder.patching.planner import (
    PlanOptions,
    Target,
    TargetPlacement,
    eligible_hosts,
    find_placement,
    make_plan,
)

LeastAndMost = tuple[int, int]
"""The least and the most."""
Rate = Callable[[Target], tuple[Fraction, Fraction] | None]
"""The certified interval of a graph's all-to-all throughput, None where it is not bounded."""
Members = Callable[[LeastAndMost, LeastAndMost, bool], Iterable[Target]]
"""The frontier of the largest size with so many hosts and ports, in duplex mode or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedChoices:
    """How choices are judged where ports have rates, those given, slowest first.

    `costs` tells an allgather and a reduce-scatter on links with capacities, T_B in M/B with B that
    of an intact host; None where it does not connect. `rate_links` gives the links of a recipe of a
    kind their rates, None where hosts have no such ports.
    """

    rates: tuple[Fraction, ...]
    costs: Costs
    rate_links: Callable[[str, Target], Target | None]


def no_members(hosts: LeastAndMost, ports: LeastAndMost, duplex: bool) -> Iterable[Target]:
    """What is known where no frontiers are stored."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DegradedChoice(TwoPhaseAllreduce):
    """A graph that can be wired: T_B is in M/B with B that of an intact host.

    `kind` is intact, or moves, links, ports or hosts: what there are fewer of. `links` are its
    arcs without loops, `rate` the certified interval of its all-to-all throughput in link units,
    None where it was not bounded. `trees` are low trees of an allreduce with both phases at once,
    None where there are none. `plan` wires it, where one was made already.
    """

    kind: str
    target: Target
    allgather: Cost
    reduce_scatter: Cost
    links: int
    rate: tuple[Fraction, Fraction] | None
    trees: OverlapCost | None = None
    plan: Plan | None = None

    @property
    def least_bandwidth(self) -> Fraction:
        """T_B of the best known allreduce: by BFB, phase after phase, or by trees at once."""
        known = self.allreduce.bandwidth
        return known if self.trees is None else min(known, self.trees.bandwidth)

    @property
    def rank(self) -> tuple[object, ...]:
        """The intact target first, then all hosts, then least T_B of the best known, and T_L."""
        kind = ("intact", "", "hosts").index(self.kind if self.kind in ("intact", "hosts") else "")
        return kind, self.least_bandwidth, self.allreduce.steps


def choices(
    fabric: PortMap,
    wiring: Wiring,
    target: Target,
    options: PlanOptions,
    rate: Rate,
    members: Members = no_members,
    made: Plan | None = None,
    rated: RatedChoices | None = None,
) -> list[DegradedChoice]:
    """The intact target first, then what can be wired as far as ports go, the best first.

    `rate` bounds the throughput of a graph, `members` tells other graphs that may be wired, and
    `made` is a plan of the target itself in which circuits are missing; `rated` judges where ports
    have rates. Raises InvalidInput when
    nothing can be wired: then no frontier of a size that fits is stored either.
    """
    allowed = eligible_hosts(fabric, options.hosts)
    place = existing_circuits(fabric, wiring, duplex=target.duplex, allowed=allowed)
    rooms = _rooms(place, allowed, () if rated is None else rated.rates)
    d = target.topology.degree
    now = wired_topology(fabric, wiring, duplex=target.duplex, allowed=allowed)
    left = _targets(target, rooms, members, rated)
    others = [("intact", target), *_wiring_in_place(now, target), *left]
    found = [choice_of(kind, other, d, rate, rated) for kind, other in others]
    known = [choice for choice in found if choice is not None]
    if made is not None and known:
        known += choice_after_plan(known[0], made, d, rate)
    if len(known) < 2 or known[0].kind != "intact":
        sizes = f"--n {min(len(rooms), target.topology.n)} --d {min([d, *map(_ports, rooms)])}"
        raise InvalidInput(
            f"--degraded: {target.subject} cannot be wired with fewer links, and no frontier that "
            f"fits is stored; run topofinder search {sizes} with --links of the mode"
        )
    return rank_choices(known)


def _rooms(
    place: ExistingCircuits, allowed: BoolArray, rates: Sequence[Fraction]
) -> list[Int64Array]:
    """Ports that send and that hear, by rate, (2, rates), of each host that has some of both."""
    fabric = place.fabric
    speed = np.zeros(fabric.ports, dtype=np.int64)
    if rates:
        speed = rate_numbers(fabric.forbidden, fabric.ports)
    counts = np.zeros((2, len(fabric.hosts), max(len(rates), 1)), dtype=np.int64)
    side, port = np.nonzero(place.usable)
    np.add.at(counts, (side, fabric.host[port], speed[port]), 1)
    return [counts[:, host] for host in np.flatnonzero(allowed) if _ports(counts[:, host])]


def _ports(room: Int64Array) -> int:
    """The ports of a host that may be joined to others."""
    return int(room.sum(axis=1).min())


def rank_choices(found: Iterable[DegradedChoice]) -> list[DegradedChoice]:
    """The intact target first, then all hosts, then least T_B and T_L; of equals the first."""
    return sorted(found, key=lambda choice: choice.rank)


def _wiring_in_place(now: Topology | None, target: Target) -> Iterator[tuple[str, Target]]:
    """What is in place, if it joins as many hosts; of equals it is the first, and so preferred."""
    if now is not None and now.n == target.topology.n:
        whole = Target(subject=IN_PLACE, recipe=None, topology=now, duplex=target.duplex)
        yield "moves", whole


def _targets(
    target: Target, rooms: list[Int64Array], members: Members, rated: RatedChoices | None
) -> Iterator[tuple[str, Target]]:
    graph = target.topology
    left = fewer_links(
        graph,
        rooms,
        duplex=target.duplex,
        rates=() if rated is None else rated.rates,
        costs=None if rated is None else rated.costs,
    )
    gone = 0 if left is None else (_links(graph) - _links(left)) // (2 if target.duplex else 1)
    if left is not None and gone:
        name = f"{target.subject} without {gone} circuit{'s' * (gone != 1)}"
        yield "links", Target(subject=name, recipe=None, topology=left, duplex=target.duplex)
    yield from _members_that_fit(target, rooms, members, rated)


def _members_that_fit(
    target: Target, rooms: list[Int64Array], members: Members, rated: RatedChoices | None
) -> Iterator[tuple[str, Target]]:
    """Other graphs, for as many hosts with fewer ports each, and for fewer hosts."""
    graph = target.topology
    d, least = graph.degree, sorted(map(_ports, rooms), reverse=True)
    if len(rooms) >= graph.n:
        ports = least[graph.n - 1]
        for fewer in range(min(ports, d - 1), 0, -1):
            there = members((graph.n, graph.n), (fewer, fewer), target.duplex)
            found = list(_with_rates("ports", there, rated))
            yield from found
            if found:
                break
    whole = sum(ports >= d for ports in least)
    if 2 <= whole < graph.n:
        yield from _with_rates("hosts", members((2, whole), (d, d), target.duplex), rated)


def _with_rates(
    kind: str, members: Iterable[Target], rated: RatedChoices | None
) -> Iterator[tuple[str, Target]]:
    for member in members:
        found = member if rated is None else rated.rate_links(kind, member)
        if found is not None:
            yield kind, found


def choice_of(
    kind: str, target: Target, d: int, rate: Rate, rated: RatedChoices | None = None
) -> DegradedChoice | None:
    """A graph with its costs for hosts of d ports; None where it does not connect them."""
    graph = target.topology
    cost = bfb_costs(graph, d) if rated is None else rated.costs(graph)
    if cost is None:
        return None
    return DegradedChoice(
        kind=kind,
        target=target,
        allgather=cost[0],
        reduce_scatter=cost[1],
        links=_links(graph),
        rate=rate(target),
        trees=overlap_cost(graph, d) if rated is None else None,
    )


def _links(topology: Topology) -> int:
    return int(np.count_nonzero(topology.tail != topology.head))


def slowdown(intact: DegradedChoice, other: DegradedChoice) -> tuple[Fraction, Fraction] | None:
    """How many times longer an all-to-all of as much data a host takes: least and most."""
    if intact.rate is None or other.rate is None:
        return None
    size = Fraction(intact.target.topology.n, other.target.topology.n)
    return size * intact.rate[0] / other.rate[1], size * intact.rate[1] / other.rate[0]


def choice_after_plan(
    choice: DegradedChoice, plan: Plan, d: int, rate: Rate
) -> list[DegradedChoice]:
    """The choice with its plan, without the circuits that no panel takes; none if unconnected."""
    if not plan.missing:
        return [replace(choice, plan=plan)]
    graph = topology_without(choice.target.topology, plan.missing, duplex=plan.duplex)
    count = len(plan.missing)
    name = f"{choice.target.subject} without {count} circuit{'s' * (count != 1)}"
    target = Target(subject=name, recipe=None, topology=graph, duplex=plan.duplex)
    kind = "links" if choice.kind == "intact" else choice.kind
    left = choice_of(kind, target, d, rate)
    return [] if left is None else [replace(left, plan=plan)]


def best_choice(found: Sequence[DegradedChoice], fewer: str | None = None) -> DegradedChoice:
    """The first choice that is not the intact target, or the first with fewer of something.

    Raises InvalidInput where there is none of these.
    """
    kinds = list(dict.fromkeys(choice.kind for choice in found if choice.kind != "intact"))
    if not kinds:
        raise InvalidInput("--degraded: nothing that the panels can take connects the hosts")
    if fewer is not None and fewer not in kinds:
        raise InvalidInput(f"--fewer: one of {', '.join(kinds)}, not {excerpt(fewer)}")
    return next(choice for choice in found if choice.kind == (fewer or kinds[0]))


def plan_best_choice(
    fabric: PortMap,
    wiring: Wiring,
    options: PlanOptions,
    found: Sequence[DegradedChoice],
    fewer: str | None,
    rate: Rate,
    rated: RatedChoices | None = None,
) -> tuple[Plan, list[DegradedChoice]]:
    """The plan of the best choice, or of the best with `fewer` of something; choices by rank.

    `found` begins with the intact target; `rate` bounds the throughput of each new choice, which
    `rated` judges where ports have rates. Raises InvalidInput where no choice is left that connects
    the hosts.
    """
    offered = list(found)
    while True:
        chosen = best_choice(offered, fewer)
        if chosen.plan is not None:
            return chosen.plan, offered
        offered.remove(chosen)
        d = offered[0].target.topology.degree
        if rated is None:
            plan = make_plan(fabric, wiring, chosen.target, options)
            offered += choice_after_plan(chosen, plan, d, rate)
        else:
            placed = _place_choice(fabric, wiring, chosen, options)
            if placed is not None:
                offered += _choice_at_rates(chosen, placed, d, rate, rated)
        offered = rank_choices(offered)


def _place_choice(
    fabric: PortMap, wiring: Wiring, choice: DegradedChoice, options: PlanOptions
) -> TargetPlacement | None:
    """The placement of a choice; None where too few hosts have such ports."""
    try:
        return find_placement(fabric, wiring, choice.target, options)
    except TooFewPorts:
        return None


def _choice_at_rates(
    choice: DegradedChoice, placed: TargetPlacement, d: int, rate: Rate, rated: RatedChoices
) -> list[DegradedChoice]:
    """The choice with its plan, or without the circuits whose rate no panel has two ports of."""
    circuits = placed.circuits
    gone = set(np.flatnonzero(placed.found.assignment.panel < 0).tolist())
    if not gone:
        return [replace(choice, plan=placed.plan())]
    graph = topology_of_rest(choice.target.topology, circuits, gone, rated.rates)
    name = f"{choice.target.subject}, {len(gone)} circuit{'s' * (len(gone) != 1)} left out"
    target = Target(subject=name, recipe=None, topology=graph, duplex=circuits.duplex)
    left = choice_of(choice.kind, target, d, rate, rated)
    return [] if left is None else [left]
