"""What the replay of a schedule found."""

from dataclasses import dataclass
from fractions import Fraction

from expansions.cost import Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleVerdict:
    """Whether a schedule does what its collective asks, and what it costs.

    `steps` and `bandwidth` are T_L and T_B of the rows as they stand, valid or not; rows on arcs
    that the topology has not are left out. `redundant` is how many shards are sent beyond the
    least that the collective needs, one for each ordered pair of hosts: pieces received again in
    an allgather, partial sums passed on unmerged in a reduce-scatter. It is None when the
    schedule is not valid, and where switches forward. `violation` is one line about the first
    violation (lowest step, then lowest row), None exactly when the schedule is valid.

    >>> verdict = ScheduleVerdict(
    ...     steps=1, bandwidth=Fraction(3, 4), redundant=Fraction(0), violation=None
    ... )
    >>> verdict.valid
    True
    """

    steps: int
    bandwidth: Fraction
    redundant: Fraction | None
    violation: str | None

    @property
    def valid(self) -> bool:
        """Whether nothing was found wrong."""
        return self.violation is None

    @property
    def cost(self) -> Cost:
        """T_L and T_B."""
        return Cost(self.steps, self.bandwidth)
