"""Circulants without a bandwidth-optimal BFB schedule: counterexamples to conjecture 1.

Usage: python find_counterexamples.py [LARGEST_N [MOST_JUMPS]]

Zhao et al. conjecture (appendix F.4) that every connected circulant graph C(n, jumps) has one, and
prove it for two jumps. Each line tells one that has none, its steps and its T_B, which is above
(N-1)/N. Circulants that differ by a factor prime to n are the same graph and are listed once. Jumps
are below n/2, so that k of them make degree 2k.
"""

import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import gcd

from topofinder import build, evaluate

Jumps = tuple[int, ...]


def jump_sets(n: int, most: int) -> Iterator[Jumps]:
    """Connected sets of 3 to `most` jumps, one of each class under multiplication by units."""
    units = [unit for unit in range(1, n) if gcd(unit, n) == 1]
    for size in range(3, most + 1):
        for jumps in combinations(range(1, (n + 1) // 2), size):
            if gcd(n, *jumps) == 1 and all(jumps <= times(unit, jumps, n) for unit in units):
                yield jumps


def times(unit: int, jumps: Jumps, n: int) -> Jumps:
    """The jumps that a factor turns these into, each the shorter way round.

    >>> times(5, (1, 3, 4), 12)
    (3, 4, 5)
    """
    return tuple(sorted(min(unit * jump % n, -unit * jump % n) for jump in jumps))


def counterexamples(n: int, most: int) -> Iterator[tuple[Jumps, Fraction]]:
    """The jumps whose best BFB schedule takes more than (n-1)/n, and its T_B."""
    for jumps in jump_sets(n, most):
        recipe = f"C({n},{{{','.join(map(str, jumps))}}})"
        bandwidth = evaluate(build(recipe).topology).cost.bandwidth
        if bandwidth != Fraction(n - 1, n):
            yield jumps, bandwidth


def main(largest: int = 40, most: int = 4) -> None:
    """Print them, a line for each size that has any."""
    for n in range(7, largest + 1):
        found = [f"{{{','.join(map(str, j))}}} {b}" for j, b in counterexamples(n, most)]
        if found:
            print(f"N = {n}: {'; '.join(found)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
