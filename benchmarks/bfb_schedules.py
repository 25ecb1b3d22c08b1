"""How long BFB schedules take, beside the seconds that Zhao et al. print in table 6.

    python benchmarks/bfb_schedules.py

Every graph is scheduled once to compile, then five times; the best counts. Loads are compared
with the evaluation before anything is printed.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from expansions.build import build
from expansions.compact_schedule import CompactSchedule
from expansions.parser import parse
from expansions.schedule import Schedule
from generators.topology import Topology
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.schedule import bfb_compact_schedule, bfb_schedule

TABLE_6 = {
    "Q(4)": 0.01,
    "Q(5)": 0.03,
    "Q(6)": 0.17,
    "Q(10)": 52.7,
    "Torus(5,5)": 0.01,
    "Torus(6,6)": 0.03,
    "Torus(50,50)": 61.1,
}
"""Seconds of the paper's BFB for an allgather on hypercubes and square tori."""

WHOLE = (*TABLE_6, "Pi(4,1024)", "C(1000,{3,4})")
COMPACT = ("Q(10)", "Torus(50,50)", "Q(14)", "Torus(100,100)")
AnySchedule = TypeVar("AnySchedule", Schedule, CompactSchedule)


def best_of(
    make: Callable[[Topology], AnySchedule], topology: Topology
) -> tuple[float, AnySchedule]:
    make(topology)
    seconds = []
    for _ in range(5):
        begin = time.perf_counter()
        made = make(topology)
        seconds.append(time.perf_counter() - begin)
    return min(seconds), made


def require_best(recipe: str, topology: Topology, made: Schedule | CompactSchedule) -> None:
    if made.loads(topology) != evaluate(topology).loads:
        raise SystemExit(f"{recipe}: the schedule is not as good as the evaluation says")


def main() -> None:
    print(f"{'graph':<16}{'form':<9}{'rows':>10}{'seconds':>12}{'table 6':>9}{'ratio':>8}")
    for form, recipes in (("whole", WHOLE), ("compact", COMPACT)):
        for recipe in recipes:
            topology = build(parse(recipe))
            seconds, made = best_of(
                bfb_schedule if form == "whole" else bfb_compact_schedule, topology
            )
            require_best(recipe, topology, made)
            rows = made.rows if isinstance(made, Schedule) else made.origin.rows
            printed = TABLE_6.get(recipe) if form == "whole" else None
            beside = f"{printed:>9}{printed / seconds:>8.0f}" if printed else f"{'-':>9}{'-':>8}"
            print(f"{recipe:<16}{form:<9}{rows:>10}{seconds:>12.4f}{beside}")


if __name__ == "__main__":
    main()
