"""Finds Diamond and the modified de Bruijn graphs of table 9, and their schedules.

    python -m tools.find_modified_graphs

writes generators/data/modified_graphs.json and topofinder/schedules/synthesis/data/*.json, in two
minutes on one core. The published figures are drawings, so graphs with all published properties are
searched for (Zhao et al., tables 7 and 9): diameter, reverse-symmetry, no loops or parallel arcs,
the cost of the best schedule on the graph and on its transpose, and the printed all-to-all
throughput f of expansions of the graph (f of a Cartesian square is f(G)/N).

Diamond: all digraphs of 8 nodes and degree 2 whose hop bound, arcs over the sum of distances,
allows the printed f. DBJMod(2,n): all six cycles through the nodes of loops and 2-cycles.
DBJMod(3,2), DBJMod(4,2): the cycles through all words that a rotation of the letters keeps, since
that symmetry makes the search and the schedules small.

Of several that fit, the one of greatest f(G) is taken, then of least sum of distances, then the
first by the nodes of its cycle; for DBJMod(4,2), where the f printed are those of L(G) and L^2(G),
the one of least sum of distances.
"""

import json
from collections.abc import Iterator
from itertools import permutations, product
from math import gcd
from pathlib import Path

import networkx as nx

from expansions.cost import Cost
from expansions.line_graph import line_graph
from expansions.lower_bounds import least_bandwidth
from expansions.recipe import Base
from generators.families.debruijn_modified import kept_arcs, letter_rotation
from generators.topology import IntArray, Topology
from tools.concurrent_flow import concurrent_flow
from tools.diregular import small_digraphs
from topofinder.schedules.synthesis.chunk_schedules import (
    CHUNK_COLUMNS,
    ChunkSchedule,
    synthesis_file_name,
)
from topofinder.schedules.synthesis.synthesise import arc_image, synthesise

ROOT = Path(__file__).parents[1]
STEPS = {(2, 3): 4, (2, 4): 5, (3, 2): 3, (4, 2): 3}
"""The published T_L of DBJMod(d,n)."""

Pair = tuple[ChunkSchedule, ChunkSchedule]


def prints_as(value: float, printed: str) -> bool:
    """Whether a value rounds to a printed one; a value half-way, either way."""
    digits = printed.partition("e")[0].partition(".")[2]
    unit = 10.0 ** (int(printed.partition("e")[2]) - len(digits))
    return abs(value - float(printed)) <= unit / 2 * (1 + 1e-6)


def digraph(topology: Topology) -> nx.DiGraph:
    """The topology for networkx."""
    return nx.DiGraph(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))


def reverse_symmetric(topology: Topology) -> bool:
    """Whether a topology is isomorphic to its transpose."""
    return nx.is_isomorphic(digraph(topology), digraph(topology.transpose()))


def distance_sum(topology: Topology) -> int:
    """The sum of all distances."""
    return sum(sum(far.values()) for _, far in nx.all_pairs_shortest_path_length(digraph(topology)))


def schedules(topology: Topology, steps: int, images: list[IntArray]) -> Pair | None:
    """Bandwidth-optimal allgathers on the topology and its transpose, with the fewest chunks."""
    chunks = topology.degree // gcd(topology.degree, topology.n - 1)
    both = [
        synthesise(graph, steps=steps, chunks=chunks, automorphisms=images)
        for graph in (topology, topology.transpose())
    ]
    optimal = Cost(steps, least_bandwidth(topology.n))
    if both[0] is None or both[1] is None or {one.cost for one in both if one} != {optimal}:
        return None
    return both[0], both[1]


def find_diamond() -> tuple[list[tuple[int, int]], Pair]:
    """The first digraph of 8 nodes with the properties of Diamond."""
    printed = "1.87e-2"
    most = int(16 / (8 * (float(printed) - 0.5e-4)))
    fits = []
    for arcs in small_digraphs(3, most):
        topology = Topology.from_arcs(8, arcs)
        if prints_as(concurrent_flow(topology) / 8, printed) and not reverse_symmetric(topology):
            pair = schedules(topology, 3, [])
            if pair:
                fits.append((arcs, pair))
    graphs = [nx.DiGraph(arcs) for arcs, _ in fits]
    twins = len(graphs) == 2 and nx.is_isomorphic(graphs[0], graphs[1].reverse())
    print(f"Diamond: {len(fits)} digraphs fit; two that are each other's transposes: {twins}")
    return fits[0]


def rewire_with_cycle(d: int, n: int, cycle: tuple[int, ...]) -> Topology:
    """DBJ(d,n) with its loops and 2-cycles replaced by the cycle."""
    arcs = kept_arcs(d, n) + list(zip(cycle, cycle[1:] + cycle[:1], strict=True))
    return Topology.from_arcs(d**n, sorted(arcs))


def all_cycles(d: int, n: int) -> Iterator[tuple[int, ...]]:
    """Every cycle through the nodes that miss an arc, from node 0."""
    kept = [tail for tail, _ in kept_arcs(d, n)]
    open_nodes = [x for x in range(1, d**n) if kept.count(x) < d]
    return ((0, *rest) for rest in permutations(open_nodes))


def rotating_cycles(d: int) -> Iterator[tuple[int, ...]]:
    """Every cycle through all words of two letters that a rotation of the letters carries along.

    Words differ by a rotation exactly when the difference of their letters is the same, so the
    first d words have distinct differences, and the rotation by k continues the cycle.
    """
    for differences in permutations(range(1, d)):
        for letters in product(range(d), repeat=d - 1):
            first = [0, *(d * a + (a + o) % d for a, o in zip(letters, differences, strict=True))]
            for k in (k for k in range(1, d) if gcd(k, d) == 1):
                yield tuple(int(letter_rotation(d, k * i)[x]) for i in range(d) for x in first)


def find_modified(d: int, n: int) -> tuple[tuple[int, ...], Pair]:
    """The cycle of DBJMod(d,n) and the schedules of the graph."""
    images = [letter_rotation(d, by) for by in range(d)] if n == 2 else []
    ranked = []
    for cycle in rotating_cycles(d) if n == 2 else all_cycles(d, n):
        topology = rewire_with_cycle(d, n, cycle)
        if topology.is_simple and reverse_symmetric(topology) == (n == 3):
            f = 0.0 if d == 4 else round(concurrent_flow(topology, images), 9)
            ranked.append((-f, distance_sum(topology), cycle))
    for minus_f, distances, cycle in sorted(ranked):
        topology = rewire_with_cycle(d, n, cycle)
        if throughput_fits(d, n, topology, -minus_f, images):
            pair = schedules(topology, STEPS[d, n], images)
            if pair:
                print(f"DBJMod({d},{n}): {len(ranked)} cycles; {cycle}, distances {distances}")
                return cycle, pair
    raise SystemExit(f"DBJMod({d},{n}): nothing fits")


def throughput_fits(d: int, n: int, topology: Topology, f: float, images: list[IntArray]) -> bool:
    """Whether the printed throughputs are those of this graph; none is printed for d^n < 16."""
    if (d, n) == (2, 4):
        return prints_as(f / 16, "2.94e-3")
    if d < 4:
        return True
    for printed in ("2.21e-2", "4.10e-3"):
        images = [arc_image(topology, image) for image in images]
        topology = line_graph(topology)
        if not prints_as(concurrent_flow(topology, images), printed):
            return False
    return True


def write(path: Path, content: object) -> None:
    """Compact JSON with a line feed at the end."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


def entry(schedule: ChunkSchedule) -> dict[str, object]:
    """What is kept of a schedule: steps, chunks, whether it is proved, and its rows by column."""
    columns = {name: getattr(schedule, name).tolist() for name in CHUNK_COLUMNS}
    kept = {"steps": schedule.steps, "chunks": schedule.chunks, "proved": schedule.proved}
    return {**kept, **columns}


def write_schedules(base: Base, pair: Pair) -> None:
    """One file a graph."""
    path = ROOT / "topofinder" / "schedules" / "synthesis" / "data" / synthesis_file_name(base)
    write(path, {"recipe": str(base), "allgather": entry(pair[0]), "transpose": entry(pair[1])})


def main() -> None:
    """Find all five graphs and write the files."""
    arcs, pair = find_diamond()
    found: dict[str, object] = {"Diamond": arcs}
    write_schedules(Base("Diamond"), pair)
    for d, n in STEPS:
        cycle, pair = find_modified(d, n)
        base = Base("DBJMod", (d, n))
        found[str(base)] = cycle
        write_schedules(base, pair)
    write(ROOT / "generators" / "data" / "modified_graphs.json", found)


if __name__ == "__main__":
    main()
