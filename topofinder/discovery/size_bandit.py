"""Which size of a range is searched next: the one whose gap closes fastest for the work it takes.

A size's gap is how far its best graphs are above the bounds. Searching is taken to close a part of
it for each unit of work, at a rate that is not known before: a gamma-distributed rate, whose mean
after `work` that closed a `share` is (share + PRIOR_SHARE) / (work + PRIOR_WORK). What one more
unit is expected to gain is that rate times the gap that is left. A size without luck falls behind
as its work grows, but never out; one that meets the bounds is done with.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.rounds import WINDOW
from topofinder.model.candidate import cost_lower_bound

PRIOR_SHARE = 0.1
PRIOR_WORK = 50.0
"""What is believed at first: a tenth of a gap closes in that many million (list, node) pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeGain:
    """What a search has come to at one size: its gap at first and now, and work in millions.

    `closed` is what the search itself has closed of the gap, where others searched there too.
    """

    first: float
    left: float
    work: float
    closed: float | None = None

    @property
    def expected(self) -> float:
        """The part of the gap that the next unit of work closes, in the mean.

        >>> SizeGain(first=1, left=1, work=0).expected < SizeGain(first=2, left=1, work=50).expected
        True
        """
        closed = self.first - self.left if self.closed is None else self.closed
        share = max(closed, 0.0) / self.first if self.first else 0.0
        return self.left * (share + PRIOR_SHARE) / (self.work + PRIOR_WORK)


def size_gap(goal: SearchGoal, costs: Iterable[tuple[int, Fraction]]) -> float:
    """How far the best of some (steps, T_B) are above the bounds.

    The mean, over the few least numbers of steps, of T_B / T_B* - 1 with so many; at most 1 each.

    >>> size_gap(SearchGoal(n=16, d=4), [(2, Fraction(1)), (3, Fraction(15, 16))])
    0.016666666666666666
    """
    known, bound = list(costs), cost_lower_bound(goal.n, goal.d, goal.links).bandwidth
    gaps = [
        min([Fraction(1), *(found / bound - 1 for taken, found in known if taken <= steps)])
        for steps in range(goal.least_steps, goal.least_steps + WINDOW)
    ]
    return float(sum(gaps) / WINDOW)


def work_of(n: int, judged: int) -> float:
    """Millions of (list, node) pairs of so many lists, which take about as long at any size."""
    return n * judged / 1e6
