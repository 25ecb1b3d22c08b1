"""One iteration on the frontier, on what else may win, on baselines and on the ideal bound."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from db.rows import CandidateRow, SizeRow
from db.training_rows import BASELINE, BOUND, CANDIDATE, TrainingRow
from generators.errors import Unsupported
from reports.trace import TraceSpan
from topofinder.api.shared.timelines import trace_spans
from topofinder.api.train_fabrics import (
    RatedFabric,
    RateEnds,
    baseline_fabrics,
    bound_fabric,
    candidate_prospects,
    member_fabrics,
)
from topofinder.model.candidate import LinkMode
from topofinder.progress import work_progress
from topofinder.simulation.training.job import (
    FabricCosts,
    TrainingJob,
    TrainingTimes,
    rate_job,
)
from topofinder.simulation.training.pruning import rate_prospects


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedSize:
    """The rows of all wirings, the quickest first, and how many candidates were looked at.

    `costs` are those of the best wiring that there is. `left_out` cannot run the job. After Ctrl-C,
    `interrupted`, not all candidates were looked at, or throughputs are bounded roughly.
    """

    rows: tuple[TrainingRow, ...]
    left_out: tuple[tuple[str, str], ...]
    considered: int
    excluded: int
    costs: FabricCosts = field(repr=False)
    interrupted: bool = False


def rate_size(
    job: TrainingJob,
    found: SizeRow,
    others: Iterable[CandidateRow],
    alpha: Fraction,
    bandwidth: Fraction,
    ends: RateEnds | None,
) -> RatedSize:
    """Rate the members of a frontier, baselines, and those `others` that no bound excludes.

    Of the others only those get a row that are quicker than all members.
    """
    n, d, links = found.frontier.n, found.frontier.d, LinkMode(found.frontier.links)
    bound = bound_fabric(n, d, links, alpha, bandwidth, job.demands)
    members = found.frontier.members
    work_progress.tell(f"frontier of {len(members)}, and baselines")
    rated, left_out = _rate_fabrics(
        job,
        [
            *member_fabrics(members, alpha, bandwidth, ends),
            *baseline_fabrics(n, d, alpha, bandwidth, ends),
            bound,
        ],
    )
    beat = min((row.seconds[1] for row, _ in rated if row.kind == CANDIDATE), default=None)
    rest = [row for row in others if row not in members]
    prospects = candidate_prospects(rest, alpha, bandwidth, ends, bound.costs)
    more = rate_prospects(job, prospects, beat)
    rated += [
        (_training_row(RatedFabric(kind=CANDIDATE, costs=costs, candidate=row.id), times), costs)
        for row, costs, times in more.rated
        if beat is None or times.seconds[1] < beat
    ]
    order = (BOUND, CANDIDATE, BASELINE)
    rated.sort(key=lambda pair: (pair[0].seconds[1], order.index(pair[0].kind)))
    return RatedSize(
        rows=tuple(row for row, _ in rated),
        left_out=(*left_out, *((row.recipe, _reason(text)) for row, text in more.unknown)),
        considered=len(members) + len(more.rated) + more.excluded + len(more.unknown),
        excluded=more.excluded,
        costs=next(costs for row, costs in rated if row.kind != BOUND),
        interrupted=more.interrupted or bool(ends and ends.interrupted),
    )


def best_spans(job: TrainingJob, rated: RatedSize) -> list[TraceSpan]:
    """The timeline on the best wiring, with the bucket that is best there."""
    best = next(row for row in rated.rows if row.kind != BOUND)
    return trace_spans(job, rated.costs, best.bucket)


def _rate_fabrics(
    job: TrainingJob, fabrics: Sequence[RatedFabric]
) -> tuple[list[tuple[TrainingRow, FabricCosts]], list[tuple[str, str]]]:
    """The rows, and what cannot run the job."""
    rows, left_out = [], []
    for fabric in fabrics:
        try:
            times = rate_job(job, fabric.costs)
        except Unsupported as error:
            left_out.append((fabric.costs.name, _reason(str(error))))
            continue
        rows.append((_training_row(fabric, times), fabric.costs))
    return rows, left_out


def _reason(text: str) -> str:
    return text.partition(": ")[2]


def _training_row(fabric: RatedFabric, times: TrainingTimes) -> TrainingRow:
    return TrainingRow(
        kind=fabric.kind,
        recipe=fabric.costs.name,
        schedule=fabric.schedule,
        seconds=times.seconds,
        compute=times.compute,
        exchange=times.exchange,
        exposed=times.exposed,
        bucket=times.bucket,
        by_bucket=times.by_bucket,
        candidate=fabric.candidate,
    )
