"""Verification of compact schedules: as of their expansions, and every damage is found."""

from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from expansions.automorphisms import Automorphisms, automorphisms_of
from expansions.build import build
from expansions.collective import Collective
from expansions.compact_schedule import CompactSchedule
from expansions.parser import parse
from expansions.schedule import COLUMNS, Schedule
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.families.complete import complete
from generators.topology import Topology
from tests.schedules import from_rows, slow_loads
from topofinder.schedules.compact import compact_schedule
from topofinder.simulation.alpha_beta import compact_step_ends, simulate
from topofinder.verification.compact_schedules import (
    peak_loads,
    schedule_symmetry,
    verify_compact_schedule,
)
from topofinder.verification.schedules import verify_schedule
from topofinder.verification.symmetry import Symmetry, check_symmetry

RECIPES = ["Q(4)", "Torus(4,3)", "C(11,{1,3})", "UniRing(2,6)", "K(4)*2", "K(3)^2 x UniRing(1,3)"]
ALL = [Collective.ALLGATHER, Collective.REDUCE_SCATTER, Collective.ALLREDUCE]
FABRIC = {"alpha": Fraction(1, 7), "size": Fraction(5), "node_bandwidth": Fraction(3)}
RING = jump_graph(3, [1])


@pytest.mark.parametrize("collective", ALL)
@pytest.mark.parametrize("recipe", RECIPES)
def test_the_verdict_is_that_on_the_expansion(recipe: str, collective: Collective) -> None:
    topology = build(parse(recipe))
    schedule = compact_schedule(topology, collective)
    whole = schedule.expand(topology)
    verdict = verify_compact_schedule(topology, schedule)
    assert verdict.valid, verdict.violation
    assert verdict == verify_schedule(topology, whole)
    simulated = simulate(topology, whole, **FABRIC)
    assert compact_step_ends(topology, schedule, **FABRIC) == simulated.step_ends


@pytest.mark.parametrize("cells", [1, 50])
@pytest.mark.parametrize("recipe", RECIPES)
def test_the_peaks_are_the_loads_of_all_rows(recipe: str, cells: int) -> None:
    topology = build(parse(recipe))
    schedule = compact_schedule(topology, Collective.ALLGATHER)
    unequal = replace(
        topology,
        capacity=tuple(Fraction(1 + arc % 3, 2) for arc in range(topology.arcs)),
        latency=tuple(Fraction(arc % 2) for arc in range(topology.arcs)),
    )
    whole = schedule.expand(topology)
    found = peak_loads(unequal, schedule, cells)
    assert found.loads(unequal, schedule.denominator) == slow_loads(unequal, whole)
    assert len(found.like) == 6
    verdict = verify_compact_schedule(unequal, schedule)
    assert verdict == verify_schedule(unequal, whole)
    assert (
        compact_step_ends(unequal, schedule, **FABRIC)
        == simulate(unequal, whole, **FABRIC).step_ends
    )


@pytest.mark.parametrize("whole", [1, 3, (1 << 50) + 1, (1 << 62) - 1])
def test_sums_beyond_64_bits_are_exact(whole: int) -> None:
    graph = complete(3)
    rows = [(0, arc, 1, 0, whole) for arc in range(graph.arcs) if graph.tail[arc] == 0] * 3
    short = CompactSchedule(from_rows(rows, whole), automorphisms_of(graph))
    assert verify_compact_schedule(graph, short).bandwidth == 2
    assert verify_compact_schedule(graph, short) == verify_schedule(graph, short.expand(graph))


def test_products_that_are_no_group() -> None:
    """Arcs of K(4) are not equally busy then; every one is looked at."""
    graph = complete(4)
    images = [[1, 2, 3, 0], [2, 0, 1, 3], [3, 1, 0, 2]]
    words = Automorphisms(images=images, parent=[0, 0, 0, 0], by=[0, 0, 1, 2])
    origin = compact_schedule(graph, Collective.ALLGATHER).origin
    short = CompactSchedule(origin, words)
    assert verify_compact_schedule(graph, short) == verify_schedule(graph, short.expand(graph))


def test_one_node() -> None:
    lone = Topology.from_arcs(1, [(0, 0)], translation=lambda u: np.arange(1))
    short = compact_schedule(lone, Collective.ALLGATHER)
    assert verify_compact_schedule(lone, short).valid
    assert compact_step_ends(lone, short, **FABRIC) == ()


def mutated(origin: Schedule, arcs: int, generator: np.random.Generator) -> Schedule | None:
    """One row dropped, moved in time, sent over another arc, or with another piece."""
    columns = {name: getattr(origin, name).copy() for name in COLUMNS}
    row = int(generator.integers(origin.rows))
    match int(generator.integers(5)):
        case 0:
            columns = {name: np.delete(column, row) for name, column in columns.items()}
        case 1:
            columns["step"][row] += generator.choice([-1, 1])
        case 2:
            columns["arc"][row] = generator.integers(arcs)
        case 3:
            columns["end"][row] -= 1
        case _:
            columns["begin"][row] += generator.choice([-1, 1])
    try:
        return replace(origin, **columns)
    except InvalidInput:
        return None


@pytest.mark.parametrize("collective", ALL)
@pytest.mark.parametrize("recipe", ["Torus(3,4)", "C(9,{1,2})", "UniRing(2,5)"])
def test_mutated_rows_are_judged_as_their_expansions(recipe: str, collective) -> None:
    topology = build(parse(recipe))
    schedule = compact_schedule(topology, collective)
    fine = replace(
        schedule.origin,
        begin=schedule.origin.begin * 2,
        end=schedule.origin.end * 2,
        denominator=schedule.denominator * 2,
    )
    generator = np.random.default_rng(len(recipe))
    rejected = 0
    for _ in range(40):
        wrong = mutated(fine, topology.arcs, generator)
        if wrong is None:
            continue
        short = CompactSchedule(wrong, schedule.translations)
        verdict, expanded = (
            verify_compact_schedule(topology, short),
            verify_schedule(topology, short.expand(topology)),
        )
        assert (verdict.valid, verdict.cost) == (expanded.valid, expanded.cost)
        assert verdict.redundant == expanded.redundant
        if not verdict.valid:
            assert "\n" not in verdict.violation
            assert "node 0" in verdict.violation
            rejected += 1
    assert rejected > 20


def damaged(recipe: str, seed: int) -> tuple[Topology, np.ndarray, np.ndarray, np.ndarray]:
    """Two entries of a generator exchanged, or one entry of the tree changed."""
    topology = build(parse(recipe))
    words = automorphisms_of(topology)
    arrays = [words.images.copy(), words.parent.copy(), words.by.copy()]
    generator = np.random.default_rng(seed)
    which = int(generator.integers(3))
    if which == 0:
        g, (a, b) = int(generator.integers(len(arrays[0]))), generator.choice(topology.n, 2, False)
        arrays[0][g, [a, b]] = arrays[0][g, [b, a]]
    else:
        node = int(generator.integers(1, topology.n))
        arrays[which][node] += generator.choice([-1, 1])
    return topology, *arrays


@pytest.mark.parametrize("recipe", ["Torus(5,4)", "C(11,{1,3})", "UniRing(2,7)", "Q(4)"])
def test_damaged_symmetries_are_found(recipe: str) -> None:
    for seed in range(40):
        topology, images, parent, by = damaged(recipe, seed)
        found = check_symmetry(topology, images, parent, by)
        assert isinstance(found, Symmetry) == is_symmetry(topology, images, parent, by)
        if isinstance(found, str):
            assert "\n" not in found


def is_symmetry(topology: Topology, images, parent, by) -> bool:
    """The definition, by networkx multigraphs and products along paths."""
    pairs = list(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))
    graph = nx.MultiDiGraph(pairs)
    for image in images.tolist():
        moved = nx.MultiDiGraph((image[u], image[v]) for u, v in pairs)
        counts = [nx.to_numpy_array(g, nodelist=range(topology.n)) for g in (graph, moved)]
        if sorted(image) != list(range(topology.n)) or (counts[0] != counts[1]).any():
            return False
    for u in range(1, topology.n):
        node, path = u, []
        while node and len(path) < topology.n:
            if not (0 <= by[node] < len(images) and 0 <= parent[node] < topology.n):
                return False
            path.append(int(by[node]))
            node = int(parent[node])
        reached = 0
        for g in path[::-1]:
            reached = int(images[g][reached])
        if node or reached != u:
            return False
    return True


@pytest.mark.parametrize(
    ("images", "parent", "by", "line"),
    [
        ([[1, 0, 2]], [0, 0, 1], [0, 0, 0], "carries 0 arcs to [0, 1], where there are 1"),
        ([[1, 1, 0]], [0, 0, 1], [0, 0, 0], "generator 0 is no permutation of the nodes"),
        ([[1, 2, 3]], [0, 0, 1], [0, 0, 0], "generator 0 is no permutation of the nodes"),
        ([[1, 2, 0]], [0, 0, 0], [0, 0, 0], "product for node 2 carries node 0 to node 1"),
        ([[1, 2, 0]], [0, 0, 1], [0, 0, 1], "no product is given for node 2"),
        ([[1, 2, 0]], [0, 0, -1], [0, 0, 0], "no product is given for node 2"),
        (
            [[1, 2, 0], [0, 1, 2]],
            [0, 1, 1],
            [0, 1, 0],
            "no product of generators is given for node 1",
        ),
        ([[1, 0]], [0, 0], [0, 0], "the symmetry is not one of 3 nodes"),
    ],
)
def test_what_is_no_symmetry_is_told(images, parent, by, line: str) -> None:
    found = check_symmetry(RING, np.array(images), np.array(parent), np.array(by))
    assert isinstance(found, str)
    assert line in found


def test_parallel_arcs_are_counted() -> None:
    """Arcs [0, 1] twice and [1, 0] once: turning round is no automorphism."""
    uneven = Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0)])
    turn = np.array([[1, 0]]), np.array([0, 0]), np.array([0, 0])
    assert (
        check_symmetry(uneven, *turn) == "generator 0 carries 1 arcs to [0, 1], where there are 2"
    )
    even = Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0), (1, 0)])
    assert check_symmetry(even, *turn).maps.tolist() == [[2, 3, 0, 1]]


def test_without_a_symmetry_there_is_no_schedule() -> None:
    words = automorphisms_of(RING)
    short = CompactSchedule(from_rows([(0, 0, 1, 0, 1), (0, 1, 2, 0, 1)]), words)
    other = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 1)])
    verdict = verify_compact_schedule(other, short)
    assert not verdict.valid
    assert verdict.redundant is None
    assert verdict.violation.startswith("generator 0 carries")
    with pytest.raises(InvalidInput, match="schedule: generator 0 carries"):
        compact_step_ends(other, short, **FABRIC)
    switched = replace(RING, switches=(1,))
    assert "the topology has switches" in str(schedule_symmetry(switched, short))
    missing = CompactSchedule(from_rows([(0, 0, 1, 0, 1), (0, 7, 2, 0, 1)]), words)
    assert "there is no arc 7" in str(verify_compact_schedule(RING, missing).violation)
