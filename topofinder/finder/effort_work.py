"""How much work an effort does at a size: the ladder that it goes up, and where it is worth it."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from generators.searched_sizes import are_finds_shipped
from topofinder.discovery.grafts.found import WEIGHT
from topofinder.finder.enumeration import PoolSize
from topofinder.model.candidate import Candidate, LinkMode, quickest_lower_bound

MOST_FREE = 64
"""Nodes up to which little else is to be done, and graphs are annealed from random starts."""
FIRST_WORK, MORE_WORK = 2 * 10**8, 8 * 10**8
"""Work of an effort of one, and of each more, in the unit of `LiftSetting.work`: nanoseconds of one
core, about. Deferred schedules mend what a short search leaves: with four times the first work the
best allreduce takes 0.1 % less in the median. Up to MOST_FREE nodes, where little else is to be
done, the first has as much as others."""
GOOD_ENOUGH = Fraction(51, 50)
"""Little is gained where an allreduce takes no more than so many times its lower bound."""
FIRST_ENOUGH = Fraction(53, 50)
"""Above MOST_FREE nodes an effort of one leaves sizes alone where it takes no more than so many
times the bound: what it may gain there is less than what the compiled kernels take to load."""
LARGEST_FIRST = 20_000
"""Nodes up to which an effort of one looks for anything: what it finds changes little above, and
to search with it takes as long as all the rest."""
CLOSE_STEPS = 2
"""Little is gained too above MOST_FREE nodes where it takes so many steps more than the bound: one
step each way, at the least bandwidth. A search then gets one part of CLOSE_PART."""
CLOSE_PART = 4
OTHER_GROUPS = 2
"""Groups of each order that are not abelian, by which lifts are looked for with a larger effort."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffortStep:
    """A step of the ladder that an effort goes up: from one effort to the next.

    Each has a seed of its own, and from the second on looks for lifts by other groups too.
    """

    before: int
    effort: int

    @property
    def seed(self) -> int:
        """Of all that is drawn by chance."""
        return self.before

    @property
    def others(self) -> int:
        """Groups of each order that are not abelian."""
        return OTHER_GROUPS if self.before else 0

    @property
    def enough(self) -> Fraction:
        """Nothing is looked for where an allreduce takes no more times its bound."""
        return GOOD_ENOUGH if self.before else FIRST_ENOUGH

    def work(self, n: int) -> int:
        """What it does at n nodes."""
        if self.before:
            return (self.effort - self.before) * MORE_WORK
        return MORE_WORK if n <= MOST_FREE else FIRST_WORK


def effort_steps(effort: int) -> list[EffortStep]:
    """The ladder: 1, 2, 4, ..., and the effort itself.

    >>> [step.effort for step in effort_steps(6)]
    [1, 2, 4, 6]
    """
    ends = [0, *(1 << k for k in range((effort - 1).bit_length())), effort]
    return [EffortStep(before=one, effort=other) for one, other in pairwise(ends)]


def useful_work(size: PoolSize, least: Fraction | None, effort: int) -> int:
    """How much work an effort does at a size where an allreduce takes `least` steps so far.

    An effort of one does none where a search with it has been, and what that found ships.

    >>> useful_work((10**6, 4, LinkMode.SIMPLEX), None, 1)
    0
    """
    if effort == 1 and (size[0] > LARGEST_FIRST or are_finds_shipped(*size)):
        return 0
    steps = effort_steps(effort)
    return sum(worthwhile_work(size, least, one.work(size[0]), one.enough) for one in steps)


def worthwhile_work(size: PoolSize, least: Fraction | None, work: int, enough: Fraction) -> int:
    """How much of the work is worth it at a size where an allreduce takes `least` steps so far.

    None above MOST_FREE nodes where that is at most `enough` times the bound.
    """
    bound = time_bound(*size)
    if least is None or (size[0] <= MOST_FREE and least > bound):
        return work
    if least <= enough * bound:
        return 0
    return work // CLOSE_PART if least <= bound + CLOSE_STEPS else work


def least_time(pool: Iterable[Candidate]) -> Fraction | None:
    """What an allreduce takes on the best of some candidates, in steps of 10 us (1 MiB, 100 Gbps).

    None where there are none.

    >>> from topofinder.finder.enumeration import Pools
    >>> str(least_time(Pools().pool(8, 2)))
    '207/10'
    """
    times = [
        one.allgather.steps
        + one.reduce_scatter.steps
        + WEIGHT * (one.allgather.bandwidth + one.reduce_scatter.bandwidth)
        for one in pool
    ]
    return min(times, default=None)


def time_bound(n: int, d: int, links: LinkMode) -> Fraction:
    """The lower bound of an allreduce, in the same unit.

    >>> str(time_bound(8, 2, LinkMode.SIMPLEX))
    '207/10'
    """
    bound = quickest_lower_bound(n, d, links, WEIGHT)
    return 2 * (bound.steps + WEIGHT * bound.bandwidth)
