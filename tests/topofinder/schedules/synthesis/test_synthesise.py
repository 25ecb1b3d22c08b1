"""Synthesised schedules replayed from scratch, shipped ones included, and known optima."""

from fractions import Fraction
from itertools import product

import networkx as nx
import numpy as np
import pytest

from expansions.cost import Cost
from generators.arrays import jump_graph
from generators.errors import InvalidInput, Unsupported
from generators.families.complete import complete
from generators.families.debruijn_modified import letter_rotation
from generators.families.register_all import FAMILIES
from generators.topology import Topology
from topofinder.schedules.synthesis.chunk_schedules import (
    SYNTHESISED_BASES,
    ChunkSchedule,
    shipped_synthesis,
)
from topofinder.schedules.synthesis.synthesise import synthesise


def replay(topology: Topology, schedule: ChunkSchedule) -> Cost:
    """Play a schedule chunk by chunk; its cost if it is a valid allgather."""
    rows = zip(
        *(getattr(schedule, name).tolist() for name in ("step", "arc", "source", "chunk")),
        strict=True,
    )
    by_step: dict[int, list[tuple[int, int, int]]] = {}
    for step, *row in rows:
        by_step.setdefault(step, []).append(tuple(row))
    held = [{(u, chunk) for chunk in range(schedule.chunks)} for u in range(topology.n)]
    busiest = 0
    for step in sorted(by_step):
        assert 1 <= step <= schedule.steps
        arrived = []
        load: dict[int, int] = {}
        for arc, source, chunk in by_step[step]:
            assert (source, chunk) in held[topology.tail[arc]], "sent before it was received"
            arrived.append((topology.head[arc], (source, chunk)))
            load[arc] = load.get(arc, 0) + 1
        for head, piece in arrived:
            held[head].add(piece)
        busiest += max(load.values())
    everything = set(product(range(topology.n), range(schedule.chunks)))
    assert all(pieces == everything for pieces in held)
    return Cost(schedule.steps, Fraction(topology.degree * busiest, topology.n * schedule.chunks))


PUBLISHED = {"Diamond": 3, "DBJMod(2,3)": 4, "DBJMod(2,4)": 5, "DBJMod(3,2)": 3, "DBJMod(4,2)": 3}


@pytest.mark.parametrize("text", SYNTHESISED_BASES)
def test_shipped_schedules_have_the_published_cost(text: str) -> None:
    base = SYNTHESISED_BASES[text]
    topology = FAMILIES[base.name].build(*base.arguments)
    pair = shipped_synthesis(text)
    assert pair is not None
    expected = Cost(PUBLISHED[text], Fraction(topology.n - 1, topology.n))
    for graph, schedule in zip((topology, topology.transpose()), pair, strict=True):
        assert replay(graph, schedule) == schedule.cost == expected
        assert schedule.proved
        assert schedule.rows == topology.n * (topology.n - 1) * schedule.chunks
        loads = np.zeros((topology.arcs, schedule.steps), dtype=int)
        np.add.at(loads, (schedule.arc, schedule.step - 1), 1)
        assert (loads == loads[0]).all()  # every arc full at every step


def test_nothing_ships_for_other_recipes() -> None:
    assert shipped_synthesis("K(4,4)") is None
    assert shipped_synthesis("../Diamond") is None
    assert set(PUBLISHED) == set(SYNTHESISED_BASES)


KNOWN = [
    (complete(2, 2), 2, 2, Fraction(3, 4)),
    (complete(4), 1, 1, Fraction(3, 4)),
    (jump_graph(3, [1]), 2, 1, Fraction(2, 3)),
    (jump_graph(3, [1]), 4, 1, Fraction(2, 3)),
    (jump_graph(5, [1, 4]), 2, 1, Fraction(4, 5)),
    (jump_graph(4, [1, 3]), 2, 1, Fraction(1)),  # an odd chunk cannot be halved
    (Topology.from_arcs(3, [(0, 1), (1, 0), (1, 2), (2, 1)]), 2, 1, Fraction(4, 3)),
    (Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0), (1, 0)]), 1, 2, Fraction(1, 2)),
    (Topology.from_arcs(2, [(0, 0), (0, 1), (1, 0), (1, 1)]), 1, 1, Fraction(1)),
]


@pytest.mark.parametrize(("topology", "steps", "chunks", "bandwidth"), KNOWN)
def test_known_optima(topology: Topology, steps: int, chunks: int, bandwidth: Fraction) -> None:
    schedule = synthesise(topology, steps=steps, chunks=chunks)
    assert schedule is not None
    assert replay(topology, schedule) == schedule.cost == Cost(steps, bandwidth)
    assert schedule.proved


def exhaustive(topology: Topology, steps: int) -> int:
    """The least sum of busiest loads over all schedules of whole shards, by trying them all."""
    total = np.zeros((1, topology.arcs, steps), dtype=np.int8)
    for source in range(topology.n):
        plans = np.array(list(_timed_trees(topology, source, steps)), dtype=np.int8)
        total = (total[:, None] + plans[None]).reshape(-1, topology.arcs, steps)
        total = np.unique(total, axis=0)
    return int(total.max(axis=1).sum(axis=1).min())


def _timed_trees(topology: Topology, source: int, steps: int) -> list[np.ndarray]:
    others = [v for v in range(topology.n) if v != source]
    ways = [
        [(e, t) for e in np.flatnonzero(topology.head == v) for t in range(steps)] for v in others
    ]
    trees = []
    for choice in product(*ways):
        when = {source: -1} | {v: t for v, (_, t) in zip(others, choice, strict=True)}
        if all(when[topology.tail[e]] < t for e, t in choice):
            plan = np.zeros((topology.arcs, steps), dtype=np.int8)
            for e, t in choice:
                plan[e, t] = 1
            trees.append(plan)
    return trees


@pytest.mark.parametrize("seed", range(4))
def test_against_exhaustion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = [(u, v) for u in range(4) for v in range(4) if u != v]
    while True:
        arcs = [pairs[i] for i in rng.choice(len(pairs), 6, replace=False)]
        graph = nx.DiGraph(arcs)
        if len(graph) == 4 and nx.is_strongly_connected(graph):
            break
    topology = Topology.from_arcs(4, arcs)
    steps = nx.diameter(graph)
    schedule = synthesise(topology, steps=steps)
    assert schedule is not None
    assert schedule.proved
    least = Fraction(topology.degree * exhaustive(topology, steps), 4)
    assert replay(topology, schedule) == schedule.cost == Cost(steps, least)


def test_delayed_sends_beat_every_breadth_first_schedule() -> None:
    diamond = FAMILIES["Diamond"].build()
    schedule = synthesise(diamond, steps=3, chunks=2)
    assert schedule is not None
    assert replay(diamond, schedule) == Cost(3, Fraction(7, 8))
    distance = dict(nx.all_pairs_shortest_path_length(nx.DiGraph(_pairs(diamond))))
    heads = diamond.head[schedule.arc].tolist()
    hops = [distance[v][w] for v, w in zip(schedule.source.tolist(), heads, strict=True)]
    assert (schedule.step > np.array(hops)).any()


def _pairs(topology: Topology) -> list[tuple[int, int]]:
    return list(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))


def test_automorphisms_give_the_same_optimum() -> None:
    ring = jump_graph(6, [1, 5])
    translations = [(np.arange(6) + u) % 6 for u in range(6)]
    few = synthesise(ring, steps=3, chunks=2, automorphisms=translations)
    half = synthesise(ring, steps=3, chunks=2, automorphisms=translations[::2])
    for schedule in (few, half):
        assert schedule is not None
        assert replay(ring, schedule) == schedule.cost == Cost(3, Fraction(5, 6))
        assert schedule.proved


def test_a_symmetric_optimum_above_the_bound_is_not_called_proved() -> None:
    graph = FAMILIES["DBJMod"].build(3, 2)
    rotations = [letter_rotation(3, by) for by in range(3)]
    schedule = synthesise(graph, steps=2, chunks=3, automorphisms=rotations)
    assert schedule is not None
    assert replay(graph, schedule) == schedule.cost
    assert schedule.cost.bandwidth > Fraction(8, 9)
    assert not schedule.proved


def test_letter_rotations_keep_the_modified_graphs() -> None:
    for d in (3, 4):
        topology = FAMILIES["DBJMod"].build(d, 2)
        for by in range(d):
            image = letter_rotation(d, by)
            moved = Topology(n=d * d, tail=image[topology.tail], head=image[topology.head])
            assert topology.same_arcs(moved)


def test_time_out_gives_nothing_or_an_unproved_schedule() -> None:
    topology = FAMILIES["DBJMod"].build(2, 4)
    schedule = synthesise(topology, steps=5, chunks=2, seconds=0.05)
    assert schedule is None or not schedule.proved


def test_refusals() -> None:
    ring = jump_graph(4, [1])
    with pytest.raises(InvalidInput, match="steps: 2 is below the diameter 3"):
        synthesise(ring, steps=2)
    with pytest.raises(InvalidInput, match="steps: 9 is below the diameter inf"):
        synthesise(Topology.from_arcs(2, [(0, 1)]), steps=9)
    with pytest.raises(InvalidInput, match="does not keep the arcs"):
        synthesise(ring, steps=3, automorphisms=[range(4), [1, 0, 3, 2]])
    with pytest.raises(InvalidInput, match="node 0 is the image of 2 sources"):
        synthesise(complete(4), steps=1, automorphisms=[range(4), [0, 2, 3, 1]])
    with pytest.raises(InvalidInput, match="no permutation"):
        synthesise(ring, steps=3, automorphisms=[[0, 0, 1, 2]])
    with pytest.raises(InvalidInput, match="chunks"):
        synthesise(ring, steps=3, chunks=0)
    with pytest.raises(Unsupported, match="4 arcs x 5000 steps"):
        synthesise(ring, steps=5000)
    with pytest.raises(Unsupported, match="switches"):
        synthesise(Topology.from_arcs(2, [(0, 1), (1, 0)], switches=(1,)), steps=1)


@pytest.mark.parametrize(
    ("row", "name"), [((4, 0, 1, 0), "source"), ((0, 4, 1, 0), "arc"), ((0, 0, 0, 0), "step")]
)
def test_rows_out_of_range_are_refused(row: tuple[int, ...], name: str) -> None:
    with pytest.raises(InvalidInput, match=name):
        ChunkSchedule.from_rows(jump_graph(4, [1]), [row], steps=3, chunks=1, proved=False)
