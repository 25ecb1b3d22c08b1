"""Bounds from invariants that a placement keeps: numbers of parallel circuits, degrees, spectra.

Eigenvalues (in simplex mode singular values) interlace when circuits are added or removed, by
Weyl's inequality.
"""

import numpy as np
from numpy.typing import NDArray

from generators.topology import FloatArray, Int64Array
from topofinder.patching.circuits import Circuits

MOST_SPECTRUM_ENDS = 512
"""Ends of the largest graphs whose spectra are computed."""
SLACK = 1e-6
"""Eigenvalues nearer than this count as equal; rounding moves them by far less at this size."""


def profile_bound(graph: Circuits, other: Circuits) -> int:
    """How many circuits of `graph` must go before the rest fits into `other`, at least.

    Proof. Let a(k) be the number of pairs of ends of `graph` with k or more parallel circuits,
    b(k) that of `other`. A placement that keeps c(x) of the circuits of pair x keeps the sum over
    k of the number of pairs with c(x) >= k, and each such pair is counted in a(k) and in b(k):
    at most sum of min(a(k), b(k)) in all. Likewise the circuits kept at an end are at most its
    degrees in both graphs; over all bijections the sum of minima is largest when both are sorted.

    >>> ring = np.arange(4), (np.arange(4) + 1) % 4
    >>> single = Circuits(n=4, duplex=True, tail=ring[0], head=ring[1])
    >>> pairs = Circuits(n=4, duplex=True, tail=np.array([0, 0, 2, 2]), head=np.array([1, 1, 3, 3]))
    >>> profile_bound(single, pairs)
    2
    """
    n = max(graph.n, other.n)
    kept = [_parallel(graph, other)]
    shares = 2 if graph.duplex else 1
    for name in ("sends", "receives"):
        one, two = (_sorted_degrees(getattr(circuits, name), n) for circuits in (graph, other))
        kept.append(int(np.minimum(one, two).sum()) // shares)
    return graph.count - min(kept)


def _parallel(graph: Circuits, other: Circuits) -> int:
    """The most circuits that pairs of ends can have in common, by their numbers alone."""
    one, two = (np.sort(multiplicities(circuits))[::-1] for circuits in (graph, other))
    common = min(len(one), len(two))
    return int(np.minimum(one[:common], two[:common]).sum())


def multiplicities(circuits: Circuits) -> Int64Array:
    """How many parallel circuits each pair of ends has that has any; in no special order."""
    ends = np.stack([circuits.tail, circuits.head]).astype(np.int64)
    if circuits.duplex:
        ends.sort(axis=0)
    return np.unique(ends[0] * circuits.n + ends[1], return_counts=True)[1]


def _sorted_degrees(degrees: NDArray[np.integer], n: int) -> Int64Array:
    padded = np.zeros(n, dtype=np.int64)
    padded[: len(degrees)] = degrees
    return np.sort(padded)


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
    if n > MOST_SPECTRUM_ENDS:
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
