"""A placement by similarity: nodes look alike if their neighbours do.

Where a graph has little symmetry, each node is told from the others by the short cycles through
it and through its neighbours, a few hops out. The likeness of node v and host h starts from those
counts; in each round it becomes the sum, over the neighbours of v, of the likeness to the neighbour
of h that fits best (as message passing for sparse graph alignment does; Piccioli et al. 2022).
The most alike are then paired.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from generators.arrays import csr_by_node
from generators.topology import FloatArray, Int64Array
from topofinder.patching.bounds.cycle_kernels import count_cycles
from topofinder.patching.placement.incidence import IncidenceRows
from topofinder.patching.placement.incidence_kernels import spread_likeness
from topofinder.patching.placement.problem import PlacementProblem

MOST_SIMILAR_HOSTS = 2048
"""Hosts of the largest problems: a number is kept for each pair."""
LONGEST_COUNTED, COUNT_STEPS = 8, 20_000_000
"""Arcs of the longest cycles counted, and steps of the search for them."""
MESSAGE_ROUNDS = 10
ORIGIN = np.float32(0.5)
"""Weight of a pair's own counts in each round."""


def similarity_placement(problem: PlacementProblem) -> Int64Array | None:
    """The placement that pairs what is most alike; None where that says nothing.

    That is where panels are told apart, the problem is too large, or all nodes are alike.
    """
    if problem.n > MOST_SIMILAR_HOSTS or problem.wiring.colours > 2:
        return None
    counts = [_signature(table) for table in (problem.target, problem.wiring)]
    if not all(np.ptp(one, axis=0).any() for one in counts):
        return None
    spread = np.concatenate(counts).std(axis=0) + 1e-9
    ours, theirs = ((one / spread).astype(np.float32) for one in counts)
    own = np.zeros((problem.n, problem.n), dtype=np.float32)
    for column in range(ours.shape[1]):
        own -= np.square(ours[:, column, None] - theirs[None, :, column])
    own = _standardise(own)
    now, fresh = own, np.empty_like(own)
    for _ in range(MESSAGE_ROUNDS):
        spread_likeness(problem.wiring, problem.target, now, fresh)
        now = _standardise(fresh + ORIGIN * own)
    return np.asarray(linear_sum_assignment(now, maximize=True)[1], dtype=np.int64)


def _standardise(likeness: NDArray[np.float32]) -> NDArray[np.float32]:
    centred = likeness - likeness.mean()
    return np.asarray(centred / max(float(centred.std()), 1e-9), dtype=np.float32)


def _signature(table: IncidenceRows) -> FloatArray:
    """For each node, the logarithm of the number of cycles through it by length, directed if sent;
    shape (n, lengths). Longer cycles than could be counted have 0.
    """
    n, two_way = table.n, table.colours == 1
    sent = table.colour % 2 == 0
    tail = np.repeat(np.arange(n), np.diff(table.start))[sent]
    head = table.end[sent].astype(np.int64)
    keys = np.unique(tail * n + head)
    tail, head = keys // n, keys % n
    edges = np.minimum(tail, head) * n + np.maximum(tail, head) if two_way else keys
    edge = np.unique(edges, return_inverse=True)[1]
    start, _ = csr_by_node(tail, n)
    back_start, back = csr_by_node(head, n)
    counts = np.zeros((n, LONGEST_COUNTED + 1))
    for longest in range(3, LONGEST_COUNTED + 1):
        through = np.zeros((longest + 1, int(edge.max(initial=-1)) + 2), dtype=np.int64)
        rows = start, head, back_start, tail[back]
        nowhere = np.empty((0, longest), dtype=np.int64)
        if count_cycles(*rows, edge, two_way, longest, COUNT_STEPS, through, nowhere) < 0:
            break
        for length in range(2, longest + 1):
            counts[:, length] = np.bincount(tail, through[length][edge], n)
    return np.log1p(counts)
