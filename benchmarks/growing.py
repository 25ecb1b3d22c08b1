"""Growing a fabric: moves and cost of the wirings nearest to one in place, beside the best.

    python benchmarks/growing.py [--quick] [--links simplex|duplex] [--time SECONDS] [--shrink]

In place is the quickest wiring of N hosts that a search with one second of effort finds, beside it
stands the quickest of the other size. `held to` is 1.2 times the circuits that are more and those
that are cut to put hosts on them, or those that join the neighbours of hosts that leave; `apart` is
how far an allreduce of 1 MiB (10 us, 100 Gbps) on the nearest graphs is above one on the best, of
at most so many moves and of any number of them; `by` is the method of its schedule.
"""

import argparse
import sys
from fractions import Fraction
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from db.rows import CandidateRow
from expansions.build import build
from expansions.parser import parse
from topofinder.api.plan_nearest import LOADS_A_SECOND, USUAL
from topofinder.api.shared.frontiers import search_size
from topofinder.api.shared.workloads import read_workload
from topofinder.discovery.grafts.found import WEIGHT
from topofinder.discovery.grafts.near import find_near_graphs

D = 4
SIZES = ((64, 4), (256, 16), (1024, 64))


def allreduce_steps(steps: int, bandwidth: Fraction) -> Fraction:
    """What an allreduce takes, in steps of 10 us."""
    return steps + WEIGHT * bandwidth


def quickest(n: int, links: str) -> CandidateRow:
    """The quickest wiring of a size."""
    workload = read_workload(*USUAL)
    assert workload is not None
    rows = search_size(n, D, links, effort=1).frontier.members
    return min(rows, key=lambda row: (workload.seconds(row), row.recipe))


def held_to(more: int, duplex: bool) -> Fraction:
    """The circuits that so many hosts more, or fewer, may take to be made."""
    ends = more * D * 2 if more > 0 else -more * D
    return Fraction(6, 5) * (Fraction(ends, 2) if duplex else ends)


def measured_row(n: int, more: int, links: str, seconds: float) -> str:
    """A line of the table."""
    now, best = quickest(n, links), quickest(n + more, links)
    duplex = links == "duplex"
    began = process_time()
    found = find_near_graphs(
        build(parse(now.recipe)), more, duplex=duplex, most=None,
        loads=int(LOADS_A_SECOND * seconds),
    )  # fmt: skip
    spent = process_time() - began
    most = held_to(more, duplex)
    least = allreduce_steps(best.allreduce.steps, best.allreduce.bandwidth)
    rows = sorted(
        (allreduce_steps(one.forth.steps + one.back.steps, one.forth.bandwidth + one.back.bandwidth)
         / least - 1, one.new, one.method.value) for one in found
    )  # fmt: skip
    cells = [f"{links} {n} -> {n + more}", f"{float(most):.1f}"]
    for row in (next((row for row in rows if row[1] <= most), None), rows[0]):
        cells += [""] * 3 if row is None else [str(row[1]), f"{float(row[0]):.1%}", row[2]]
    return " | ".join([*cells, f"{spent:.1f} s", now.recipe[:24]])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--links", choices=("simplex", "duplex"))
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--shrink", action="store_true", help="as many hosts fewer")
    asked = parser.parse_args()
    sizes, seconds = (((16, 2),), 1.0) if asked.quick else (SIZES, asked.time)
    print("grown | held to | moves | apart | by | any number | apart | by | CPU | in place")
    for links in [asked.links] if asked.links else ["duplex", "simplex"]:
        for n, more in sizes:
            print(measured_row(n, -more if asked.shrink else more, links, seconds), flush=True)


if __name__ == "__main__":
    main()
