"""Plain schedules for tests: breadth-first, without any regard to balance."""

from fractions import Fraction

import numpy as np

from expansions.build import build
from expansions.canonical import canonical
from expansions.collective import Collective
from expansions.recipe import Recipe
from expansions.schedule import Schedule
from generators.topology import Topology
from tests.twins import distances
from topofinder.finder.prediction import choose_candidate
from topofinder.model.candidate import Candidate, Method
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.schedules.collectives import allgathers_by, collective_schedule
from topofinder.schedules.compose_recipe import allgathers_of


def breadth_first(topology: Topology, *, pieces: int = 1, seed: int = 0) -> Schedule:
    """An allgather: each node takes each piece of each shard from some in-neighbour nearer to it.

    The choice is random but fixed by `seed`; every receiver gets every piece exactly once.
    """
    generator = np.random.default_rng(seed)
    hops = distances(topology)
    rows = []
    for u in range(topology.n):
        into = np.flatnonzero((topology.head == u) & (topology.tail != u))
        for v in set(range(topology.n)) - {u}:
            nearer = into[hops[v, topology.tail[into]] == hops[v, u] - 1]
            for piece, arc in enumerate(generator.choice(nearer, size=pieces).tolist()):
                rows.append((v, arc, hops[v, u], piece, piece + 1))
    return from_rows(rows, pieces)


def schedule_of_recipe(
    recipe: Recipe,
    collective: Collective = Collective.ALLGATHER,
    method: Method | None = None,
    root: int | None = None,
) -> Schedule:
    """The predicted schedule of least bandwidth, or BFB on the graph where none is predicted."""
    candidate = None if method is Method.BFB else choose_candidate(recipe, collective, method)
    if candidate is not None:
        return schedule_of(candidate, collective, root)
    topology = build(canonical(recipe))
    return collective_schedule(topology, collective, allgathers_by(topology, bfb_schedule), root)


def schedule_of(
    candidate: Candidate, collective: Collective = Collective.ALLGATHER, root: int | None = None
) -> Schedule:
    """The schedule whose cost a candidate predicts, on `build(candidate.recipe)`."""
    return collective_schedule(build(candidate.recipe), collective, allgathers_of(candidate), root)


def from_rows(rows: list, denominator: int = 1, **known: object) -> Schedule:
    """A schedule from (source, arc, step, begin, end) tuples."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    names = ("source", "arc", "step", "begin", "end")
    columns = dict(zip(names, columns, strict=True))
    return Schedule(**columns, denominator=denominator, **known)


def slow_loads(topology: Topology, schedule: Schedule) -> tuple[Fraction, ...]:
    """The loads by a dict of Fractions."""
    found: dict = {}
    for arc, step, begin, end in zip(
        schedule.arc.tolist(),
        schedule.step.tolist(),
        schedule.begin.tolist(),
        schedule.end.tolist(),
        strict=True,
    ):
        share = Fraction(end - begin, schedule.denominator)
        if topology.capacity is not None:
            share /= topology.capacity[arc]
        found[step, arc] = found.get((step, arc), Fraction()) + share
    steps = range(1, schedule.steps + 1)
    return tuple(max(load for (t, _), load in found.items() if t == step) for step in steps)


def rows_of(schedule: Schedule) -> set:
    """The rows as a set, pieces as Fractions, for comparison whatever the order."""
    columns = (schedule.source, schedule.arc, schedule.step, schedule.begin, schedule.end)
    return {
        (source, arc, step, Fraction(b, schedule.denominator), Fraction(e, schedule.denominator))
        for source, arc, step, b, e in zip(*(c.tolist() for c in columns), strict=True)
    }


def empty(collective: Collective = Collective.ALLGATHER) -> Schedule:
    return from_rows([], collective=collective)
