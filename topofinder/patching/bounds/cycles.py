"""A bound from short cycles: those that the other graph has not got must be broken.

A covering problem, bounded by weak duality of its linear program.
"""

from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from generators.arrays import csr_by_node
from generators.topology import FloatArray, Int64Array
from topofinder.patching.bounds.cycle_kernels import count_cycles
from topofinder.patching.circuits import Circuits

LONGEST_CYCLE = 14
"""Arcs of the longest cycles that are counted."""
CYCLE_STEPS = 4_000_000
"""Steps of the search for cycles of one graph."""
FEEDBACK_ROUNDS = 8
"""How often a bound is fed back."""
CYCLE_GRAIN = 10**6
"""Multipliers are rounded to this denominator."""


class CycleCounts(NamedTuple):
    """`through[l, e]`: cycles of l arcs through edge e; `whole[l]`: cycles of l arcs in all."""

    through: Int64Array
    whole: Int64Array
    longest: int


def cycle_counts(
    circuits: Circuits, longest: int = LONGEST_CYCLE, steps: int = CYCLE_STEPS
) -> CycleCounts:
    """Simple cycles up to the greatest length, `longest` at most, that `steps` allow to count.

    Parallel circuits are taken as one edge. Two-way cycles have 3 arcs or more; one-way cycles
    two or more.

    >>> four = Circuits(n=4, duplex=True, tail=np.arange(4), head=(np.arange(4) + 1) % 4)
    >>> cycle_counts(four).whole[:6].tolist()
    [0, 0, 0, 0, 1, 0]
    """
    rows, edge = _rows(circuits)
    edges = int(edge.max(initial=-1)) + 1
    best = CycleCounts(np.zeros((3, edges), dtype=np.int64), np.zeros(3, dtype=np.int64), 2)
    for length in range(3, longest + 1):
        through = np.zeros((length + 1, edges + 1), dtype=np.int64)
        nowhere = np.empty((0, length), dtype=np.int64)
        done = count_cycles(*rows, edge, circuits.duplex, length, steps, through, nowhere)
        if done < 0:
            break
        best = CycleCounts(through[:, :-1], through[:, -1], length)
        steps -= done
    return best


def list_cycles(circuits: Circuits, counts: CycleCounts, most: int) -> Int64Array:
    """The edges of all cycles up to the greatest length for which there are `most` at most.

    `counts` are those of `cycle_counts`, whose numbers of edges are used. Shape (cycles, that
    length); shorter cycles are followed by -1.

    >>> four = Circuits(n=4, duplex=True, tail=np.arange(4), head=(np.arange(4) + 1) % 4)
    >>> np.sort(list_cycles(four, cycle_counts(four), 9)[:, :4]).tolist()
    [[0, 1, 2, 3]]
    """
    longest = int(np.searchsorted(np.cumsum(counts.whole), most, side="right")) - 1
    found = np.full((int(counts.whole[: longest + 1].sum()), max(longest, 1)), -1, dtype=np.int64)
    if len(found):
        rows, edge = _rows(circuits)
        through = np.zeros((longest + 1, counts.through.shape[1] + 1), dtype=np.int64)
        count_cycles(*rows, edge, circuits.duplex, longest, CYCLE_STEPS, through, found)
    return found


def _rows(
    circuits: Circuits,
) -> tuple[tuple[Int64Array, Int64Array, Int64Array, Int64Array], Int64Array]:
    """The arcs as rows, the same turned round, and the edge of each arc."""
    tail, head = _edges(circuits)
    both = (np.append(tail, head), np.append(head, tail)) if circuits.duplex else (tail, head)
    edge = np.tile(np.arange(len(tail)), 2 if circuits.duplex else 1)
    start, order = csr_by_node(both[0], circuits.n)
    back_start, back = csr_by_node(both[1], circuits.n)
    return (start, both[1][order], back_start, both[0][back]), edge[order]


def _edges(circuits: Circuits) -> tuple[Int64Array, Int64Array]:
    ends = np.stack([circuits.tail, circuits.head]).astype(np.int64)
    ends = ends[:, ends[0] != ends[1]]
    if circuits.duplex:
        ends.sort(axis=0)
    keys = np.unique(ends[0] * circuits.n + ends[1])
    return keys // circuits.n, keys % circuits.n


def double_cover(circuits: Circuits) -> Circuits:
    """Senders and receivers as ends of their own, joined by two-way circuits."""
    return Circuits(
        n=2 * circuits.n, duplex=True, tail=circuits.tail, head=circuits.head + circuits.n
    )


def cycle_bound(graph: CycleCounts, other: CycleCounts) -> int:
    """How many edges of `graph` must lose all circuits before the rest fits into `other`, at least.

    Proof. Let x edges go from `graph`; what stays is placed in `other`, which loses r >= x + (edges
    of other) - (edges of graph). A cycle of l edges is lost with any of its edges, so `other` loses
    at least 1/l of the cycles through those r edges, counted with repetition; at least 1/l of
    the r smallest counts. What stays has no more cycles than `other` keeps, so the edges that go
    from `graph` break at least D(l) = whole(l) - other's whole(l) + other's loss(l). An edge e
    breaks c(l, e). With x(e) = 1 for those that go, sum_e c(l, e) x(e) >= D(l) for all l, and for
    any multipliers y(l) >= 0, by weak duality, at least
    sum_l y(l) D(l) - sum_e max(0, sum_l y(l) c(l, e) - 1) edges go. The multipliers come from a
    linear program in floats; the sum is exact. A bound so proved raises r, and D, and the bound
    again. The same holds for the double cover of a digraph.
    """
    lengths = min(graph.longest, other.longest) + 1
    least = np.cumsum(np.sort(other.through[:lengths], axis=1), axis=1)
    surplus, best = other.through.shape[1] - graph.through.shape[1], 0
    for _ in range(FEEDBACK_ROUNDS):
        gone = min(best + surplus, other.through.shape[1])
        loss = -(-least[:, gone - 1] // np.maximum(1, np.arange(lengths))) if gone > 0 else 0
        found = _edges_to_break(graph, graph.whole[:lengths] - other.whole[:lengths] + loss)
        if found <= best:
            break
        best = found
    return best


def _edges_to_break(graph: CycleCounts, lack: Int64Array) -> int:
    """How many edges must go to break so many cycles of each length, at least."""
    wanted = np.flatnonzero(lack > 0)
    if not wanted.size:
        return 0
    kinds, number = np.unique(graph.through[wanted], axis=1, return_counts=True)
    broken: Any = sparse.csr_matrix(-kinds * number)
    answer = linprog(
        number.astype(np.float64),
        A_ub=broken,
        b_ub=-lack[wanted],
        bounds=(0, 1),
        method="highs",
    )
    if answer.status != 0:
        return 0
    return _certified_bound(-answer.ineqlin.marginals, lack[wanted], kinds, number)


def _certified_bound(
    weights: FloatArray, lack: Int64Array, kinds: Int64Array, number: Int64Array
) -> int:
    exact = [
        Fraction(max(0, round(float(weight) * CYCLE_GRAIN)), CYCLE_GRAIN) for weight in weights
    ]
    total = sum((y * int(d) for y, d in zip(exact, lack, strict=True)), Fraction(0))
    for column, times in zip(kinds.T.tolist(), number.tolist(), strict=True):
        over = sum((y * c for y, c in zip(exact, column, strict=True)), Fraction(-1))
        total -= max(Fraction(0), over) * times
    return max(0, ceil(total))
