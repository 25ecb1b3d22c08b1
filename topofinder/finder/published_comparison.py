"""Our frontier beside that of the published method, at one size and at many.

The published method (direct-connect topologies, tables 3 and 9) grows its own families by theorems;
ours adds families that were found by search, and evaluates expanded graphs exactly where a
theorem gives an upper bound only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from topofinder.finder.base_scope import Scope
from topofinder.finder.enumeration import Pools
from topofinder.finder.parallel import EvaluationsAhead, Size
from topofinder.model.candidate import Candidate, LinkMode, cost_lower_bound
from topofinder.model.frontier import frontier
from topofinder.model.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierPair:
    """Two frontiers of one size, fewest steps first: `ours` and the `published` method's."""

    n: int
    d: int
    links: LinkMode
    ours: tuple[Candidate, ...]
    published: tuple[Candidate, ...]

    @property
    def matched(self) -> bool:
        """Whether each published point is matched or beaten by one of ours."""
        return all(any(_reaches(our, point) for our in self.ours) for point in self.published)

    @property
    def beaten(self) -> tuple[Candidate, ...]:
        """The published points that one of ours beats in one cost and matches in the other."""
        return tuple(
            point
            for point in self.published
            if any(_reaches(our, point) and our.allgather != point.allgather for our in self.ours)
        )

    @property
    def improved(self) -> bool:
        """Whether all published points are matched and at least one is beaten."""
        return self.matched and bool(self.beaten)

    @property
    def both_bounds(self) -> bool:
        """Whether one of ours meets the lower bounds of T_L and T_B at once."""
        return any(
            our.allgather == cost_lower_bound(self.n, self.d, self.links) for our in self.ours
        )

    def gain(self, workload: Workload) -> Fraction:
        """By which part of the published time ours is shorter, for 2 (T_L + T_B) of a workload."""
        ours, published = (_least(side, workload) for side in (self.ours, self.published))
        return 1 - ours / published


def beside(
    sizes: Sequence[Size], links: LinkMode = LinkMode.SIMPLEX, *, jobs: int = 1
) -> Iterator[FrontierPair]:
    """Both frontiers of each size that has a published one, in order of n, then d.

    >>> [found] = beside([(64, 4)])
    >>> [(point.allgather.steps, str(point.allgather.bandwidth)) for point in found.published]
    [(3, '21/16'), (4, '1'), (6, '63/64')]
    """
    wanted = sorted(sizes)
    pools, theirs = Pools(), Pools(scope=Scope(published=True))
    ahead = EvaluationsAhead(wanted, links, jobs)
    for n, d in wanted:
        evaluated = list(ahead.upto(n))
        pools.bases.remember(evaluated)
        theirs.bases.remember(evaluated)
        ours, published = (frontier(side.pool(n, d, links)) for side in (pools, theirs))
        if published:
            yield FrontierPair(n=n, d=d, links=links, ours=tuple(ours), published=tuple(published))


def _reaches(one: Candidate, other: Candidate) -> bool:
    return one.allgather.weakly_beats(other.allgather)


def _least(side: Sequence[Candidate], workload: Workload) -> Fraction:
    size = workload.sizes[0][0]
    return min(
        2 * point.allgather.runtime(workload.alpha, size, workload.bandwidth) for point in side
    )
