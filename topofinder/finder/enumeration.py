"""Bottom-up search: what can be reached at one size, from what is kept at smaller ones.

A pool holds the candidates of one (n, d) that pruning keeps. It draws on base graphs, on the
best factors, and on the pools of smaller sizes through the expansions (table 3):

    L(G)    from (n/d, d)           G*k     from (n/k, d/k)
    G^k     from (n^(1/k), d/k)     Bi(G)   from the simplex pool of (n, d/2), duplex only
"""

from collections.abc import Callable, Iterator
from functools import partial

from expansions.register import EXPANSIONS
from expansions.size import LARGEST_BUILT
from topofinder.finder.base_candidates import Bases, is_light
from topofinder.finder.base_scope import EVERYTHING, Scope
from topofinder.finder.candidate_maps import CandidateMap, candidate_map
from topofinder.finder.exact_refinement import refined
from topofinder.finder.factors import Factors
from topofinder.model.candidate import Candidate, LinkMode
from topofinder.model.frontier import useful_candidates

PoolSize = tuple[int, int, LinkMode]
Grow = Callable[[Candidate], Candidate | None]
"""What an expansion makes of a candidate; None where it does not apply."""
Loader = Callable[[int, int, LinkMode], list[Candidate] | None]
"""Looks up a finished pool that was stored earlier; None when there is none."""


def _nothing(n: int, d: int, links: LinkMode) -> list[Candidate] | None:
    return None


class Pools:
    """Memo of pools, for both link modes. `fresh` are the pools made here, not loaded."""

    def __init__(self, load: Loader = _nothing, scope: Scope = EVERYTHING) -> None:
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
        return self._pool((n, d, links), n > LARGEST_BUILT)

    def _pool(self, size: PoolSize, large: bool) -> list[Candidate]:
        """The pool of a size, for itself or for a `large` one that leaves out heavy base graphs.

        What is kept of a middle size for a large one is not its own answer: it is neither
        looked up nor stored. A light size has nothing to leave out.
        """
        n, d, _ = size
        large = large and not is_light(n, d)
        if (size, large) not in self._memo:
            own = large == (n > LARGEST_BUILT)
            found = self._load(*size) if own else None
            if found is None:
                found = self._search(*size, large=large)
                self.fresh += [size] if own else []
            self._memo[size, large] = found
        return self._memo[size, large]

    def everyone(self, n: int, d: int, links: LinkMode = LinkMode.SIMPLEX) -> list[Candidate]:
        """All candidates at (n, d), those too that cost nothing less than another; none twice.

        Those of the pool come first, in order of preference.
        """
        kept = self.pool(n, d, links)
        known = {(candidate.recipe, candidate.method): candidate for candidate in kept}
        reached = self._reached(n, d, links, n > LARGEST_BUILT)
        for candidate in sorted(reached, key=Candidate.preference):
            known.setdefault((candidate.recipe, candidate.method), candidate)
        return list(known.values())

    def _search(self, n: int, d: int, links: LinkMode, *, large: bool) -> list[Candidate]:
        if n < 2 or d < 1:
            return []
        reached = list(self._reached(n, d, links, large))
        kept = useful_candidates(reached)
        if self.bases.scope.published:
            return kept
        return useful_candidates([*kept, *refined(reached, kept, links)])

    def _reached(self, n: int, d: int, links: LinkMode, large: bool) -> Iterator[Candidate]:
        for base in self.bases.members(n, d, links, large):
            yield from self.bases.candidates(base)
        factor = self._factors[links, large].best(n, d)
        if factor:
            yield factor
        published = self.bases.scope.published
        for grow, inner in sources(n, d, links, published=published):
            yield from filter(None, map(grow, self._pool(inner, large)))


def sources(
    n: int, d: int, links: LinkMode, *, published: bool = False
) -> Iterator[tuple[Grow, PoolSize]]:
    """The smaller pools that the pool of a size draws on, each with the expansion it takes.

    With `published`, by the published method's expansions.

    >>> [inner[:2] for _, inner in sources(16, 4, LinkMode.SIMPLEX)]
    [(4, 2), (2, 1), (8, 2), (4, 1), (4, 4)]
    """
    for expansion in EXPANSIONS.values():
        if published and not expansion.published:
            continue
        follow = candidate_map(expansion)
        for source in expansion.sources(n, d, links is LinkMode.DUPLEX):
            mode = LinkMode.DUPLEX if source.duplex else LinkMode.SIMPLEX
            yield partial(_grown, follow, source.numbers), (source.n, source.d, mode)


def _grown(follow: CandidateMap, numbers: tuple[int, ...], inner: Candidate) -> Candidate | None:
    return follow((inner,), numbers)
