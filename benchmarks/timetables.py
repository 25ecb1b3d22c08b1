"""Rounds of timetables on equal links, beside the bound and beside TACOS.

    python benchmarks/timetables.py            # all rows but the largest
    python benchmarks/timetables.py --quick    # those of a fraction of a second
    python benchmarks/timetables.py --large    # also a mesh of 40,000 nodes: many minutes

Allgathers of c chunks a node, without latency. `bound` are rounds that nothing takes less than,
`rounds` those that were found; a star marks what is above the bound. `CPU` are seconds of the
processor on one thread for everything after the bound, `wanted` what they are to stay below.
`TACOS` are rounds and seconds of its authors' program, version 1.3.0, where it ended in 170 s; the
paper has 2.52 hours for a mesh of 40,000 nodes, on 64 threads. Rows named `translated` schedule one
node for all. The last line counts random digraphs, of 6 to 40 nodes and degree 2 to 5 with c of 1
and 2, whose best of 3 seeds in each order of chunks is above the bound.
"""

import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import networkx as nx
import numpy as np

from expansions.build import build
from expansions.parser import parse
from generators.topology import Topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.timetables.bounds import timetable_bounds
from topofinder.timetables.problem import ChunkProblem, gather_problem
from topofinder.timetables.rounds import ChunkOrder, count_rounds
from topofinder.timetables.translated import schedule_translated

UNITS = LinkUnits(latency=Fraction(0), rate=Fraction(1))
ORDERS = (ChunkOrder.LEVELS, ChunkOrder.FULL, ChunkOrder.SCARCE, ChunkOrder.RARE)
SEEDS = (1, 2, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRow:
    """A graph, chunks a node, the seconds that are wanted, and what TACOS takes."""

    recipe: str
    chunks: int = 1
    wanted: float | None = None
    published: str = "-"
    translated: bool = False


QUICK = (
    RoundRow(recipe="Mesh(10,10)", published="50, 0.067 s"),
    RoundRow(recipe="Mesh(16,16)", published="128, 1.58 s"),
    RoundRow(recipe="Torus(8,8)", published="16-17"),
    RoundRow(recipe="Torus(10,10)", published="26"),
    RoundRow(recipe="Torus(16,16)", published="65-66, 1.63 s"),
    RoundRow(recipe="Torus(4,4,4)", chunks=4, published="43, 0.2 s"),
    RoundRow(recipe="Torus(5,5,5)", published="21"),
    RoundRow(recipe="Torus(8,8,8)", published="86, 18.1 s"),
    RoundRow(recipe="Mesh(5,5,5)"),
    RoundRow(recipe="Mesh(8,8,8)", published="171, 31.4 s"),
    RoundRow(recipe="Torus(200,200)", wanted=0.05, translated=True),
    RoundRow(recipe="Torus(35,35,35)", wanted=0.05, translated=True),
    RoundRow(recipe="Q(16)", translated=True),
)
ALL = (
    *QUICK,
    RoundRow(recipe="Mesh(32,32)", wanted=0.2),
    RoundRow(recipe="Mesh(64,64)", wanted=4),
    RoundRow(recipe="Torus(64,64)"),
    RoundRow(recipe="Mesh(100,100)", wanted=35),
)
LARGE = (*ALL, RoundRow(recipe="Mesh(200,200)", wanted=900, published="2.52 h"))


def problem_of(graph: Topology, chunks: int) -> ChunkProblem:
    """An allgather in which a chunk takes a second on a link."""
    made = gather_problem(graph, size=Fraction(1), units=UNITS, chunks=chunks)
    return replace(made, chunk_bytes=Fraction(1))


def least_rounds(problem: ChunkProblem, bound: int, orders: tuple[ChunkOrder, ...]) -> int:
    """The fewest rounds of all seeds and orders; it stops at the bound."""
    best: int | None = None
    for seed in SEEDS:
        for order in orders:
            found = count_rounds(problem, seed=seed, order=order).rounds
            best = found if best is None else min(best, found)
            if best == bound:
                return best
    assert best is not None
    return best


def measure(row: RoundRow) -> list[str]:
    """The columns of a row."""
    problem = problem_of(build(parse(row.recipe)), row.chunks)
    bound = int(timetable_bounds(problem).best)
    begin = time.process_time()
    if row.translated:
        rounds = int(schedule_translated(problem, seed=1).begin.max()) + 1
    else:
        rounds = least_rounds(problem, bound, ORDERS)
    seconds = time.process_time() - begin
    late = "*" if row.wanted is not None and seconds > row.wanted else ""
    wanted = "" if row.wanted is None else f"{row.wanted:g}"
    name = f"{row.recipe}, {row.chunks}" + ", translated" * row.translated
    return [name, str(bound), f"{rounds}{'*' * (rounds > bound)}", f"{seconds:.3f}{late}",
            wanted, row.published]  # fmt: skip


def random_digraphs(count: int) -> Iterator[Topology]:
    """Strongly connected digraphs: unions of permutations, and random heads for every tail."""
    random, found = np.random.default_rng(7), 0
    while found < count:
        n, d = int(random.integers(6, 41)), int(random.integers(2, 6))
        if found % 2:
            heads = [random.choice(np.delete(np.arange(n), v), d, replace=False) for v in range(n)]
            arcs = [(v, int(w)) for v in range(n) for w in heads[v]]
        else:
            turns = [random.permutation(n) for _ in range(d)]
            arcs = [(v, int(turn[v])) for turn in turns for v in range(n) if turn[v] != v]
        graph = nx.DiGraph(arcs)
        if len(graph) == n and nx.is_strongly_connected(graph):
            found += 1
            yield Topology.from_arcs(n, arcs)


def count_above(digraphs: int) -> str:
    """How many random digraphs stay above the bound, by order of chunks and with the best."""
    columns = [(order,) for order in (*ORDERS, ChunkOrder.RANDOM)]
    above, cases = dict.fromkeys([*columns, ORDERS], 0), 0
    for graph in random_digraphs(digraphs):
        for chunks in (1, 2):
            problem, cases = problem_of(graph, chunks), cases + 1
            bound = int(timetable_bounds(problem).best)
            for orders in above:
                above[orders] += least_rounds(problem, bound, orders) > bound
    told = ", ".join(f"{orders[0]} {above[orders]}" for orders in columns)
    return f"random digraphs above the bound, of {cases}: {above[ORDERS]} (by order: {told})"


def main() -> None:
    """Compile, then measure and print row by row."""
    rows, digraphs = (ALL, 60)
    if "--quick" in sys.argv:
        rows, digraphs = QUICK, 10
    if "--large" in sys.argv:
        rows = LARGE
    for translated in (False, True):
        measure(RoundRow(recipe="Torus(3,3)", translated=translated))
    print(f"{'graph, c':32} {'bound':>6} {'rounds':>7} {'CPU':>9} {'wanted':>7}  TACOS")
    for row in rows:
        name, bound, rounds, seconds, wanted, published = measure(row)
        print(f"{name:32} {bound:>6} {rounds:>7} {seconds:>9} {wanted:>7}  {published}", flush=True)
    print(count_above(digraphs))
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
