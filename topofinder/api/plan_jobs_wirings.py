"""The wirings that a fabric may take for a job: topologies of the frontier, and what is in place.

The wiring in place costs no moves, so that it can be the best for a short job though its
topology is on no frontier.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from expansions.collective_costs import TwoPhaseAllreduce
from expansions.cost import Cost
from generators.errors import InvalidInput
from topofinder.api.plan_jobs_file import Job
from topofinder.api.plan_methods import target_of
from topofinder.api.shared.frontiers import search_size
from topofinder.model.candidate import LinkMode
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.patching.existing_circuits import IN_PLACE, wired_topology
from topofinder.patching.fewer_links import bfb_costs
from topofinder.patching.planner import PlanOptions, Target, eligible_hosts
from topofinder.patching.trunk_targets import recipe_in_trunks, trunk_target

MOST_WIRINGS = 3
"""Candidates of a job's size that are considered, the best for it first."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Site:
    """A fabric as it is wired now, and how to plan; candidates have `d` ports a host."""

    fabric: PortMap
    current: Wiring
    links: LinkMode
    d: int
    options: PlanOptions


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JobWiring(TwoPhaseAllreduce):
    """A wiring and its costs, under a name of its own."""

    name: str
    target: Target
    allgather: Cost
    reduce_scatter: Cost


def wirings(jobs: Sequence[Job], site: Site, path: str | None) -> list[JobWiring]:
    """Those that serve one of these jobs, all of one size, among the best; last what is in place.

    Of trunks they have one for each link of the frontier's, and are named with all links.
    Frontiers are looked up and stored in the database at `path`. Raises InvalidInput where there
    is none of this size.
    """
    found = search_size(jobs[0].n, site.d, site.links, path)
    members = {row.recipe: row for row in (*found.frontier.members, *(found.pool or ()))}
    kept: dict[str, JobWiring] = {}
    trunk = site.fabric.links
    for job in jobs:
        best = sorted(members.values(), key=lambda row: (job.seconds(row), row.recipe))
        for row in best[:MOST_WIRINGS]:
            name = recipe_in_trunks(row.recipe, trunk)
            kept[name] = JobWiring(
                name=name,
                target=trunk_target(target_of(name, site.links), trunk),
                allgather=row.allgather,
                reduce_scatter=row.reduce_scatter,
            )
    now = in_place(site)
    if now is not None and now.target.topology.n == jobs[0].n:
        kept[IN_PLACE] = now
    if not kept:
        raise InvalidInput(f"jobs: no topology of {jobs[0].n} hosts with {site.d} ports is known")
    return list(kept.values())


def in_place(site: Site) -> JobWiring | None:
    """What joins the hosts now; None where that does not connect them.

    >>> from topofinder.api.inventory import new_inventory
    >>> _, plan = new_inventory("BiRing(2,5)")
    >>> now = in_place(Site(fabric=plan.fabric, current=plan.after, links=LinkMode.DUPLEX, d=2,
    ...                     options=PlanOptions()))
    >>> now.allgather
    Cost(steps=2, bandwidth=Fraction(4, 5))
    """
    duplex = site.links == LinkMode.DUPLEX
    allowed = eligible_hosts(site.fabric, site.options.hosts)
    topology = wired_topology(site.fabric, site.current, duplex=duplex, allowed=allowed)
    cost = None if topology is None else bfb_costs(topology, site.d)
    if topology is None or cost is None:
        return None
    target = Target(subject=IN_PLACE, recipe=None, topology=topology, duplex=duplex)
    return JobWiring(name=IN_PLACE, target=target, allgather=cost[0], reduce_scatter=cost[1])
