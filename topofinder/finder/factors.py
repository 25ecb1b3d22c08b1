"""The best factors for theorem 13: simple graphs with a BW-optimal BFB schedule, by size.

All of them cost (diameter, T_B*), so at each size the one with the smallest diameter is the best
factor. It is found bottom-up from base graphs, products of two smaller factors, and degree
expansions that stay balanced.
"""

from functools import cached_property
from math import gcd

from expansions.divisors import divisors
from generators.registry import Promise
from topofinder.finder import candidate_maps
from topofinder.finder.base_candidates import Bases
from topofinder.finder.promises import promise_of, settled
from topofinder.model.candidate import Candidate, LinkMode


def may_be_factor(promise: Promise) -> bool:
    """Whether a base graph is considered: its cost is known, or one node's answer is enough.

    The others (generalized Kautz and the like) have self-loops or unequal layers.
    """
    return settled(promise) or (promise.transitive is True and promise.loop_free is True)


class Factors:
    """Memo of the best factor of every size and degree, for one link mode.

    For a `large` search without base graphs that are too large to evaluate.
    """

    def __init__(self, links: LinkMode, bases: Bases, large: bool = False) -> None:
        self.links = links
        self.bases = bases
        self.large = large

    @cached_property
    def _memo(self) -> dict[tuple[int, int], Candidate | None]:
        return {}

    def best(self, n: int, d: int) -> Candidate | None:
        """The fittest factor with n nodes and degree d, or None; by diameter, then plainness."""
        if (n, d) not in self._memo:
            self._memo[n, d] = self._find(n, d)
        return self._memo[n, d]

    def _find(self, n: int, d: int) -> Candidate | None:
        if n < 2 or d < 1 or d >= n:
            return None
        found = [
            candidate
            for base in self.bases.members(n, d, self.links, self.large)
            if may_be_factor(promise_of(base))
            for candidate in self.bases.candidates(base)
        ]
        product, expanded = self._product(n, d), self._expanded(n, d)
        found += [candidate for candidate in (product, expanded) if candidate]
        return min(
            (candidate for candidate in found if candidate.product_ready),
            key=Candidate.preference,
            default=None,
        )

    def _product(self, n: int, d: int) -> Candidate | None:
        """The best product of two: fewest steps in all; smaller factors may be products again."""
        least, chosen = n, None
        for first in divisors(n)[1:]:
            if first * first > n:
                break
            for ports in range(1, d):
                one = self.best(first, ports)
                if one is None or one.allgather.steps >= least:
                    continue
                other = self.best(n // first, d - ports)
                if other and one.allgather.steps + other.allgather.steps < least:
                    least = one.allgather.steps + other.allgather.steps
                    chosen = (one, other)
        return candidate_maps.product(chosen) if chosen else None

    def _expanded(self, n: int, d: int) -> Candidate | None:
        found = []
        for copies in divisors(gcd(n, d))[1:]:
            inner = self.best(n // copies, d // copies)
            candidate = candidate_maps.degree(inner, copies) if inner else None
            if candidate and candidate.product_ready:
                found.append(candidate)
        return min(found, key=Candidate.preference, default=None)
