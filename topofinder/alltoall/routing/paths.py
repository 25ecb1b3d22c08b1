"""The noun Paths: weighted paths between pairs of nodes, in flat arrays."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from generators.topology import FloatArray, Int64Array, IntArray, Topology


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Paths:
    """Paths of pairs of nodes; those of one pair follow each other, pairs by source and sink.

    Shapes: `source`, `sink` and `weight` int64 (k,); path i takes the arcs
    `arc[first[i]:first[i + 1]]`, from its source to its sink. A pair sends over its path i the
    part `weight[i]` of the sum of the pair's weights. `pair` int64 (pairs + 1,): where the
    paths of each pair begin; `asked`, (pairs,): what a pair is to send, in `unit`.
    """

    topology: Topology
    source: Int64Array
    sink: Int64Array
    weight: Int64Array
    first: Int64Array
    arc: IntArray
    pair: Int64Array
    asked: Int64Array
    unit: Fraction

    @property
    def hops(self) -> Int64Array:
        """Arcs of each path; shape (k,)."""
        return np.diff(self.first)

    @property
    def sums(self) -> Int64Array:
        """The sum of weights of each pair; shape (pairs,)."""
        return np.add.reduceat(self.weight, self.pair[:-1])

    @property
    def share(self) -> FloatArray:
        """The part of its pair that each path carries, rounded; shape (k,)."""
        return self.weight / np.repeat(self.sums, np.diff(self.pair))

    @property
    def mean_hops(self) -> float:
        """Arcs that a unit of demand crosses on average."""
        carried = self.share * np.repeat(self.asked, np.diff(self.pair))
        return float(carried @ self.hops / self.asked.sum())

    def loads(self) -> tuple[Fraction, ...]:
        """What each arc carries when every pair sends what is asked once, exactly; (arcs,)."""
        whole = np.repeat(self.asked, np.diff(self.pair))
        sums = np.repeat(self.sums, np.diff(self.pair))
        loads = [Fraction()] * self.topology.arcs
        # Of paths with one sum of weights, the numerators add up as whole numbers.
        for divisor in np.unique(sums).tolist():
            there = np.repeat(sums == divisor, self.hops)
            carried = np.zeros(self.topology.arcs, dtype=object)
            amount = np.repeat((whole.astype(object) * self.weight), self.hops)
            np.add.at(carried, self.arc[there], amount[there])
            for arc in np.flatnonzero(carried).tolist():
                loads[arc] += Fraction(int(carried[arc]), divisor) * self.unit
        return tuple(loads)

    def rate(self) -> Fraction:
        """The largest rate that these paths allow: the least capacity over load, exactly."""
        capacity = self.topology.capacity or (Fraction(1),) * self.topology.arcs
        loads = self.loads()
        return min(c / load for c, load in zip(capacity, loads, strict=True) if load)
