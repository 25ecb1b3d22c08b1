"""`topofinder schedule --method timed --large`: more sends than are kept, made in blocks."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from time import process_time
from typing import Any

from reports.timetable import TimetableRecord, timetable_fields, timetable_text
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.places import store_after_all
from topofinder.api.timetable_records import describe_timetable, timetable_row
from topofinder.interrupts import end_early
from topofinder.model.round_files import write_rounds
from topofinder.model.round_timetable import RoundTally, RoundTimetable
from topofinder.simulation.timetable_use import round_shares
from topofinder.timetables.portfolio import task_bounds
from topofinder.timetables.rounds import (
    SENDS_AT_ONCE,
    ChunkOrder,
    ordered_blocks,
    require_rounds,
)
from topofinder.timetables.task import LabelledTask

LOGGER = logging.getLogger("topofinder.api")
ORDER = ChunkOrder.LEVELS
"""The order of chunks: the quickest, which suffices where nodes are many."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RoundAnswer(Answer):
    """A timetable in rounds of more sends than are kept, and what there is to say of it."""

    timetable: RoundTimetable
    record: TimetableRecord

    @property
    def time(self) -> Fraction:
        """Of the collective, in seconds."""
        return self.record.time

    @property
    def bound(self) -> Fraction | None:
        """Seconds that nothing beats; a claim until it is verified."""
        return self.record.bound

    @property
    def rounds(self) -> int:
        """The rounds that it takes."""
        return self.timetable.rounds

    def summary(self) -> dict[str, Any]:
        """What runs on what, in how many rounds, the time and its bound."""
        return {
            "subject": self.record.subject,
            "rounds": self.rounds,
            "seconds": float(self.time),
            "bound": None if self.bound is None else float(self.bound),
        }

    def to_dict(self) -> dict[str, Any]:
        """The fields that `--json` prints."""
        return {**timetable_fields(self.record), "rounds": self.rounds}

    def __str__(self) -> str:
        text = timetable_text(self.record)
        return f"{text}\n  {self.rounds} rounds, digest {self.record.digest}"


def answer_rounds(
    labelled: LabelledTask,
    subject: str,
    file: Path | None,
    db: str | PathLike[str] | None,
    *,
    at_once: int = SENDS_AT_ONCE,
) -> RoundAnswer:
    """Make an allgather in blocks of about `at_once` sends; write them, or what makes them anew.

    One seed and one order of chunks are tried. `subject` is what the user calls the topology.
    """
    task, count = labelled.task, labelled.task.chunks or 1
    problem = task.problem(count)
    begun = process_time()
    bounds = task_bounds(task)
    asked = replace(
        problem.empty,
        recipe=labelled.recipe,
        damage=labelled.damage,
        method=f"rounds, {count} chunk{'s' if count > 1 else ''}",
        seed=task.seed,
        bound=bounds.any_chunks,
    )
    tally = RoundTally(require_rounds(problem))
    blocks = ordered_blocks(problem, seed=task.seed, order=ORDER, clock=task.clock, at_once=at_once)
    with _told_how_far():
        made = write_rounds(file, blocks, tally, asked, ORDER)
    record = replace(
        _describe(made, tally, subject),
        making=process_time() - begun,
        file=None if file is None else str(file),
        bounds=bounds.known,
    )
    if file is not None:
        row = replace(
            timetable_row(asked, file),
            content=made.content, sends=made.sends, seconds=made.seconds,
        )  # fmt: skip
        store_after_all(db, lambda store: store.save_timetable(row))
    return RoundAnswer(timetable=made, record=record)


@contextmanager
def _told_how_far() -> Iterator[None]:
    """Where Ctrl-C ends the rounds, say how many sends were done; half of them are of no use."""
    try:
        with end_early(words=False):
            yield
    except KeyboardInterrupt as stopped:
        for line in stopped.args:
            LOGGER.warning("%s; nothing is written", line)
        raise


def _describe(made: RoundTimetable, tally: RoundTally, subject: str) -> TimetableRecord:
    """What is said of any timetable."""
    begin, count = tally.counts()
    return replace(
        describe_timetable(made.asked, subject),
        sends=made.sends,
        stored_sends=made.sends,
        makespan=made.makespan,
        use=round_shares(
            begin * tally.span.length,
            count,
            tally.span.length,
            made.makespan,
            made.asked.topology.arcs,
        ),
        digest=made.content,
    )
