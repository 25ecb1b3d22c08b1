"""One training on one size of fabric: looked up where it is stored, else worked out and stored."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from db.rows import CandidateRow, SizeRow
from db.store import Store
from db.training_rows import StoredTraining, TrainingQuestion
from reports.trace import MOST_SPANS, TraceSpan, read_timeline, timeline_text
from topofinder.api.train_fabrics import RateEnds
from topofinder.api.train_rating import RatedSize, best_spans, rate_size
from topofinder.api.train_records import (
    TRAINING_ENGINE,
    keep_training,
    prepare_store,
    read_training,
    training_inputs,
)
from topofinder.simulation.training.job import TrainingJob

LOGGER = logging.getLogger("topofinder.api")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingTask:
    """A job on a size whose frontier and pool are `found`, and the question that it is."""

    job: TrainingJob
    question: TrainingQuestion
    found: SizeRow

    def rate(self, others: Iterable[CandidateRow], ends: RateEnds | None = None) -> RatedSize:
        """Rate the frontier, baselines and `others`; all-to-alls take throughputs' `ends`."""
        asked = self.question
        return rate_size(self.job, self.found, others, asked.alpha, asked.bandwidth, ends)

    def look_up(self, store: Store) -> tuple[StoredTraining | None, bool]:
        """The stored answer where it counts, and whether another one may be stored."""
        return read_training(store, self.question, training_inputs(store, self.found, self.job))

    def answer(
        self, rated: RatedSize, store: Store | None, has_timeline: bool = False
    ) -> tuple[StoredTraining, list[TraceSpan]]:
        """What is stored of a rating, with the timeline of the best where it is short or asked."""
        job = self.job
        spans = best_spans(job, rated) if has_timeline or _has_short_timeline(job) else []
        stored = StoredTraining(
            question=self.question,
            engine=TRAINING_ENGINE,
            inputs="" if store is None else training_inputs(store, self.found, job),
            unit=job.model.unit.value,
            units=job.units * job.microbatches,
            parameters=job.model.parameters,
            estimate=_estimate(job),
            considered=rated.considered,
            excluded=rated.excluded,
            rows=rated.rows,
            left_out=rated.left_out,
            timeline=timeline_text(spans) if spans else None,
        )
        return stored, spans


def training_answer(
    task: TrainingTask,
    others: Callable[[], Iterable[CandidateRow]],
    store: Store | None,
    ends: RateEnds | None,
    *,
    has_timeline: bool = False,
    by_workers: bool = False,
) -> tuple[StoredTraining, list[TraceSpan], bool]:
    """The stored answer where there is one that counts, else one that is worked out and stored.

    With the timeline of the best where it is asked for. Throughputs, which have these `ends`, are
    worked out side by side `by_workers`. Also whether Ctrl-C ended it.
    """
    may_store = store is not None
    if store is not None:
        known, may_store = task.look_up(store)
        if known is not None and not (has_timeline and known.timeline is None):
            return known, read_timeline(known.timeline or "[]") if has_timeline else [], False
        prepare_store(store)
    if ends is not None and by_workers:
        ends.work_out(row.recipe for row in task.found.frontier.members)
    rated = task.rate(others(), ends)
    answer, spans = task.answer(rated, store, has_timeline)
    if rated.interrupted:
        LOGGER.warning("interrupted; the answer is of what was rated until then, and is not stored")
    elif store is not None and may_store:
        keep_training(store, answer)
    return answer, spans, rated.interrupted


def _has_short_timeline(job: TrainingJob) -> bool:
    return 2 * len(job.model.layers) * job.microbatches <= MOST_SPANS


def _estimate(job: TrainingJob) -> str | None:
    """What compute times are estimates by; None where all are measured."""
    layers = job.model.layers
    if all(layer.measured_ticks is not None for layer in layers):
        return None
    return job.rates.words
