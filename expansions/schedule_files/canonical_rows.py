"""One order and one denominator for the rows of a schedule, so that equal ones look equal."""

from dataclasses import replace
from math import gcd

import numpy as np

from expansions.schedule import Schedule
from generators.topology import Int64Array

ORDER = ("step", "arc", "source", "begin", "end")
"""Rows are sorted by these columns, the first one above all."""


def canonical_rows(schedule: Schedule) -> Schedule:
    """The same rows, sorted by ORDER, with the least denominator.

    >>> rows = Schedule(source=[1, 0], arc=[1, 0], step=[1, 1], begin=[0, 2], end=[2, 4],
    ...                 denominator=4)
    >>> found = canonical_rows(rows)
    >>> found.arc.tolist(), found.end.tolist(), found.denominator
    ([0, 1], [2, 1], 2)
    """
    found = _reduced(schedule)
    order = _order([getattr(found, name) for name in ORDER])
    if order is None:
        return found
    return replace(found, **{name: getattr(found, name)[order] for name in ORDER})


def _reduced(schedule: Schedule) -> Schedule:
    """Divide begin, end and the denominator by their greatest common divisor."""
    common = schedule.denominator
    for column in (schedule.begin, schedule.end):
        if common > 1:
            common = gcd(common, int(np.gcd.reduce(column, initial=0)))
    if common == 1:
        return schedule
    return replace(
        schedule,
        begin=schedule.begin // common,
        end=schedule.end // common,
        denominator=schedule.denominator // common,
    )


def _order(columns: list[Int64Array]) -> Int64Array | None:
    """The permutation that sorts the rows; None when they are sorted already."""
    packed = _packed(columns)
    if packed is None:
        return np.lexsort(columns[::-1])
    if bool((packed[1:] >= packed[:-1]).all()):
        return None
    return np.argsort(packed)


def _packed(columns: list[Int64Array]) -> Int64Array | None:
    """All columns of a row in one integer that sorts as they do, if 63 bits are enough."""
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    if sum(widths) > 63:
        return None
    packed = np.zeros(len(columns[0]), dtype=np.int64)
    for column, width in zip(columns, widths, strict=True):
        packed <<= width
        packed |= column
    return packed
