"""All rows of a BFB allgather of a vertex-transitive topology, from those into node 0.

A topology knows an automorphism from node 0 to any node u; asking for all n of them takes n^2
steps. It is enough to ask for those to the out-neighbours of node 0: their products carry 0 to
every node that 0 can reach, and the image of a point under all products is one look-up a node.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from expansions.automorphisms import Automorphisms, breadth_first_words
from generators.errors import InvalidInput
from generators.topology import AnyIntArray, Int64Array, IntArray, Topology
from topofinder.schedules.bfb.in_arcs import IntColumns, in_neighbours_of_zero
from topofinder.schedules.bfb.row_kernels import receive_all
from topofinder.schedules.bfb.symmetric_kernels import (
    in_arc_table,
    invert_products,
    spread_rows,
    spread_sources,
)


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
    words = neighbour_translations(topology)
    order = np.concatenate(words.levels)
    table, places = in_arc_images(words, neighbours, arc)
    rows, kinds = len(source) * topology.n, (np.int32, np.int32, np.int32, np.int64, np.int64)
    out: IntColumns = tuple(np.empty(rows, dtype=kind) for kind in kinds)

    def fill_sources(first: int, last: int) -> None:
        spread_sources(
            first, last, ends, words.images, order, words.parent, words.by, source, out[0]
        )

    def fill_rows(first: int, last: int) -> None:
        spread_rows(first, last, ends, table, places, begin, end, out[1:])

    _run_in_threads(len(source), fill_sources)
    _run_in_threads(topology.n, fill_rows)
    return out


def in_arc_images(
    words: Automorphisms, neighbours: IntColumns, arc: AnyIntArray
) -> tuple[IntArray, Int64Array]:
    """What every h_u makes of the in-arcs of node 0, and which of them each entry of `arc` is.

    Returns (table, places): h_u carries arc[row] to table[u, places[row]]. Raises InvalidInput
    when some h_u does not carry arcs to arcs.
    """
    tails = words.carry(words.images, in_neighbours_of_zero(neighbours))
    table: IntArray = in_arc_table(tails, neighbours)
    if table[0, 0] < 0:
        raise InvalidInput("translation: it does not carry arcs to arcs")
    order = np.argsort(table[0])
    return table, order[np.searchsorted(table[0][order], arc)]


def neighbour_translations(topology: Topology) -> Automorphisms:
    """One automorphism a node, as a product of the translations to the out-neighbours of node 0.

    Raises InvalidInput when the topology knows no translation, or they do not reach every node.

    >>> from generators.arrays import jump_graph
    >>> words = neighbour_translations(jump_graph(4, [1]))
    >>> words.carry(words.images, np.array([1]))[:, 0].tolist()
    [1, 2, 3, 0]
    """
    if topology.translation is None:
        raise InvalidInput("translation: none is known of this topology")
    nearest = np.unique(topology.head[topology.tail == 0])
    targets = nearest[nearest != 0].tolist()
    images = np.empty((len(targets), topology.n), dtype=np.int32)
    for row, target in zip(images, targets, strict=True):
        row[:] = topology.translation(target)
    parent, by = breadth_first_words(images, by_node=True)
    reached = np.count_nonzero(parent >= 0)
    if reached < topology.n:
        raise InvalidInput(f"translation: only {reached} of {topology.n} nodes are reached")
    return Automorphisms(images=images, parent=parent, by=by)


def inverse_nodes(words: Automorphisms) -> Int64Array | None:
    """For every node v the node that h_v^-1 makes of 0; None unless the h_u form a group.

    They do exactly when every generator keeps the colours of arcs, where the arc from u to
    h_u(x) has the colour of the out-neighbour x of node 0: an automorphism that keeps colours
    and fixes a node of a connected graph fixes all. Then h_v^-1 is h_w for w the answer at v.

    >>> from generators.arrays import jump_graph
    >>> inverse_nodes(neighbour_translations(jump_graph(4, [1]))).tolist()
    [0, 3, 2, 1]
    """
    table = words.carry(words.images, words.images[:, 0])
    if any((image[table] != table[image]).any() for image in words.images):
        return None
    backward = np.empty_like(words.images)
    np.put_along_axis(backward, words.images, np.arange(words.n, dtype=np.int32)[None], axis=1)
    nodes: Int64Array = invert_products(table, backward)
    return nodes


def _run_in_threads(total: int, kernel: Callable[[int, int], None]) -> None:
    """Run a kernel that takes no lock on equal spans of 0..total, a thread a span."""
    count = min(4, os.cpu_count() or 1)
    spans = np.linspace(0, total, count + 1).astype(int).tolist()
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(kernel, spans[:-1], spans[1:]))
