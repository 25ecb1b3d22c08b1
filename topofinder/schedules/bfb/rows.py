"""Schedules from the kernels: every shard in a given number of equal pieces at each step.

Every receiver's busiest in-link carries as few pieces as possible
(`schedules.bfb.transport_kernels`). Where one receiver speaks for all, its rows are made once and
carried to the others (`schedules.bfb.symmetric`); elsewhere they are made receiver by receiver.
"""

from collections.abc import Callable, Sequence
from math import lcm
from typing import Any

import numpy as np

from expansions.pieces import MAX_ROWS
from expansions.schedule import MAX_DENOMINATOR, Schedule
from generators.errors import Unsupported
from generators.topology import AnyIntArray, Topology
from topofinder.schedules.bfb.in_arcs import IntColumns, in_arcs
from topofinder.schedules.bfb.row_kernels import fill_next_reach, initial_reach, receive_step
from topofinder.schedules.bfb.symmetric import spread_rows_of_zero

Advance = Callable[[int, Any, Any], None]
"""Fills what nodes hold after a step (third argument) from what they held before (second)."""


def all_rows(topology: Topology, pieces: Sequence[int]) -> Schedule:
    """The allgather of all nodes, pieces[t - 1] equal pieces a shard at step t.

    There are as many steps as the longest distance. Rows come step after step and, within a
    step, receiver after receiver. Raises Unsupported when n(n - 1) is beyond MAX_ROWS.

    >>> from generators.families.complete import complete
    >>> all_rows(complete(3), [2]).rows
    6
    """
    if topology.translation is None or not pieces:
        return rows_by_receiver(topology, pieces)
    _require_few_rows(topology)
    denominator, neighbours = pieces_denominator(pieces), in_arcs(topology)
    columns = spread_rows_of_zero(topology, pieces, denominator, neighbours)
    return _schedule_of(columns, denominator)


def rows_by_receiver(
    topology: Topology, pieces: Sequence[int], advance: Advance | None = None
) -> Schedule:
    """The same, receiver by receiver, whatever the symmetry.

    `advance` says what nodes hold after a step; by default all that they can have. They hold what
    their in-neighbours have before the first step after it, and all shards after the last.

    >>> from generators.families.ring import one_way_ring
    >>> rows_by_receiver(one_way_ring(1, 3), [1, 1]).source.tolist()
    [2, 0, 1, 1, 2, 0]
    """
    if not pieces:
        return Schedule(source=[], arc=[], step=[], begin=[], end=[])  # type: ignore[arg-type]
    _require_few_rows(topology)
    denominator, neighbours = pieces_denominator(pieces), in_arcs(topology)
    columns = gather_rows(topology.n, pieces, denominator, neighbours, advance)
    return _schedule_of(columns, denominator)


def _require_few_rows(topology: Topology) -> None:
    if topology.n * (topology.n - 1) > MAX_ROWS:
        raise Unsupported(f"rows: {topology.n} nodes need more than {MAX_ROWS} in a schedule")


def _schedule_of(columns: IntColumns, denominator: int) -> Schedule:
    source, arc, step, begin, end = columns
    return Schedule(
        source=source, arc=arc, step=step, begin=begin, end=end, denominator=denominator
    )


def pieces_denominator(pieces: Sequence[int]) -> int:
    """The least common multiple of the numbers of pieces; Unsupported beyond 64 bits.

    >>> pieces_denominator([4, 6])
    12
    """
    denominator = lcm(*pieces)
    if denominator > MAX_DENOMINATOR:
        raise Unsupported(f"denominator: exact pieces need {denominator}, beyond 64 bits")
    return denominator


def gather_rows(
    n: int,
    pieces: Sequence[int],
    denominator: int,
    neighbours: IntColumns,
    advance: Advance | None = None,
) -> IntColumns:
    """Columns (source, arc, step, begin, end), pieces[t - 1] equal pieces a shard at step t.

    `neighbours` is the answer of `in_arcs` for a topology of n nodes; ends count 1/denominator.
    `advance` is as in `rows_by_receiver`.
    """
    in_start, in_node = neighbours[:2]
    slack = n * int(np.diff(in_start).max()) + int(neighbours[2].sum())
    kinds = (np.int32, np.int32, np.int64, np.int64)
    out: IntColumns = tuple(np.empty(n * (n - 1) + slack, dtype=kind) for kind in kinds)
    reach = initial_reach(n)
    following = np.empty_like(reach)
    ends = [0]
    for step, parts in enumerate(pieces, 1):
        if advance is None:
            fill_next_reach(reach, in_start, in_node, following)
        else:
            advance(step, reach, following)
        receiver, filled = 0, ends[-1]
        while True:
            receiver, filled = receive_step(
                receiver, step, parts, reach, following, neighbours, out, filled
            )
            if receiver == n:
                break
            _grow_columns(out, slack)
        _scale_ends(out[2:], ends[-1], filled, denominator // parts)
        ends.append(filled)
        reach, following = following, reach
    for column in out:
        column.resize(ends[-1], refcheck=False)
    steps = np.repeat(np.arange(1, len(ends), dtype=np.int32), np.diff(ends))
    return out[0], out[1], steps, out[2], out[3]


def _grow_columns(out: IntColumns, slack: int) -> None:
    """Lengthen the columns where they lie: the system moves pages, not rows."""
    for column in out:
        column.resize(len(column) + len(column) // 4 + slack, refcheck=False)


def _scale_ends(ends: IntColumns, first: int, last: int, factor: int) -> None:
    for column in ends:
        part: AnyIntArray = column[first:last]
        np.multiply(part, factor, out=part)
