"""Bounds from numbers of parallel circuits and from degrees."""

import numpy as np
from numpy.typing import NDArray

from generators.topology import Int64Array
from topofinder.patching.circuits import Circuits


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
