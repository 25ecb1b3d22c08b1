"""A bound from walks: pairs of ends that more walks join than any pair of the other graph."""

from functools import cached_property

import numpy as np

from generators.topology import BoolArray, FloatArray, Int64Array
from topofinder.patching.circuits import Circuits

MOST_WALK_ENDS = 1024
"""Ends of the largest graphs whose walks are counted."""
MOST_CLOSED_WALK_ENDS = 256
"""Closed walks are counted as well up to so many ends."""
LONGEST_WALKS = {False: 6, True: 3}
"""Circuits in the longest walks: simplex, duplex."""
TRIED = 2
"""Lengths that are worked out, the most promising."""
EXACT = 2.0**52
"""Sums of whole numbers below this are exact in floats."""

MOST_BINS = 1 << 22
"""Numbers of walks below this are counted in an array of bins."""


class WalkCounts:
    """The walks of a graph between all pairs of so many `ends`, counted when they are asked for."""

    def __init__(self, graph: Circuits, ends: int) -> None:
        self.graph, self.ends = graph, ends
        self._numbers = dict[tuple[int, bool], tuple[FloatArray, Int64Array]]()

    @cached_property
    def powers(self) -> list[FloatArray]:
        """Walks of 0, 1, 2... circuits, while the counts are exact; arrays (ends, ends)."""
        circuits, step = self.graph, np.zeros((self.ends, self.ends))
        keep = circuits.tail != circuits.head
        np.add.at(step, (circuits.tail[keep], circuits.head[keep]), 1.0)
        if circuits.duplex:
            step += step.T
        powers, longest = [np.eye(self.ends), step], LONGEST_WALKS[circuits.duplex]
        while len(powers) <= longest and powers[-1].sum() * step.sum() < EXACT:
            powers.append(powers[-1] @ step)
        return powers

    def between(self, length: int, *, closed: bool) -> FloatArray:
        """Only the walks between equal ends (`closed`), or only the others."""
        if closed:
            return np.diag(np.diag(self.powers[length]))
        walks = self.powers[length].copy()
        np.fill_diagonal(walks, 0)
        return walks

    def numbers(self, length: int, *, closed: bool) -> tuple[FloatArray, Int64Array]:
        """The numbers of those walks that pairs have, ascending, and how many pairs have them."""
        if (length, closed) not in self._numbers:
            self._numbers[length, closed] = _count_values(self.between(length, closed=closed))
        return self._numbers[length, closed]


def _count_values(walks: FloatArray) -> tuple[FloatArray, Int64Array]:
    if walks.max() >= MOST_BINS:
        return np.unique(walks, return_counts=True)
    pairs = np.bincount(walks.astype(np.int64).ravel())
    values = np.flatnonzero(pairs)
    return values.astype(np.float64), pairs[values]


def walk_bound(graph: WalkCounts, other: WalkCounts, best: int = 0) -> int:
    """How many circuits of `graph` must go before the rest fits into `other`, at least.

    `best` is a bound known already, returned where walks are not likely to give a better one.

    Proof. Fix the length of walks, and look only at the pairs of equal ends, or only at those of
    different ends; a placement carries each kind to itself. Let m(p) walks join the ends of pair p
    in `graph`, m'(p) in what stays, and q(p) in `other`. What stays lies in `other`, so for
    every number M the sum of max(0, m' - M) is at most Q, the sum of max(0, q - M). Let R be
    the sum of max(0, m - M). Over the pairs with m > M, m - m' is at least max(0, m - M) less
    max(0, m' - M), so at least R - Q of their walks go. With a circuit go at most as many of them
    as pass through it, counted with repetition. So if R - Q is positive, as many circuits go as
    it takes to reach it with those that the most walks pass through.

    >>> ends = np.arange(8), (np.arange(8) + 1) % 8
    >>> ring = Circuits(n=8, duplex=False, tail=ends[0], head=ends[1])
    >>> pairs = Circuits(n=8, duplex=False, tail=ends[0], head=ends[0] ^ 1)
    >>> walk_bound(WalkCounts(pairs, 8), WalkCounts(ring, 8))
    4
    """
    if graph.ends > MOST_WALK_ENDS or not graph.graph.count:
        return best
    for closed in (False, True) if graph.ends <= MOST_CLOSED_WALK_ENDS else (False,):
        offers = _offers(graph, other, closed)
        for share, length, most, lack in sorted(offers, reverse=True)[:TRIED]:
            if share * graph.graph.count > best:
                pairs = graph.between(length, closed=closed) > most
                best = max(best, _fewest(_through(graph, pairs, length), lack))
    return best


def _offers(
    graph: WalkCounts, other: WalkCounts, closed: bool
) -> list[tuple[float, int, float, float]]:
    """For each length, the share of the circuits that would go if the walks passed them evenly.

    With it the length, M, and R - Q.
    """
    offers = []
    for length in range(2, min(len(graph.powers), len(other.powers))):
        both = (one.numbers(length, closed=closed) for one in (graph, other))
        most, lack, crowd = _threshold(*both)
        if lack > 0 and crowd * length < EXACT:
            offers.append((lack / (crowd * length), length, most, lack))
    return offers


def _threshold(
    mine: tuple[FloatArray, Int64Array], yours: tuple[FloatArray, Int64Array]
) -> tuple[float, float, float]:
    """The number M for which the largest share of walks must go, how many, and of how many."""
    best, chosen = 0.0, (0.0, 0.0, 1.0)
    for most in yours[0].tolist():
        over = [float(np.maximum(0, one[0] - most) @ one[1]) for one in (mine, yours)]
        lack, crowd = over[0] - over[1], float((mine[0] * (mine[0] > most)) @ mine[1])
        if lack > best * crowd:
            best, chosen = lack / crowd, (most, lack, crowd)
    return chosen


def _through(walks: WalkCounts, pairs: BoolArray, k: int) -> FloatArray:
    """Walks of k circuits between some pairs that pass through each circuit."""
    graph, powers = walks.graph, walks.powers
    total = np.zeros(pairs.shape)
    for before in range(k):
        total += powers[before].T @ pairs.astype(np.float64) @ powers[k - 1 - before].T
    passed = total[graph.tail, graph.head]
    if graph.duplex:
        passed += total[graph.head, graph.tail]
    return np.where(graph.tail == graph.head, 0.0, passed)


def _fewest(through: FloatArray, lack: float) -> int:
    """How many of the largest reach a sum."""
    return int(np.searchsorted(np.cumsum(np.sort(through)[::-1]), lack)) + 1
