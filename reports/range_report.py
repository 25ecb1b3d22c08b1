"""All that a report tells of many sizes: plain values, gathered from the database."""

from dataclasses import dataclass
from fractions import Fraction

from db.rows import CandidateRow
from reports.allreduce_limits import AllreduceLimitRecord
from reports.size_report import WorkloadSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Winner:
    """The quickest candidate of one size; `least` is the lower bound of its time, in seconds."""

    row: CandidateRow
    kind: str
    seconds: Fraction
    least: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The least T_B/T_B* that a family reaches at one size."""

    row: CandidateRow
    kind: str
    ratio: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomaryTime:
    """What a customary wiring, the quickest of its name, takes at one size, in seconds.

    `quickest` is what the winner of that size takes.
    """

    n: int
    name: str
    recipe: str
    seconds: Fraction
    quickest: Fraction

    @property
    def ratio(self) -> Fraction:
        """How many times as long as the quickest."""
        return self.seconds / self.quickest


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedWinner:
    """What no allreduce beats on a winner's graph, in M/B."""

    row: CandidateRow
    limits: AllreduceLimitRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Degreewise:
    """One degree: winners[i] and customary[i] are those of workload i, in order of N.

    `limited` are all winners, each once, by N.
    """

    d: int
    winners: tuple[tuple[Winner, ...], ...]
    ratios: tuple[Ratio, ...]
    customary: tuple[tuple[CustomaryTime, ...], ...] = ()
    limited: tuple[LimitedWinner, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeReport:
    """Many sizes, one part for each degree."""

    hosts: tuple[int, ...]
    links: str
    asked: tuple[WorkloadSummary, ...]
    parts: tuple[Degreewise, ...]
