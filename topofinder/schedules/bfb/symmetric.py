"""All rows of a BFB allgather of a vertex-transitive topology, from those into node 0."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from generators.errors import InvalidInput
from generators.topology import AnyIntArray, Int64Array, IntArray, Topology
from topofinder.schedules.bfb.in_arcs import IntColumns, in_neighbours_of_zero
from topofinder.schedules.bfb.row_kernels import receive_all
from topofinder.schedules.bfb.spreading import arc_images, spread_rows, spread_sources
from topofinder.schedules.bfb.transversal import Transversal, transversal


def rows_of_zero(
    n: int, pieces: Sequence[int], denominator: int, neighbours: IntColumns
) -> tuple[IntColumns, Int64Array]:
    """What node 0 receives: columns (source, arc, begin, end), and the rows up to each step.

    Arguments are those of `topofinder.schedules.bfb.rows.gather_rows`.
    """
    most = (n - 1) * int(neighbours[2][: neighbours[0][1]].sum())
    kinds = (np.int32, np.int32, np.int64, np.int64)
    out: IntColumns = tuple(np.empty(most, dtype=kind) for kind in kinds)
    ends = np.zeros(len(pieces) + 1, dtype=np.int64)
    parts = np.array(pieces, dtype=np.int64)
    receive_all(0, parts, neighbours, out, ends)
    source, arc, begin, end = (column[: ends[-1]].copy() for column in out)
    scale = np.repeat(denominator // parts, np.diff(ends))
    return (source, arc, np.multiply(begin, scale), np.multiply(end, scale)), ends


def spread_rows_of_zero(
    topology: Topology, pieces: Sequence[int], denominator: int, neighbours: IntColumns
) -> IntColumns:
    """Columns (source, arc, step, begin, end) of all receivers; arguments as `rows_of_zero`."""
    (source, arc, begin, end), ends = rows_of_zero(topology.n, pieces, denominator, neighbours)
    words = transversal(topology)
    table, places = in_arc_images(words, neighbours, arc)
    rows, kinds = len(source) * topology.n, (np.int32, np.int32, np.int32, np.int64, np.int64)
    out: IntColumns = tuple(np.empty(rows, dtype=kind) for kind in kinds)

    def fill_sources(first: int, last: int) -> None:
        spread_sources(
            first, last, ends, words.images, words.order, words.parent, words.by, source, out[0]
        )

    def fill_rows(first: int, last: int) -> None:
        spread_rows(first, last, ends, table, places, begin, end, out[1:])

    _run_in_threads(len(source), fill_sources)
    _run_in_threads(topology.n, fill_rows)
    return out


def in_arc_images(
    words: Transversal, neighbours: IntColumns, arc: AnyIntArray
) -> tuple[IntArray, Int64Array]:
    """What every h_u makes of the in-arcs of node 0, and which of them each entry of `arc` is.

    Returns (table, places): h_u carries arc[row] to table[u, places[row]]. Raises InvalidInput
    when some h_u does not carry arcs to arcs.
    """
    table: IntArray = arc_images(words.carry(in_neighbours_of_zero(neighbours)), neighbours)
    if table[0, 0] < 0:
        raise InvalidInput("translation: it does not carry arcs to arcs")
    order = np.argsort(table[0])
    return table, order[np.searchsorted(table[0][order], arc)]


def _run_in_threads(total: int, kernel: Callable[[int, int], None]) -> None:
    """Run a kernel that takes no lock on equal spans of 0..total, a thread a span."""
    count = min(4, os.cpu_count() or 1)
    spans = np.linspace(0, total, count + 1).astype(int).tolist()
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(kernel, spans[:-1], spans[1:]))
