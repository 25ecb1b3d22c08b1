"""The baselines of one size and degree as rows of a report."""

from fractions import Fraction

from expansions.collective import Collective
from expansions.cost import Cost
from expansions.recipe import Base
from generators.errors import Unsupported
from reports.baselines import BaselineRow
from topofinder.model.workload import Workload
from topofinder.schedules.baselines.register import Baseline, baselines_at


def baseline_rows(n: int, d: int, workload: Workload | None = None) -> tuple[BaselineRow, ...]:
    """Every baseline on its wirings of n hosts with d ports.

    With a workload the fastest comes first, else they are in the order of their names. Each is
    priced for the workload's collective, an allreduce without one, and left out where it has no
    schedule for it; the number of chunks is chosen for each size.

    >>> [row.recipe for row in baseline_rows(8, 3)]
    ['Q(3)', 'Torus(2,4)', 'Torus(2,2,2)']
    """
    rows = [_row(baseline, base, workload) for baseline, base in baselines_at(n, d)]
    known = [row for row in rows if row is not None]
    if workload is not None:
        known.sort(key=lambda row: (row.seconds or 0, row.name, row.recipe))
    return tuple(known)


def _row(baseline: Baseline, base: Base, workload: Workload | None) -> BaselineRow | None:
    collective = workload.collective if workload else Collective.ALLREDUCE
    try:
        costs = baseline.costs(base, collective)
    except Unsupported:
        return None
    seconds, used = (None, set(costs)) if workload is None else _workload_time(costs, workload)
    return BaselineRow(
        name=baseline.name,
        recipe=str(base),
        collective=collective.value,
        cost=used.pop() if len(used) == 1 else None,
        seconds=seconds,
    )


def _workload_time(costs: tuple[Cost, ...], workload: Workload) -> tuple[Fraction, set[Cost]]:
    """The time of the whole workload, and the costs that are the best for some size of it."""
    total, used = Fraction(), set()
    for size, count in workload.sizes:
        time, cost = min(
            (cost.runtime(workload.alpha, size, workload.bandwidth), cost) for cost in costs
        )
        total += count * time
        used.add(cost)
    return total, used
