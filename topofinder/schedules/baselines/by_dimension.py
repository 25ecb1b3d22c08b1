"""The customary torus: ring collectives dimension by dimension, all dimensions busy (section 6.2).

With k dimensions every shard is cut into 2k pieces. Piece (i, way) starts with dimension i, goes
on with i + 1 and so on, and round every ring in one direction. It is BW-optimal where all widths
are equal; otherwise pieces meet on one dimension while another one is idle.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import cast

from expansions.cost import Cost
from expansions.recipe import Base
from expansions.schedule import Schedule
from generators.families.torus import members, ports
from topofinder.schedules.baselines.circulation import allgather
from topofinder.schedules.baselines.dimensions import along, load_along
from topofinder.schedules.baselines.register import Baseline, register, require_family


def torus_allgather(base: Base) -> Schedule:
    """On Torus(a,b,...): sum of (width - 1) steps.

    >>> torus_allgather(Base("Torus", (3, 3))).steps
    4
    """
    widths = _widths(base)
    pieces = 2 * len(widths)
    parts = [
        along(widths, order, way, (2 * i + side, 2 * i + side + 1))
        for i, order in enumerate(_orders(len(widths)))
        for side, way in enumerate((1, -1))
    ]
    return allgather(parts, pieces)


def torus_cost(base: Base) -> Cost:
    """T_L = sum of (width - 1); T_B from what the pieces put on each dimension at each step.

    Both ways round share the one arc of a dimension of width 2.

    >>> torus_cost(Base("Torus", (3, 3))), torus_cost(Base("Torus", (2, 3)))
    (Cost(steps=4, bandwidth=Fraction(8, 9)), Cost(steps=3, bandwidth=Fraction(11, 8)))
    """
    widths = _widths(base)
    steps, orders = sum(widths) - len(widths), _orders(len(widths))
    total = 0
    for step in range(1, steps + 1):
        busy = [0] * len(widths)
        for order in orders:
            axis, shards = load_along(widths, order, step)
            busy[axis] += 2 * shards if widths[axis] == 2 else shards
        total += max(busy)
    return Cost(steps, Fraction(ports(widths) * total, 2 * len(widths) * prod(widths)))


def _orders(dimensions: int) -> list[list[int]]:
    """The rotations of 0, 1, ..., dimensions - 1."""
    return [[(i + j) % dimensions for j in range(dimensions)] for i in range(dimensions)]


def _widths(base: Base) -> tuple[int, ...]:
    return tuple(width for width in cast(tuple[int, ...], base.arguments) if width > 1)


def _wirings(n: int, d: int) -> Iterator[Base]:
    yield from (Base("Torus", widths) for widths in members(n, d))


register(
    Baseline(
        name="torus-by-dimension",
        title="torus, ring collectives on one dimension after the other",
        source="Zhao et al., section 6.2",
        wirings=_wirings,
        check=lambda base: require_family("torus-by-dimension", base, "Torus"),
        cost=torus_cost,
        allgather=torus_allgather,
    )
)
