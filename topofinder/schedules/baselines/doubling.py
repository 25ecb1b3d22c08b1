"""Recursive doubling on the hypercube, and its reversal, recursive halving (Thakur et al., 2005).

At step t every node swaps all that it holds with its neighbour along dimension t. One port of n
is busy at a time, so that the bandwidth term is n times the least.
"""

from collections.abc import Iterator
from typing import cast

from expansions.cost import Cost, least_bandwidth
from expansions.recipe import Base
from expansions.schedule import Schedule
from topofinder.schedules.baselines.circulation import allgather
from topofinder.schedules.baselines.dimensions import along
from topofinder.schedules.baselines.register import Baseline, register, require_family


def doubling_allgather(base: Base) -> Schedule:
    """On Q(n): n steps; the load of a busy arc doubles from one to the next.

    >>> doubling_allgather(Base("Q", (3,))).steps
    3
    """
    n = _dimensions(base)
    return allgather([along((2,) * n, range(n), 1, (0, 1))], 1)


def doubling_cost(base: Base) -> Cost:
    """T_L = n and T_B = n (N - 1)/N for N = 2^n.

    >>> doubling_cost(Base("Q", (3,)))
    Cost(steps=3, bandwidth=Fraction(21, 8))
    """
    n = _dimensions(base)
    return Cost(n, n * least_bandwidth(1 << n))


def _dimensions(base: Base) -> int:
    return cast(int, base.arguments[0])


def _wirings(n: int, d: int) -> Iterator[Base]:
    if d >= 1 and n.bit_length() == d + 1 and n == 1 << d:
        yield Base("Q", (d,))


register(
    Baseline(
        name="recursive-doubling",
        title="hypercube, one dimension after the other",
        source="Thakur, Rabenseifner and Gropp (2005)",
        wirings=_wirings,
        check=lambda base: require_family("recursive-doubling", base, "Q"),
        cost=doubling_cost,
        allgather=doubling_allgather,
    )
)
