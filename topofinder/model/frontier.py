"""Pareto frontiers: which candidates of one size are kept, and which of them form the frontier.

Axes are latency, bandwidth, all-to-all throughput and resilience: what an allreduce takes after any
one failure, at worst and in the mean. A throughput is known as an interval: a row
is dropped only when another is certainly as good on every axis: no more steps, no more bandwidth
time, and a throughput whose lower bound is no less than this one's upper bound.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Protocol, TypeVar

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.model.candidate import Candidate

AXES = ("latency", "bandwidth", "alltoall", "resilience")
HOST_AXES = ("latency", "bandwidth", "alltoall", "cost", "power")
"""Axes of fabrics of hosts."""


class CostedRecipe(Protocol):
    """A recipe with the steps and the bandwidth time of its allgather."""

    @property
    def recipe(self) -> str:
        """Its text."""

    @property
    def steps(self) -> int:
        """T_L in hops."""

    @property
    def bandwidth(self) -> Fraction:
        """T_B in M/B."""


class RateSource(Protocol):
    """Throughputs by recipe, and a bound on them that costs less."""

    def __getitem__(self, recipe: str) -> "Interval":
        """The interval of a recipe."""

    def bound(self, recipe: str) -> Fraction:
        """What the throughput of a recipe cannot exceed."""


class FailureCosts(Protocol):
    """What is known of failures."""

    @property
    def rank(self) -> tuple[int, Fraction, Fraction]:
        """How many part hosts, and the worst and the mean T_B after the others."""


class FailureSource(Protocol):
    """Costs after failures by recipe."""

    def __getitem__(self, recipe: str) -> FailureCosts:
        """Those of a recipe."""


class Interval(Protocol):
    """What is certain of a throughput."""

    @property
    def lower(self) -> Fraction:
        """A rate that is reached."""

    @property
    def upper(self) -> Fraction:
        """A rate that cannot be exceeded."""


Row = TypeVar("Row", bound=CostedRecipe)


def useful_candidates(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Those that no other makes useless, in order of preference (Candidate.beats)."""
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=_pruning_order):
        if not any(other.beats(candidate) for other in kept):
            kept.append(candidate)
    return sorted(kept, key=Candidate.preference)


def frontier(pool: Iterable[Candidate]) -> list[Candidate]:
    """Those of which none is beaten in both T_L and T_B of the allgather, fewest steps first."""
    chosen: list[Candidate] = []
    for candidate in sorted(pool, key=Candidate.preference):
        if not chosen or candidate.allgather.bandwidth < chosen[-1].allgather.bandwidth:
            chosen.append(candidate)
    return chosen


def _pruning_order(candidate: Candidate) -> tuple[object, ...]:
    """Cheapest first and, among equals, the one with more uses: so nothing kept is beaten later."""
    return (
        candidate.allgather.steps,
        candidate.allgather.bandwidth,
        candidate.reduce_scatter.steps,
        candidate.reduce_scatter.bandwidth,
        not candidate.product_ready,
        not candidate.loop_free,
        not candidate.turnable,
        not candidate.line_open,
        *candidate.preference()[4:],
    )


def read_axes(text: str, known: Sequence[str] = AXES) -> tuple[str, ...]:
    """Axes such as `latency,bandwidth,alltoall`, in the order of those known, once each.

    >>> read_axes("alltoall,latency")
    ('latency', 'alltoall')
    """
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in known:
            raise InvalidInput(f"pareto: {excerpt(word)} is none of {', '.join(known)}")
    return tuple(axis for axis in known if axis in words)


def frontier_on(
    axes: Sequence[str],
    rows: Iterable[Row],
    rates: RateSource | None = None,
    failures: FailureSource | None = None,
) -> list[Row]:
    """The rows that no other certainly beats, fewest steps first, the preferred one among equals.

    `rows` come in order of preference. Of what another row beats by a bound already, the
    throughput is never asked for, and failures only of rows that could be beaten otherwise.
    """

    def beats(one: Row, lower: Fraction | None, other: Row, upper: Fraction) -> bool:
        return _beats(axes, one, lower, other, upper) and (
            "resilience" not in axes or failures is None or _withstands(failures, one, other)
        )

    order: list[Row] = sorted(rows, key=_fewest_first)
    if "alltoall" not in axes or rates is None:
        return _unbeaten_rows(beats, order, lambda row: None, lambda row: Fraction(0))
    # The most promising first: their lower bounds then spare many others the search.
    promising = sorted(order, key=lambda row: -rates.bound(row.recipe))
    kept: list[Row] = []
    for row in promising:
        bound = rates.bound(row.recipe)
        others = ((other, rates[other.recipe].lower) for other in kept)
        if not any(beats(other, lower, row, bound) for other, lower in others):
            kept.append(row)
    ends = {row.recipe: rates[row.recipe] for row in kept}
    return _unbeaten_rows(
        beats,
        [row for row in order if row in kept],
        lambda row: ends[row.recipe].lower,
        lambda row: ends[row.recipe].upper,
    )


def _unbeaten_rows(
    beats: Callable[[Row, Fraction | None, Row, Fraction], bool],
    rows: Sequence[Row],
    lower: Callable[[Row], Fraction | None],
    upper: Callable[[Row], Fraction],
) -> list[Row]:
    """All rows but the beaten ones; of rows that beat each other, the first stays."""
    kept: list[Row] = []
    for place, row in enumerate(rows):
        rivals = [*kept, *rows[place + 1 :]]
        if not any(
            beats(rival, lower(rival), row, upper(row))
            and (rival in kept or not beats(row, lower(row), rival, upper(rival)))
            for rival in rivals
        ):
            kept.append(row)
    return kept


def _beats(
    axes: Sequence[str],
    one: CostedRecipe,
    lower: Fraction | None,
    other: CostedRecipe,
    upper: Fraction,
) -> bool:
    """Whether `one` is certainly as good as `other` on every axis."""
    return (
        ("latency" not in axes or one.steps <= other.steps)
        and ("bandwidth" not in axes or one.bandwidth <= other.bandwidth)
        and ("alltoall" not in axes or (lower is not None and lower >= upper))
    )


def _withstands(failures: FailureSource, one: CostedRecipe, other: CostedRecipe) -> bool:
    """Whether failures leave `one` as good as `other`: parted hosts, the worst and the mean."""
    mine, theirs = failures[one.recipe].rank, failures[other.recipe].rank
    return mine[0] <= theirs[0] and mine[1] <= theirs[1] and mine[2] <= theirs[2]


def _fewest_first(row: CostedRecipe) -> tuple[int, Fraction]:
    return row.steps, row.bandwidth
