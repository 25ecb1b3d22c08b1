"""Crews over panels: the earliest end of each stage, against all ways to share it out."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np

from topofinder.patching.crews import MOST_PANELS, schedule_crews


def least_end(
    jobs: dict[int, Fraction],
    walks: dict[tuple[int, int], Fraction],
    place: list[int | None],
) -> Fraction:
    """Every order of the panels, and every crew for each of them."""
    best = None
    for order in permutations(jobs):
        for crew in product(range(len(place)), repeat=len(order)):
            clocks, here = [Fraction()] * len(place), list(place)
            for panel, one in zip(order, crew, strict=True):
                at = here[one]
                if at is not None and at != panel:
                    clocks[one] += walks[at, panel]
                clocks[one] += jobs[panel]
                here[one] = panel
            end = max(clocks)
            best = end if best is None else min(best, end)
    assert best is not None
    return best


def test_every_stage_ends_as_early_as_it_can() -> None:
    random = np.random.default_rng(5)
    for crews, panels in [(1, 4), (2, 4), (3, 4), (2, 5), (3, 2)]:
        for _ in range(6):
            walks = {
                (a, b): Fraction(int(random.integers(0, 90)))
                for a in range(panels)
                for b in range(panels)
            }
            stages = []
            for _ in range(3):
                there = np.flatnonzero(random.integers(0, 4, panels)).tolist()
                stages.append({p: Fraction(int(random.integers(1, 200))) for p in there})
            visits = schedule_crews(stages, walks, crews)
            place: list[int | None] = [None] * crews
            now = Fraction()
            for number, jobs in enumerate(stages):
                mine = [visit for visit in visits if visit.stage == number]
                assert sorted(visit.panel for visit in mine) == sorted(jobs)
                ends = [now]
                for crew in range(crews):
                    clock = now
                    for visit in (one for one in mine if one.crew == crew):
                        at = place[crew]
                        walk = Fraction() if at in (None, visit.panel) else walks[at, visit.panel]  # type: ignore[index]
                        assert visit.start == clock + walk
                        assert visit.end == visit.start + jobs[visit.panel]
                        clock, place[crew] = visit.end, visit.panel
                    ends.append(clock)
                if jobs:
                    before: list[int | None] = [None] * crews
                    for visit in visits:
                        if visit.stage < number:
                            before[visit.crew] = visit.panel
                    assert max(ends) - now == least_end(jobs, walks, before)
                now = max(ends)


def test_many_panels_are_shared_out_too() -> None:
    jobs = {panel: Fraction(10 + panel) for panel in range(MOST_PANELS + 4)}
    visits = schedule_crews([jobs], {}, 3)
    assert sorted(visit.panel for visit in visits) == sorted(jobs)
    end = max(visit.end for visit in visits)
    assert sum(jobs.values()) / 3 <= end <= sum(jobs.values()) / 3 + max(jobs.values())


def test_more_crews_never_end_later() -> None:
    jobs = [{0: Fraction(5), 1: Fraction(7), 2: Fraction(3)}]
    ends = [max(v.end for v in schedule_crews(jobs, {}, crews)) for crews in (1, 2, 3, 4)]
    assert ends == [15, 8, 7, 7]
