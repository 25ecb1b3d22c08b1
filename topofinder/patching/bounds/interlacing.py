"""A bound from eigenvalues, which interlace when circuits are added or removed."""

import numpy as np

from generators.topology import FloatArray
from topofinder.patching.circuits import Circuits

LARGEST = 512
"""Ends of the largest graphs whose spectra are computed."""
SLACK = 1e-6
"""Eigenvalues nearer than this count as equal; rounding moves them by far less at this size."""


def interlacing_bound(graph: Circuits, other: Circuits) -> int:
    """How many circuits of `graph` must go before the rest fits into `other`, at least.

    Proof. Let k circuits leave `graph` and l join to make `other`, both placed. A duplex circuit
    has a symmetric matrix with one eigenvalue 1, one -1 and the rest 0, so the difference of the
    adjacency matrices has at most k + l positive and k + l negative eigenvalues, and Weyl's
    inequality shifts the sorted eigenvalues by at most k + l places: x[i + k + l] <= y[i] and
    y[i + k + l] <= x[i]. In simplex mode the same holds for singular values, because the
    difference has rank at most k + l. As l - k is the difference of the numbers of circuits, a
    shift of s places that is needed means k >= (s - (l - k)) / 2.

    >>> ends = np.arange(8), (np.arange(8) + 1) % 8
    >>> ring = Circuits(n=8, duplex=True, tail=ends[0], head=ends[1])
    >>> interlacing_bound(ring, ring)
    0
    """
    n = max(graph.n, other.n)
    if n > LARGEST:
        return 0
    one, two = _spectrum(graph, n), _spectrum(other, n)
    shift = max(_shift(one, two), _shift(two, one))
    return max(0, -((other.count - graph.count - shift) // 2))


def _shift(one: FloatArray, two: FloatArray) -> int:
    """The least s with one[i + s] <= two[i] for all i; both descending."""
    # The values of `one` above two[i] are its first ones; they must be i + s at most.
    above = np.searchsorted(-one, -(two + SLACK), side="left")
    return max(0, int((above - np.arange(len(two))).max()))


def _spectrum(circuits: Circuits, n: int) -> FloatArray:
    """Eigenvalues, or singular values of simplex circuits; descending."""
    matrix = np.zeros((n, n))
    keep = circuits.tail != circuits.head
    tail, head = circuits.tail[keep], circuits.head[keep]
    np.add.at(matrix, (tail, head), 1.0)
    if not circuits.duplex:
        return np.asarray(np.linalg.svd(matrix, compute_uv=False))
    np.add.at(matrix, (head, tail), 1.0)
    return np.asarray(np.linalg.eigvalsh(matrix)[::-1])
