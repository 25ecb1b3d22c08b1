"""Torus and hypercube, dimension by dimension: ring collectives, and recursive doubling.

The customary torus runs ring collectives with all dimensions busy (section 6.2). With k dimensions
every shard is cut into 2k pieces. Piece (i, way) starts with dimension i, goes on with i + 1 and so
on, and round every ring in one direction. It is BW-optimal where all widths are equal; otherwise
pieces meet on one dimension while another one is idle.

Recursive doubling on the hypercube, and its reversal, recursive halving (Thakur et al., 2005): at
step t every node swaps all that it holds with its neighbour along dimension t. One port of n is
busy at a time, so that the bandwidth term is n times the least.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import cast

from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth
from expansions.recipe import Base
from expansions.schedule import Schedule
from generators.families.torus import members, ports
from topofinder.schedules.baselines.register import Baseline, register_baseline, require_family
from topofinder.schedules.baselines.rows import last_steps, load_along, rows_along, schedule_of_rows


def torus_allgather(base: Base) -> Schedule:
    """On Torus(a,b,...): sum of (width - 1) steps.

    >>> torus_allgather(Base("Torus", (3, 3))).steps
    4
    """
    widths = _widths(base)
    pieces = 2 * len(widths)
    parts = [
        rows_along(widths, order, way, (2 * i + side, 2 * i + side + 1))
        for i, order in enumerate(_orders(len(widths)))
        for side, way in enumerate((1, -1))
    ]
    return schedule_of_rows(parts, pieces)


def torus_cost(base: Base) -> Cost:
    """T_L = sum of (width - 1); T_B from what the pieces put on each dimension at each step.

    Both ways round share the one arc of a dimension of width 2.

    >>> torus_cost(Base("Torus", (3, 3))), torus_cost(Base("Torus", (2, 3)))
    (Cost(steps=4, bandwidth=Fraction(8, 9)), Cost(steps=3, bandwidth=Fraction(11, 8)))
    """
    widths = _widths(base)
    steps, orders = sum(widths) - len(widths), _orders(len(widths))
    ends = sorted({end for order in orders for end in last_steps(widths, order)})
    total = 0
    for before, end in pairwise([0, *ends]):  # between them no order changes its dimension
        busy = [0] * len(widths)
        for order in orders:
            axis, shards = load_along(widths, order, end)
            busy[axis] += 2 * shards if widths[axis] == 2 else shards
        total += (end - before) * max(busy)
    return Cost(steps, Fraction(ports(widths) * total, 2 * len(widths) * prod(widths)))


def _orders(dimensions: int) -> list[list[int]]:
    """The rotations of 0, 1, ..., dimensions - 1."""
    return [[(i + j) % dimensions for j in range(dimensions)] for i in range(dimensions)]


def _widths(base: Base) -> tuple[int, ...]:
    return tuple(width for width in cast(tuple[int, ...], base.arguments) if width > 1)


def _torus_wirings(n: int, d: int) -> Iterator[Base]:
    yield from (Base("Torus", widths) for widths in members(n, d))


register_baseline(
    Baseline(
        name="torus-by-dimension",
        title="torus, ring collectives on one dimension after the other",
        source="Zhao et al., section 6.2",
        wirings=_torus_wirings,
        check=lambda base: require_family("torus-by-dimension", base, "Torus"),
        cost=torus_cost,
        allgather=torus_allgather,
    )
)


def doubling_allgather(base: Base) -> Schedule:
    """On Q(n): n steps; the load of a busy arc doubles from one to the next.

    >>> doubling_allgather(Base("Q", (3,))).steps
    3
    """
    n = _dimensions(base)
    return schedule_of_rows([rows_along((2,) * n, range(n), 1, (0, 1))], 1)


def doubling_cost(base: Base) -> Cost:
    """T_L = n and T_B = n (N - 1)/N for N = 2^n.

    >>> doubling_cost(Base("Q", (3,)))
    Cost(steps=3, bandwidth=Fraction(21, 8))
    """
    n = _dimensions(base)
    return Cost(n, n * least_bandwidth(1 << n))


def _dimensions(base: Base) -> int:
    return cast(int, base.arguments[0])


def _hypercube_wirings(n: int, d: int) -> Iterator[Base]:
    if d >= 1 and n.bit_length() == d + 1 and n == 1 << d:
        yield Base("Q", (d,))


register_baseline(
    Baseline(
        name="recursive-doubling",
        title="hypercube, one dimension after the other",
        source="Thakur, Rabenseifner and Gropp (2005)",
        wirings=_hypercube_wirings,
        check=lambda base: require_family("recursive-doubling", base, "Q"),
        cost=doubling_cost,
        allgather=doubling_allgather,
    )
)
