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
from generators.topology import Topology
from topofinder.forests.collectives.overlap_cost import OverlapCost, overlap_cost
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.patching.existing_circuits import IN_PLACE, existing_circuits, wired_topology
from topofinder.patching.fewer_links import Room, bfb_costs, fewer_links, topology_without
from topofinder.patching.planner import PlanOptions, Target, eligible_hosts, make_plan

LeastAndMost = tuple[int, int]
"""The least and the most."""
Rate = Callable[[Target], tuple[Fraction, Fraction] | None]
"""The certified interval of a graph's all-to-all throughput, None where it is not bounded."""
Members = Callable[[LeastAndMost, LeastAndMost, bool], Iterable[Target]]
"""The frontier of the largest size with so many hosts and ports, in duplex mode or not."""


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
) -> list[DegradedChoice]:
    """The intact target first, then what can be wired as far as ports go, the best first.

    `rate` bounds the throughput of a graph, `members` tells other graphs that may be wired, and
    `made` is a plan of the target itself in which circuits are missing. Raises InvalidInput when
    nothing can be wired: then no frontier of a size that fits is stored either.
    """
    allowed = eligible_hosts(fabric, options.hosts)
    place = existing_circuits(fabric, wiring, duplex=target.duplex, allowed=allowed)
    sends, hears = place.room(()).sum(axis=2)[:, allowed].tolist()
    rooms = [room for room in zip(sends, hears, strict=True) if min(room) > 0]
    d = target.topology.degree
    now = wired_topology(fabric, wiring, duplex=target.duplex, allowed=allowed)
    others = [("intact", target), *_wiring_in_place(now, target), *_targets(target, rooms, members)]
    found = [choice_of(kind, other, d, rate) for kind, other in others]
    known = [choice for choice in found if choice is not None]
    if made is not None and known:
        known += choice_after_plan(known[0], made, d, rate)
    if len(known) < 2 or known[0].kind != "intact":
        sizes = f"--n {min(len(rooms), target.topology.n)} --d {min([d, *map(min, rooms)])}"
        raise InvalidInput(
            f"--degraded: {target.subject} cannot be wired with fewer links, and no frontier that "
            f"fits is stored; run topofinder search {sizes} with --links of the mode"
        )
    return rank_choices(known)


def rank_choices(found: Iterable[DegradedChoice]) -> list[DegradedChoice]:
    """The intact target first, then all hosts, then least T_B and T_L; of equals the first."""
    return sorted(found, key=lambda choice: choice.rank)


def _wiring_in_place(now: Topology | None, target: Target) -> Iterator[tuple[str, Target]]:
    """What is in place, if it joins as many hosts; of equals it is the first, and so preferred."""
    if now is not None and now.n == target.topology.n:
        whole = Target(subject=IN_PLACE, recipe=None, topology=now, duplex=target.duplex)
        yield "moves", whole


def _targets(target: Target, rooms: list[Room], members: Members) -> Iterator[tuple[str, Target]]:
    graph = target.topology
    left = fewer_links(graph, rooms, duplex=target.duplex)
    gone = 0 if left is None else (_links(graph) - _links(left)) // (2 if target.duplex else 1)
    if left is not None and gone:
        name = f"{target.subject} without {gone} circuit{'s' * (gone != 1)}"
        yield "links", Target(subject=name, recipe=None, topology=left, duplex=target.duplex)
    d, least = graph.degree, sorted(map(min, rooms), reverse=True)
    if len(rooms) >= graph.n:
        ports = least[graph.n - 1]
        for fewer in range(min(ports, d - 1), 0, -1):
            found = list(members((graph.n, graph.n), (fewer, fewer), target.duplex))
            yield from (("ports", member) for member in found)
            if found:
                break
    whole = sum(ports >= d for ports in least)
    if 2 <= whole < graph.n:
        yield from (("hosts", m) for m in members((2, whole), (d, d), target.duplex))


def choice_of(kind: str, target: Target, d: int, rate: Rate) -> DegradedChoice | None:
    """A graph with its costs for hosts of d ports; None where it does not connect them."""
    cost = bfb_costs(target.topology, d)
    if cost is None:
        return None
    return DegradedChoice(
        kind=kind,
        target=target,
        allgather=cost[0],
        reduce_scatter=cost[1],
        links=_links(target.topology),
        rate=rate(target),
        trees=overlap_cost(target.topology, d),
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
) -> tuple[Plan, list[DegradedChoice]]:
    """The plan of the best choice, or of the best with `fewer` of something; choices by rank.

    `found` begins with the intact target; `rate` bounds the throughput of each new choice.
    Raises InvalidInput where no choice is left that connects the hosts.
    """
    offered = list(found)
    while True:
        chosen = best_choice(offered, fewer)
        if chosen.plan is not None:
            return chosen.plan, offered
        plan = make_plan(fabric, wiring, chosen.target, options)
        offered.remove(chosen)
        offered += choice_after_plan(chosen, plan, offered[0].target.topology.degree, rate)
        offered = rank_choices(offered)
