"""The wirings that a fabric may take for a job: topologies of the frontier, and what is in place.

The wiring in place costs no moves, so that it can be the best for a short job though its
topology is on no frontier. Where ports have unlike rates, each topology has the quickest of these
for its links, and costs by program (14) in M/B of what a host sends over the ports that all have:
links wait alike, so that these are its costs at every size.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from db.rows import CandidateRow
from expansions.collective_costs import TwoPhaseAllreduce
from expansions.cost import Cost
from generators.errors import InvalidInput, Unsupported
from topofinder.api.plan_jobs_file import Job
from topofinder.api.plan_link_rates import cost_rated_target, rate_target, rated_workload
from topofinder.api.plan_methods import target_of
from topofinder.api.shared.frontiers import search_size
from topofinder.model.candidate import LinkMode
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.workload import Workload
from topofinder.patching.existing_circuits import IN_PLACE, wired_topology
from topofinder.patching.fewer_links import bfb_costs
from topofinder.patching.planner import PlanOptions, Target, eligible_hosts
from topofinder.patching.trunk_targets import recipe_in_trunks, trunk_target

MOST_WIRINGS = 3
"""Candidates of a job's size that are considered, the best for it first."""
MOST_RATED = 2 * MOST_WIRINGS
"""Candidates for which rates are looked for, the best for it by links of one rate."""


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
    is none of this size, or none falls into links of the rates of ports.
    """
    found = search_size(jobs[0].n, site.d, site.links, path)
    members = {row.recipe: row for row in (*found.frontier.members, *(found.pool or ()))}
    rated = bool(site.fabric.forbidden.rates)
    costed, kept = dict[str, JobWiring | None](), dict[str, JobWiring]()
    for job in jobs:
        best = sorted(members.values(), key=lambda row: (job.seconds(row), row.recipe))
        offers = list[JobWiring]()
        for row in best[: MOST_RATED if rated else MOST_WIRINGS]:
            if row.recipe not in costed:
                costed[row.recipe] = _job_wiring(row, job, site)
            offers += [one for one in [costed[row.recipe]] if one is not None]
        offers.sort(key=lambda one: (job.seconds(one), one.name))
        kept |= {one.name: one for one in offers[:MOST_WIRINGS]}
    now = in_place(site, jobs[0])
    if now is not None and now.target.topology.n == jobs[0].n:
        kept[IN_PLACE] = now
    if not kept:
        which = ", of links at the rates of ports," if rated else ""
        raise InvalidInput(
            f"jobs: no topology of {jobs[0].n} hosts with {site.d} ports{which} is known"
        )
    return list(kept.values())


def _job_wiring(row: CandidateRow, job: Job, site: Site) -> JobWiring | None:
    """A candidate with its costs; None where its links do not fall into the rates of ports."""
    trunk = site.fabric.links
    name = recipe_in_trunks(row.recipe, trunk)
    target = trunk_target(target_of(name, site.links), trunk)
    if not site.fabric.forbidden.rates:
        return JobWiring(
            name=name,
            target=target,
            allgather=row.allgather,
            reduce_scatter=row.reduce_scatter,
        )
    work = _one_size(job, site)
    with suppress(Unsupported):
        return _rated_wiring(name, rate_target(site.fabric, target, site.options.hosts, work), work)
    return None


def _one_size(job: Job, site: Site) -> Workload:
    """A collective of the job, at what hosts send: any, as rates are judged alike by all sizes."""
    first = replace(job.workload, sizes=job.workload.sizes[:1])
    return rated_workload(site.fabric, site.options.hosts, first)


def _rated_wiring(name: str, target: Target, work: Workload) -> JobWiring | None:
    """A target whose links have rates, with what they cost; None where that is not known."""
    costed = cost_rated_target(target, work)
    if costed is None:
        return None
    return JobWiring(
        name=name,
        target=target,
        allgather=costed.allgather,
        reduce_scatter=costed.reduce_scatter,
    )


def at_port_rates(jobs: Sequence[Job], site: Site) -> list[Job]:
    """The jobs with the bandwidth of a host's ports, where these have unlike rates."""
    if not site.fabric.forbidden.rates:
        return list(jobs)
    sent = _one_size(jobs[0], site).bandwidth
    return [replace(job, workload=replace(job.workload, bandwidth=sent)) for job in jobs]


def in_place(site: Site, job: Job | None = None) -> JobWiring | None:
    """What joins the hosts now; None where that does not connect them.

    Where ports have rates, it is costed at those of its links, for which a job is needed.

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
    if topology is None:
        return None
    target = Target(subject=IN_PLACE, recipe=None, topology=topology, duplex=duplex)
    if site.fabric.forbidden.rates and job is not None:
        return _rated_wiring(IN_PLACE, target, _one_size(job, site))
    if (cost := bfb_costs(topology, site.d)) is None:
        return None
    return JobWiring(name=IN_PLACE, target=target, allgather=cost[0], reduce_scatter=cost[1])
