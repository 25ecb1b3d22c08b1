"""A frontier with all-to-all throughputs: filled in, as a third axis, or in a workload."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike

from db.rows import CandidateRow, SizeRow
from db.store import Store
from db.throughput_rows import ThroughputRow
from reports.frontier import Times
from topofinder.api.search import everyone, search
from topofinder.api.stored_throughputs import Rates
from topofinder.api.workload_times import timed
from topofinder.model.axes import frontier_on
from topofinder.model.candidate import LinkMode
from topofinder.model.workload import Workload

PLAIN = ("latency", "bandwidth")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A frontier on some axes, its throughputs by recipe and its times, where they were asked."""

    found: SizeRow
    rates: Mapping[str, ThroughputRow] | None
    times: Times | None


def chosen(
    n: int,
    d: int,
    links: LinkMode | str = LinkMode.SIMPLEX,
    db: str | PathLike[str] | None = None,
    *,
    axes: Sequence[str] = PLAIN,
    with_rates: bool = False,
    workload: Workload | None = None,
    gap: Fraction = Fraction(1, 1000),
    time: float = 60.0,
) -> Chosen:
    """The frontier of a size on some of AXES, to be printed.

    With the axis "alltoall", and for workloads with all-to-alls, candidates take part that cost
    more than others and would be dropped for it, and throughputs are worked out to a relative
    `gap`, or for `time` seconds each. With `rates` the frontier shows them in any case.

    >>> [row.recipe for row in chosen(8, 2, axes=("latency",)).found.frontier.members]
    ['Diamond']
    """
    found = search(n, d, links, db)
    asked = "alltoall" in axes or bool(workload and workload.exchanges)
    with ExitStack() as stack:
        store = stack.enter_context(Store(db)) if db is not None else None
        rates = Rates(store, gap, time)
        rows = everyone(n, d, links, db) if asked else [*found.frontier.members, *_pool(found)]
        if tuple(axes) != PLAIN:
            members = frontier_on(axes, dict.fromkeys(rows), rates)
            found = replace(found, frontier=replace(found.frontier, members=tuple(members)))
        times = timed(found, workload, rates, rows if asked else ()) if workload else None
        shown = None
        if asked or with_rates:
            shown = {row.recipe: rates[row.recipe] for row in found.frontier.members}
    return Chosen(found=found, rates=shown, times=times)


def _pool(found: SizeRow) -> Sequence[CandidateRow]:
    return found.pool or ()
