"""Collectives made of others: reversed ones, allreduce of two halves, one shard's rows alone.

Allgather run backwards is reduce-scatter on the transpose (definition 5, theorem 1).
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from expansions.collective import Collective
from expansions.pieces import common_denominator, join_rows, require_room_for, rows_in
from expansions.schedule import Schedule
from generators.errors import InvalidInput

ROOTED: Mapping[Collective, Collective] = MappingProxyType(
    {
        Collective.ALLGATHER: Collective.BROADCAST,
        Collective.REDUCE_SCATTER: Collective.REDUCE,
    }
)
"""What the rows about one shard do."""


def reverse_schedule(schedule: Schedule) -> Schedule:
    """The schedule run backwards, for `topology.transpose()`; its arc e is arc e turned round.

    An allgather becomes a reduce-scatter of the same cost and the other way round (theorem 1),
    provided that no node receives a piece twice; likewise broadcast and reduce. An allreduce
    stays one.

    >>> there = Schedule(source=[0, 0], arc=[0, 1], step=[1, 2], begin=[0, 0], end=[1, 1])
    >>> back = reverse_schedule(there)
    >>> back.step.tolist(), str(back.collective)
    ([2, 1], 'reduce-scatter')
    """
    steps = schedule.steps
    return replace(
        schedule,
        step=(steps + 1 - schedule.step).astype(np.int32),
        collective=schedule.collective.reversed,
        turn=None if schedule.turn is None else steps - schedule.turn,
    )


def join_allreduce(scatter: Schedule, gather: Schedule) -> Schedule:
    """A reduce-scatter followed by an allgather, both on one topology; costs add up.

    Raises InvalidInput for other collectives.

    >>> gather = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> scatter = Schedule(source=[1, 0], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1],
    ...                    collective="reduce-scatter")
    >>> both = join_allreduce(scatter, gather)
    >>> both.step.tolist(), both.turn
    ([1, 1, 2, 2], 1)
    """
    wanted = (Collective.REDUCE_SCATTER, Collective.ALLGATHER)
    if (offered := (scatter.collective, gather.collective)) != wanted:
        raise InvalidInput(f"collective: {' and '.join(wanted)} are needed, not {offered}")
    require_room_for(scatter.rows + gather.rows)
    whole = common_denominator([scatter.denominator, gather.denominator])
    late = rows_in(gather, whole)
    late = late._replace(step=late.step + np.int32(scatter.steps))
    return join_rows(
        [rows_in(scatter, whole), late], whole, Collective.ALLREDUCE, turn=scatter.steps
    )


def restrict_to_root(schedule: Schedule, root: int) -> Schedule:
    """The rows about the shard of `root`.

    Those of an allgather are a broadcast, those of a reduce-scatter a reduce. Steps at which
    nothing of it moves are left out. Raises InvalidInput for other collectives.

    >>> gather = Schedule(source=[0, 1], arc=[0, 1], step=[1, 2], begin=[0, 0], end=[1, 1])
    >>> restrict_to_root(gather, 1).step.tolist(), str(restrict_to_root(gather, 1).collective)
    ([1], 'broadcast')
    """
    if schedule.collective not in ROOTED:
        raise InvalidInput(f"collective: {schedule.collective} has no rows about one shard alone")
    kept = np.flatnonzero(schedule.source == root)
    step = np.unique(schedule.step[kept], return_inverse=True)[1]
    return Schedule(
        source=schedule.source[kept],
        arc=schedule.arc[kept],
        step=(step + 1).astype(np.int32),
        begin=schedule.begin[kept],
        end=schedule.end[kept],
        denominator=schedule.denominator,
        collective=ROOTED[schedule.collective],
        root=root,
    )
