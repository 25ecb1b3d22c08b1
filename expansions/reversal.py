"""Schedules run backwards: allgather becomes reduce-scatter, on the transpose (definition 5)."""

from dataclasses import replace

import numpy as np

from expansions.collective import Collective
from expansions.isomorphic_copy import carry_schedule
from expansions.schedule import Schedule
from generators.errors import InvalidInput
from generators.topology import IntArray, Topology


def reverse_schedule(schedule: Schedule) -> Schedule:
    """The reverse schedule, for `topology.transpose()`; its arc e is arc e turned round.

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


def reduce_scatter_from(
    topology: Topology, allgather: Schedule, image: IntArray | None = None
) -> Schedule:
    """A reduce-scatter on the same reverse-symmetric topology, of the same cost (theorem 2).

    `image[v]` is an isomorphism from the topology to its transpose; without one the identity is
    taken, as fits a two-way graph. Raises InvalidInput when it is none.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> reduce_scatter_from(pair, swap).arc.tolist()
    [1, 0]
    """
    if allgather.collective is not Collective.ALLGATHER:
        raise InvalidInput(f"collective: an allgather is needed, not {allgather.collective}")
    if image is None:
        image = np.arange(topology.n, dtype=np.int32)
    return reverse_schedule(carry_schedule(allgather, topology, topology.transpose(), image))
