"""Pieces of shards under the maps of schedules: common denominators, shares, rows side by side."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from expansions.collective import Collective
from expansions.schedule import MAX_DENOMINATOR, Schedule
from generators.errors import InvalidInput
from generators.topology import Int64Array

MAX_ROWS = 1 << 28
"""Rows that a map makes at most: they take 28 bytes each."""


class Rows(NamedTuple):
    """Columns of a schedule, or of a part of one; integers, all of one length."""

    source: NDArray[Any]
    arc: NDArray[Any]
    step: NDArray[Any]
    begin: NDArray[Any]
    end: NDArray[Any]


def join_rows(
    parts: Iterable[Rows],
    denominator: int,
    collective: Collective = Collective.ALLGATHER,
    **known: int | None,
) -> Schedule:
    """One schedule of the rows of all parts; `known` is its root or turn."""
    source, arc, step, begin, end = map(np.concatenate, zip(*parts, strict=True))
    return Schedule(
        source=source,
        arc=arc,
        step=step,
        begin=begin,
        end=end,
        denominator=denominator,
        collective=collective,
        **known,
    )


def rows_in(schedule: Schedule, denominator: int) -> Rows:
    """The rows, with pieces in units of 1/denominator, a multiple of the present one."""
    factor = denominator // schedule.denominator
    begin, end = schedule.begin, schedule.end
    if factor > 1:
        begin, end = begin * factor, end * factor
    return Rows(schedule.source, schedule.arc, schedule.step, begin, end)


def common_denominator(denominators: Iterable[int]) -> int:
    """Their least common multiple. Raises InvalidInput when it is beyond 64-bit integers.

    >>> common_denominator([4, 6])
    12
    """
    found = 1
    for denominator in denominators:
        found = lcm(found, denominator)
        if found > MAX_DENOMINATOR:
            raise InvalidInput(f"denominator: the common one is beyond {MAX_DENOMINATOR}")
    return found


def share(schedule: Schedule, part: int, parts: int) -> Schedule:
    """The schedule shrunk to part number `part`, from 0, of `parts` equal parts of each shard.

    Alone it is no longer a whole collective: see `side_by_side`.

    >>> whole = Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1])
    >>> half = share(whole, 1, 2)
    >>> half.begin.tolist(), half.end.tolist(), half.denominator
    ([1], [2], 2)
    """
    if not 0 <= part < parts:
        raise InvalidInput(f"part: {part} is not in 0..{parts - 1}")
    whole = common_denominator([schedule.denominator * parts])
    shift = part * schedule.denominator
    return replace(
        schedule, begin=schedule.begin + shift, end=schedule.end + shift, denominator=whole
    )


def side_by_side(schedules: Sequence[Schedule]) -> Schedule:
    """The rows of all, step by step at the same time; they share collective, root and turn.

    Raises InvalidInput without schedules, or when those differ.

    >>> whole = Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1])
    >>> both = side_by_side([share(whole, 0, 2), share(whole, 1, 2)])
    >>> both.begin.tolist(), both.end.tolist()
    ([0, 1], [1, 2])
    """
    if not schedules:
        raise InvalidInput("schedules: at least one is needed, not 0")
    for name in ("collective", "root", "turn"):
        offered = {getattr(schedule, name) for schedule in schedules}
        if len(offered) > 1:
            raise InvalidInput(f"{name}: schedules side by side differ: {offered}")
    require_room_for(sum(schedule.rows for schedule in schedules))
    whole = common_denominator(schedule.denominator for schedule in schedules)
    one = schedules[0]
    return join_rows(
        [rows_in(schedule, whole) for schedule in schedules],
        whole,
        one.collective,
        root=one.root,
        turn=one.turn,
    )


def require_allgather(schedule: Schedule) -> None:
    """Refuse what is no allgather: the expansions are maps within allgathers (corollary 1.2)."""
    if schedule.collective is not Collective.ALLGATHER:
        raise InvalidInput(f"collective: an expansion maps an allgather, not {schedule.collective}")


def require_room_for(rows: int) -> None:
    """Refuse a result of too many rows, before any array is made."""
    if rows > MAX_ROWS:
        raise InvalidInput(f"rows: at most {MAX_ROWS}, not {rows}")


def repeat_indices(counts: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Each index i, counts[i] times, with the numbers 0..counts[i] - 1 beside it.

    >>> index, place = repeat_indices(np.array([2, 0, 3]))
    >>> index.tolist(), place.tolist()
    ([0, 0, 2, 2, 2], [0, 1, 0, 1, 2])
    """
    index = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    return index, np.arange(len(index)) - first[index]
