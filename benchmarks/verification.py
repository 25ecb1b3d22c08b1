"""Seconds and memory to verify and simulate complete BFB allgathers.

    python benchmarks/verification.py

Compact ones are verified by their symmetry and not simulated.

Kernels are compiled before the clock starts. The 1024-node hypercube is to verify in at most 5 s.
"""

import resource
from collections.abc import Callable
from fractions import Fraction
from time import perf_counter
from typing import Any

from expansions.build import build
from expansions.parser import parse
from topofinder.schedules.bfb.schedule import bfb_compact_schedule, bfb_schedule
from topofinder.simulation.alpha_beta import simulate
from topofinder.verification.compact_schedules import verify_compact_schedule
from topofinder.verification.schedules import verify_schedule

RECIPES = ("Q(4)", "Q(10)", "Pi(4,1024)", "Torus(50,50)")
COMPACT = ("Q(10)", "Torus(50,50)", "Torus(100,100)", "Q(14)")
FABRIC = {
    "alpha": Fraction(1, 10**5),
    "size": Fraction(2**20),
    "node_bandwidth": Fraction(125 * 10**8),
}


def main() -> None:
    """Print one line a recipe."""
    simulate(*_make_schedule("Q(4)"), **FABRIC)
    cube = build(parse("Q(4)"))
    verify_compact_schedule(cube, bfb_compact_schedule(cube))
    print("recipe            rows   verify s   simulate s   stepped us   unsynchronised us   GiB")
    for recipe in RECIPES:
        topology, schedule = _make_schedule(recipe)
        verdict, verifying = _time_call(lambda: verify_schedule(topology, schedule))  # noqa: B023
        times, simulating = _time_call(lambda: simulate(topology, schedule, **FABRIC))  # noqa: B023
        if not verdict.valid:
            raise SystemExit(f"{recipe}: {verdict.violation}")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{recipe:12} {schedule.rows:>9}   {verifying:8.3f}   {simulating:10.3f}   "
            f"{float(times.stepped) * 1e6:10.2f}   {float(times.unsynchronised) * 1e6:17.2f}   "
            f"{peak:.2f}"
        )

    for recipe in COMPACT:
        topology = build(parse(recipe))
        compact = bfb_compact_schedule(topology)
        verdict, verifying = _time_call(lambda: verify_compact_schedule(topology, compact))  # noqa: B023
        if not verdict.valid:
            raise SystemExit(f"{recipe}: {verdict.violation}")
        rows = f"{recipe:14} {compact.rows:>9}"
        print(f"{rows}   {verifying:6.3f}   compact: {compact.origin.rows} rows")


def _make_schedule(recipe: str) -> Any:
    topology = build(parse(recipe))
    return topology, bfb_schedule(topology)


def _time_call(call: Callable[[], Any]) -> tuple[Any, float]:
    begun = perf_counter()
    answer = call()
    return answer, perf_counter() - begun


if __name__ == "__main__":
    main()
