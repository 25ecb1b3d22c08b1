"""Any step schedule run in parts as a pipeline: part j begins one step after part j - 1.

Of p equal parts of every shard, part j takes step t of the schedule in round j + t - 1, so that an
arc carries in one round what it carries in several steps. Every part obeys the order of the steps,
and what has run is again a schedule of rows, of T_L + p - 1 steps ("Bandwidth Optimal Pipeline
Schedule for Collective Communication", section 1.2).
"""

from dataclasses import replace
from math import lcm

import numpy as np

from expansions.compact_schedule import CompactSchedule
from expansions.schedule import MAX_DENOMINATOR, Schedule
from generators.errors import InvalidInput
from generators.topology import Int64Array

MOST_PARTS = 1 << 12
"""Parts of a pipeline at most."""
MOST_PIPELINED_ROWS = 1 << 24
"""Rows of all parts together at most, unless a file takes fewer."""


def pipeline_schedule(
    schedule: Schedule | CompactSchedule, parts: tuple[int, ...]
) -> Schedule | CompactSchedule:
    """The schedule with every shard in equal parts that follow one another.

    `parts` has one number for each of `step_phases`: the phases of an allreduce run one after the
    other, each as a pipeline of its own. Of a compact schedule the rows of node 0 are cut. Raises
    InvalidInput for less than one part, more than MOST_PARTS, the wrong number of phases, and where
    rows or the denominator would be too many.

    >>> ring = Schedule(source=[0, 0], arc=[0, 1], step=[1, 2], begin=[0, 0], end=[1, 1])
    >>> twice = pipeline_schedule(ring, (2,))
    >>> list(zip(twice.step.tolist(), twice.begin.tolist(), twice.end.tolist()))
    [(1, 0, 1), (2, 0, 1), (2, 1, 2), (3, 1, 2)]
    """
    if isinstance(schedule, CompactSchedule):
        return CompactSchedule(_cut_rows(schedule.origin, parts), schedule.translations)
    return _cut_rows(schedule, parts)


def _cut_rows(schedule: Schedule, parts: tuple[int, ...]) -> Schedule:
    phases = step_phases(schedule)
    _check_parts(schedule, parts, len(phases))
    fineness, ended = lcm(*parts), 0
    columns: list[tuple[Int64Array, ...]] = []
    for (first, last), count in zip(phases, parts, strict=True):
        rows = np.flatnonzero((schedule.step > first) & (schedule.step <= last))
        part = np.repeat(np.arange(count), len(rows))
        rows = np.tile(rows, count)
        place = part * schedule.denominator
        columns.append(
            (
                rows,
                schedule.step[rows] - first + ended + part,
                (schedule.begin[rows] + place) * (fineness // count),
                (schedule.end[rows] + place) * (fineness // count),
            )
        )
        ended += _rounds((first, last), count)
    rows, step, begin, end = (np.concatenate(column) for column in zip(*columns, strict=True))
    turn = None if schedule.turn is None else _rounds(phases[0], parts[0])
    return replace(
        schedule,
        source=schedule.source[rows],
        arc=schedule.arc[rows],
        step=step,
        begin=begin,
        end=end,
        denominator=schedule.denominator * fineness,
        turn=turn,
    )


def step_phases(schedule: Schedule | CompactSchedule) -> tuple[tuple[int, int], ...]:
    """The steps (after, up to) of each phase: an allreduce has two, other collectives one.

    >>> step_phases(Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1]))
    ((0, 1),)
    """
    if schedule.turn is None:
        return ((0, schedule.steps),)
    return (0, schedule.turn), (schedule.turn, schedule.steps)


def most_parts(schedule: Schedule | CompactSchedule, most_rows: int | None = None) -> int:
    """Into how many parts a schedule can be cut, at least 1.

    >>> most_parts(Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1]), most_rows=100)
    100
    """
    rows = schedule.origin.rows if isinstance(schedule, CompactSchedule) else schedule.rows
    room = MOST_PIPELINED_ROWS if most_rows is None else min(most_rows, MOST_PIPELINED_ROWS)
    # Two phases may differ in their parts: the denominator then grows by the product.
    fine = MAX_DENOMINATOR // schedule.denominator
    if schedule.turn is not None:
        fine = int(fine**0.5)
    return max(1, min(MOST_PARTS, room // max(rows, 1), fine))


def _rounds(phase: tuple[int, int], parts: int) -> int:
    """Steps of a phase as a pipeline."""
    first, last = phase
    return last - first + parts - 1 if last > first else 0


def _check_parts(schedule: Schedule, parts: tuple[int, ...], phases: int) -> None:
    if len(parts) != phases:
        raise InvalidInput(f"parts: one number for each of {phases} phases, not {len(parts)}")
    for count in parts:
        if not 1 <= count <= MOST_PARTS:
            raise InvalidInput(f"parts: 1 to {MOST_PARTS}, not {count}")
    if max(parts) * schedule.rows > MOST_PIPELINED_ROWS:
        raise InvalidInput(
            f"parts: {max(parts)} of {schedule.rows} rows are more than {MOST_PIPELINED_ROWS} rows"
        )
    if schedule.denominator * lcm(*parts) > MAX_DENOMINATOR:
        raise InvalidInput(
            f"parts: {max(parts)} of pieces of 1/{schedule.denominator} are too small"
        )
