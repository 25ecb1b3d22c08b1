"""The customary ring, and TopoOpt's shifted ring: every piece goes the full circle.

On a ring every shard goes half each way round. The shifted ring is two two-way rings, each for one
half of every shard (section 8.2); its customary schedule sends quarters the full circle. With the
ring schedule of BFB on either ring, each half goes whole both ways, and half as many steps are
enough (section 8.3).

Table 4 prints 20640 us for the allreduce at N = 1024. The formulas here give 20627.6 us, that is
2 ((N - 1) alpha + T_B* M/B) with MB = 2**20 bytes; the printed figure is 2 (N alpha + M/B) with
MB = 10**6 bytes.
"""

from collections.abc import Iterator
from typing import cast

from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth
from expansions.recipe import Base
from expansions.schedule import Schedule
from generators.families.shifted_ring import ring_shift
from topofinder.schedules.baselines.register import Baseline, register_baseline, require_family
from topofinder.schedules.baselines.rows import circulation, schedule_of_rows


def ring_allgather(base: Base) -> Schedule:
    """On BiRing(d,m): the i-th of d equal pieces goes round over the i-th port, in m - 1 steps.

    Ports of even number lead one way and those of odd number the other.

    >>> ring_allgather(Base("BiRing", (2, 5))).steps
    4
    """
    d, m = _sizes(base)
    hops, jumps = range(1, m), [1, -1] * (d // 2)
    return schedule_of_rows([circulation(m, jumps, i, hops, (i, i + 1)) for i in range(d)], d)


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


def _ring_wirings(n: int, d: int) -> Iterator[Base]:
    if n >= 3 and d >= 2 and d % 2 == 0:
        yield Base("BiRing", (d, n))


register_baseline(
    Baseline(
        name="ring",
        title="two-way ring, each half of a shard goes the full circle",
        source="Zhao et al., appendix F.1",
        wirings=_ring_wirings,
        check=lambda base: require_family("ring", base, "BiRing"),
        cost=ring_cost,
        allgather=ring_allgather,
    )
)


def shifted_ring_allgather(base: Base) -> Schedule:
    """Quarter i of every shard goes the full circle over port i, in N - 1 steps.

    >>> shifted_ring_allgather(Base("ShiftedRing", (8,))).steps
    7
    """
    n = _nodes(base)
    jumps, hops = _jumps(n), range(1, n)
    return schedule_of_rows([circulation(n, jumps, i, hops, (i, i + 1)) for i in range(4)], 4)


def shifted_ring_bfb_allgather(base: Base) -> Schedule:
    """Half of every shard goes both ways round either ring, until the two meet (appendix F.1).

    For even N the node opposite gets a quarter from either side.

    >>> shifted_ring_bfb_allgather(Base("ShiftedRing", (8,))).steps
    4
    """
    n = _nodes(base)
    jumps, whole = _jumps(n), range(1, (n + 1) // 2)
    parts = [circulation(n, jumps, i, whole, (i // 2 * 2, i // 2 * 2 + 2)) for i in range(4)]
    if n % 2 == 0:
        last = range(n // 2, n // 2 + 1)
        parts += [circulation(n, jumps, i, last, (i, i + 1)) for i in range(4)]
    return schedule_of_rows(parts, 4)


def shifted_ring_cost(base: Base) -> Cost:
    """T_L = N - 1, T_B*.

    >>> shifted_ring_cost(Base("ShiftedRing", (1024,)))
    Cost(steps=1023, bandwidth=Fraction(1023, 1024))
    """
    n = _nodes(base)
    return Cost(n - 1, least_bandwidth(n))


def shifted_ring_bfb_cost(base: Base) -> Cost:
    """T_L = floor(N/2), T_B*.

    >>> shifted_ring_bfb_cost(Base("ShiftedRing", (9,)))
    Cost(steps=4, bandwidth=Fraction(8, 9))
    """
    n = _nodes(base)
    return Cost(n // 2, least_bandwidth(n))


def _jumps(n: int) -> list[int]:
    """Jumps of the ports, as in `families.shifted_ring`: the first ring, then the second."""
    shift = ring_shift(n)
    return [1, -1, shift, -shift]


def _nodes(base: Base) -> int:
    return cast(int, base.arguments[0])


def _shifted_ring_wirings(n: int, d: int) -> Iterator[Base]:
    if n >= 3 and d == 4:
        yield Base("ShiftedRing", (n,))


register_baseline(
    Baseline(
        name="shifted-ring",
        title="two shifted rings, each quarter of a shard goes a full circle",
        source="Wang et al., TopoOpt (2023); Zhao et al., section 8.2",
        wirings=_shifted_ring_wirings,
        check=lambda base: require_family("shifted-ring", base, "ShiftedRing"),
        cost=shifted_ring_cost,
        allgather=shifted_ring_allgather,
    )
)
register_baseline(
    Baseline(
        name="shifted-ring-bfb",
        title="two shifted rings, each half of a shard goes both ways round one",
        source="Zhao et al., section 8.3 and appendix F.1",
        wirings=_shifted_ring_wirings,
        check=lambda base: require_family("shifted-ring-bfb", base, "ShiftedRing"),
        cost=shifted_ring_bfb_cost,
        allgather=shifted_ring_bfb_allgather,
    )
)
