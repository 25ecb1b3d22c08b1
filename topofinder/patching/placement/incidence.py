"""Circuits as rows: for each end, which ends it is joined to, how, and how many times.

Every circuit is entered at both of its ends, under a colour that says how it looks from there: on
which panel, and in simplex whether it is sent or received. A digraph, a multigraph and a graph
split over panels are then one thing, a symmetric coloured multigraph, and the kernels know only
that. The overlap of two placed graphs, summed over all rows, counts each common circuit twice.
"""

from typing import NamedTuple

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.patching.circuits import Circuits


class IncidenceRows(NamedTuple):
    """Row v is entries start[v] up to start[v + 1] of the flat arrays, in ascending `key`.

    `end` is the neighbour, `colour` how the circuit looks from v, `mult` how many of them there
    are, `key = end * colours + colour`. `start` has shape (n + 1,); int64 but for `end` and
    `colour`, which are int32.
    """

    start: Int64Array
    end: IntArray
    colour: IntArray
    mult: Int64Array
    key: Int64Array
    colours: int

    @property
    def n(self) -> int:
        """Number of ends."""
        return len(self.start) - 1


def incidence_rows(circuits: Circuits, *, n: int | None = None, panels: int = 1) -> IncidenceRows:
    """The rows of the circuits, with ends up to n without any; loops are left out.

    Where the circuits say their panels, `panels` must be above all of them; pass 1 to put all
    circuits on one panel.

    >>> ring = Circuits(n=3, duplex=False, tail=np.array([0, 1, 2]), head=np.array([1, 2, 0]))
    >>> incidence_rows(ring).end.tolist(), incidence_rows(ring).colour.tolist()
    ([1, 2, 0, 2, 0, 1], [0, 1, 1, 0, 0, 1])
    """
    n = circuits.n if n is None else n
    keep = circuits.tail != circuits.head
    tail, head = circuits.tail[keep].astype(np.int64), circuits.head[keep].astype(np.int64)
    panel = np.zeros(len(tail), dtype=np.int64)
    if panels > 1 and circuits.panel is not None:
        panel = circuits.panel[keep].astype(np.int64)
    sides = 1 if circuits.duplex else 2
    colours = panels * sides
    seen = np.concatenate([panel * sides, panel * sides + sides - 1])
    key = (np.concatenate([tail, head]) * n + np.concatenate([head, tail])) * colours + seen
    key, mult = np.unique(key, return_counts=True)
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(key // (n * colours), minlength=n), out=start[1:])
    key %= n * colours
    end, colour = (key // colours).astype(np.int32), (key % colours).astype(np.int32)
    return IncidenceRows(start, end, colour, mult.astype(np.int64), key, colours)
