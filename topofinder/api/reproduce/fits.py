"""Figure 14: the cost model fitted to allreduces of 1 KB and 1 GB on 5 to 12 nodes.

The measured points are not printed, their fit is: alpha, epsilon, 1/B, and how many steps and
which bandwidth factor the topologies are expected to have. Ours are those of schedules that are
replayed row by row; the fit is that of times which these and the printed constants give.
"""

from collections.abc import Callable
from fractions import Fraction

from expansions.build import build
from expansions.cost import Cost
from expansions.recipe import Base
from expansions.schedule import Schedule
from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from topofinder.api.reproduce.drawn import Groups, Part, plot_over_n
from topofinder.api.reproduce.sources import Sources
from topofinder.schedules.baselines.rings import (
    shifted_ring_allgather,
    shifted_ring_bfb_allgather,
)
from topofinder.simulation.fit_costs import MeasuredTime, fit_costs
from topofinder.verification.schedules import verify_schedule

ALPHA, EPSILON = Fraction(1333, 10**8), Fraction(216, 10**7)
INVERSE_BANDWIDTH = Fraction(1018, 10**13)
KILOBYTE, GIGABYTE = 10**3, 10**9
NODES = range(5, 13)
SHOWN: dict[str, tuple[Callable[[Base], Schedule], Callable[[int], int]]] = {
    "ShiftedRing": (shifted_ring_allgather, lambda n: 2 * (n - 1)),
    "ShiftedBFBRing": (shifted_ring_bfb_allgather, lambda n: 2 * (n // 2)),
}
"""Schedules on shifted rings, and the steps that the paper expects of their allreduce."""

ERRORS = (
    ("mean error of the times of 1 KB", 1.71),
    ("greatest error of the times of 1 KB", 6.21),
    ("mean error of the times of 1 GB", 0.47),
    ("greatest error of the times of 1 GB", 1.32),
)
"""Percent by which measured times are off the fit."""


def figure14(sources: Sources) -> ReproductionRecord:
    """Figure 14: steps and bandwidth factors of shifted rings, and the constants fitted again."""
    rows: list[ComparisonRow] = []
    points: list[MeasuredTime] = []
    short: Groups = {}
    long: Groups = {}
    for n in sources.each(NODES):
        for name, (schedule, steps) in SHOWN.items():
            cost = _allreduce_cost(n, schedule)
            rows += _compare_cost(f"{name} N={n}", cost, steps(n), Fraction(2 * (n - 1), n))
            both = [_model_time(cost, size) for size in (KILOBYTE, GIGABYTE)]
            points += both
            short.setdefault(name, []).append((n, both[0].seconds * 1e6))
            long.setdefault(name, []).append((n, both[1].seconds * 1e3))
    draw = plot_over_n(
        Part(title="Figure 14a: allreduce of 1 KB", groups=short, up="time [us]", joined=True),
        Part(title="Figure 14b: allreduce of 1 GB", groups=long, up="time [ms]", joined=True),
    )
    return ReproductionRecord(
        name="figure14",
        title="Figure 14: linear regression; times are those of the printed constants, for the"
        " measured ones are not printed",
        rows=(*rows, *_fit_again(points)),
        draw=draw,
    )


def _allreduce_cost(n: int, schedule: Callable[[Base], Schedule]) -> Cost:
    """That of the allgather, replayed, and of its reversal, which costs the same (theorem 1)."""
    base = Base("ShiftedRing", (n,))
    found = verify_schedule(build(base), schedule(base)).cost
    return found + found


def _model_time(cost: Cost, size: int) -> MeasuredTime:
    seconds = cost.runtime(ALPHA, Fraction(size), 1 / INVERSE_BANDWIDTH) + EPSILON
    return MeasuredTime(cost.steps, cost.bandwidth, size, float(seconds))


def _compare_cost(
    subject: str, cost: Cost, steps: int, bandwidth: Fraction
) -> tuple[ComparisonRow, ...]:
    return (
        ComparisonRow(subject=subject, quantity="steps x", unit="alpha", ours=exactly(cost.steps),
                      published=steps),
        ComparisonRow(subject=subject, quantity="bandwidth factor y", unit="M/B",
                      ours=exactly(cost.bandwidth), published=round(float(bandwidth), 6)),
    )  # fmt: skip


def _fit_again(points: list[MeasuredTime]) -> list[ComparisonRow]:
    found = fit_costs(points)
    constants = (
        ("alpha", "us", found.alpha * 1e6, 13.33),
        ("epsilon", "us", found.epsilon * 1e6, 21.60),
        ("1/B", "s/TB", found.inverse_bandwidth * 1e12, 101.8),
        ("B", "Gbps", 8 / found.inverse_bandwidth / 1e9, 79),
    )
    errors = [
        ComparisonRow(subject="fit", quantity=name, unit="%", ours="no points", published=printed,
                      note="measured; the points that it is of are not printed", compared=False)
        for name, printed in ERRORS
    ]  # fmt: skip
    fitted = [
        ComparisonRow(subject="fit", quantity=name, unit=unit,
                      ours=exactly(Fraction(round(ours, 4)).limit_denominator(10**4)),
                      published=printed)
        for name, unit, ours, printed in constants
    ]  # fmt: skip
    return [*fitted, *errors]
