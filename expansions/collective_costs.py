"""Costs of the other collectives, for whatever knows those of two, or their steps and bandwidths.

A reduce-scatter is an allgather on the transpose, reversed (theorem 2); an allreduce is the one
and then the other. The classes here hold no fields: rows, candidates and choices inherit them
beside fields of their own.
"""

from fractions import Fraction
from typing import Protocol

from expansions.cost import Cost


class CostedPhases(Protocol):
    """Whatever has the costs of both phases of an allreduce."""

    @property
    def allgather(self) -> Cost:
        """Cost of an allgather on the graph."""

    @property
    def reduce_scatter(self) -> Cost:
        """Cost of a reduce-scatter on the graph, an allgather on its transpose."""


class CountedPhases(Protocol):
    """Whatever has the steps of both phases, counting alpha, and their bandwidths in M/B."""

    @property
    def steps(self) -> int:
        """Steps of an allgather."""

    @property
    def bandwidth(self) -> Fraction:
        """Bandwidth of an allgather."""

    @property
    def rs_steps(self) -> int:
        """Steps of a reduce-scatter."""

    @property
    def rs_bandwidth(self) -> Fraction:
        """Bandwidth of a reduce-scatter."""


class TwoPhaseAllreduce:
    """The allreduce of two phases, for classes with both of their costs.

    >>> class Known(TwoPhaseAllreduce):
    ...     allgather, reduce_scatter = Cost(2, Fraction(3, 4)), Cost(3, Fraction(3, 4))
    >>> Known().allreduce
    Cost(steps=5, bandwidth=Fraction(3, 2))
    """

    __slots__ = ()

    @property
    def allreduce(self: CostedPhases) -> Cost:
        """Cost of a reduce-scatter followed by an allgather."""
        return self.reduce_scatter + self.allgather


class CountedCosts(TwoPhaseAllreduce):
    """The costs of rows that hold `steps`, `bandwidth`, `rs_steps` and `rs_bandwidth`.

    >>> class Row(CountedCosts):
    ...     steps, bandwidth, rs_steps, rs_bandwidth = 1, Fraction(2, 3), 2, Fraction(2, 3)
    >>> Row().reduce_scatter, Row().allreduce
    (Cost(steps=2, bandwidth=Fraction(2, 3)), Cost(steps=3, bandwidth=Fraction(4, 3)))
    """

    __slots__ = ()

    @property
    def allgather(self: CountedPhases) -> Cost:
        """Cost of an allgather on the graph."""
        return Cost(self.steps, self.bandwidth)

    @property
    def reduce_scatter(self: CountedPhases) -> Cost:
        """Cost of a reduce-scatter on the graph, an allgather on its transpose."""
        return Cost(self.rs_steps, self.rs_bandwidth)
