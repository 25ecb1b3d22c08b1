"""Allgathers of Cartesian powers and products, dimension by dimension (definition 14).

Each shard is cut into as many parts as there are dimensions. Part number i goes through the
dimensions in order, beginning at the i-th and wrapping round, so that at any step the parts keep
to different dimensions. On a power all parts change dimension at the same steps, and every arc
is as busy as any other: theorem 12. On a product of different graphs it is an allgather too, but
dimensions may wait for one another; BFB is the better choice there (theorem 13).
"""

from collections.abc import Sequence
from math import prod

import numpy as np

from expansions.cartesian import product_arcs
from expansions.pieces import (
    Rows,
    common_denominator,
    joined,
    require_allgather,
    require_room_for,
    rows_in,
)
from expansions.schedule import Schedule
from generators.errors import InvalidInput
from generators.topology import Int64Array, Topology


def power_schedule(topology: Topology, schedule: Schedule, exponent: int) -> Schedule:
    """The schedule of G^k, numbered as `cartesian_power(topology, exponent)`.

    k times the steps, and T_B times N/(N - 1) (N^k - 1)/N^k (theorem 12, an equality). Raises
    InvalidInput as `product_schedule`, and for an exponent below 1.

    >>> from expansions.cartesian import cartesian_power
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> power_schedule(pair, swap, 2).cost(cartesian_power(pair, 2))
    Cost(steps=2, bandwidth=Fraction(3, 4))
    """
    if exponent < 1:
        raise InvalidInput(f"exponent: at least 1, not {exponent}")
    return product_schedule([topology] * exponent, [schedule] * exponent)


def product_schedule(graphs: Sequence[Topology], schedules: Sequence[Schedule]) -> Schedule:
    """The schedule of G_1 x G_2 x ..., numbered as `cartesian_product(*graphs)`.

    Raises InvalidInput when there are not as many schedules as graphs, for other collectives
    than allgathers, for unequal links, and for schedules that do not fit their graphs.
    """
    _check(graphs, schedules)
    if len(graphs) == 1:
        return schedules[0]
    arcs = product_arcs(*graphs)
    factors = len(graphs)
    unit = common_denominator(schedule.denominator for schedule in schedules)
    whole = common_denominator([unit * factors])
    parts = []
    for part in range(factors):
        order = [(part + place) % factors for place in range(factors)]
        late = 0
        for place, dimension in enumerate(order):
            schedule = schedules[dimension]
            rows = rows_in(schedule, unit)
            spread_out = _phase(graphs, rows, arcs[dimension], order, place)
            parts.append(
                spread_out._replace(
                    step=spread_out.step + late,
                    begin=spread_out.begin + part * unit,
                    end=spread_out.end + part * unit,
                )
            )
            late += schedule.steps
    return joined(parts, whole)


def _check(graphs: Sequence[Topology], schedules: Sequence[Schedule]) -> None:
    if not graphs or len(graphs) != len(schedules):
        raise InvalidInput(f"schedules: {len(schedules)} for {len(graphs)} graphs")
    for graph, schedule in zip(graphs, schedules, strict=True):
        require_allgather(schedule)
        schedule.require_fit(graph)
    n = prod(graph.n for graph in graphs)
    # A node takes every other node's shard in pieces: rows grow with the square of the nodes.
    ways = [n * n * s.rows // (g.n * g.n) for g, s in zip(graphs, schedules, strict=True)]
    if len(graphs) > 1:
        require_room_for(sum(ways))


def _phase(
    graphs: Sequence[Topology], rows: Rows, arcs: Int64Array, order: list[int], place: int
) -> Rows:
    """The rows of one part while it goes through dimension order[place].

    ((x, w, z), C), ((y, u, z), (y, v, z)) for every row ((w, C), (u, v)) of the factor: x is the
    source's place in the dimensions that are done, y the holder's, and z the place of both in
    those to come. Arrays below have the axes (x, y, z, row).
    """
    dimension = order[place]
    done = _offsets(graphs, order[:place])
    ahead = _offsets(graphs, order[place + 1 :])
    stride = prod(graph.n for graph in graphs[dimension + 1 :])
    holder = done[:, None, None] + ahead[:, None]
    left, right = np.divmod(holder, graphs[dimension].n * stride)
    arc = arcs[left, rows.arc, right]
    source = done[:, None, None] + ahead[:, None] + rows.source.astype(np.int64) * stride
    shape = (len(done), *arc.shape)
    return Rows(
        np.broadcast_to(source[:, None], shape).ravel(),
        *(np.broadcast_to(column, shape).ravel() for column in (arc, *rows[2:])),
    )


def _offsets(graphs: Sequence[Topology], dimensions: list[int]) -> Int64Array:
    """What the places in these dimensions, all combinations, add to the number of a node."""
    offsets = np.zeros(1, dtype=np.int64)
    for dimension in dimensions:
        stride = prod(graph.n for graph in graphs[dimension + 1 :])
        offsets = (offsets[:, None] + np.arange(graphs[dimension].n) * stride).ravel()
    return offsets
