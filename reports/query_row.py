"""What a query finds: a stored candidate, and what was computed of it for a workload."""

from fractions import Fraction
from typing import NamedTuple

from db.query_rows import MatchRow
from db.throughput_rows import ThroughputRow
from db.training_rows import TrainingRow
from reports.resilience import ResilienceRow


class FoundCandidate(NamedTuple):
    """A candidate with computed values, each None where it was not asked for or is not known.

    `scaled` is the time of the workload's collectives as a fraction that is not in lowest terms;
    `seconds` reads it. `rate` is the stored interval of the all-to-all throughput, and
    `exchange` the least and the most seconds of the workload's all-to-alls that follow from it.
    `iteration` is one of a stored training, whose id is `training`. `failures` is what an allreduce
    takes after single failures, `name` the one under which the graph was merged.
    """

    row: MatchRow
    collective: str | None = None
    scaled: tuple[int, int] | None = None
    rate: ThroughputRow | None = None
    exchange: tuple[Fraction, Fraction] | None = None
    training: str | None = None
    iteration: TrainingRow | None = None
    failures: ResilienceRow | None = None
    name: str | None = None

    @property
    def seconds(self) -> Fraction | None:
        """Time of the workload's collectives, exactly."""
        return None if self.scaled is None else Fraction(*self.scaled)
