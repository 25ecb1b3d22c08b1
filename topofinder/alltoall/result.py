"""The answer: an interval that certainly holds f, and what proves both of its ends."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from generators.topology import Int64Array, IntArray


class Lift(StrEnum):
    """How the rows of a flow make the flows of all sources."""

    WHOLE = "whole"
    """Every source has a row of its own."""
    TRANSLATED = "translated"
    """One row, of node 0; translations carry it to the others, see `expansions.automorphisms`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flow:
    """A flow that delivers every demand once: the certificate of the lower bound.

    Shapes: `sources` (k,), ascending; `rows` int64 (k, arcs), not negative. Source `sources[i]`
    sends `rows[i, e] * quantum` over arc e, in units of demand. At every node t but the source,
    what comes in less what goes out is at least the demand of t. With load[e] the sum over all
    sources, f is at least the minimum over arcs of capacity[e] / (load[e] * quantum).
    """

    sources: IntArray
    rows: Int64Array
    quantum: Fraction
    lift: Lift = Lift.WHOLE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThroughputBounds:
    """What is known of f: `lower <= f <= upper`, both exact and both proved.

    `lengths`, int64 of shape (arcs,), not negative, proves the upper bound: f is at most the sum
    of capacity times length, divided by the sum over pairs of demand times distance under these
    lengths. `flow` proves the lower bound. `hop_bound` is the same with all lengths 1 (self-loops
    0); `moore_bound` is the most any graph with so many nodes and ports could have, for uniform
    demand and unit capacities, None else. `method` names the method that gave the answer, and
    `interrupted` tells that it was stopped before it was done.
    """

    lower: Fraction
    upper: Fraction
    method: str
    seconds: float
    lengths: Int64Array
    flow: Flow
    hop_bound: Fraction
    moore_bound: Fraction | None
    interrupted: bool = False

    @property
    def exact(self) -> Fraction | None:
        """f itself, when both bounds meet."""
        return self.lower if self.lower == self.upper else None

    @property
    def gap(self) -> Fraction:
        """How far the bounds are apart, relative to the upper one."""
        return 1 - self.lower / self.upper


@dataclass(frozen=True, slots=True, kw_only=True)
class ThroughputProgress:
    """What a search knows so far, for whoever waits."""

    lower: Fraction
    upper: Fraction
    seconds: float
    method: str
