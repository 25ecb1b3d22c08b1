"""Candidates that may train faster than what is known, rated only as far as exact bounds allow.

No time of a collective can grow and the iteration shrink. So an iteration with a throughput that
nothing on a fabric exceeds is a lower bound of the iteration there, and a candidate whose bound is
no less than a time that is certain need not be looked at any closer.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from generators.errors import Unsupported
from topofinder.interrupts import is_ending, require_interrupt
from topofinder.progress import work_progress
from topofinder.simulation.training.job import FabricCosts, TrainingJob, TrainingTimes, rate_job

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect(Generic[T]):
    """A candidate `of` some kind whose throughput takes work to find.

    `limits` give costs with throughputs that it cannot exceed, the quickest to find first; `costs`
    gives those with its own.
    """

    of: T
    limits: Sequence[Callable[[], FabricCosts]]
    costs: Callable[[], FabricCosts]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedProspects(Generic[T]):
    """The candidates that were rated, by their bounds, and how many bounds excluded.

    `unknown` are those of which a throughput is needed and not known, each with the reason. After
    Ctrl-C, `interrupted`, the others were not looked at.
    """

    rated: tuple[tuple[T, FabricCosts, TrainingTimes], ...]
    excluded: int
    unknown: tuple[tuple[T, str], ...] = ()
    interrupted: bool = False


def rate_prospects(
    job: TrainingJob, prospects: Iterable[Prospect[T]], beat: Fraction | None
) -> RatedProspects[T]:
    """The times of all candidates that may take less than `beat` seconds, and than one another.

    The order is that of the first bounds, so that what is rated does not depend on the order of the
    candidates, but among equal bounds.
    """
    rated, unknown = list[tuple[T, FabricCosts, TrainingTimes]](), list[tuple[T, str]]()
    excluded, interrupted = 0, False
    try:
        bounded = [(_least(job, one.limits[0]()), one) for one in prospects]
        bounded.sort(key=lambda pair: pair[0])
        for done, (least, one) in enumerate(bounded):
            work_progress.count("candidates", done, len(bounded))
            if is_ending():
                raise KeyboardInterrupt
            if beat is not None and (least >= beat or _is_excluded(job, one.limits[1:], beat)):
                excluded += 1
                continue
            costs = one.costs()
            try:
                times = rate_job(job, costs)
            except Unsupported as error:
                unknown.append((one.of, str(error)))
                continue
            rated.append((one.of, costs, times))
            beat = times.seconds[1] if beat is None else min(beat, times.seconds[1])
    except (KeyboardInterrupt, SystemError) as error:
        require_interrupt(error)
        interrupted = True
    return RatedProspects(
        rated=tuple(rated), excluded=excluded, unknown=tuple(unknown), interrupted=interrupted
    )


def _is_excluded(
    job: TrainingJob, limits: Iterable[Callable[[], FabricCosts]], beat: Fraction
) -> bool:
    return any(_least(job, limit()) >= beat for limit in limits)


def _least(job: TrainingJob, limit: FabricCosts) -> Fraction:
    return rate_job(job, limit).seconds[0]
