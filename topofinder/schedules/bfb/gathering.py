"""All rows of a BFB allgather, receiver by receiver, where no symmetry is known."""

from collections.abc import Sequence

import numpy as np

from generators.topology import AnyIntArray
from topofinder.schedules.bfb.in_arcs import Columns
from topofinder.schedules.bfb.row_kernels import own_shards, pass_on, receive_step


def gather(n: int, pieces: Sequence[int], denominator: int, neighbours: Columns) -> Columns:
    """Columns (source, arc, step, begin, end), pieces[t - 1] equal pieces a shard at step t.

    `neighbours` is the answer of `in_arcs` for a topology of n nodes; ends count 1/denominator.
    """
    in_start, in_node = neighbours[:2]
    slack = n * int(np.diff(in_start).max()) + int(neighbours[2].sum())
    kinds = (np.int32, np.int32, np.int64, np.int64)
    out: Columns = tuple(np.empty(n * (n - 1) + slack, dtype=kind) for kind in kinds)
    reach = own_shards(n)
    following = np.empty_like(reach)
    ends = [0]
    for step, parts in enumerate(pieces, 1):
        pass_on(reach, in_start, in_node, following)
        receiver, filled = 0, ends[-1]
        while True:
            receiver, filled = receive_step(
                receiver, step, parts, reach, following, neighbours, out, filled
            )
            if receiver == n:
                break
            _grow(out, slack)
        _scale(out[2:], ends[-1], filled, denominator // parts)
        ends.append(filled)
        reach, following = following, reach
    for column in out:
        column.resize(ends[-1], refcheck=False)
    steps = np.repeat(np.arange(1, len(ends), dtype=np.int32), np.diff(ends))
    return out[0], out[1], steps, out[2], out[3]


def _grow(out: Columns, slack: int) -> None:
    """Lengthen the columns where they lie: the system moves pages, not rows."""
    for column in out:
        column.resize(len(column) + len(column) // 4 + slack, refcheck=False)


def _scale(ends: Columns, first: int, last: int, factor: int) -> None:
    for column in ends:
        part: AnyIntArray = column[first:last]
        np.multiply(part, factor, out=part)
