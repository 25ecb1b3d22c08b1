"""What a workload takes on stored candidates, exactly."""

from dataclasses import dataclass
from fractions import Fraction

from db.query_rows import MatchRow
from db.throughput_rows import ThroughputRow
from expansions.collective import Collective
from reports.query_row import FoundCandidate
from topofinder.model.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """A workload with its sums: `step` seconds an alpha, `spread` seconds a T_B of 1, in all."""

    workload: Workload | None
    step: Fraction = Fraction()
    spread: Fraction = Fraction()

    @classmethod
    def of(cls, workload: Workload | None) -> "Pricing":
        """The pricing of a workload; without one, nothing is priced."""
        if workload is None:
            return cls(workload=None)
        times = sum(count for _, count in workload.sizes)
        sent = sum((size * count for size, count in workload.sizes), Fraction())
        return cls(workload=workload, step=times * workload.alpha, spread=sent / workload.bandwidth)

    def price_row(self, row: MatchRow, rate: ThroughputRow | None) -> FoundCandidate:
        """The row with its times; those of all-to-alls where a throughput is known."""
        if self.workload is None:
            return FoundCandidate(row, rate=rate)
        named = self.workload.collective.value
        exchange = None if rate is None else self._exchange(row, rate)
        return FoundCandidate(
            row, named, self._scaled_time(row, self.workload.collective), rate, exchange
        )

    def _scaled_time(self, row: MatchRow, collective: Collective) -> tuple[int, int]:
        """The exact time as numerator and denominator.

        The same as `Workload.seconds`, but without lowest terms in between, which take most of the
        time where there are many rows.
        """
        steps, above, below = row.steps, row.bandwidth.numerator, row.bandwidth.denominator
        back, under = row.rs_bandwidth.numerator, row.rs_bandwidth.denominator
        if collective is Collective.REDUCE_SCATTER:
            steps, above, below = row.rs_steps, back, under
        elif collective is Collective.ALLREDUCE:
            steps, above, below = steps + row.rs_steps, above * under + back * below, below * under
        step, spread = self.step, self.spread
        spent = steps * step.numerator * below * spread.denominator
        spent += above * spread.numerator * step.denominator
        return spent, step.denominator * below * spread.denominator

    def _exchange(self, row: MatchRow, rate: ThroughputRow) -> tuple[Fraction, Fraction] | None:
        """The least and the most seconds of the all-to-alls."""
        if self.workload is None or not self.workload.exchanges or not rate.lower:
            return None
        least = self.workload.exchange_seconds(row.n, row.d, rate.upper)
        return least, self.workload.exchange_seconds(row.n, row.d, rate.lower)
