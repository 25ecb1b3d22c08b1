"""The allgather of a degree expansion (definition 2): copies of G side by side, then one step.

The last step collects the shards of the other copies of a node: every in-neighbour holds them by
then, so each of the in-arcs brings an equal chunk.
"""

import numpy as np

from expansions.degree import degree_arcs
from expansions.pieces import (
    Rows,
    common_denominator,
    joined,
    require_allgather,
    require_room_for,
    rows_in,
)
from expansions.schedule import Schedule
from generators.arrays import csr_by_node
from generators.errors import InvalidInput
from generators.topology import Int64Array, Topology


def degree_schedule(topology: Topology, schedule: Schedule, copies: int) -> Schedule:
    """The schedule of G*n, numbered as `degree_expansion(topology, copies)`.

    One step more, and T_B + (n - 1)/(nN) for a regular G (theorem 11, an equality). Raises
    InvalidInput as `degree_expansion` does, for another collective than an allgather, and when
    some node receives nothing.

    >>> from expansions.degree import degree_expansion
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> degree_schedule(pair, swap, 2).cost(degree_expansion(pair, 2))
    Cost(steps=2, bandwidth=Fraction(3, 4))
    """
    require_allgather(schedule)
    schedule.require_fit(topology)
    _require_room(topology, schedule, copies)
    arcs = degree_arcs(topology, copies)
    if copies == 1:
        return schedule
    into = topology.in_degrees
    if not into.all():
        raise InvalidInput(f"not strongly connected: node {into.argmin()} receives nothing")
    chunks = common_denominator([copies * int(k) for k in np.unique(into)])
    whole = common_denominator([schedule.denominator, chunks])
    spread_out = _within_copies(rows_in(schedule, whole), arcs, copies)
    collected = _between_copies(topology, arcs, copies, whole, schedule.steps + 1)
    return joined([spread_out, collected], whole)


def _require_room(topology: Topology, schedule: Schedule, copies: int) -> None:
    if copies > 1:
        last = topology.arcs * copies * copies * (copies - 1)
        require_room_for(schedule.rows * copies * copies + last)


def _within_copies(rows: Rows, arcs: Int64Array, copies: int) -> Rows:
    """((v_j, C), (u_j, w_i), t) for all i, j: a shard stays in its copy but for the last hop."""
    shape = (len(rows.source), copies, copies)
    source = rows.source.astype(np.int64)[:, None, None] * copies + np.arange(copies)[:, None]
    return Rows(
        np.broadcast_to(source, shape).ravel(),
        arcs[rows.arc].ravel(),
        *(np.repeat(column, copies * copies) for column in rows[2:]),
    )


def _between_copies(
    topology: Topology, arcs: Int64Array, copies: int, whole: int, step: int
) -> Rows:
    """At the last step, chunk alpha of u_i's shard goes to u_j over the alpha-th in-arc of u_j."""
    e, copy, i, j = np.indices((topology.arcs, copies, copies, copies)).reshape(4, -1)
    apart = i != j
    e, copy, i, j = e[apart], copy[apart], i[apart], j[apart]
    u = topology.head[e].astype(np.int64)
    chunk = whole // (topology.in_degrees.astype(np.int64)[u] * copies)
    begin = (_rank(topology)[e] * copies + copy) * chunk
    late = np.full(len(e), step)
    return Rows(u * copies + i, arcs[e, copy, j], late, begin, begin + chunk)


def _rank(topology: Topology) -> Int64Array:
    """The place of each arc among the arcs into its head."""
    start, order = csr_by_node(topology.head, topology.n)
    rank = np.empty(topology.arcs, dtype=np.int64)
    rank[order] = np.arange(topology.arcs)
    return rank - start[topology.head]
