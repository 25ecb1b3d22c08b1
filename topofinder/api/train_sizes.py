"""Trainings of all stored sizes that a query asks for, by workers side by side.

A size of a model without experts is one task: its frontier and pool go to a worker, the rows of its
rating come back. Experts' all-to-alls need throughputs, which the database keeps: there the sizes
come one after the other, and the throughputs of the members are the tasks.
"""

import logging
import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from time import monotonic

from db.rows import CandidateRow, SizeRow
from db.selection import Selection
from db.store import Store
from generators.errors import InvalidInput, Unsupported
from topofinder.api.query_trainings import is_inside
from topofinder.api.shared.frontiers import all_candidates
from topofinder.api.shared.stored_frontiers import StoredSizes
from topofinder.api.train import GAP, LARGEST_SEARCHED, SECONDS, SHARE, read_model, units_of_host
from topofinder.api.train_answers import TrainingTask, training_answer
from topofinder.api.train_fabrics import RateEnds
from topofinder.api.train_rating import RatedSize
from topofinder.api.train_records import keep_training, prepare_store, training_question
from topofinder.finder.side_by_side import Results
from topofinder.interrupts import is_ending
from topofinder.model.candidate import LinkMode
from topofinder.model.training_model import TrainingModel
from topofinder.progress import work_progress
from topofinder.simulation.training.accelerators import (
    DEFAULT_ACCELERATOR,
    DEFAULT_EFFICIENCY,
    accelerator_named,
)
from topofinder.simulation.training.job import BUCKETS, TrainingJob
from topofinder.simulation.training.roofline import ComputeRates

LOGGER = logging.getLogger("topofinder.api")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingLinks:
    """A model on fabrics whose hops take `alpha` seconds and hosts send `bandwidth` a second."""

    model: TrainingModel
    alpha: Fraction
    bandwidth: Fraction

    @classmethod
    def of_model(
        cls, model: str | os.PathLike[str], alpha: Fraction, bandwidth: Fraction
    ) -> "TrainingLinks":
        """By a model's name or table. Raises InvalidInput where it cannot be read."""
        return cls(model=read_model(model, None, None), alpha=alpha, bandwidth=bandwidth)

    def task(self, found: SizeRow) -> TrainingTask:
        """What `train` asks at a size without further options."""
        size = found.frontier
        job = TrainingJob(
            model=self.model,
            n=size.n,
            units=units_of_host(self.model, None, size.n),
            rates=ComputeRates(
                accelerator=accelerator_named(DEFAULT_ACCELERATOR),
                efficiency=Fraction(str(DEFAULT_EFFICIENCY)),
            ),
            buckets=BUCKETS,
        )
        question = training_question(
            job, size.d, LinkMode(size.links), self.alpha, self.bandwidth,
            everything=_takes_all(job),
        )  # fmt: skip
        return TrainingTask(job=job, question=question, found=found)


def rate_stored_sizes(
    store: Store, wanted: Selection, links: TrainingLinks, results: Results, end: float = inf
) -> int:
    """Rate the wanted sizes whose frontiers are stored and lack that training.

    One process stores what is rated, size by size; sizes that cannot run the model are named.
    Returns how many are left, and tells it, after the `end` by the monotonic clock, or Ctrl-C.
    """
    missing = [task for task in _tasks(store, wanted, links) if task.look_up(store)[0] is None]
    if not missing:
        return 0
    prepare_store(store)
    left = len(missing)
    work_progress.count("trainings", 0, len(missing))
    with closing(_rate_each(missing, store, results)) as rated:
        for is_rated in rated:
            left -= is_rated
            work_progress.count("trainings", len(missing) - left, len(missing))
            if left and (monotonic() >= end or is_ending()):
                LOGGER.warning(
                    "trainings: %d of %d sizes are left, as the time was over", left, len(missing)
                )
                break
    return left


def _rate_each(
    missing: Sequence[TrainingTask], store: Store, results: Results
) -> Generator[bool, None, None]:
    """Rate and store one size after the other, those without all-to-alls first; whether it is."""
    plain = [task for task in missing if not task.job.demands]
    found = results(rate_task, ((task,) for task in plain))
    for task, rated in zip(plain, found, strict=True):
        if task.look_up(store)[1]:
            keep_training(store, task.answer(rated, store)[0])
        yield True
    for task in missing:
        if task.job.demands:
            yield not _rate_with_exchanges(task, store)


def rate_task(task: TrainingTask) -> RatedSize:
    """The rating of a size by its frontier and pool alone."""
    return task.rate(task.found.pool or ())


def _rate_with_exchanges(task: TrainingTask, store: Store) -> bool:
    """Rate a size whose members' throughputs workers work out; whether Ctrl-C ended it."""
    ends = RateEnds(store, GAP, SECONDS / SHARE, SECONDS, task.job.demands)
    _, _, interrupted = training_answer(
        task, lambda: _other_candidates(task, store), store, ends, by_workers=True
    )
    return interrupted


def _other_candidates(task: TrainingTask, store: Store) -> list[CandidateRow]:
    size, kept = task.found.frontier, task.found.pool or ()
    if not _takes_all(task.job):
        return list(kept)
    every = all_candidates(size.n, size.d, size.links, store.path)
    return list(dict.fromkeys((*kept, *every)))


def _takes_all(job: TrainingJob) -> bool:
    return bool(job.demands) and job.n <= LARGEST_SEARCHED


def _tasks(store: Store, wanted: Selection, links: TrainingLinks) -> Iterator[TrainingTask]:
    modes = [mode for mode in LinkMode if wanted.links in (None, mode.value)]
    sizes = [(n, d, mode) for mode in modes for n, d in store.finished_sizes(mode.value)]
    with StoredSizes(store) as stored:
        for n, d, mode in sorted(sizes):
            if not (is_inside(n, wanted.n) and is_inside(d, wanted.d)):
                continue
            found = stored.answer(n, d, mode)
            try:
                if found is not None:
                    yield links.task(found)
            except (InvalidInput, Unsupported) as error:
                LOGGER.warning("n %d, d %d, %s: %s", n, d, mode.value, error)
