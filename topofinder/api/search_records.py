"""Times of a frontier under a workload, the best candidate for it, and its columns as a table."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from db.rows import CandidateRow, SizeRow
from reports.frontier import Times
from topofinder.model.frontier import RateSource
from topofinder.model.host_costs import HostCosts
from topofinder.model.workload import COSTED, Workload

Span = tuple[Fraction, Fraction]


def frontier_times(
    found: SizeRow,
    workload: Workload,
    rates: RateSource | None = None,
    extra_candidates: Sequence[CandidateRow] = (),
) -> Times:
    """Seconds of every frontier member, and the best of all candidates kept at the size.

    The best for allreduce need not be on the allgather frontier, so the whole pool is asked. For
    a workload with all-to-alls `rates` are needed, and `extra_candidates` may add some that
    cost more than others but for their throughput.
    """
    pool: Iterable[CandidateRow] = found.pool or found.frontier.members
    members = found.frontier.members
    spans: tuple[Span, ...] = ()
    best_span = None
    if rates is None or not workload.exchanges:
        best = workload.best([*members, *pool])
    else:
        spans = tuple(exchange_span(workload, row, rates) for row in members)
        best = best_with_exchanges(workload, [*members, *pool, *extra_candidates], rates)
        best_span = None if best is None else exchange_span(workload, best, rates)
    return Times(
        collective=workload.collective.value,
        alpha=workload.alpha,
        bandwidth=workload.bandwidth,
        hosts=host_terms(workload.hosts.beside(workload.bandwidth)),
        sizes=workload.sizes,
        members=tuple(
            {collective.value: workload.seconds(row, collective) for collective in COSTED}
            for row in members
        ),
        best=best,
        best_seconds=None if best is None else workload.seconds(best),
        exchanges=workload.exchanges,
        member_exchanges=spans,
        best_exchange=best_span,
    )


def exchange_span(workload: Workload, row: CandidateRow, rates: RateSource) -> Span:
    """The least and the most that the all-to-alls of a workload take on a candidate."""
    rate = rates[row.recipe]
    least, most = (workload.exchange_seconds(row.n, row.d, f) for f in (rate.upper, rate.lower))
    return least, most


def best_with_exchanges(
    workload: Workload, rows: Iterable[CandidateRow], rates: RateSource
) -> CandidateRow | None:
    """The candidate with the least sum of the times of collectives and all-to-alls.

    Intervals count with their worse end. Candidates that could not win at the most they may
    reach are never searched for a throughput.
    """

    def least_exchange_time(row: CandidateRow) -> Fraction:
        at_best = workload.exchange_seconds(row.n, row.d, rates.bound(row.recipe))
        return workload.seconds(row) + at_best

    best, least = None, None
    for row in sorted(rows, key=least_exchange_time):
        if least is not None and least_exchange_time(row) >= least:
            break
        certain = workload.seconds(row) + exchange_span(workload, row, rates)[1]
        if least is None or certain < least:
            best, least = row, certain
    return best


def frontier_columns(members: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Columns of the fields that `search --json` has of each member.

    Fractions become floats, beside columns `_exact` that hold their text; intervals have a column
    for each end.
    """
    lines = [dict(_flat_fields(member)) for member in members]
    names = dict.fromkeys(name for line in lines for name in line)
    return {name: [line.get(name) for line in lines] for name in names}


def _flat_fields(fields: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from _flat_fields(value, {"reduce_scatter": "rs_"}.get(name, f"{name}_"))
        elif isinstance(value, list):
            yield f"{prefix}{name}_least", value[0]
            yield f"{prefix}{name}_most", value[1]
        elif name in ("bandwidth", "lower", "upper"):
            yield prefix + name, float(Fraction(value))
            yield f"{prefix}{name}_exact", value
        elif name != "exact" or not prefix:
            yield prefix + name, value


def host_terms(hosts: HostCosts) -> dict[str, Fraction]:
    """What hosts add, by the names of the options; nothing where they add nothing."""
    found = {}
    if hosts.overhead:
        found["epsilon"] = hosts.overhead
    if hosts.reduction:
        found["reduce_rate"] = 1 / hosts.reduction
    if hosts.injection is not None:
        found["injection"] = hosts.injection
    return found
