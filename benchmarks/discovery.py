"""How many generator lists a second of CPU the search for Cayley digraphs judges.

    python benchmarks/discovery.py [--quick]

A list is judged when it is known whether it is better than the best so far: exactly, or by a
bound that it cannot pass. `every list exactly` evaluates each to the end. `discover` is the whole
search, groups and proofs included, beside its rate before; twice that is its target.
"""

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from generators.cayley.notation import parse_group
from topofinder.api.discover import discover
from topofinder.discovery.evaluation_kernels import sum_excesses
from topofinder.discovery.generator_lists import list_layouts
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.multiplication_table import group_table, multiplication_columns
from topofinder.discovery.search_kernels import climb_lists
from topofinder.dispatch.kernel import expect_long_work
from topofinder.model.candidate import LinkMode

STALL = 800
EARLIER = {64: 428_000.0, 1024: 47_000.0}
"""Lists a second of CPU of `discover` for four ports, by hosts, at first."""
DISCOVERY_SECONDS = 12.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RateRow:
    """One measurement: generator lists a second, and the target where there is one."""

    name: str
    rate: float
    target: float | None = None
    earlier: float | None = None


def climb_rate(
    group: str, d: int, steps: int, trials: int, links: LinkMode = LinkMode.SIMPLEX
) -> float:
    """Lists a second of a climb to `steps` steps, which stops only after all trials."""
    table = group_table(parse_group(group))
    goal = SearchGoal(n=len(table.columns), d=d, links=links)
    layout = list_layouts(table.inverse, d, links)[0]
    best, chosen = np.full(steps + 1, 1 << 60), np.zeros((steps + 1, d), np.int64)
    state = np.array([1], np.uint64)
    given = (*table, layout, False, goal.unit, goal.scale)
    expect_long_work(climb_lists)
    climb_lists(*given, 1, STALL, state, best, chosen)
    judged, started = 0, time.process_time()
    while judged < trials:
        best[:] = 1 << 60
        judged += climb_lists(*given, trials - judged, STALL, state, best, chosen)
    return judged / (time.process_time() - started)


def exactly(group: str, d: int, lists: int) -> float:
    """Random lists a second, each evaluated to the end."""
    columns = multiplication_columns(parse_group(group))
    scale = SearchGoal(n=len(columns), d=d).scale
    picks = np.random.default_rng(1).integers(1, len(columns), (lists, d))
    sum_excesses(columns, picks[0], scale)
    started = time.process_time()
    for row in picks:
        sum_excesses(columns, row, scale)
    return lists / (time.process_time() - started)


def discovery(n: int, seconds: float) -> RateRow:
    """Lists a second of `discover` on one core, from an empty database."""
    with TemporaryDirectory() as folder:
        started = time.process_time()
        found = discover(n, 4, db=Path(folder, "finds.db"), time=seconds, jobs=1, kind="cayley")
        rate = found.record.judged / (time.process_time() - started)
    earlier = EARLIER[n]
    name = f"discover --n {n} --d 4"
    return RateRow(name=name, rate=rate, target=2 * earlier, earlier=earlier)


def measure(quick: bool) -> list[RateRow]:
    """All rows; with `quick` only a few lists each."""
    trials = 2_000 if quick else 200_000
    cases = [
        ("Z16:Z4[3]", 4, 4, 300_000.0),
        ("Z16:Z4[3]", 4, 3, None),
        ("Z32:Z8[3]", 4, 5, None),
        ("Z64:Z16[3]", 4, 6, 40_000.0),
        ("Z64:Z16[3]", 4, 5, None),
        ("Z64:Z16[3]", 8, 4, None),
    ]
    rows = [
        RateRow(
            name=f"climb in {group}, d = {d}, at most {steps} steps",
            rate=climb_rate(group, d, steps, trials),
            target=target,
        )
        for group, d, steps, target in cases
    ]
    rows.append(
        RateRow(
            name="climb in Z64:Z16[3], d = 4, duplex, at most 8 steps",
            rate=climb_rate("Z64:Z16[3]", 4, 8, trials, LinkMode.DUPLEX),
        )
    )
    for group in ("Z16:Z4[3]", "Z64:Z16[3]"):
        name = f"every list exactly in {group}, d = 4"
        rows.append(RateRow(name=name, rate=exactly(group, 4, trials // 10)))
    return [*rows, *(discovery(n, 1.0 if quick else DISCOVERY_SECONDS) for n in EARLIER)]


def text(rows: list[RateRow]) -> str:
    """A table of lists a second."""
    lines = [f"{'':55}  {'lists/s':>11}  {'target':>9}  {'before':>9}"]
    for row in rows:
        target, earlier = (
            "" if known is None else f"{known:,.0f}" for known in (row.target, row.earlier)
        )
        lines.append(f"{row.name:55}  {row.rate:11,.0f}  {target:>9}  {earlier:>9}".rstrip())
    return "\n".join(lines)


def main() -> int:
    """Measure and print; exit code 1 if a target is missed (never with --quick)."""
    parser = argparse.ArgumentParser(description="Measure the search for Cayley digraphs.")
    parser.add_argument("--quick", action="store_true", help="a few lists each")
    quick = parser.parse_args().quick
    rows = measure(quick)
    print(text(rows))
    return int(not quick and any(row.target and row.rate < row.target for row in rows))


if __name__ == "__main__":
    sys.exit(main())
