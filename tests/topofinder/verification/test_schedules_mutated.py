"""Over a thousand single mutations of valid schedules, each judged by a slow twin as well."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from expansions.schedule import Schedule
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.families.register_all import FAMILIES
from generators.topology import Topology
from tests import replay
from tests.collectives import collectives, scaled, shipped
from tests.twins import random_topology
from tests.verify_twin import judge
from topofinder.verification.schedules import verify_schedule

COLUMNS = ("source", "arc", "step", "begin", "end")
Columns = dict[str, np.ndarray]
Mutation = Callable[[Columns, int, np.random.Generator, Topology], Columns]


def _set(columns: Columns, name: str, row: int, value: int) -> Columns:
    changed = columns[name].copy()
    changed[row] = value
    return columns | {name: changed}


def drop(columns, row, generator, topology):
    return {name: np.delete(column, row) for name, column in columns.items()}


def duplicate(columns, row, generator, topology):
    return {name: np.append(column, column[row]) for name, column in columns.items()}


def delay(columns, row, generator, topology):
    return _set(columns, "step", row, columns["step"][row] + generator.integers(1, 3))


def advance(columns, row, generator, topology):
    return _set(columns, "step", row, columns["step"][row] - generator.integers(1, 3))


def redirect(columns, row, generator, topology):
    """To any arc, or to one that is not there."""
    return _set(columns, "arc", row, generator.integers(topology.arcs + 1))


def other_way_in(columns, row, generator, topology):
    """To another arc into the same node: harmless where its tail holds the piece."""
    into = np.flatnonzero(topology.head == topology.head[columns["arc"][row]])
    return _set(columns, "arc", row, generator.choice(into))


def shrink(columns, row, generator, topology):
    if generator.random() < 0.5:
        return _set(columns, "begin", row, columns["begin"][row] + 1)
    return _set(columns, "end", row, columns["end"][row] - 1)


def grow(columns, row, generator, topology):
    if generator.random() < 0.5:
        return _set(columns, "begin", row, columns["begin"][row] - 1)
    return _set(columns, "end", row, columns["end"][row] + 1)


def shift(columns, row, generator, topology):
    by = generator.choice([-1, 1])
    moved = _set(columns, "begin", row, columns["begin"][row] + by)
    return _set(moved, "end", row, columns["end"][row] + by)


def change_source(columns, row, generator, topology):
    """Of another node, or of one that is not there."""
    return _set(columns, "source", row, generator.integers(topology.n + 1))


def _swap(columns, name, row, generator):
    other = generator.integers(len(columns[name]))
    swapped = _set(columns, name, row, columns[name][other])
    return _set(swapped, name, other, columns[name][row])


def swap_sources(columns, row, generator, topology):
    return _swap(columns, "source", row, generator)


def swap_steps(columns, row, generator, topology):
    return _swap(columns, "step", row, generator)


MUTATIONS: tuple[Mutation, ...] = (
    drop, duplicate, delay, advance, redirect, other_way_in, shrink, grow, shift, change_source,
    swap_sources, swap_steps,
)  # fmt: skip


def originals() -> list[tuple[Topology, Schedule]]:
    """Five collectives on six graphs, and two synthesised allgathers, on finer and finer grids."""
    graphs = [
        jump_graph(5, [1]),
        jump_graph(7, [1, 6]),
        FAMILIES["Q"].build(3),
        FAMILIES["Kautz"].build(2, 2),
        FAMILIES["Pi"].build(3, 7),
        random_topology(11),
    ]
    found = [
        (graph, scaled(schedule, (2, 5, 30)[seed % 3]))
        for seed, graph in enumerate(graphs)
        for schedule in collectives(graph, pieces=1 + seed % 4, seed=seed)
    ]
    for text, arguments in (("Diamond", ()), ("DBJMod(3,2)", (3, 2))):
        name = text.split("(")[0]
        found.append((FAMILIES[name].build(*arguments), scaled(shipped(text), 2)))
    return found


ORIGINALS = originals()


def mutate(schedule: Schedule, mutation: Mutation, topology: Topology, seed: int) -> Schedule:
    """One mutation of one random row; InvalidInput where no Schedule can hold the outcome."""
    generator = np.random.default_rng(seed)
    columns = {name: getattr(schedule, name) for name in COLUMNS}
    row = int(generator.integers(schedule.rows))
    return replace(schedule, **mutation(columns, row, generator, topology))


def agree(topology: Topology, schedule: Schedule) -> bool:
    """Assert that the verifier says what both twins say; whether the schedule is valid."""
    verdict, twin = verify_schedule(topology, schedule, at_once=7), judge(topology, schedule)
    assert verdict.valid == replay.is_valid(topology, schedule) == (twin.where is None)
    assert (verdict.steps, verdict.bandwidth) == (twin.steps, twin.bandwidth)
    if verdict.violation is None:
        count = topology.n - 1
        least = count * (1 if schedule.collective.is_rooted else topology.n)
        least *= 1 if schedule.turn is None else 2
        assert verdict.redundant == twin.sent - least
        return True
    assert twin.where is not None
    assert verdict.redundant is None
    assert verdict.violation.startswith(twin.where)
    for part in (twin.piece or "").split("|"):
        assert part in verdict.violation
    return False


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_mutations(mutation: Mutation) -> None:
    """At least 120 of each kind that a Schedule can hold: 1440 in all."""
    outcomes: Counter = Counter()
    pairs = ORIGINALS
    for seed in range(1000):
        topology, schedule = pairs[seed % len(pairs)]
        try:
            mutated = mutate(schedule, mutation, topology, seed)
        except InvalidInput:
            outcomes["refused"] += 1
            continue
        outcomes["valid" if agree(topology, mutated) else "rejected"] += 1
        if outcomes["valid"] + outcomes["rejected"] >= 120:
            break
    assert outcomes["valid"] + outcomes["rejected"] >= 120
    assert outcomes["rejected"] > 0
    if mutation in (drop, shrink):  # nothing in these schedules can be spared
        assert outcomes["valid"] == 0
