"""Timetables on the systems of TACOS (Won et al., MICRO 2024), ours beside the paper's figures.

    python benchmarks/timetables_unequal.py            # allreduces of 1 GB, and allgathers by size
    python benchmarks/timetables_unequal.py --quick    # the smallest of each

Times are those of the pipelined model. `of ideal` is against the "ideal" of the paper, which no
two phases reach on some systems, and one set of tasks can beat; `of bound` against what nothing
beats: two cut bounds for two phases, the allreduce bound for one set. `cpu` are seconds of the
processor for forest and schedule, after one run that compiles. Every timetable is verified; the
figure `random` is the best of three seeds of the paper's algorithm with as many chunks.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from expansions.collective import Collective
from generators.fabrics.dgx1 import dgx1
from generators.fabrics.dragonfly import dragonfly
from generators.fabrics.ring_full_switch import ring_full_switch
from generators.fabrics.switch_grid import switch_grid
from generators.families.mesh import mesh
from generators.families.torus import torus
from generators.topology import Topology
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.timetable import Timetable
from topofinder.timetables.bounds import allreduce_time_bound, timetable_bounds
from topofinder.timetables.events import match_events, match_randomly
from topofinder.timetables.forest_routes import schedule_forest_routes
from topofinder.timetables.ideal import ideal_allreduce
from topofinder.timetables.paths import switch_routes
from topofinder.timetables.problem import ChunkProblem, gather_problem
from topofinder.timetables.rounds import round_times, schedule_rounds
from topofinder.verification.timetables import verify_timetable

GIGABYTE = Fraction(10**9)
PLAIN = LinkUnits(latency=Fraction(1, 2 * 10**6), rate=50 * GIGABYTE)
SIZES = {name: Fraction(1 << bits) for name, bits in
         (("256KiB", 18), ("4MiB", 22), ("64MiB", 26), ("1GiB", 30))}  # fmt: skip


@dataclass(frozen=True, slots=True)
class System:
    """A fabric, its units unless it tells them, and how its allreduce is made."""

    make: Callable[[], Topology]
    chunks: int
    parts: Fraction | int | None = None
    overlap: bool = False
    paper: str = "-"
    gathers: str = ""


SYSTEMS = {
    "DGX1": System(dgx1, 6, None, paper="93.26 %",
                   gathers="2.61, 25.17, 392.2, 6264"),
    "RFS(2,4,2)": System(lambda: ring_full_switch(2, 4, 2), 8, 1, paper="100 %, 0.63 ms"),
    "RFS(2,4,4)": System(lambda: ring_full_switch(2, 4, 4), 4, 64, paper="72 %, 8.9 ms",
                         gathers="1.98, 9.42, 128.2, 2028"),
    "RFS(2,4,8)": System(lambda: ring_full_switch(2, 4, 8), 2, 32, paper="68 %, 98 ms"),
    "RFS(2,4,16)": System(lambda: ring_full_switch(2, 4, 16), 1, 8, paper="68 %, 1080 ms"),
    "Torus(5,5,5)": System(lambda: torus(5, 5, 5), 3, None, paper="98.40 % of three",
                           gathers="3.23, 14.37, 222.4, 3551"),
    "Mesh(10,10)": System(lambda: mesh(10, 10), 1, 16, True, "98.40 % of three",
                          "9.07, 42.02, 664.9, 10631"),
    "Mesh(5,5,5)": System(lambda: mesh(5, 5, 5), 1, 4, True, "98.40 % of three"),
    "Dragonfly(4,5)": System(lambda: dragonfly(4, 5), 4, 64, paper="90.84 % with RFS",
                             gathers="1.70, 5.20, 68.2, 1077"),
    "Switch2D(8,4)": System(lambda: switch_grid(8, 4), 4, 64, paper="> 90 %"),
}  # fmt: skip


def units_of(topology: Topology) -> LinkUnits:
    """What the fabric tells, else 50 GB/s and 0.5 us."""
    return LinkUnits(
        latency=topology.unit_latency or PLAIN.latency, rate=topology.unit_rate or PLAIN.rate
    )


def require_valid(table: Timetable) -> Timetable:
    """Refuse what the verifier refuses."""
    verdict = verify_timetable(table)
    if verdict.violation or verdict.seconds != table.seconds:
        raise SystemExit(f"not valid: {verdict.violation}")
    return table


def gather_on(topology: Topology, size: Fraction, chunks: int) -> ChunkProblem:
    """An allgather, with routes through switches."""
    found = gather_problem(topology, size=size, units=units_of(topology), chunks=chunks)
    return found.with_routes(*switch_routes(topology))


def measure_allreduce(system: System) -> list[str]:
    """The columns of an allreduce of 1 GB."""
    graph = system.make()
    problem = gather_on(graph, GIGABYTE, system.chunks)
    begin = time.process_time()
    table, phases = make_allreduce(system, graph, problem)
    cpu = time.process_time() - begin
    seconds = require_valid(table).seconds * phases
    bound = timetable_bounds(problem).any_chunks * 2
    if phases == 1:
        bound = allreduce_time_bound(problem)
    ideal = ideal_allreduce(graph, GIGABYTE, problem.units)
    tries = [problem.timetable(match_randomly(problem, seed=seed)) for seed in range(3)]
    random = min(require_valid(one).seconds for one in tries) * 2
    return [
        f"{float(seconds * 1000):.3f}",
        f"{float(random * 1000):.3f}",
        f"{float(ideal / seconds):.1%}",
        system.paper,
        f"{float(bound / seconds):.2%}",
        f"{cpu:.3f}",
        "one set" if phases == 1 else "two phases",
    ]


def make_allreduce(system: System, graph: Topology, problem: ChunkProblem) -> tuple[Timetable, int]:
    """A timetable, and how many times its time the allreduce takes: these fabrics are two-way."""
    if system.parts is None:
        return problem.timetable(schedule_rounds(problem, seed=1)), 2
    kind = Collective.ALLREDUCE if system.overlap else Collective.ALLGATHER
    options = ForestOptions(collective=kind, overlap=system.overlap, able=False)
    made, sends = schedule_forest_routes(
        make_forest(graph, options), size=GIGABYTE, units=problem.units, parts=system.parts
    )
    return made.timetable(sends), 1 if system.overlap else 2


def measure_gathers(system: System) -> list[str]:
    """Bound and best found of an allgather of each size, in us, and the figure to match."""
    graph = system.make()
    forest = make_forest(graph, ForestOptions(able=False))
    columns = []
    for size, wanted in zip(SIZES.values(), system.gathers.split(", "), strict=True):
        bound = timetable_bounds(gather_on(graph, size, 1)).any_chunks
        tables = gather_tables(graph, size)
        for parts in (1, 4, 16, 64):
            made = schedule_forest_routes(forest, size=size, units=units_of(graph), parts=parts)
            tables = [*tables, made[0].timetable(made[1])]
        best = min(require_valid(table).seconds for table in tables)
        columns.append(f"{float(bound * 10**6):.2f} / {float(best * 10**6):.2f} ({wanted})")
    return columns


def gather_tables(graph: Topology, size: Fraction) -> list[Timetable]:
    """Timetables of several numbers of chunks, by rounds or by events."""
    return [made for chunks in (1, 2, 3, 4, 6, 8, 12) for made in _gathers(graph, size, chunks)]


def _gathers(graph: Topology, size: Fraction, chunks: int) -> Iterator[Timetable]:
    problem = gather_on(graph, size, chunks)
    if round_times(problem) is not None:
        yield problem.timetable(schedule_rounds(problem, seed=1))
        return
    for nearest in (True, False):
        yield problem.timetable(match_events(problem, seed=1, nearest=nearest))


def main() -> None:
    quick = "--quick" in sys.argv
    systems = dict(list(SYSTEMS.items())[:2]) if quick else SYSTEMS
    for name in ("RFS(2,4,2)", "Mesh(5,5,5)"):  # compiles
        small = SYSTEMS[name]
        graph = (lambda: mesh(2, 2)) if small.overlap else small.make
        measure_allreduce(replace(small, make=graph, parts=1))
    measure_allreduce(SYSTEMS["DGX1"])
    heads = ["ms for 1 GB", "random", "of ideal", "paper", "of bound", "cpu", "made as"]
    print(f"{'allreduce':<16}" + "".join(f"{head:>18}" for head in heads))
    for name, system in systems.items():
        columns = measure_allreduce(system)
        print(f"{name:<16}" + "".join(f"{column:>18}" for column in columns), flush=True)
    print("\nus: bound / best found (figure to match)")
    print(f"{'allgather':<16}" + "".join(f"{size:>32}" for size in SIZES))
    for name, system in systems.items():
        if system.gathers:
            columns = measure_gathers(system)
            print(f"{name:<16}" + "".join(f"{column:>32}" for column in columns), flush=True)


if __name__ == "__main__":
    main()
