"""The customary ring: every shard goes the full circle, half each way round."""

from collections.abc import Iterator
from typing import cast

from expansions.cost import Cost, least_bandwidth
from expansions.recipe import Base
from expansions.schedule import Schedule
from topofinder.schedules.baselines.circulation import allgather, circulation
from topofinder.schedules.baselines.register import Baseline, register, require_family


def ring_allgather(base: Base) -> Schedule:
    """On BiRing(d,m): the i-th of d equal pieces goes round over the i-th port, in m - 1 steps.

    Ports of even number lead one way and those of odd number the other.

    >>> ring_allgather(Base("BiRing", (2, 5))).steps
    4
    """
    d, m = _sizes(base)
    hops, jumps = range(1, m), [1, -1] * (d // 2)
    return allgather([circulation(m, jumps, i, hops, (i, i + 1)) for i in range(d)], d)


def ring_cost(base: Base) -> Cost:
    """T_L = N - 1 and T_B*: every port carries 1/d of a shard at every step (appendix F.1).

    >>> ring_cost(Base("BiRing", (2, 5)))
    Cost(steps=4, bandwidth=Fraction(4, 5))
    """
    _, m = _sizes(base)
    return Cost(m - 1, least_bandwidth(m))


def _sizes(base: Base) -> tuple[int, int]:
    d, m = base.arguments
    return cast(int, d), cast(int, m)


def _wirings(n: int, d: int) -> Iterator[Base]:
    if n >= 3 and d >= 2 and d % 2 == 0:
        yield Base("BiRing", (d, n))


register(
    Baseline(
        name="ring",
        title="two-way ring, each half of a shard goes the full circle",
        source="Zhao et al., appendix F.1",
        wirings=_wirings,
        check=lambda base: require_family("ring", base, "BiRing"),
        cost=ring_cost,
        allgather=ring_allgather,
    )
)
