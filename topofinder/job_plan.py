"""Several jobs in a row on one fabric: does it pay to re-wire between them?

Every job communicates on some wiring from the frontier of its size; to go from one wiring to the
next takes the moves of a plan. The cheapest sequence is a shortest path over (job, wiring), exact
for the costs that the plans gave. It is compared with re-wiring for each job's best topology, and
with keeping one topology for all jobs where they have one size (section 5.4 of Zhao et al. keeps
one for a whole training, because a patch panel is slow).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from db.rows import CandidateRow
from generators.errors import InvalidInput
from reports.jobs import Course, Leg
from topofinder.candidate import Links
from topofinder.finder.run import search
from topofinder.inventory.fabric import Fabric
from topofinder.inventory.wiring import Wiring
from topofinder.jobs_file import Job
from topofinder.patching.making import Asked, make_plan
from topofinder.plan_request import target_of

MOST_WIRINGS = 3
"""Candidates of a job's size that are considered, the best for it first."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Site:
    """A fabric as it is wired now, and how to plan; candidates have `d` ports a host."""

    fabric: Fabric
    current: Wiring
    links: Links
    d: int
    asked: Asked


class Moves:
    """Seconds and moves between wirings, each planned once.

    Plans from a candidate start from the wiring in which a plan from the present one leaves it;
    on equal hosts any other placement of it would take as many moves.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._wired: dict[str | None, Wiring] = {None: site.current}
        self._known: dict[tuple[str | None, str], tuple[Fraction, int]] = {}

    def between(self, first: str | None, second: str) -> tuple[Fraction, int]:
        """From one recipe, None for the wiring now, to another."""
        if first == second:
            return Fraction(), 0
        if (first, second) not in self._known:
            if first not in self._wired:
                self.between(None, first or "")
            site = self._site
            target = target_of(second, site.links)
            plan = make_plan(site.fabric, self._wired[first], target, site.asked)
            if first is None:
                self._wired[second] = plan.after
            self._known[first, second] = plan.seconds_estimated, plan.moves
        return self._known[first, second]


def courses(jobs: Sequence[Job], site: Site, path: str | None = None) -> tuple[Course, ...]:
    """The cheapest course of wirings first, then those it is compared with.

    Frontiers are looked up and stored in the database at `path`. Raises InvalidInput for a size
    at which nothing is known, or that the fabric cannot be wired to.
    """
    moves = Moves(site)
    ranked = {
        n: _ranked([job for job in jobs if job.n == n], site, path) for n in {j.n for j in jobs}
    }
    jobs = [_settled(job, ranked[job.n]) for job in jobs]
    best = [min(ranked[job.n], key=job.seconds) for job in jobs]
    found = [
        _course("cheapest", jobs, _cheapest(jobs, ranked, moves), moves),
        _course("best for each job", jobs, best, moves),
    ]
    if len(ranked) == 1 and len(jobs) > 1:
        kept = [_course(f"keep {row.recipe}", jobs, [row] * len(jobs), moves)
                for row in ranked[jobs[0].n]]  # fmt: skip
        found += sorted(kept, key=lambda course: course.total)
    return tuple(found)


def _ranked(jobs: Sequence[Job], site: Site, path: str | None) -> list[CandidateRow]:
    """The candidates that serve one of these jobs, all of one size, among the best."""
    found = search(jobs[0].n, site.d, site.links, path)
    members = {row.recipe: row for row in (*found.frontier.members, *(found.pool or ()))}
    kept: dict[str, CandidateRow] = {}
    for job in jobs:
        best = sorted(members.values(), key=lambda row: (job.seconds(row), row.recipe))
        kept |= {row.recipe: row for row in best[:MOST_WIRINGS]}
    if not kept:
        raise InvalidInput(f"jobs: no topology of {jobs[0].n} hosts with {site.d} ports is known")
    return list(kept.values())


def _settled(job: Job, rows: Sequence[CandidateRow]) -> Job:
    """The job with its rounds, where the file says how long they take at best."""
    if job.rounds is not None or job.duration is None:
        return job
    return replace(job, rounds=job.duration / min(map(job.seconds, rows)))


def _cheapest(
    jobs: Sequence[Job], ranked: dict[int, list[CandidateRow]], moves: Moves
) -> list[CandidateRow]:
    """A shortest path: the least time to the end of each job on each of its wirings."""
    best: list[tuple[Fraction, list[CandidateRow]]] = [(Fraction(), [])]
    for job in jobs:
        reached = []
        for row in ranked[job.n]:
            ways = [
                (time + moves.between(way[-1].recipe if way else None, row.recipe)[0], way)
                for time, way in best
            ]
            least, before = min(ways, key=lambda found: found[0])
            reached.append((least + job.seconds(row), [*before, row]))
        best = reached
    return min(best, key=lambda found: found[0])[1]


def _course(name: str, jobs: Sequence[Job], rows: list[CandidateRow], moves: Moves) -> Course:
    legs = []
    before = None
    for job, row in zip(jobs, rows, strict=True):
        seconds, count = moves.between(before, row.recipe)
        legs.append(
            Leg(
                job=job.name,
                n=job.n,
                recipe=row.recipe,
                moves=count,
                moving=seconds,
                running=job.seconds(row),
            )
        )
        before = row.recipe
    return Course(name=name, legs=tuple(legs))
