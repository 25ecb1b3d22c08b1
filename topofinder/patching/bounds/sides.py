"""How many edges can stay if their sides must be shared out to faces: a certified packing bound."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from generators.topology import Int64Array

GRAIN = 1 << 24
"""Multipliers are rounded to this denominator."""


class CycleSupply(NamedTuple):
    """The cycles that walks round faces may be given.

    A cycle of l edges is to be had for l sides once, and for l + `again` once more. `cycles` lists
    the edges, of `edges` in all, of each short one; `longer[l]` counts those of length l that are
    not listed; from `beyond` on there is no end of them.
    """

    edges: int
    cycles: list[Int64Array]
    longer: dict[int, int]
    again: int
    beyond: int


def most_staying_edges(prices: CycleSupply, spare: int) -> int:
    """An upper bound on the E edges that can stay if E - `spare` walks must share their 2E sides.

    The walks that are given listed cycles through an edge are two if it stays, none if not.

    Proof. Maximise the sum of k(e), 1 for the edges that stay, over k, the walks given each listed
    cycle (once, and once more), each longer length, and none of these, all between 0 and what is
    to be had. The rows say: sum k - walks <= spare; sides <= 2 sum k; for every edge, the walks
    through it <= 2 k(e). By weak duality, with any multipliers y >= 0 for A v <= b and 0 <= v <= u,
    the sum c v is at most b y + sum of u max(0, c - A^T y). The multipliers come from a linear
    program in floats; the sum is one of whole numbers.

    >>> most_staying_edges(CycleSupply(edges=9, cycles=[], longer={}, again=4, beyond=6), spare=4)
    6
    """
    rows, limit, value, upper = _packing_program(prices, spare)
    answer = linprog(
        -value.astype(np.float64),
        A_ub=rows,
        b_ub=limit,
        bounds=[(0.0, float(most)) for most in upper],
        method="highs",
    )
    if answer.status != 0:
        return prices.edges
    y = np.maximum(0, np.rint(-answer.ineqlin.marginals * GRAIN)).astype(np.int64)
    total = int(limit @ y) + int(upper @ np.maximum(0, value * GRAIN - rows.T @ y))
    return min(prices.edges, total // GRAIN)


def _packing_program(prices: CycleSupply, spare: int) -> tuple[Any, Any, Any, Any]:
    """Rows A, limits b, values c and upper bounds u; variables: edges, cycles twice, the rest."""
    edges, found, longer = prices.edges, prices.cycles, sorted(prices.longer)
    lengths = np.array([len(cycle) for cycle in found] + longer, dtype=np.int64)
    number = np.array([1] * len(found) + [prices.longer[length] for length in longer])
    cost = np.concatenate([lengths, lengths + prices.again, [prices.beyond]])
    upper = np.concatenate([np.ones(edges), number, number, [2 * edges // prices.beyond]])
    use = sparse.lil_matrix((edges, len(lengths)), dtype=np.int64)
    for column, cycle in enumerate(found):
        use[cycle, column] = 1
    kept, walks = np.ones((1, edges), dtype=np.int64), np.ones((1, len(cost)), dtype=np.int64)
    both = sparse.hstack([use, use, sparse.csr_matrix(np.zeros((edges, 1), dtype=np.int64))])
    rows = sparse.vstack(
        [
            sparse.hstack([sparse.csr_matrix(kept), sparse.csr_matrix(-walks)]),
            sparse.hstack([sparse.csr_matrix(-2 * kept), sparse.csr_matrix(cost[None, :])]),
            sparse.hstack([-2 * sparse.identity(edges, dtype=np.int64), both]),
        ],
        format="csr",
    )
    limit = np.zeros(edges + 2, dtype=np.int64)
    limit[0] = spare
    value = np.concatenate([np.ones(edges), np.zeros(len(cost))]).astype(np.int64)
    return rows, limit, value, upper.astype(np.int64)
