"""Topologies for timetables, and compact timetables, for tests."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from expansions.automorphisms import Automorphisms
from expansions.collective import Collective
from generators.arrays import jump_graph
from generators.topology import Topology
from tests.timetable_twin import durations, make_timetable, tick_of
from tests.twins import random_topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.timetable import Timetable
from topofinder.timetables.problem import ChunkProblem

COLLECTIVES = ("allgather", "reduce-scatter", "allreduce", "broadcast", "reduce", "all-to-all")
UNITS = LinkUnits(latency=Fraction(1, 3), rate=Fraction(2))
REFLECTED = Automorphisms(
    images=[[1, 2, 3, 4, 0], [1, 0, 4, 3, 2]], parent=[0, 0, 1, 2, 3], by=[0, 1, 0, 0, 0]
)
"""Of a two-way ring of 5: the identity and four reflections, which are no group."""


def uneven(graph: Topology, seed: int) -> Topology:
    """The same arcs with a few latencies and capacities, zero latency among them."""
    random = np.random.default_rng(seed)
    late = [Fraction(int(a), 2) for a in random.integers(0, 4, graph.arcs)]
    wide = [Fraction(int(b), 2) for b in random.integers(1, 5, graph.arcs)]
    return replace(graph, latency=tuple(late), capacity=tuple(wide), translation=None)


def star(hosts: int) -> Topology:
    """Hosts at one switch, the last node, by links of different kinds."""
    arcs = [pair for v in range(hosts) for pair in ((v, hosts), (hosts, v))]
    return uneven(Topology.from_arcs(hosts + 1, arcs, switches=(hosts,)), hosts)


def two_boxes() -> Topology:
    """Two switches with two hosts each, a trunk between them and a link from host to host."""
    both = [(0, 4), (1, 4), (2, 5), (3, 5), (4, 5), (1, 2)]
    arcs = [*both, *((b, a) for a, b in both)]
    return Topology.from_arcs(
        6, arcs, switches=(4, 5), capacity=(2,) * 4 + (1, 1) + (2,) * 4 + (1, 1)
    )


def small_graphs() -> list[Topology]:
    """Random digraphs with equal and unequal links, a ring, and switches."""
    random = [graph for graph in map(random_topology, range(40)) if 3 <= graph.n <= 6][:4]
    return [
        *random,
        *(uneven(graph, seed) for seed, graph in enumerate(random)),
        jump_graph(4, [1, 3]),
        star(3),
        two_boxes(),
    ]


def all_to_all_problem(graph: Topology, units: LinkUnits) -> ChunkProblem:
    """A byte from every node to every other."""
    origin, target = np.nonzero(~np.eye(graph.n, dtype=np.bool_))
    return ChunkProblem(
        topology=graph,
        collective=Collective.ALLTOALL,
        origin=origin.astype(np.int32),
        target=target.astype(np.int32),
        chunk_bytes=Fraction(1),
        units=units,
    )


def valid_timetables(seed: int) -> list[Timetable]:
    """Every collective on every graph, in models, chunks and amounts that go round."""
    found = []
    for place, graph in enumerate(small_graphs()):
        for at, kind in enumerate(COLLECTIVES):
            turn = seed + place + at
            found.append(
                make_timetable(
                    graph, kind, model=("pipelined", "occupied")[turn % 2],
                    chunks=1 + turn % 3 // 2, seed=turn, amounts=turn % 4 == 1,
                )
            )  # fmt: skip
    return found


def translated(graph: Topology, words: Automorphisms, collective: str, seed: int) -> Timetable:
    """A timetable of node 0's chunk over a random tree, whose images may meet on an arc.

    Sends wait for a random time, the longer the higher the seed.
    """
    random = np.random.default_rng(seed)
    size, model = Fraction(3), ("pipelined", "occupied")[seed % 2]
    tick, reverse = tick_of(graph, UNITS, size), collective in ("reduce-scatter", "allreduce")
    time = [int(durations(graph, UNITS, size, model, (e,))[0] / tick) for e in range(graph.arcs)]
    rows: list[tuple[int, int]] = []
    now = {0: 0}
    if reverse:
        rows, last = _reduction(graph, time, random, seed)
        now = {0: last}
    reducing = len(rows)
    while collective != "reduce-scatter" and len(now) < graph.n:
        e = _random_arc(graph.tail, graph.head, now, random)
        begin = now[int(graph.tail[e])] + int(random.integers(0, 1 + 2 * seed))
        now[int(graph.head[e])] = begin + time[e]
        rows.append((e, begin))
    return Timetable(
        topology=graph, collective=collective, model=model, units=UNITS, chunk_bytes=size,
        chunk=[0] * len(rows), channel=[e for e, _ in rows], begin=[b for _, b in rows], origin=[0],
        reducing=reducing, translations=words,
    )  # fmt: skip


def _random_arc(tail, head, inside, random) -> int:
    """From the inside out."""
    ways = [e for e in range(len(tail)) if int(tail[e]) in inside and int(head[e]) not in inside]
    return int(random.choice(ways))


def _reduction(graph, time, random, seed) -> tuple[list[tuple[int, int]], int]:
    """A random in-tree to node 0, played backwards from 0 and then moved to begin at 0."""
    there, rows = {0: 0}, []
    while len(there) < graph.n:
        e = _random_arc(graph.head, graph.tail, there, random)
        begin = there[int(graph.head[e])] - time[e] - int(random.integers(0, 1 + 2 * seed))
        there[int(graph.tail[e])] = begin
        rows.append((e, begin))
    first = min(there.values())
    return [(e, begin - first) for e, begin in rows], -first
