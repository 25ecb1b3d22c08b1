"""`topofinder plan-jobs`: several jobs in a row on one fabric; does it pay to re-wire between them?

Every job communicates on the wiring in place or on one from the frontier of its size; to go from
one wiring to the next takes the moves of a plan. The cheapest sequence is a shortest path over
(job, wiring), exact for the costs that the plans gave. It is compared with re-wiring for each
job's best topology, and with keeping one topology for all jobs where they have one size (section
5.4 of Zhao et al. keeps one for a whole training, because a patch panel is slow).
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from typing import Any

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.jobs import Course, JobRow, jobs_fields, jobs_text
from topofinder.api.plan_jobs_file import Job, read_jobs
from topofinder.api.plan_jobs_wirings import JobWiring, Site, at_port_rates, wirings
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.frontiers import check_links
from topofinder.api.shared.workloads import read_seconds
from topofinder.interrupts import require_interrupt
from topofinder.model.candidate import LinkMode
from topofinder.model.inventory.cross_connects import read_wiring
from topofinder.model.inventory.hosts import named_hosts
from topofinder.model.inventory.ports import read_port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.patching.existing_circuits import IN_PLACE
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.placement.problem import TooFewPorts
from topofinder.patching.planner import (
    PlanOptions,
    Target,
    eligible_hosts,
    find_placement,
    make_plan,
)
from topofinder.progress import work_progress

LOGGER = logging.getLogger("topofinder.api")


class Moves:
    """Seconds and moves between wirings, each planned once.

    Plans from a candidate start from the wiring in which a plan from the present one leaves it;
    on equal hosts any other placement of it would take as many moves. After Ctrl-C those that are
    left are made with next to no search.
    """

    def __init__(self, site: Site) -> None:
        self.site, self._options = site, site.options
        self._wired: dict[str, Wiring] = {IN_PLACE: site.current}
        self._known: dict[tuple[str, str], tuple[Fraction, int]] = {}

    def between(self, first: JobWiring | None, second: JobWiring) -> tuple[Fraction, int]:
        """From one wiring, None for the one in place, to another."""
        start = IN_PLACE if first is None else first.name
        if start == second.name:
            return Fraction(), 0
        if (start, second.name) not in self._known:
            if first is not None and start not in self._wired:
                self.between(None, first)
            with work_progress.part(f"plan {len(self._known) + 1}, {start} to {second.name}"):
                plan = self._plan(self._wired[start], second.target)
            if start == IN_PLACE:
                self._wired[second.name] = plan.after
            self._known[start, second.name] = plan.seconds_estimated, plan.moves
        return self._known[start, second.name]

    def _plan(self, wiring: Wiring, target: Target) -> Plan:
        """The plan from one wiring to a target."""
        try:
            found = find_placement(self.site.fabric, wiring, target, self._options)
            if found.interrupted:
                self._options = self._options.in_haste
            return found.plan()
        except (KeyboardInterrupt, SystemError) as error:
            require_interrupt(error)
            LOGGER.warning("interrupted; plans from here on are made with next to no search")
            self._options = self._options.in_haste
            return make_plan(self.site.fabric, wiring, target, self._options)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JobCourses(Answer):
    """Courses of wirings for several jobs: the cheapest first, then those it is compared with."""

    courses: tuple[Course, ...]

    @property
    def best(self) -> Course:
        """The cheapest."""
        return self.courses[0]

    def summary(self) -> dict[str, Any]:
        """How many jobs there are, before how many it pays to re-wire, and the time in all."""
        best = self.best
        jobs = {"jobs": len(best.legs), "rewired": best.wired_again}
        return {**jobs, "seconds": float(best.total)}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `plan-jobs --json` prints."""
        return jobs_fields(self.courses)

    def __str__(self) -> str:
        return jobs_text(self.courses)

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each course."""
        names = ("name", "moving", "communicating", "total", "rewired")
        return [{name: one[name] for name in names} for one in self.to_dict()["courses"]]


def plan_jobs(
    jobs: str | PathLike[str],
    inventory: str | PathLike[str],
    current: str | PathLike[str],
    d: int,
    *,
    mode: LinkMode | str = LinkMode.DUPLEX,
    hosts: str | None = None,
    seed: int = 0,
    time: float | str = 10.0,
    db: str | PathLike[str] | None = None,
) -> JobCourses:
    """Choose a wiring for each of the jobs in a file, with the time of the moves between them.

    `d` are the ports of a host that a topology may use, or trunks where there are any; `time` is
    how long to search for each plan. Frontiers are looked up and stored in `db`. Where ports have
    unlike rates, links have the quickest of these, and hosts send what their ports do, whatever the
    bandwidths of jobs. Raises InvalidInput, with file and line, for whatever is wrong with the
    input.
    """
    listed = read_jobs(jobs)
    fabric = read_port_map(inventory)
    site = Site(
        fabric=fabric,
        current=read_wiring(current, fabric),
        links=check_links(mode),
        d=d,
        options=PlanOptions(
            hosts=None if hosts is None else named_hosts(fabric, hosts),
            placement=PlacementOptions(seed=seed, time=read_seconds(time)),
        ),
    )
    room = len(eligible_hosts(fabric, site.options.hosts))
    for job in listed:
        if job.n > room:
            named = f"{jobs}: job {excerpt(job.name)}"
            raise InvalidInput(f"{named}: n: at most the {room} hosts of the fabric, not {job.n}")
    return JobCourses(courses=job_courses(listed, site, None if db is None else str(db)))


def job_courses(jobs: Sequence[Job], site: Site, path: str | None = None) -> tuple[Course, ...]:
    """The cheapest course of wirings first, then those it is compared with.

    Frontiers are looked up and stored in the database at `path`. Raises InvalidInput for a size
    at which nothing is known, or that the fabric cannot be wired to.
    """
    moves, jobs = Moves(site), at_port_rates(jobs, site)
    ranked = {
        n: _wirable(wirings([job for job in jobs if job.n == n], site, path), moves)
        for n in sorted({job.n for job in jobs})
    }
    jobs = [_with_rounds(job, ranked[job.n]) for job in jobs]
    best = [min(ranked[job.n], key=job.seconds) for job in jobs]
    found = [
        _course("cheapest", jobs, _cheapest(jobs, ranked, moves), moves),
        _course("best for each job", jobs, best, moves),
    ]
    if len(ranked) == 1 and len(jobs) > 1:
        kept = [_course(f"keep {row.name}", jobs, [row] * len(jobs), moves)
                for row in ranked[jobs[0].n]]  # fmt: skip
        found += sorted(kept, key=lambda course: course.total)
    return tuple(found)


def _wirable(rows: list[JobWiring], moves: Moves) -> list[JobWiring]:
    """Those of which all links find ports of their rates. Raises InvalidInput where none does."""
    if not moves.site.fabric.forbidden.rates:
        return rows
    found, refused = list[JobWiring](), None
    for row in rows:
        try:
            moves.between(None, row)
        except TooFewPorts as error:
            refused = error
        else:
            found.append(row)
    if refused is not None and not found:
        raise refused
    return found


def _with_rounds(job: Job, rows: Sequence[JobWiring]) -> Job:
    """The job with its rounds, where the file says how long they take at best."""
    if job.rounds is not None or job.duration is None:
        return job
    return replace(job, rounds=job.duration / min(map(job.seconds, rows)))


def _cheapest(
    jobs: Sequence[Job], ranked: dict[int, list[JobWiring]], moves: Moves
) -> list[JobWiring]:
    """A shortest path: the least time to the end of each job on each of its wirings."""
    best: list[tuple[Fraction, list[JobWiring]]] = [(Fraction(), [])]
    for job in jobs:
        reached = []
        for row in ranked[job.n]:
            ways = [
                (time + moves.between(way[-1] if way else None, row)[0], way) for time, way in best
            ]
            least, before = min(ways, key=lambda found: found[0])
            reached.append((least + job.seconds(row), [*before, row]))
        best = reached
    return min(best, key=lambda found: found[0])[1]


def _course(name: str, jobs: Sequence[Job], rows: list[JobWiring], moves: Moves) -> Course:
    legs = []
    before: JobWiring | None = None
    for job, row in zip(jobs, rows, strict=True):
        seconds, count = moves.between(before, row)
        legs.append(
            JobRow(
                job=job.name,
                n=job.n,
                topology=row.name,
                moves=count,
                moving=seconds,
                running=job.seconds(row),
            )
        )
        before = row
    return Course(name=name, legs=tuple(legs))
