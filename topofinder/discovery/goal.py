"""What is searched for: graphs of one size, and how their excesses become exact costs."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from expansions.lower_bounds import least_bandwidth
from generators.errors import InvalidInput
from generators.topology import Int64Array
from topofinder.discovery.groups import LARGEST_GROUP
from topofinder.model.candidate import LinkMode, cost_lower_bound

MOST_GENERATORS = 12
"""Largest degree: the loads of all 2^d sets of links are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchGoal:
    """Cayley digraphs with n nodes and degree d, cheap for allgather; with `both`, both ways.

    Raises InvalidInput for sizes that no fabric has, or that the search does not go to.

    >>> SearchGoal(n=64, d=4).least_steps, SearchGoal(n=64, d=4).unit
    (3, 12)
    """

    n: int
    d: int
    links: LinkMode = LinkMode.SIMPLEX
    both: bool = False

    def __post_init__(self) -> None:
        if not 3 <= self.n <= LARGEST_GROUP:
            raise InvalidInput(f"n: 3 to {LARGEST_GROUP} hosts are searched, not {self.n}")
        if not 2 <= self.d <= MOST_GENERATORS:
            raise InvalidInput(f"d: 2 to {MOST_GENERATORS} ports are searched, not {self.d}")

    @property
    def least_steps(self) -> int:
        """The Moore bound of the link mode."""
        return cost_lower_bound(self.n, self.d, self.links).steps

    @property
    def unit(self) -> int:
        """lcm(1..d): an excess counts 1/(n unit) of M/B."""
        return lcm(*range(1, self.d + 1))

    @property
    def scale(self) -> Int64Array:
        """d unit / |P| for every set P of links, 0 for none; shape (2^d,)."""
        sizes = np.bitwise_count(np.arange(1 << self.d)).astype(np.int64)
        return self.d * self.unit // np.maximum(sizes, 1) * (sizes > 0)

    @property
    def two_searches(self) -> bool:
        """Whether the way back is judged too; a two-way graph is its own transpose."""
        return self.both and self.links is LinkMode.SIMPLEX

    def bandwidth(self, excess: int) -> Fraction:
        """T_B of a graph with that sum of excesses.

        >>> str(SearchGoal(n=64, d=4).bandwidth(0))
        '63/64'
        """
        return least_bandwidth(self.n) + Fraction(excess, self.n * self.unit)
