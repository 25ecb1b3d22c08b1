"""Rows of the customary allgathers: pieces round a ring, or round the dimensions of a torus.

On a torus, once the dimensions before are done, a node holds the shards of all nodes that differ
from it there only; it passes all of them on round the ring of the next dimension.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from math import prod

import numpy as np

from expansions.schedule import Schedule
from generators.families.torus import ports
from generators.mixed_radix import coordinates, numbers
from generators.topology import Int64Array

RowTable = Int64Array
"""Columns source, arc, step, begin, end; shape (5, rows)."""


def circulation(
    n: int, jumps: Sequence[int], port: int, hops: range, piece: tuple[int, int]
) -> RowTable:
    """Every node's piece crosses the arcs of one jump, the k-th of them at step k, for k in hops.

    The arcs are those of `generators.arrays.jump_graph(n, jumps)`: arc v * len(jumps) + port
    leads from v to v + jumps[port].

    >>> circulation(3, [1, -1], 0, range(1, 3), (0, 1))[:3].tolist()
    [[0, 1, 2, 0, 1, 2], [0, 2, 4, 2, 4, 0], [1, 1, 1, 2, 2, 2]]
    """
    step, source = np.meshgrid(np.arange(hops.start, hops.stop), np.arange(n), indexing="ij")
    arc = (source + (step - 1) * jumps[port]) % n * len(jumps) + port
    return with_piece(source, arc, step, piece)


def with_piece(source: RowTable, arc: RowTable, step: RowTable, piece: tuple[int, int]) -> RowTable:
    """Flat columns with one and the same piece [begin, end) in every row."""
    begin, end = (np.full(source.size, place) for place in piece)
    return np.stack([source.ravel(), arc.ravel(), step.ravel(), begin, end]).astype(np.int64)


def schedule_of_rows(parts: Sequence[RowTable], denominator: int) -> Schedule:
    """The allgather that all parts make together."""
    source, arc, step, begin, end = np.concatenate(parts, axis=1)
    return Schedule(
        source=source.astype(np.int32),
        arc=arc.astype(np.int32),
        step=step.astype(np.int32),
        begin=begin,
        end=end,
        denominator=denominator,
    )


def rows_along(
    widths: Sequence[int], order: Sequence[int], way: int, piece: tuple[int, int]
) -> RowTable:
    """Rows of an allgather of one piece of every shard, the dimensions in the given order.

    Arcs are those of `families.torus.torus(*widths)`, all widths 2 or more; every ring is gone
    round in the direction `way`, 1 or -1. Steps: the sum of (width - 1).

    >>> rows_along((2, 3), (1, 0), 1, (0, 1)).shape
    (5, 30)
    """
    nodes = coordinates(widths)
    spread = np.zeros((1, len(widths)), dtype=np.int64)
    before, parts = 0, []
    for axis in order:
        unit = np.eye(len(widths), dtype=np.int64)[axis]
        hops = np.arange(widths[axis])[:, None, None] * unit * way
        reached = (hops + spread).reshape(-1, len(widths))
        senders = reached[: (widths[axis] - 1) * len(spread)]
        step = before + 1 + np.repeat(np.arange(widths[axis] - 1), len(spread))
        tail = numbers((nodes[:, None] + senders).reshape(-1, len(widths)), widths)
        arc = tail.astype(np.int64) * ports(tuple(widths)) + port_along(widths, axis, way)
        source = np.repeat(np.arange(len(nodes)), len(senders))
        parts.append(with_piece(source, arc, np.tile(step, len(nodes)), piece))
        before, spread = before + widths[axis] - 1, reached
    return np.concatenate(parts, axis=1)


def port_along(widths: Sequence[int], axis: int, way: int) -> int:
    """The port of a torus node that leads along an axis; a width of 2 has one port for both ways.

    >>> [port_along((3, 2, 3), axis, -1) for axis in range(3)]
    [1, 2, 4]
    """
    first = ports(tuple(widths[:axis]))
    return first + (way == -1 and widths[axis] > 2)


def last_steps(widths: Sequence[int], order: Sequence[int]) -> list[int]:
    """The last step on each axis, in that order of the axes.

    >>> last_steps((2, 3), (1, 0))
    [2, 3]
    """
    return list(accumulate(widths[axis] - 1 for axis in order))


def load_along(widths: Sequence[int], order: Sequence[int], step: int) -> tuple[int, int]:
    """The axis that the rows of `rows_along` use at a step, and how many shards each arc carries.

    >>> [load_along((2, 3), (1, 0), step) for step in (1, 2, 3)]
    [(1, 1), (1, 1), (0, 3)]
    """
    place = bisect_left(last_steps(widths, order), step)
    return order[place], prod(widths[axis] for axis in order[:place])
