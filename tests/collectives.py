"""Valid schedules of every collective on small graphs, made from random breadth-first ones."""

from dataclasses import replace

import numpy as np

from expansions.collective import Collective
from expansions.schedule import Schedule
from generators.topology import Topology
from tests.schedules import breadth_first
from topofinder.schedules.synthesis.chunk_schedules import shipped_synthesis


def backwards(schedule: Schedule) -> Schedule:
    """Definition 5: the steps in reverse order; arcs of the transpose keep their numbers."""
    step = schedule.steps + 1 - schedule.step
    return replace(schedule, step=step, collective=schedule.collective.reversed)


def one_source(schedule: Schedule, root: int) -> Schedule:
    chosen = schedule.source == root
    columns = {
        name: getattr(schedule, name)[chosen] for name in ("source", "arc", "step", "begin", "end")
    }
    return replace(schedule, **columns, collective=Collective.BROADCAST, root=root)


def both(first: Schedule, second: Schedule) -> Schedule:
    """An allreduce from two halves of one denominator."""
    columns = {
        name: np.concatenate([getattr(first, name), getattr(second, name)])
        for name in ("source", "arc", "begin", "end")
    }
    step = np.concatenate([first.step, first.steps + second.step])
    return replace(second, **columns, step=step, collective=Collective.ALLREDUCE, turn=first.steps)


def collectives(topology: Topology, *, pieces: int, seed: int) -> list[Schedule]:
    """One valid schedule of each collective, rows shuffled."""
    gather = breadth_first(topology, pieces=pieces, seed=seed)
    transposed = breadth_first(topology.transpose(), pieces=pieces, seed=seed + 1)
    scatter, root = backwards(transposed), seed % topology.n
    made = [
        gather,
        scatter,
        both(scatter, gather),
        one_source(gather, root),
        backwards(one_source(transposed, root)),
    ]
    return [shuffled(schedule, seed) for schedule in made]


def shuffled(schedule: Schedule, seed: int) -> Schedule:
    order = np.random.default_rng(seed).permutation(schedule.rows)
    columns = ("source", "arc", "step", "begin", "end")
    return replace(schedule, **{name: getattr(schedule, name)[order] for name in columns})


def scaled(schedule: Schedule, by: int) -> Schedule:
    """The same pieces over a larger denominator."""
    return replace(
        schedule,
        begin=schedule.begin * by,
        end=schedule.end * by,
        denominator=schedule.denominator * by,
    )


def shipped(text: str) -> Schedule:
    """A synthesised allgather that ships: with delayed sends, and not on shortest paths."""
    pair = shipped_synthesis(text)
    assert pair is not None
    rows = pair[0]
    return Schedule(
        source=rows.source,
        arc=rows.arc,
        step=rows.step,
        begin=rows.chunk,
        end=rows.chunk + 1,
        denominator=rows.chunks,
    )
