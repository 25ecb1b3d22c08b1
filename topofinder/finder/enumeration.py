"""Bottom-up search: what can be reached at one size, from what is kept at smaller ones.

A pool holds the candidates of one (n, d) that pruning keeps. It draws on base graphs, on the
best factors, and on the pools of smaller sizes through the expansions (table 3):

    L(G)    from (n/d, d)           G*k     from (n/k, d/k)
    G^k     from (n^(1/k), d/k)     Bi(G)   from the simplex pool of (n, d/2)
    G||k    from (n, d/k)           T(G)    of every candidate whose transpose is cheaper
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from expansions.register import EXPANSIONS, Expansion
from expansions.searched_graphs import evaluated_graphs
from topofinder.finder import candidate_maps
from topofinder.finder.base_candidates import Bases
from topofinder.finder.base_scope import EVALUATED_FAMILIES, EVERYTHING, Scope
from topofinder.finder.candidate_maps import CandidateMap, candidate_map
from topofinder.finder.exact_refinement import refine_exactly
from topofinder.finder.factors import Factors
from topofinder.finder.odd_sizes import has_free_port, split_off_candidates
from topofinder.finder.wide_products import wide_products
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
    diameter: Callable[[int], int] | None = None
    """That of what is made, at least, of a graph of so much; None where it may be less."""

    def inner_below(self, below: int | None) -> int | None:
        """The least diameter of a graph of which all that is made has `below` or more.

        None where graphs of any diameter may make less.

        >>> line, *_ = sources(16, 4, LinkMode.SIMPLEX)
        >>> line.size[:2], line.inner_below(3)
        ((4, 4), 2)
        """
        diameter = self.diameter
        if below is None or diameter is None:
            return None
        inner = bisect_left(range(below + 1), below, lo=1, key=diameter)
        return inner if inner <= below else None


def _nothing_stored(n: int, d: int, links: LinkMode) -> list[Candidate] | None:
    return None


class Pools:
    """Memo of pools, for both link modes. `fresh` are the pools made here, not loaded."""

    def __init__(
        self, load: Loader = _nothing_stored, scope: Scope = EVERYTHING, *, one_size: bool = False
    ) -> None:
        """With `one_size`, smaller pools are searched as far as one that is asked for needs."""
        self.bases = Bases(scope)
        self._one_size = one_size
        self.fresh: list[PoolSize] = []
        self._load = load
        self._factors = {
            (links, large): Factors(links, self.bases, large)
            for links in LinkMode
            for large in (False, True)
        }
        self._memo: dict[tuple[PoolSize, bool], list[Candidate]] = {}
        self._shallow: dict[tuple[PoolSize, bool], tuple[int, list[Candidate]]] = {}

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

    def _pool(self, size: PoolSize, large: bool, below: int | None = None) -> list[Candidate]:
        """The pool of a size, for itself or for a `large` one that leaves out heavy base graphs.

        What is kept of a middle size for a large one is not its own answer: it is neither
        looked up nor stored. A light size has nothing to leave out. Where graphs of diameter
        `below` and more are of no use, some of them are left out, and it is not stored either.
        """
        n, d, _ = size
        large = large and not self.bases.scope.is_light(n, d)
        key = size, large
        if key not in self._memo:
            own = large == self.bases.scope.is_large(n)
            found = self._load(*size) if own else None
            if found is None and below is not None and self._one_size:
                return self._shallow_pool(size, large, below)
            if found is None:
                found = self._search(*size, large=large)
                self.fresh += [size] if own else []
            self._memo[key] = found
        return self._memo[key]

    def _shallow_pool(self, size: PoolSize, large: bool, below: int) -> list[Candidate]:
        """The pool of a size of which graphs of diameter `below` and more are of no use."""
        searched, found = self._shallow.get((size, large), (0, []))
        if searched < below:
            found = self._search(*size, large=large, below=below)
            self._shallow[size, large] = below, found
        return found

    def factor_graphs(self, links: LinkMode, n: int, d: int, below: int | None) -> list[Candidate]:
        """What is tried as a factor of products; of diameter `below` none need be.

        That is the pool, though a graph that it lacks, of the same cost as another, might fit.
        """
        return self._pool((n, d, links), self.bases.scope.is_large(n), below)

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

    def _search(
        self, n: int, d: int, links: LinkMode, *, large: bool, below: int | None = None
    ) -> list[Candidate]:
        if n < 2 or d < 1:
            return []
        reached = self._reach_hopeful(n, d, links, large, below)
        kept = useful_candidates(reached)
        if self.bases.scope.published:
            return kept
        if self.bases.scope.is_settled(n, d, links):
            return one_of_each_name(kept)
        wide = list(self._reach_wide_products(n, d, links, kept, below))
        kept = useful_candidates([*kept, *(product for product in wide if product.exact)])
        refined = refine_exactly([*reached, *wide], kept, links, below)
        return one_of_each_name(useful_candidates([*kept, *with_transposes(refined)]))

    def _reach_wide_products(
        self, n: int, d: int, links: LinkMode, kept: Sequence[Candidate], below: int | None
    ) -> Iterator[Candidate]:
        """Products of any two graphs, of fewer steps than what has the least T_B."""
        least = cost_lower_bound(n, d, links).bandwidth
        settled = (one.allgather.steps for one in kept if one.allgather.bandwidth == least)
        enough = min(filter(None, (below, min(settled, default=None))), default=None)
        factors_at = partial(self.factor_graphs, links)
        return wide_products(n, d, links, factors_at, enough, self.bases.scope.splits)

    def _reach_hopeful(
        self, n: int, d: int, links: LinkMode, large: bool, below: int | None
    ) -> list[Candidate]:
        """What is reached, without what is seen to be of no use beside the rest."""
        bases, scope = self.bases, self.bases.scope
        members = bases.members(n, d, links, large)
        plain = (base for base in members if base.name not in EVALUATED_FAMILIES)
        found = [one for base in plain for one in bases.candidates(base)]
        found += map(bases.graph, scope.shipped_at(n, d, links))
        enough = min(filter(None, (below, self._enough_steps(found, links))), default=None)
        found += self._reach_others(n, d, links, large, enough)
        if scope.is_settled(n, d, links):
            found += map(bases.graph, evaluated_graphs(n, d, links.value))
        for base in members:
            if base.name in EVALUATED_FAMILIES:
                hopeless = not scope.published and bases.is_hopeless(base, found)
                found += [] if hopeless else bases.candidates(base)
        if below is not None:
            found = [one for one in found if one.diameter is None or one.diameter < below]
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
        factor = self._factors[links, large].best(n, d, enough if self._one_size else None)
        if factor:
            yield factor
        published = self.bases.scope.published
        if has_free_port(n, d, links) and self.bases.scope.splits_off(n, d, links):
            larger = partial(self._pool, (n + 1, d, links), large)
            if large:  # none is split off, but what is left out there is left out here
                larger()
            else:
                yield from split_off_candidates(n, d, larger, self.bases)
        for source in sources(n, d, links, published=published):
            if enough is None or source.steps < enough:
                inner = self._pool(source.size, large, source.inner_below(enough))
                yield from filter(None, map(source.grow, inner))


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
            diameter = _least_diameter(expansion, source.numbers)
            steps = cost_lower_bound(n, d, links).steps
            if diameter is not None and source.n > 1 and source.d > 0:
                steps = max(steps, diameter(cost_lower_bound(*inner).steps))
            yield PoolSource(partial(_apply_map, follow, source.numbers), inner, steps, diameter)


def _least_diameter(expansion: Expansion, numbers: tuple[int, ...]) -> Callable[[int], int] | None:
    """The diameter of what an expansion makes of a graph of so much, at least, where known."""
    known = expansion.diameter
    return None if known is None else lambda inner: expansion.apply(known, (inner,), *numbers)


def _apply_map(
    follow: CandidateMap, numbers: tuple[int, ...], inner: Candidate
) -> Candidate | None:
    return follow((inner,), numbers)
