"""How good answers are at sizes that are not smooth, without an effort and with one.

    python benchmarks/effort.py [--effort N] [--sizes N ...] [--rows simplex4 ...] [--no-catalogue]
                                [--quick]

A row a link mode and degree: the best allreduce (1 MiB, 10 us, 100 Gbps) over its lower bound, the
median and the worst of a sample of sizes up to 2000, by families, theorems and the catalogue alone,
and with the effort; what is aimed at; and the CPU seconds that the effort takes, mean and most.

With `--no-catalogue` it is search alone: no Cayley digraphs and no lifts ship. Both columns are
then without them, and the aims are those of search alone. `--quick` does one size of each row, and
then of search alone.
"""

import argparse
import os
import statistics
import time
from collections.abc import Sequence
from fractions import Fraction

from generators import deferred_costs, searched_graphs, searched_sizes
from generators.cayley import catalogue as cayley_catalogue
from generators.lifts import annealed, catalogue, profiles
from topofinder.finder.deferrals import pool_with_effort
from topofinder.finder.effort_work import least_time, time_bound
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode

SIMPLEX, DUPLEX = LinkMode.SIMPLEX, LinkMode.DUPLEX
ROWS: tuple[tuple[LinkMode, int, str], ...] = (
    *((SIMPLEX, 2, "1.15 / 1.22"), (SIMPLEX, 3, "1.11 / 1.18"), (SIMPLEX, 4, "1.10 / 1.16")),
    *((SIMPLEX, 5, "1.12 / 1.20"), (SIMPLEX, 7, "1.12 / 1.17"), (SIMPLEX, 8, "1.08 / 1.12")),
    *((DUPLEX, 3, "1.11 / 1.20"), (DUPLEX, 4, "1.10 / 1.17"), (DUPLEX, 6, "1.09 / 1.13")),
)
"""Link mode, degree, and the median and the worst that are aimed at."""
ALONE: tuple[tuple[LinkMode, int, str], ...] = (
    *((SIMPLEX, 4, "1.12 / 1.18"), (SIMPLEX, 2, "1.18 / 1.35")),
    *((DUPLEX, 4, "1.12 / 1.18"), (DUPLEX, 3, "1.15 / 1.25")),
)
"""The same of search alone, with an empty catalogue."""
SEARCHED = (searched_graphs, searched_sizes, deferred_costs)
CATALOGUES = (cayley_catalogue, annealed, catalogue, profiles, *SEARCHED)
SIZES = (22, 41, 89, 127, 193, 258, 407, 509, 769, 1023, 1454, 1999)
"""Mostly primes and other sizes that no family fits."""
QUICK = (41,)


def measure_size(n: int, d: int, links: LinkMode, effort: int) -> tuple[Fraction, Fraction, float]:
    """The ratio to the bound without and with the effort, and the seconds that it takes."""
    pools, bound = Pools(), time_bound(n, d, links)
    before = least_time(pools.pool(n, d, links))
    began = time.process_time()
    after = least_time(pool_with_effort(pools, n, d, links, effort))
    assert before is not None
    assert after is not None
    return before / bound, after / bound, time.process_time() - began


def describe_ratios(sizes: Sequence[int], ratios: Sequence[Fraction]) -> str:
    """Median, worst, and the size of the worst."""
    worst = max(ratios)
    where = sizes[ratios.index(worst)]
    return f"{float(statistics.median(ratios)):.3f} / {float(worst):.3f} ({where})"


def empty_catalogues() -> None:
    """From here on, in this process, no Cayley digraphs and no lifts ship."""
    for module in CATALOGUES:
        module.FILE = os.devnull
        for function in vars(module).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()


def print_rows(
    rows: Sequence[tuple[LinkMode, int, str]], sizes: Sequence[int], effort: int, *, each: bool
) -> None:
    """A line a link mode and degree, below a head."""
    print(f"{'links, d':10} {'effort 0':>20} {f'effort {effort}':>20} {'aim':>12}  CPU s")
    for links, d, aim in rows:
        found = [measure_size(n, d, links, effort) for n in sizes]
        if each:
            for n, (before, after, took) in zip(sizes, found, strict=True):
                print(f"  {n:5} {float(before):.3f} {float(after):.3f} {took:.2f}")
        before, after = (describe_ratios(sizes, [one[i] for one in found]) for i in (0, 1))
        taken = [took for *_, took in found]
        told = f"{statistics.mean(taken):.2f}, {max(taken):.2f}"
        print(
            f"{links} {d:<{9 - len(links)}} {before:>20} {after:>20} {aim:>12}  {told}", flush=True
        )


def main() -> None:
    """Print a row a link mode and degree."""
    parser = argparse.ArgumentParser(description="Measure answers over their bounds.")
    parser.add_argument("--effort", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rows", nargs="+", help="such as simplex4 duplex3")
    parser.add_argument("--no-catalogue", action="store_true", help="search alone: nothing ships")
    parser.add_argument("--quick", action="store_true", help="one size only")
    parser.add_argument("--each", action="store_true", help="every size by itself, too")
    chosen = parser.parse_args()
    sizes = QUICK if chosen.quick else chosen.sizes
    if chosen.no_catalogue:
        empty_catalogues()
    for links in LinkMode:
        measure_size(100, 4, links, 1)  # kernels
    rows = [
        row
        for row in (ALONE if chosen.no_catalogue else ROWS)
        if not chosen.rows or f"{row[0]}{row[1]}" in chosen.rows
    ]
    print_rows(rows, sizes, chosen.effort, each=chosen.each)
    if chosen.quick and not chosen.no_catalogue:
        empty_catalogues()
        print("search alone, with an empty catalogue")
        print_rows(ALONE, sizes, chosen.effort, each=chosen.each)


if __name__ == "__main__":
    main()
