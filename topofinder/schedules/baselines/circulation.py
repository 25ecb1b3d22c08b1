"""Pieces that travel round a ring, as columns of a schedule."""

from collections.abc import Sequence

import numpy as np

from expansions.schedule import Schedule
from generators.topology import Int64Array

Rows = Int64Array
"""Columns source, arc, step, begin, end; shape (5, rows)."""


def circulation(
    n: int, jumps: Sequence[int], port: int, hops: range, piece: tuple[int, int]
) -> Rows:
    """Every node's piece crosses the arcs of one jump, the k-th of them at step k, for k in hops.

    The arcs are those of `generators.arrays.jump_graph(n, jumps)`: arc v * len(jumps) + port
    leads from v to v + jumps[port].

    >>> circulation(3, [1, -1], 0, range(1, 3), (0, 1))[:3].tolist()
    [[0, 1, 2, 0, 1, 2], [0, 2, 4, 2, 4, 0], [1, 1, 1, 2, 2, 2]]
    """
    step, source = np.meshgrid(np.arange(hops.start, hops.stop), np.arange(n), indexing="ij")
    arc = (source + (step - 1) * jumps[port]) % n * len(jumps) + port
    return with_piece(source, arc, step, piece)


def with_piece(source: Rows, arc: Rows, step: Rows, piece: tuple[int, int]) -> Rows:
    """Flat columns with one and the same piece [begin, end) in every row."""
    begin, end = (np.full(source.size, place) for place in piece)
    return np.stack([source.ravel(), arc.ravel(), step.ravel(), begin, end]).astype(np.int64)


def allgather(parts: Sequence[Rows], denominator: int) -> Schedule:
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
