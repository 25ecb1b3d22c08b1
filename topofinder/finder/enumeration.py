"""Bottom-up search: what can be reached at one size, from what is kept at smaller ones.

A pool holds the candidates of one (n, d) that pruning keeps. It draws on base graphs, on the
best factors, and on the pools of smaller sizes through the expansions (table 3):

    L(G)    from (n/d, d)           G*k     from (n/k, d/k)
    G^k     from (n^(1/k), d/k)     Bi(G)   from the simplex pool of (n, d/2)
    G||k    from (n, d/k)           T(G)    of every candidate whose transpose is cheaper

Factors for theorem 13 are simple graphs with a BW-optimal BFB schedule. All of them cost
(diameter, T_B*), so at each size the one with the smallest diameter is the best. It is found by
dynamic programming from base graphs, products of two smaller factors, and degree expansions that
stay balanced.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from math import gcd
from typing import NamedTuple

from expansions.lower_bounds import moore_steps, two_way_moore_steps
from expansions.register import EXPANSIONS, Expansion
from expansions.searched_graphs import evaluated_graphs
from generators.divisors import divisors
from generators.registry import BaseProperties
from topofinder.finder import candidate_maps
from topofinder.finder.base_candidates import Bases
from topofinder.finder.base_scope import (
    EVALUATED_FAMILIES,
    EVERYTHING,
    Scope,
    base_properties,
    cost_is_proved,
)
from topofinder.finder.candidate_maps import CandidateMap, candidate_map
from topofinder.finder.exact_refinement import refine_exactly
from topofinder.finder.odd_sizes import has_free_port, split_off_candidates
from topofinder.model.candidate import (
    LINE_OPEN_KEPT,
    Candidate,
    LinkMode,
    cost_lower_bound,
    is_evaluated_in_passing,
)
from topofinder.model.frontier import useful_candidates

PoolSize = tuple[int, int, LinkMode]
Grow = Callable[[Candidate], Candidate | None]
"""What an expansion makes of a candidate; None where it does not apply."""
Loader = Callable[[int, int, LinkMode], list[Candidate] | None]
"""Looks up a finished pool that was stored earlier; None when there is none."""


class PoolSource(NamedTuple):
    """A smaller pool, what an expansion makes of its candidates, and the steps that takes."""

    grow: Grow
    size: PoolSize
    steps: int
    """Whatever is made takes so many at least, with a schedule of its own too."""


def _nothing_stored(n: int, d: int, links: LinkMode) -> list[Candidate] | None:
    return None


class Pools:
    """Memo of pools, for both link modes. `fresh` are the pools made here, not loaded."""

    def __init__(self, load: Loader = _nothing_stored, scope: Scope = EVERYTHING) -> None:
        self.bases = Bases(scope)
        self.fresh: list[PoolSize] = []
        self._load = load
        self._factors = {
            (links, large): Factors(links, self.bases, large)
            for links in LinkMode
            for large in (False, True)
        }
        self._memo: dict[tuple[PoolSize, bool], list[Candidate]] = {}

    def pool(self, n: int, d: int, links: LinkMode = LinkMode.SIMPLEX) -> list[Candidate]:
        """The candidates kept at (n, d), in order of preference; empty if nothing exists."""
        return self._pool((n, d, links), self.bases.scope.is_large(n))

    def has_pool(self, n: int, d: int, links: LinkMode) -> bool:
        """Whether a pool need not be searched for: it was made here, or is stored."""
        size, large = (n, d, links), self.bases.scope.is_large(n)
        large = large and not self.bases.scope.is_light(n, d)
        if (size, large) not in self._memo and large == self.bases.scope.is_large(n):
            found = self._load(*size)
            if found is not None:
                self._memo[size, large] = found
        return (size, large) in self._memo

    def _pool(self, size: PoolSize, large: bool) -> list[Candidate]:
        """The pool of a size, for itself or for a `large` one that leaves out heavy base graphs.

        What is kept of a middle size for a large one is not its own answer: it is neither
        looked up nor stored. A light size has nothing to leave out.
        """
        n, d, _ = size
        large = large and not self.bases.scope.is_light(n, d)
        if (size, large) not in self._memo:
            own = large == self.bases.scope.is_large(n)
            found = self._load(*size) if own else None
            if found is None:
                found = self._search(*size, large=large)
                self.fresh += [size] if own else []
            self._memo[size, large] = found
        return self._memo[size, large]

    def all_candidates(self, n: int, d: int, links: LinkMode = LinkMode.SIMPLEX) -> list[Candidate]:
        """All candidates at (n, d), those too that cost nothing less than another; none twice.

        Those of the pool come first, in order of preference.
        """
        kept = self.pool(n, d, links)
        known = {(candidate.recipe, candidate.method): candidate for candidate in kept}
        reached = self._reach(n, d, links, self.bases.scope.is_large(n))
        for candidate in sorted(reached, key=Candidate.preference):
            known.setdefault((candidate.recipe, candidate.method), candidate)
        return list(known.values())

    def _search(self, n: int, d: int, links: LinkMode, *, large: bool) -> list[Candidate]:
        if n < 2 or d < 1:
            return []
        reached = self._reach_hopeful(n, d, links, large)
        kept = useful_candidates(reached)
        if self.bases.scope.published:
            return kept
        if self.bases.scope.is_settled(n, d, links):
            return one_of_each_name(kept)
        refined = refine_exactly(reached, kept, links)
        return one_of_each_name(useful_candidates([*kept, *with_transposes(refined)]))

    def _reach_hopeful(self, n: int, d: int, links: LinkMode, large: bool) -> list[Candidate]:
        """What is reached, without what is seen to be of no use beside the rest."""
        bases, scope = self.bases, self.bases.scope
        members = bases.members(n, d, links, large)
        plain = (base for base in members if base.name not in EVALUATED_FAMILIES)
        found = [one for base in plain for one in bases.candidates(base)]
        found += map(bases.graph, scope.shipped_at(n, d, links))
        found += self._reach_others(n, d, links, large, self._enough_steps(found, links))
        if scope.is_settled(n, d, links):
            found += map(bases.graph, evaluated_graphs(n, d, links.value))
        for base in members:
            if base.name in EVALUATED_FAMILIES:
                hopeless = not scope.published and bases.is_hopeless(base, found)
                found += [] if hopeless else bases.candidates(base)
        return found if scope.published else list(with_transposes(found))

    def _enough_steps(self, found: Sequence[Candidate], links: LinkMode) -> int | None:
        """The fewest steps of a graph beside which no expansion that takes as many is of use.

        `found` are base graphs, which are plainer than expansions, and graphs that ship, as what
        else there is costs more. Its T_B is the least both ways, and it is fit for all expansions;
        None where there is none, or where the published method takes no notice.
        """
        if self.bases.scope.published:
            return None
        fit = (one for one in found if _is_fit_for_all(one, links))
        steps = (max(one.allgather.steps, one.reduce_scatter.steps) for one in fit)
        return min(steps, default=None)

    def _reach(self, n: int, d: int, links: LinkMode, large: bool) -> Iterator[Candidate]:
        found = self._reach_directly(n, d, links, large)
        return found if self.bases.scope.published else with_transposes(found)

    def _reach_directly(self, n: int, d: int, links: LinkMode, large: bool) -> Iterator[Candidate]:
        for base in self.bases.members(n, d, links, large):
            yield from self.bases.candidates(base)
        yield from self._reach_others(n, d, links, large)

    def _reach_others(
        self, n: int, d: int, links: LinkMode, large: bool, enough: int | None = None
    ) -> Iterator[Candidate]:
        """What else there is: graphs that ship, the best factor, and expansions.

        Pools are not searched for what is sure to take `enough` steps.
        """
        yield from map(self.bases.graph, self.bases.scope.recipes_at(n, d, links))
        factor = self._factors[links, large].best(n, d)
        if factor:
            yield factor
        published = self.bases.scope.published
        if has_free_port(n, d, links) and self.bases.scope.splits_off(n, d, links):
            larger = partial(self._pool, (n + 1, d, links), large)
            if large:  # none is split off, but what is left out there is left out here
                larger()
            else:
                yield from split_off_candidates(n, d, larger, self.bases)
        for grow, inner, steps in sources(n, d, links, published=published):
            if enough is None or steps < enough:
                yield from filter(None, map(grow, self._pool(inner, large)))


def _is_fit_for_all(candidate: Candidate, links: LinkMode) -> bool:
    """Whether nothing of as many steps can be of another use (Candidate.beats).

    Of two-way circuits no line graphs are made, and large ones cost what theorem 10 says.
    """
    n, d, steps = candidate.n, candidate.d, candidate.allgather.steps
    lines = links is LinkMode.SIMPLEX and is_evaluated_in_passing(n * d, d, steps)
    open_ = not lines or (candidate.line_open and n > LINE_OPEN_KEPT)
    return candidate.product_ready and candidate.turnable and open_


def one_of_each_name(found: Iterable[Candidate]) -> list[Candidate]:
    """Of candidates with one recipe and method that of least bandwidth, then fewest steps.

    An expansion of a graph that has two schedules has two as well, and one name; what is scheduled
    by that name is this one.
    """
    kept = list(found)
    named: dict[object, Candidate] = {}
    for one in sorted(kept, key=lambda one: (one.allgather.bandwidth, one.allgather.steps)):
        named.setdefault((one.recipe, one.method), one)
    return [one for one in kept if named[one.recipe, one.method] is one]


def with_transposes(found: Iterable[Candidate]) -> Iterator[Candidate]:
    """The candidates, each followed by its transpose where that is the cheaper allgather fabric.

    Where it is not, the candidate is of all the use that the transpose has (Candidate.beats).
    """
    for candidate in found:
        yield candidate
        if not candidate.allgather.weakly_beats(candidate.reduce_scatter):
            yield candidate_maps.transpose(candidate)


def sources(n: int, d: int, links: LinkMode, *, published: bool = False) -> Iterator[PoolSource]:
    """The smaller pools that the pool of a size draws on, each with the expansion it takes.

    With `published`, by the published method's expansions.

    >>> [(*source.size[:2], source.steps) for source in sources(16, 4, LinkMode.SIMPLEX)]
    [(4, 4, 2), (8, 2, 3), (4, 1, 3), (4, 2, 4), (2, 1, 4), (16, 2, 2), (16, 2, 4)]
    """
    for expansion in EXPANSIONS.values():
        if published and not expansion.published:
            continue
        follow = candidate_map(expansion)
        for source in expansion.sources(n, d, links is LinkMode.DUPLEX):
            if published and not source.published:
                continue
            mode = LinkMode.DUPLEX if source.duplex else LinkMode.SIMPLEX
            inner = (source.n, source.d, mode)
            steps = _least_steps((n, d, links), inner, expansion, source.numbers)
            yield PoolSource(partial(_apply_map, follow, source.numbers), inner, steps)


def _least_steps(
    size: PoolSize, inner: PoolSize, expansion: Expansion, numbers: tuple[int, ...]
) -> int:
    """The least diameter of what an expansion makes at a size of the graphs of a smaller one."""
    least = cost_lower_bound(*size).steps
    if expansion.diameter is None or inner[0] < 2 or inner[1] < 1:
        return least
    within = cost_lower_bound(*inner).steps
    known: int = expansion.apply(expansion.diameter, (within,), *numbers)
    return max(least, known)


def _apply_map(
    follow: CandidateMap, numbers: tuple[int, ...], inner: Candidate
) -> Candidate | None:
    return follow((inner,), numbers)


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

    def best(self, n: int, d: int) -> Candidate | None:
        """The fittest factor with n nodes and degree d, or None; by diameter, then plainness."""
        if (n, d) not in self._memo:
            self._memo[n, d] = self._find(n, d)
        return self._memo[n, d]

    def _find(self, n: int, d: int) -> Candidate | None:
        if n < 2 or d < 1 or d >= n:
            return None
        bases = [
            candidate
            for base in self.bases.members(n, d, self.links, self.large)
            if may_be_factor(base_properties(base))
            for candidate in self.bases.candidates(base)
            if candidate.product_ready
        ]
        most = min((base.allgather.steps for base in bases), default=n - 1)
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
