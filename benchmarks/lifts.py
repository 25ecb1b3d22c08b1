"""How many lifts a second the search judges, on one core, and what it finds in a second.

    python benchmarks/lifts.py [--quick]

Lifts by Z_s with n nodes are judged exactly, simplex ones in both directions; a lift is given up
once it is sure to be refused. Targets are the rates of a first exploration. Time is that of the
processor, not of the clock.
"""

import argparse
import sys
import time
from dataclasses import dataclass

from topofinder.discovery.lifts.search import anneal, find_lifts
from topofinder.discovery.lifts.settings import LiftGoal, LiftSetting
from topofinder.model.candidate import LinkMode, cost_lower_bound

SIMPLEX, DUPLEX = LinkMode.SIMPLEX, LinkMode.DUPLEX
RATES = (
    *((64, 2, SIMPLEX, 32, 220e3), (256, 2, SIMPLEX, 64, 143e3), (1024, 2, SIMPLEX, 64, 27e3)),
    *((64, 4, SIMPLEX, 32, 190e3), (256, 4, SIMPLEX, 64, 96e3), (1024, 4, SIMPLEX, 64, 22e3)),
    *((64, 8, SIMPLEX, 32, 49e3), (256, 8, SIMPLEX, 64, 13e3), (1024, 8, SIMPLEX, 64, 2.2e3)),
    *((64, 3, DUPLEX, 32, 200e3), (256, 3, DUPLEX, 64, 174e3), (1024, 3, DUPLEX, 64, 35e3)),
)
"""n, d, links, s and lifts a second."""
FINDS = (
    *((25, 2, SIMPLEX), (88, 4, SIMPLEX), (510, 3, DUPLEX), (770, 4, SIMPLEX), (1452, 2, SIMPLEX)),
    *((90, 3, DUPLEX), (96, 3, DUPLEX), (258, 3, DUPLEX), (384, 3, DUPLEX), (1024, 3, DUPLEX)),
)
"""Sizes of which the best lift of a second is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiftRate:
    """Lifts a second at one setting, and the target."""

    name: str
    rate: float
    target: float


def measure_rate(n: int, d: int, links: LinkMode, s: int, trials: int) -> float:
    """Lifts a second of one annealing at Moore + 1 steps."""
    goal = LiftGoal(n=n, d=d, links=links)
    setting = LiftSetting(goal=goal, group=f"Z{s}", steps=goal.least_steps + 1)
    anneal(setting, 1, 1, 0)
    started = time.process_time()
    judged = sum(anneal(setting, trials, 1, turn).judged for turn in range(3))
    return judged / max(time.process_time() - started, 1e-9)


def describe_find(n: int, d: int, links: LinkMode, budget: int) -> str:
    """The best lift of a budget at the first setting, beside the lower bounds."""
    bound = cost_lower_bound(n, d, links)
    found = find_lifts(n, d, links, budget=budget)
    name = f"n = {n}, d = {d}, {links}"
    if not found:
        return f"{name:30}  none"
    best = min(found, key=lambda one: one.time)
    steps, widths = best.forth.steps, f"{float(best.bandwidth / 2):.4f}"
    return f"{name:30}  T_L {steps:2} (bound {bound.steps:2})  T_B {widths}"


def main() -> int:
    """Measure and print; exit code 1 if a target is missed (never with --quick)."""
    parser = argparse.ArgumentParser(description="Measure the search for lifts.")
    parser.add_argument("--quick", action="store_true", help="a few lifts each")
    quick = parser.parse_args().quick
    rows = [
        LiftRate(
            name=f"n = {n}, d = {d}, {links}, s = {s}",
            rate=measure_rate(n, d, links, s, 50 if quick else int(target / 3)),
            target=target,
        )
        for n, d, links, s, target in RATES
    ]
    print(f"{'':40}  {'lifts/s':>11}  {'target':>9}")
    for row in rows:
        print(f"{row.name:40}  {row.rate:11,.0f}  {row.target:9,.0f}")
    print()
    for n, d, links in FINDS:
        first = next(LiftGoal(n=n, d=d, links=links).settings())
        print(describe_find(n, d, links, 60 if quick else 10**9 // first.work))
    return int(not quick and any(row.rate < row.target for row in rows))


if __name__ == "__main__":
    sys.exit(main())
