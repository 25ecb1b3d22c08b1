"""Ways of wiring a fabric for one job after the other, as text and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.plan import duration
from reports.text import table


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """One job on one wiring: seconds of moves before it, and of its collectives.

    `topology` is a recipe, or says that the wiring in place is kept.
    """

    job: str
    n: int
    topology: str
    moves: int
    moving: Fraction
    running: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A wiring for each job, under the name of the rule that chose them."""

    name: str
    legs: tuple[JobRow, ...]

    @property
    def moving(self) -> Fraction:
        """Seconds of moves."""
        return sum((leg.moving for leg in self.legs), Fraction())

    @property
    def running(self) -> Fraction:
        """Seconds of collectives."""
        return sum((leg.running for leg in self.legs), Fraction())

    @property
    def total(self) -> Fraction:
        """Seconds of both."""
        return self.moving + self.running

    @property
    def wired_again(self) -> int:
        """Jobs but the first before which circuits are moved."""
        return sum(leg.moves > 0 for leg in self.legs[1:])


def jobs_text(courses: Sequence[Course]) -> str:
    """The cheapest course job by job, and all courses beside one another."""
    best = courses[0]
    legs = [_cells(leg) for leg in best.legs]
    head = ["job", "N", "moves", "moving", "communicating", "topology"]
    rows = [
        [course.name, duration(course.moving), duration(course.running), duration(course.total)]
        for course in courses
    ]
    names = ["course", "moving", "communicating", "together"]
    return "\n\n".join([_verdict(best), table(head, legs), table(names, rows)])


def _cells(leg: JobRow) -> list[str]:
    times = map(duration, (leg.moving, leg.running))
    return [leg.job, str(leg.n), str(leg.moves), *times, leg.topology]


def _verdict(best: Course) -> str:
    if len(best.legs) == 1:
        return f"One job: {best.legs[0].topology}, {duration(best.total)} with its moves"
    if not best.wired_again:
        return f"Re-wiring between the jobs does not pay: keep {best.legs[0].topology}"
    times = f"{best.wired_again} of {len(best.legs) - 1} times"
    return f"Re-wiring pays {times}: {duration(best.total)} in all"


def jobs_fields(courses: Sequence[Course]) -> dict[str, Any]:
    """The fields that `plan-jobs --json` promises; times are seconds."""
    return {"courses": [_fields(course) for course in courses]}


def _fields(course: Course) -> dict[str, object]:
    return {
        "name": course.name,
        "moving": float(course.moving),
        "communicating": float(course.running),
        "total": float(course.total),
        "rewired": course.wired_again,
        "jobs": [
            {
                "job": leg.job,
                "n": leg.n,
                "topology": leg.topology,
                "moves": leg.moves,
                "moving": float(leg.moving),
                "communicating": float(leg.running),
            }
            for leg in course.legs
        ],
    }
