"""Which crew goes to which panel when: walks between panels, and the end of every stage.

In a stage each panel that crews work at is a job of some length, done by one crew without a break;
a crew walks from panel to panel, and begins a stage where it stood at the end of the one before.
A stage begins when all jobs of the one before are done. Of each stage by itself the end is the
earliest there is, by Held and Karp's dynamic program over subsets of panels for each crew, and one
over crews; with more than `MOST_PANELS` the longest job goes to the crew that is done with it
first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

MOST_PANELS = 8
"""Panels of a stage for which the best of all ways is found."""

Walks = Mapping[tuple[int, int], Fraction]
"""Seconds from a panel to another; 0 where nothing is told."""
_Path = tuple[Fraction, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A crew at a panel in a stage, all counted from 0; it is at work from `start` to `end`."""

    stage: int
    crew: int
    panel: int
    start: Fraction
    end: Fraction


def schedule_crews(
    stages: Sequence[Mapping[int, Fraction]],
    walks: Walks,
    crews: int,
    least: Sequence[Fraction] = (),
) -> tuple[Visit, ...]:
    """The visits of so many crews; `stages[i]` is how long each panel takes in stage i, in seconds.

    Stage i takes `least[i]` or more, for what goes on without crews. Every crew begins wherever it
    is needed first. Visits are told by stage, crew and start.

    >>> far = {(0, 1): Fraction(60), (1, 0): Fraction(60)}
    >>> jobs = [{0: Fraction(120), 1: Fraction(120)}]
    >>> [[int(visit.end) for visit in schedule_crews(jobs, far, crews)] for crews in (1, 2)]
    [[120, 300], [120, 120]]
    """
    visits, now = list[Visit](), Fraction()
    place: list[int | None] = [None] * crews
    for number, jobs in enumerate(stages):
        before = len(visits)
        best = _best_routes if len(jobs) <= MOST_PANELS else _greedy_routes
        for crew, route in enumerate(best(jobs, walks, place)):
            clock = now
            for panel in route:
                clock += _walk(walks, place[crew], panel)
                end = clock + jobs[panel]
                visits.append(Visit(stage=number, crew=crew, panel=panel, start=clock, end=end))
                clock, place[crew] = end, panel
        ends = [visit.end for visit in visits[before:]]
        now = max([now + (least[number] if least else 0), *ends])
    return tuple(visits)


def _walk(walks: Walks, here: int | None, there: int) -> Fraction:
    """How long the walk is; nobody walks within a panel, or to where the work begins."""
    if here is None or here == there:
        return Fraction()
    return walks.get((here, there), Fraction())


def _best_routes(
    jobs: Mapping[int, Fraction], walks: Walks, place: Sequence[int | None]
) -> list[tuple[int, ...]]:
    """The panels of each crew in their order: the earliest end, then the least time of all."""
    panels = sorted(jobs)
    full = (1 << len(panels)) - 1
    # done[mask]: the end, the time of all crews so far, and their routes, once mask is done.
    done: dict[int, tuple[Fraction, Fraction, list[tuple[int, ...]]]]
    done = {0: (Fraction(), Fraction(), [])}
    for start in place:
        paths = _paths(panels, jobs, walks, start)
        after: dict[int, tuple[Fraction, Fraction, list[tuple[int, ...]]]] = {}
        for mask, (end, spent, routes) in done.items():
            rest = full & ~mask
            part = rest
            while True:
                mine, route = paths[part]
                offer = max(end, mine), spent + mine, [*routes, route]
                if mask | part not in after or offer[:2] < after[mask | part][:2]:
                    after[mask | part] = offer
                if not part:
                    break
                part = (part - 1) & rest
        done = after
    return done[full][2]


def _paths(
    panels: Sequence[int], jobs: Mapping[int, Fraction], walks: Walks, start: int | None
) -> list[_Path]:
    """For each set of panels the shortest time that a crew takes for it, and its route."""
    count = len(panels)
    ending: list[dict[int, _Path]] = [{} for _ in range(1 << count)]
    for i, panel in enumerate(panels):
        ending[1 << i][i] = _walk(walks, start, panel) + jobs[panel], (panel,)
    for mask in range(1 << count):
        for last, (spent, route) in list(ending[mask].items()):
            for i, panel in enumerate(panels):
                if not mask >> i & 1:
                    longer = spent + _walk(walks, panels[last], panel) + jobs[panel]
                    known = ending[mask | 1 << i].get(i)
                    if known is None or longer < known[0]:
                        ending[mask | 1 << i][i] = longer, (*route, panel)
    return [(Fraction(), ())] + [min(ends.values()) for ends in ending[1:]]


def _greedy_routes(
    jobs: Mapping[int, Fraction], walks: Walks, place: Sequence[int | None]
) -> list[tuple[int, ...]]:
    """The longest job goes to the crew that is done with it first."""
    routes: list[tuple[int, ...]] = [() for _ in place]
    clocks = [Fraction() for _ in place]
    for panel in sorted(jobs, key=lambda one: (-jobs[one], one)):
        ends = []
        for crew, start in enumerate(place):
            here = routes[crew][-1] if routes[crew] else start
            ends.append(clocks[crew] + _walk(walks, here, panel) + jobs[panel])
        crew = ends.index(min(ends))
        clocks[crew], routes[crew] = ends[crew], (*routes[crew], panel)
    return routes
