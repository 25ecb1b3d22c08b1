"""Rows through switches as messages from host to host.

A row out of a switch is matched with a row into it that brought the same piece of the same shard at
an earlier step: who sent that one sends it on, as far as ranks can tell, through as many switches
in turn as there are. Of sums it is the other way round: each row into a switch goes to where the
next row of its piece leads.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.topology import BoolArray, Int64Array, IntArray, Topology


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HostRows:
    """Rows of a schedule that stand for messages, and the nodes at their ends; (messages,) each.

    `via` are the switches between them in their order, -1 behind the last; (messages, most).
    """

    row: Int64Array
    tail: IntArray
    head: IntArray
    via: IntArray


def rows_between_hosts(graph: Topology, rows: Schedule, sums: BoolArray) -> HostRows:
    """The messages of rows, of which those in `sums` carry partial sums, shape (rows,).

    Raises Unsupported where a piece leaves a switch otherwise than it came.

    >>> star = Topology.from_arcs(3, [(0, 2), (2, 1)], switches=(2,))
    >>> from expansions.schedule import Schedule
    >>> two = Schedule(source=[0, 0], arc=[0, 1], step=[1, 2], begin=[0, 0], end=[1, 1])
    >>> found = rows_between_hosts(star, two, np.zeros(2, dtype=bool))
    >>> found.row.tolist(), found.tail.tolist(), found.head.tolist(), found.via.tolist()
    ([1], [0], [1], [[2]])
    """
    switch = np.zeros(graph.n, dtype=bool)
    switch[list(graph.switches)] = True
    tail, head = graph.tail[rows.arc], graph.head[rows.arc]
    out, into = switch[tail], switch[head]
    left, came = _moments(rows, tail, head)
    beyond = np.arange(rows.rows)
    spread, summed = np.flatnonzero(out & ~sums), np.flatnonzero(into & sums)
    beyond[spread] = _neighbours(left[spread], came, np.flatnonzero(into & ~sums), rows.steps, -1)
    beyond[summed] = _neighbours(came[summed], left, np.flatnonzero(out & sums), rows.steps, 1)
    kept = np.flatnonzero(np.where(sums, ~out, ~into))
    chain = [kept]
    while (beyond[chain[-1]] != chain[-1]).any():
        chain.append(beyond[chain[-1]])
    last, adds = chain[-1], sums[kept]
    return HostRows(
        row=kept,
        tail=np.where(adds, tail[kept], tail[last]),
        head=np.where(adds, head[last], head[kept]),
        via=_switches_between(chain, np.where(sums, head, tail), adds),
    )


def _switches_between(chain: list[Int64Array], place: IntArray, forth: BoolArray) -> IntArray:
    """The switches of each message, whose rows are the `chain`, the last row first but `forth`.

    `place[r]` is the switch between a row r and the next of its chain.
    """
    via = np.full((len(forth), len(chain) - 1), -1, dtype=np.int32)
    for hop, (near, far) in enumerate(pairwise(chain)):
        via[:, hop] = np.where(near == far, -1, place[near])
    column, many = np.arange(len(chain) - 1)[None, :], (via >= 0).sum(axis=1)[:, None]
    turned = np.where((column < many) & ~forth[:, None], many - 1 - column, column)
    found: IntArray = np.take_along_axis(via, turned, axis=1)
    return found


def _moments(rows: Schedule, tail: IntArray, head: IntArray) -> tuple[Int64Array, Int64Array]:
    """Numbers of each row's piece at its tail and at its head, times steps + 2, plus its step."""
    both = [np.stack([end, rows.source, rows.begin, rows.end]) for end in (tail, head)]
    _, piece = np.unique(np.concatenate(both, axis=1), axis=1, return_inverse=True)
    left, came = piece.reshape(2, -1).astype(np.int64) * (rows.steps + 2) + rows.step
    return left, came


def _neighbours(
    of: Int64Array, when: Int64Array, among: Int64Array, steps: int, side: int
) -> Int64Array:
    """For each moment the last row before it (-1) or the first after it (1) of its piece."""
    order = among[np.argsort(when[among], kind="stable")]
    if side < 0:
        at = np.searchsorted(when[order], of, side="left") - 1
    else:
        at = np.searchsorted(when[order], of, side="right")
    there = (at >= 0) & (at < len(order))
    found = order[np.where(there, at, 0)] if len(order) else np.zeros(len(of), dtype=np.int64)
    if not (there & (when[found] // (steps + 2) == of // (steps + 2))).all():
        raise Unsupported("schedule: a piece leaves a switch otherwise than it came")
    return found
