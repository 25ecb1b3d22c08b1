"""Candidates with made-up costs and throughputs, and a workload with exchanges."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from hypothesis import strategies as st

from db.rows import CandidateRow
from topofinder.model.workload import Workload


def row(name: str, steps: int, bandwidth: Fraction = Fraction(1)) -> CandidateRow:
    return CandidateRow(
        recipe=name,
        links="simplex",
        method="bfb",
        n=8,
        d=2,
        steps=steps,
        bandwidth=bandwidth,
        rs_steps=steps,
        rs_bandwidth=bandwidth,
        engine=1,
    )


@dataclass(frozen=True)
class Span:
    lower: Fraction
    upper: Fraction


@dataclass
class Known:
    """Throughputs by recipe; `asked` lists those that were looked up, `hops` loosens bounds."""

    spans: Mapping[str, Span]
    hops: Fraction = Fraction()
    asked: list[str] = field(default_factory=list)

    def __getitem__(self, recipe: str) -> Span:
        self.asked.append(recipe)
        return self.spans[recipe]

    def bound(self, recipe: str) -> Fraction:
        return self.spans[recipe].upper + self.hops


def span(lower: object, upper: object = None) -> Span:
    return Span(Fraction(str(lower)), Fraction(str(lower if upper is None else upper)))


def names(rows: list[CandidateRow]) -> list[str]:
    return [found.recipe for found in rows]


ROWS = [row("few", 3, Fraction(2)), row("even", 5, Fraction(1)), row("wide", 9, Fraction(3))]

small = st.integers(0, 3)

EXCHANGES = Workload(
    alpha=Fraction(1),
    bandwidth=Fraction(2),
    sizes=((Fraction(8), 1),),
    exchanges=((Fraction(16), 3), (Fraction(8), 1)),
)
