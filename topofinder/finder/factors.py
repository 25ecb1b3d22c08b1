"""The best factor of every size for Cartesian products (theorem 13), by dynamic programming.

Factors are simple graphs with a BW-optimal BFB schedule. All of them cost (diameter, T_B*), so at
each size the one with the smallest diameter is the best. It is found among base graphs, products of
two smaller factors, and degree expansions that stay balanced.
"""

from functools import cached_property
from math import gcd

from expansions.lower_bounds import moore_steps, two_way_moore_steps
from generators.divisors import divisors
from generators.registry import BaseProperties
from topofinder.finder import candidate_maps
from topofinder.finder.base_candidates import Bases
from topofinder.finder.base_scope import base_properties, cost_is_proved
from topofinder.model.candidate import Candidate, LinkMode


def may_be_factor(properties: BaseProperties) -> bool:
    """Whether a base graph is considered: its cost is known, or one node's answer is enough.

    The others (generalized Kautz and the like) have self-loops or unequal layers.
    """
    return cost_is_proved(properties) or (
        properties.transitive is True and properties.loop_free is True
    )


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

    def best(self, n: int, d: int, below: int | None = None) -> Candidate | None:
        """The fittest factor with n nodes and degree d, or None; by diameter, then plainness.

        With `below`, None if it takes so many steps or more.
        """
        if below is not None and (n, d) not in self._memo:
            return self._find(n, d, below - 1)
        if (n, d) not in self._memo:
            self._memo[n, d] = self._find(n, d, n - 1)
        found = self._memo[n, d]
        return None if found and below and found.allgather.steps >= below else found

    def _find(self, n: int, d: int, most: int) -> Candidate | None:
        """The fittest of at most so many steps."""
        if n < 2 or d < 1 or d >= n or self._hope(n, d) > most:
            return None
        bases = [
            candidate
            for base in self.bases.members(n, d, self.links, self.large)
            if may_be_factor(base_properties(base))
            for candidate in self.bases.candidates(base)
            if candidate.product_ready and candidate.allgather.steps <= most
        ]
        most = min((base.allgather.steps for base in bases), default=most)
        product = self._best_product(n, d, most)
        if product:
            most = product.allgather.steps
        found = [*bases, product, self._best_expanded(n, d, most)]
        return min(filter(None, found), key=Candidate.preference, default=None)

    def _hope(self, n: int, d: int) -> int:
        """Steps that a factor takes at least."""
        return two_way_moore_steps(n, d) if self.links is LinkMode.DUPLEX else moore_steps(n, d)

    def _best_product(self, n: int, d: int, most: int) -> Candidate | None:
        """The best product of two: fewest steps in all; smaller factors may be products again.

        None where it takes more than so many. Factors are not looked for where the least that they
        may take is too much.
        """
        least, chosen = most + 1, None
        for first in divisors(n)[1:]:
            rest = n // first
            if first > rest:
                break
            for ports in range(1, d):
                hope = self._hope(rest, d - ports)
                if self._hope(first, ports) + hope >= least:
                    continue
                one = self.best(first, ports)
                if one is None or one.allgather.steps + hope >= least:
                    continue
                other = self.best(rest, d - ports)
                if other and one.allgather.steps + other.allgather.steps < least:
                    least = one.allgather.steps + other.allgather.steps
                    chosen = (one, other)
        return candidate_maps.product(chosen) if chosen else None

    def _best_expanded(self, n: int, d: int, most: int) -> Candidate | None:
        """The best degree expansion that stays balanced, of at most so many steps."""
        found = []
        for copies in divisors(gcd(n, d))[1:]:
            if self._hope(n // copies, d // copies) > most:
                continue
            inner = self.best(n // copies, d // copies)
            candidate = candidate_maps.degree(inner, copies) if inner else None
            if candidate and candidate.product_ready and candidate.allgather.steps <= most:
                found.append(candidate)
        return min(found, key=Candidate.preference, default=None)
