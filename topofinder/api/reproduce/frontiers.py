"""Tables 4 and 7: Pareto-efficient topologies of degree 4, their costs and all-to-all rates."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain

from expansions.lower_bounds import least_bandwidth, moore_steps
from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from topofinder.alltoall.solver.bounds import moore_rate
from topofinder.api.reproduce.sources import (
    ALPHA,
    BANDWIDTH,
    MEGABYTE,
    Sources,
    exchange_time,
    read_published,
)
from topofinder.schedules.baselines.register import baseline_named

D = 4
N = 1024
BASELINES = {"ShiftedRing": "shifted-ring", "DoubleBinaryTree": "double-binary-tree"}
COSTS = (("T_L", "alpha"), ("T_B", "M/B"), ("diameter", "hops"))
NOTES = {
    ("ShiftedRing", "allreduce"): "printed is 2 (N alpha + M/B) with MB = 10^6 bytes",
    ("L^3(C(16,{3,4}))", "all-to-all"): "printed value is below what this graph can reach",
    ("L^3(C(16,{3,4}))", "f"): "printed value is above what this graph can reach",
}


def table4(sources: Sources) -> ReproductionRecord:
    """Table 4: times at N = 1024, d = 4, alpha = 10 us, M/B = 1 MB / 100 Gbps."""
    printed = list(read_published()["table4"].items())
    rows = [
        row
        for subject, times in sources.each(printed)
        for row in (*_table4_costs(sources, subject), *_times(sources, subject, times))
    ]
    title = "Table 4: N = 1024, d = 4, alpha = 10 us, M/B = 1 MiB / 100 Gbps"
    return ReproductionRecord(name="table4", title=title, rows=tuple(rows))


def _table4_costs(sources: Sources, subject: str) -> Iterator[ComparisonRow]:
    """T_L, T_B and the diameter, which are not printed of the baselines."""
    printed = read_published()["table4_costs"].get(subject)
    if printed is None:
        return
    key = ""
    if subject == "bound":
        ours: tuple[Fraction | int, ...] = (*_least_costs(N), moore_steps(N, D))
    else:
        row = sources.candidate(subject)
        key, ours = sources.key(row), (row.steps, row.bandwidth, row.diameter or 0)
    for (name, unit), value, figure in zip(COSTS, ours, printed, strict=True):
        yield ComparisonRow(
            subject=subject,
            quantity=name,
            unit=unit,
            ours=exactly(value),
            published=figure,
            key=key,
        )


def _least_costs(n: int) -> tuple[int, Fraction]:
    return moore_steps(n, D), least_bandwidth(n)


def _times(sources: Sources, subject: str, printed: list[float]) -> Iterator[ComparisonRow]:
    key = ""
    if subject == "bound":
        steps, bandwidth = moore_steps(N, D), least_bandwidth(N)
        spent = 2 * (steps * ALPHA + bandwidth * MEGABYTE / BANDWIDTH)
        exchange = exactly(exchange_time(N, D, moore_rate(N, D)))
    elif subject in BASELINES:
        [base] = baseline_named(BASELINES[subject]).wirings(N, D)
        spent = baseline_named(BASELINES[subject]).seconds(base, ALPHA, MEGABYTE, BANDWIDTH)
        exchange = sources.exchange(str(base), N, D)
    else:
        row = sources.candidate(subject)
        key, spent = sources.key(row), 2 * row.allgather.runtime(ALPHA, MEGABYTE, BANDWIDTH)
        exchange = sources.exchange(subject, N, D)
    for name, ours, value in (
        ("allreduce", exactly(10**6 * spent), printed[0]),
        ("all-to-all", exchange, printed[1]),
    ):
        yield ComparisonRow(
            subject=subject,
            quantity=name,
            unit="us",
            ours=ours,
            published=value,
            note=NOTES.get((subject, name), ""),
            key=key,
        )


def table7(sources: Sources) -> ReproductionRecord:
    """Table 7: T_L, T_B, diameter and f at N = 32, 64, 256 and 1024, d = 4."""
    printed = [(int(n), line) for n, lines in read_published()["table7"].items() for line in lines]
    found: dict[int, list[ComparisonRow]] = {}
    for n, (recipe, *figures) in sources.each(printed):
        found.setdefault(n, []).extend(_costs(sources, n, recipe, figures))
    for n, rows in found.items():
        hops = moore_steps(n, D)  # which is also the least diameter
        bound = *_least_costs(n), hops, moore_rate(n, D)
        steps, bandwidth, rate = read_published()["table7_bounds"][str(n)]
        printed_bound = steps, bandwidth, read_published()["table7_bound_hops"][str(n)], rate
        rows += _figures(f"N={n} bound", bound, printed_bound)
    title = "Table 7: Pareto-efficient topologies, d = 4"
    return ReproductionRecord(name="table7", title=title, rows=tuple(chain(*found.values())))


def _costs(sources: Sources, n: int, recipe: str, printed: list[float]) -> Iterator[ComparisonRow]:
    row, subject = sources.candidate(recipe), f"N={n} {recipe}"
    named = (
        exactly(row.steps),
        exactly(row.bandwidth),
        exactly(row.diameter or 0),
        sources.rate(recipe),
    )
    heads = *COSTS, ("f", "links")
    for (name, unit), ours, value in zip(heads, named, printed, strict=True):
        yield ComparisonRow(
            subject=subject,
            quantity=name,
            unit=unit,
            ours=ours,
            published=value,
            note=NOTES.get((recipe, name), ""),
            key=sources.key(row),
        )


def _figures(
    subject: str, bound: Sequence[Fraction | int], printed: Sequence[float]
) -> Iterator[ComparisonRow]:
    named = *COSTS, ("f", "links")
    for (name, unit), ours, value in zip(named, map(Fraction, bound), printed, strict=True):
        yield ComparisonRow(
            subject=subject, quantity=name, unit=unit, ours=exactly(ours), published=value
        )
