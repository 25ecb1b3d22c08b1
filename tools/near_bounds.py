"""Tells the sizes at which no answer is near the bounds.

    python -m tools.near_bounds --rows simplex9 duplex7 ... [--least N] [--largest N] [--stride K]
    python -m tools.near_bounds --sizes 89,9 1614,7,duplex ...

Every size gets what `search --effort 0` finds, and, where that is far from the bounds, what
`search` finds by default: its grafts, and deferred schedules. A line is printed of each at which
nothing takes at most FAR times the Moore bound in steps, or nothing at most NEAR times the least
bandwidth in at most PATIENT times as few steps; at the end how many sizes there were, and how many
such. The exit code is 1 where there are any.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction

from expansions.lower_bounds import moore_steps, two_way_moore_steps
from tools.find_graphs import read_row
from tools.find_lifts import LARGEST, LiftSize, read_size
from topofinder.api.shared.default_effort import DEFAULT_EFFORT
from topofinder.finder.deferrals import pool_with_effort
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import Candidate, LinkMode, cost_lower_bound

LEAST = 2
FAR, NEAR, PATIENT = 2, Fraction(11, 10), 4


def missed_goals(size: LiftSize, pool: Iterable[Candidate]) -> list[str]:
    """What the candidates of a size miss, in words; nothing where they are near both bounds.

    >>> size = LiftSize(8, 2, LinkMode.SIMPLEX)
    >>> missed_goals(size, Pools().pool(*size)), missed_goals(size, [])
    ([], ['no graph'])
    """
    costs = [one.allgather for one in pool]
    if not costs:
        return ["no graph"]
    found = []
    moore, least = fewest_steps(size), cost_lower_bound(*size)
    steps = min(cost.steps for cost in costs)
    if steps > FAR * moore:
        found.append(f"T_L {steps}, Moore bound {moore}")
    few = [cost.bandwidth for cost in costs if cost.steps <= PATIENT * least.steps]
    if not few or min(few) > NEAR * least.bandwidth:
        told = f"{float(min(few) / least.bandwidth):.3f}" if few else "none"
        found.append(f"T_B over its bound {told}, in at most {PATIENT * least.steps} steps")
    return found


def fewest_steps(size: LiftSize) -> int:
    """The Moore bound of a size and its link mode."""
    two_way = size.links is LinkMode.DUPLEX
    return (two_way_moore_steps if two_way else moore_steps)(size.n, size.d)


def far_sizes(sizes: Iterable[LiftSize]) -> Iterator[tuple[LiftSize, list[str]]]:
    """Every size, and what is missed there; sizes of a row share what they draw on.

    >>> list(far_sizes([LiftSize(29, 2, LinkMode.SIMPLEX)]))
    [(LiftSize(n=29, d=2, links=<LinkMode.SIMPLEX: 'simplex'>), [])]
    """
    row, pools = None, Pools()
    for size in sizes:
        if size[1:] != row:
            row, pools = size[1:], Pools()
        missed = missed_goals(size, pools.pool(*size))
        if missed:
            missed = missed_goals(size, pool_with_effort(pools, *size, DEFAULT_EFFORT))
        yield size, missed


def main() -> None:
    """Go through the sizes that the command line asks for."""
    parser = argparse.ArgumentParser(description="Tell the sizes that are far from the bounds.")
    parser.add_argument("--rows", type=read_row, nargs="+", default=(), help="such as duplex3")
    parser.add_argument("--sizes", type=read_size, nargs="+", help="such as 89,4 50,3,duplex")
    parser.add_argument("--least", type=int, default=LEAST, help="nodes")
    parser.add_argument("--largest", type=int, default=LARGEST, help="nodes")
    parser.add_argument("--stride", type=int, default=1)
    asked = parser.parse_args()
    numbers = range(asked.least, asked.largest + 1, asked.stride)
    sizes = asked.sizes or (LiftSize(n, d, links) for d, links in asked.rows for n in numbers)
    count = far = 0
    for size, missed in far_sizes(sizes):
        count, far = count + 1, far + bool(missed)
        if missed:
            print(size.key, *missed, sep="; ", flush=True)
    print(f"{count} sizes, {far} far from the bounds")
    sys.exit(int(far > 0))


if __name__ == "__main__":
    main()
