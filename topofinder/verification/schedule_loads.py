"""Rows of one arc and step taken together: the message that the arc carries at that step."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.schedule import Schedule
from generators.limbs import sum_exactly
from generators.topology import Int64Array, IntArray, Topology
from topofinder.verification.replay_kernels import group_messages, sort_row_numbers

WORD = (1 << 63) - 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Messages:
    """Shapes: `step`, `arc`, `amount` are of shape (messages,), ascending by step.

    `amount` counts in 1/denominator of a shard: int64 where the sum of all fits, else Python ints.
    Row rows[i] of the schedule is in message of[i].
    """

    step: IntArray
    arc: IntArray
    amount: NDArray[Any]
    of: Int64Array


def step_messages(schedule: Schedule, rows: Int64Array, arcs: int) -> Messages:
    """Group these rows of a schedule, all on arcs 0 to `arcs` - 1, by step and arc."""
    _, arc, step, begin, end = contiguous_columns(schedule)
    ordered, start = sort_row_numbers(rows, step, schedule.steps + 1)
    of, firsts = group_messages(ordered, start, arc, arcs, schedule.rows)
    member = of[rows]

    def sum_by_message(part: Int64Array) -> Int64Array:
        amount = np.zeros(len(firsts), dtype=np.int64)
        np.add.at(amount, member, part)
        return amount

    # A row counts in one message only, so that even all messages together count each row once.
    amount = sum_exactly(end[rows] - begin[rows], len(rows), sum_by_message)
    return Messages(step=step[firsts], arc=arc[firsts], amount=amount, of=member)


def busiest_loads(messages: Messages, topology: Topology, denominator: int) -> tuple[Fraction, ...]:
    """The largest load of each step's arcs, in shards a link unit; steps without rows left out."""
    if not len(messages.step):
        return ()
    kinds, kind = arc_kinds(topology.capacity, topology.arcs)
    order = np.lexsort((kind[messages.arc], messages.step))
    step, kind = messages.step[order], kind[messages.arc[order]]
    starts = np.flatnonzero(np.diff(step, prepend=-1) | np.diff(kind, prepend=-1))
    most = np.maximum.reduceat(messages.amount[order], starts)
    loads: dict[int, Fraction] = {}
    for at, amount in zip(starts.tolist(), most.tolist(), strict=True):
        load = Fraction(amount, denominator) / kinds[kind[at]]
        loads[int(step[at])] = max(load, loads.get(int(step[at]), load))
    return tuple(loads.values())


def arc_kinds(values: tuple[Fraction, ...] | None, arcs: int) -> tuple[list[Fraction], Int64Array]:
    """The distinct values of the arcs, and for each arc which it has; None means 1 for all.

    >>> arc_kinds((Fraction(2), Fraction(1), Fraction(2)), 3)[1].tolist()
    [0, 1, 0]
    """
    if values is None:
        return [Fraction(1)], np.zeros(arcs, dtype=np.int64)
    known: dict[Fraction, int] = {}
    kind = [known.setdefault(value, len(known)) for value in values]
    return list(known), np.array(kind, dtype=np.int64)


def contiguous_columns(schedule: Schedule) -> tuple[NDArray[Any], ...]:
    """Columns (source, arc, step, begin, end), copied only where they are strided.

    Kernels are then compiled for one layout only.

    >>> rows = np.array([(0, 0, 1, 0, 1), (1, 1, 1, 0, 1)]).T
    >>> names = ("source", "arc", "step", "begin", "end")
    >>> swap = Schedule(**dict(zip(names, rows, strict=True)))
    >>> swap.end.flags.c_contiguous, contiguous_columns(swap)[4].flags.c_contiguous
    (False, True)
    """
    found = []
    for name in ("source", "arc", "step", "begin", "end"):
        view = np.ascontiguousarray(getattr(schedule, name)).view()
        view.setflags(write=False)
        found.append(view)
    return tuple(found)
