"""What each expansion does to the cost of a schedule (appendix D), as exact maps on Cost.

Every map takes the cost of a schedule of the inner graph and gives the cost of the schedule that
the expansion implies. Theorems 11 and 12 are equalities. Theorem 7 is an upper bound; theorem 10
makes it an equality for optimal BFB schedules, but its proof needs a walk that avoids the shards
due at the busiest step, and where none exists the line graph can be cheaper than the formula
(`topofinder.schedules.bfb` says for which graphs equality is certain).
"""

from collections.abc import Sequence
from fractions import Fraction

from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth


def line_cost(cost: Cost, n: int, d: int, times: int = 1) -> Cost:
    """L^times(G) for a d-regular G of n nodes: corollary 7.1, an upper bound.

    >>> line_cost(Cost(2, Fraction(7, 8)), 8, 4)
    Cost(steps=3, bandwidth=Fraction(1, 1))
    """
    added = sum((Fraction(1, n * d**i) for i in range(1, times)), Fraction(1, n))
    return Cost(cost.steps + times, cost.bandwidth + added)


def line_loads(loads: Sequence[Fraction], d: int) -> tuple[Fraction, ...]:
    """Loads of the busiest links of L(G), step by step, from those of G (proof of theorem 7)."""
    return (Fraction(1), *(d * load for load in loads))


def degree_cost(cost: Cost, n: int, copies: int) -> Cost:
    """G*copies for a loop-free G of n nodes: theorem 11, an equality.

    >>> degree_cost(Cost(3, Fraction(3, 4)), 4, 2)
    Cost(steps=4, bandwidth=Fraction(7, 8))
    """
    return Cost(cost.steps + 1, cost.bandwidth + Fraction(copies - 1, copies * n))


def power_cost(cost: Cost, n: int, exponent: int) -> Cost:
    """G^exponent for G of n > 1 nodes: theorem 12, an equality.

    >>> power_cost(Cost(3, Fraction(7, 8)), 8, 2)
    Cost(steps=6, bandwidth=Fraction(63, 64))
    """
    whole = n**exponent
    return Cost(
        exponent * cost.steps, cost.bandwidth * Fraction(n, n - 1) * Fraction(whole - 1, whole)
    )


def product_cost(costs: Sequence[Cost], n: int) -> Cost:
    """A Cartesian product of n nodes of simple graphs with BW-optimal BFB schedules: theorem 13.

    The steps of the factors add up, and BFB on the product is BW-optimal again.
    """
    return Cost(sum(cost.steps for cost in costs), least_bandwidth(n))


def two_way_cost(loads: Sequence[Fraction], transposed: Sequence[Fraction], n: int, d: int) -> Cost:
    """Bi(G): half of each shard goes over G, half over its transpose, step by step side by side.

    Appendix A.6 has G isomorphic to its transpose, and the cost is that of G. In general every
    step waits for the slower half: T_B = (d/n) times the sum of the larger loads, where d is the
    degree of G.

    >>> two_way_cost([Fraction(1)], [Fraction(1), Fraction(2)], 4, 1)
    Cost(steps=2, bandwidth=Fraction(3, 4))
    """
    steps = max(len(loads), len(transposed))
    padded = [[*side, *[Fraction()] * (steps - len(side))] for side in (loads, transposed)]
    return Cost(steps, Fraction(d, n) * sum(map(max, *padded), Fraction()))
