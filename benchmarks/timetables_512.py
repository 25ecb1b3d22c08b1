"""Timetables at 512 NPUs: boxes on rails under a spine, a torus, a random graph, all collectives.

    python benchmarks/timetables_512.py            # 8x8x8, 64 boxes of 8, 6-regular: minutes
    python benchmarks/timetables_512.py --quick    # the same at 32 NPUs

1 GB, 0.5 us a link, 50 GB/s (450 GB/s inside boxes), pipelined. `cpu` are seconds of the processor
for the flow of an all-to-all, bounds and all makers, after one run that compiles. Every timetable
is verified. The paper (TACOS, MICRO 2024) has no figures on such fabrics.
"""

import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction

import networkx as nx

from expansions.collective import Collective
from generators.fabrics.wiring import GIGABYTE, FabricBuilder
from generators.families.torus import torus
from generators.topology import Topology
from topofinder.api.exchange_routes import exchange_by_flow
from topofinder.model.chunk_times import LinkUnits
from topofinder.timetables.portfolio import Synthesis, synthesize
from topofinder.timetables.task import TimedTask
from topofinder.verification.timetables import verify_timetable

SIZE = Fraction(10**9)
COLLECTIVES = (
    Collective.ALLGATHER,
    Collective.REDUCE_SCATTER,
    Collective.ALLREDUCE,
    Collective.ALLTOALL,
)


def rail_optimized(boxes: int, gpus: int) -> Topology:
    """A switch in each box, a rail for each place in a box, and one spine above the rails."""
    wiring = FabricBuilder("rail-optimized")
    hosts = [[wiring.host(f"gpu{box}.{i}") for i in range(gpus)] for box in range(boxes)]
    within = [wiring.switch(f"box{box}") for box in range(boxes)]
    rails = [wiring.switch(f"rail{i}") for i in range(gpus)]
    spine = wiring.switch("spine")
    for box, own in enumerate(hosts):
        for i, host in enumerate(own):
            wiring.link(host, within[box], 450)
            wiring.link(host, rails[i], 50)
    for rail in rails:
        wiring.link(rail, spine, 50 * boxes)
    return wiring.topology(GIGABYTE)


def random_regular(n: int, degree: int) -> Topology:
    """A random two-way graph."""
    links = nx.random_regular_graph(degree, n, seed=1).edges
    return Topology.from_arcs(n, [pair for u, v in links for pair in ((u, v), (v, u))])


def fabrics(quick: bool) -> Iterator[tuple[str, Callable[[], Topology]]]:
    """Name and maker of each."""
    boxes, gpus, n, sides = (8, 4, 32, (4, 4, 2)) if quick else (64, 8, 512, (8, 8, 8))
    yield f"rails {boxes}x{gpus}", lambda: rail_optimized(boxes, gpus)
    yield f"torus {'x'.join(map(str, sides))}", lambda: torus(*sides)
    yield f"random {n}, 6", lambda: random_regular(n, 6)


def synthesize_one(graph: Topology, collective: Collective) -> Synthesis:
    """The best timetable of all makers."""
    units = LinkUnits(latency=Fraction(1, 2 * 10**6), rate=graph.unit_rate or 50 * GIGABYTE)
    exchange = None
    if collective is Collective.ALLTOALL:
        exchange = exchange_by_flow(graph, size=SIZE, units=units, time=5)
    return synthesize(
        TimedTask(
            topology=graph, collective=collective, size=SIZE, units=units, exchange=exchange
        )
    )  # fmt: skip


def main() -> None:
    quick = "--quick" in sys.argv
    for _, make in fabrics(True):  # compiles
        for collective in COLLECTIVES:
            synthesize_one(make(), collective)
    heads = ["ms", "of bound", "cpu", "made as"]
    print(f"{'1 GB':<14}{'collective':<16}" + "".join(f"{head:>12}" for head in heads))
    for name, make in fabrics(quick):
        graph = make()
        for collective in COLLECTIVES:
            begin = time.process_time()
            found = synthesize_one(graph, collective)
            cpu = time.process_time() - begin
            table = found.timetable
            if (violation := verify_timetable(table).violation) is not None:
                raise SystemExit(f"{name}: {violation}")
            share = found.bounds.any_chunks / table.seconds
            columns = [f"{float(table.seconds * 1000):.4g}", f"{float(share):.2%}", f"{cpu:.1f}"]
            told = "".join(f"{column:>12}" for column in columns)
            print(f"{name:<14}{collective!s:<16}{told}    {table.method}", flush=True)


if __name__ == "__main__":
    main()
