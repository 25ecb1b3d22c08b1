"""Rows through switches that cannot multicast, or cannot combine sums: every copy must have come.

A switch that does not multicast passes a piece on as often, by the end of a step, as it was sent
it at earlier steps, and no more. One that does not combine holds one partial sum of a piece at a
time: what comes in while another is there, or along with another, it could not have merged. Both
are counts over time, of each elementary piece: rows in less rows out never below 0, and never
above 1.
"""

from collections.abc import Iterator

import numpy as np

from expansions.schedule import Schedule
from generators.topology import BoolArray, Int64Array, Topology
from topofinder.verification.switch_rows_kernels import find_overdrafts

NO_COPY = "does not multicast, and has sent that as often as it came"
NO_SUM = "does not combine sums, and gets that while it has another"


def unable_switches(topology: Topology, *, moves: bool) -> BoolArray:
    """Of each node, whether it is a switch that does not multicast, or combine if sums `move`.

    >>> star = Topology.from_arcs(3, [(0, 2), (2, 1)], switches=(2,), multicast=(2,))
    >>> unable_switches(star, moves=False).any(), unable_switches(star, moves=True).tolist()
    (np.False_, [False, False, True])
    """
    found = np.zeros(topology.n, dtype=np.bool_)
    found[list(topology.switches)] = True
    found[list(topology.reduce if moves else topology.multicast)] = False
    return found


def first_switch_fault(
    topology: Topology, schedule: Schedule, rows: Int64Array, *, moves: bool
) -> int:
    """The first of these rows, by step and number, that a switch cannot send or take; -1 if none.

    `rows` are on arcs that are there; `moves` says that partial sums are moved.

    >>> star = Topology.from_arcs(4, [(0, 3), (3, 1), (3, 2)], switches=(3,))
    >>> columns = dict(source=[0] * 3, arc=[0, 1, 2], step=[1, 2, 2], begin=[0] * 3, end=[1] * 3)
    >>> first_switch_fault(star, Schedule(**columns), np.arange(3), moves=False)
    2
    """
    unable = unable_switches(topology, moves=moves)
    found = -1
    for row, out in _rows_by_switch(topology, schedule, rows, unable):
        early = _first_of_switch(schedule, row, out, moves)
        if early >= 0 and (found < 0 or _when(schedule, early) < _when(schedule, found)):
            found = early
    return found


def _when(schedule: Schedule, row: int) -> tuple[int, int]:
    return int(schedule.step[row]), row


def _rows_by_switch(
    topology: Topology, schedule: Schedule, rows: Int64Array, unable: BoolArray
) -> Iterator[tuple[Int64Array, BoolArray]]:
    """Of each of these switches its rows, and which of them lead out of it."""
    if not unable.any():
        return
    ends = [nodes[schedule.arc[rows]] for nodes in (topology.tail, topology.head)]
    at = [np.flatnonzero(unable[nodes]) for nodes in ends]
    node = np.concatenate([nodes[those] for nodes, those in zip(ends, at, strict=True)])
    row, out = rows[np.concatenate(at)], np.repeat([True, False], [len(at[0]), len(at[1])])
    order = np.argsort(node, kind="stable")
    for some in np.split(order, np.flatnonzero(np.diff(node[order])) + 1):
        yield row[some], out[some]


def _first_of_switch(schedule: Schedule, row: Int64Array, out: BoolArray, moves: bool) -> int:
    """The first row of one switch that it cannot send or take."""
    source = schedule.source[row]
    # Rows out go before rows in: they hold what came at earlier steps, and give it away at once.
    order = np.lexsort((row, ~out, schedule.step[row], source))
    row, out, source = row[order], out[order], source[order]
    start = np.concatenate([[0], np.flatnonzero(np.diff(source)) + 1, [len(row)]])
    place = np.concatenate([schedule.begin[row], schedule.end[row]])
    event = np.tile(np.arange(len(row)), 2)
    sign = np.repeat(np.array([1, -1]), len(row))
    swept = np.lexsort((place, np.tile(source, 2)))
    found = find_overdrafts(
        start, np.where(out == moves, 1, -1), event[swept], place[swept], sign[swept], int(moves)
    )
    faulty = row[found[found >= 0]]
    return min(faulty.tolist(), key=lambda each: _when(schedule, each), default=-1)
