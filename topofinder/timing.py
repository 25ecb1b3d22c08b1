"""Times of a frontier under a workload, and the best candidate for it."""

from collections.abc import Iterable

from db.rows import CandidateRow, SizeRow
from reports.frontier import Times
from topofinder.workload import COSTED, Workload


def timed(found: SizeRow, workload: Workload) -> Times:
    """Seconds of every frontier member, and the best of all candidates kept at the size.

    The best for allreduce need not be on the allgather frontier, so the whole pool is asked.
    """
    pool: Iterable[CandidateRow] = found.pool or found.frontier.members
    members = found.frontier.members
    best = workload.best([*members, *pool])
    return Times(
        collective=workload.collective.value,
        alpha=workload.alpha,
        bandwidth=workload.bandwidth,
        sizes=workload.sizes,
        members=tuple(
            {collective.value: workload.seconds(row, collective) for collective in COSTED}
            for row in members
        ),
        best=best,
        best_seconds=None if best is None else workload.seconds(best),
    )
