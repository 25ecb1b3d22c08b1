"""Rows through switches as messages from host to host.

A row out of a switch is matched with a row into it that brought the same piece of the same shard at
an earlier step: who sent that one sends it on, as far as ranks can tell. Of sums it is the other
way round: each row into a switch goes to where the next row of its piece leads.
"""

from dataclasses import dataclass

import numpy as np

from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.topology import BoolArray, Int64Array, IntArray, Topology


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HostRows:
    """Rows of a schedule that stand for messages, and the nodes at their ends; (messages,) each.

    `via` is the switch between them, -1 where there is none.
    """

    row: Int64Array
    tail: IntArray
    head: IntArray
    via: IntArray


def rows_between_hosts(graph: Topology, rows: Schedule, sums: BoolArray) -> HostRows:
    """The messages of rows, of which those in `sums` carry partial sums, shape (rows,).

    Raises Unsupported where a piece leaves a switch otherwise than it came, or on to a switch.

    >>> star = Topology.from_arcs(3, [(0, 2), (2, 1)], switches=(2,))
    >>> from expansions.schedule import Schedule
    >>> two = Schedule(source=[0, 0], arc=[0, 1], step=[1, 2], begin=[0, 0], end=[1, 1])
    >>> found = rows_between_hosts(star, two, np.zeros(2, dtype=bool))
    >>> found.row.tolist(), found.tail.tolist(), found.head.tolist(), found.via.tolist()
    ([1], [0], [1], [2])
    """
    switch = np.zeros(graph.n, dtype=bool)
    switch[list(graph.switches)] = True
    tail, head = graph.tail[rows.arc].copy(), graph.head[rows.arc].copy()
    out, into = switch[tail], switch[head]
    if (out & into).any():
        raise Unsupported("schedule: rows from switch to switch have no rank that sends them")
    place = np.where(out, tail, head).astype(np.int64)
    columns = np.stack([place, rows.source.astype(np.int64), rows.begin, rows.end])
    _, piece = np.unique(columns, axis=1, return_inverse=True)
    when = piece.reshape(-1).astype(np.int64) * (rows.steps + 2) + rows.step
    spread = np.flatnonzero(out & ~sums)
    came = _neighbours(when, spread, np.flatnonzero(into & ~sums), piece.reshape(-1), -1)
    tail[spread] = tail[came]
    summed = np.flatnonzero(into & sums)
    goes = _neighbours(when, summed, np.flatnonzero(out & sums), piece.reshape(-1), 1)
    head[summed] = head[goes]
    kept = np.flatnonzero(~(into & ~sums) & ~(out & sums))
    via = np.where(out | into, place, -1).astype(np.int32)
    return HostRows(row=kept, tail=tail[kept], head=head[kept], via=via[kept])


def _neighbours(
    when: Int64Array, of: Int64Array, among: Int64Array, piece: Int64Array, side: int
) -> Int64Array:
    """For each row the last before it (-1) or the first after it (1) of its piece."""
    order = among[np.argsort(when[among], kind="stable")]
    if side < 0:
        at = np.searchsorted(when[order], when[of], side="left") - 1
    else:
        at = np.searchsorted(when[order], when[of], side="right")
    there = (at >= 0) & (at < len(order))
    found = order[np.where(there, at, 0)] if len(order) else np.zeros(len(of), dtype=np.int64)
    if not (there & (piece[found] == piece[of])).all():
        raise Unsupported("schedule: a piece leaves a switch otherwise than it came")
    return found
