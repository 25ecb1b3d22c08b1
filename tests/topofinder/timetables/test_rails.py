"""Boxes on rails: fat links beside slow ones, all collectives, near bounds by boxes."""

from fractions import Fraction

import pytest

from expansions.collective import Collective
from generators.fabrics.rail_only import rail_only
from generators.fabrics.wiring import GIGABYTE, FabricBuilder
from generators.topology import Topology
from topofinder.api.exchange_routes import exchange_by_flow
from topofinder.model.chunk_times import LinkUnits
from topofinder.timetables.paths import joining_routes, switch_routes
from topofinder.timetables.portfolio import Synthesis, synthesize, task_bounds
from topofinder.timetables.reverse import rename_arcs, reverse_timetable
from topofinder.timetables.task import TimedTask
from topofinder.verification.timetables import verify_timetable

UNITS = LinkUnits(latency=Fraction(1, 2 * 10**6), rate=GIGABYTE)
SIZE = Fraction(10**9)


def rail_optimized(boxes: int, gpus: int, inside: int = 450, outside: int = 50) -> Topology:
    """A switch in each box, a rail for each place in a box, and one spine above the rails."""
    wiring = FabricBuilder("rail-optimized")
    hosts = [[wiring.host(f"gpu{box}.{i}") for i in range(gpus)] for box in range(boxes)]
    within = [wiring.switch(f"box{box}") for box in range(boxes)]
    rails = [wiring.switch(f"rail{i}") for i in range(gpus)]
    spine = wiring.switch("spine")
    for box, own in enumerate(hosts):
        for i, host in enumerate(own):
            wiring.link(host, within[box], inside)
            wiring.link(host, rails[i], outside)
    for rail in rails:
        wiring.link(rail, spine, outside * boxes)
    return wiring.topology(GIGABYTE)


def synthesis(graph: Topology, collective: Collective) -> Synthesis:
    exchange = None
    if collective is Collective.ALLTOALL:
        exchange = exchange_by_flow(graph, size=SIZE, units=UNITS)
    return synthesize(
        TimedTask(
            topology=graph,
            collective=collective,
            size=SIZE,
            units=UNITS,
            exchange=exchange,
            tries=1,
        )
    )


@pytest.mark.parametrize(
    "collective",
    [
        Collective.ALLGATHER,
        Collective.REDUCE_SCATTER,
        Collective.ALLREDUCE,
        Collective.ALLTOALL,
    ],
)
def test_boxes_on_rails_with_a_spine_come_near_their_bounds(collective: Collective) -> None:
    found = synthesis(rail_optimized(8, 4), collective)
    assert verify_timetable(found.timetable).violation is None
    assert found.gap is not None
    assert found.gap < Fraction(3, 100)


def test_what_enters_the_boxes_bounds_an_allreduce() -> None:
    """Nothing below two phases: 2 * 7/8 of the data pass the 4 rails of each of 8 boxes."""
    task = TimedTask(
        topology=rail_optimized(8, 4), collective=Collective.ALLREDUCE, size=SIZE, units=UNITS
    )
    through = SIZE * 2 * Fraction(7, 8) / (4 * 50 * GIGABYTE)
    assert task_bounds(task).any_chunks == through + UNITS.latency


def test_two_way_links_run_the_same_sends_backwards() -> None:
    made = synthesis(rail_only(2, 2), Collective.ALLGATHER).timetable
    back = rename_arcs(reverse_timetable(made), made.topology)
    assert back is not None
    assert back.topology is made.topology
    assert back.collective is Collective.REDUCE_SCATTER
    assert verify_timetable(back).seconds == made.seconds
    one_way = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    ring = synthesize(
        TimedTask(topology=one_way, collective=Collective.ALLGATHER, size=SIZE, units=UNITS)
    ).timetable
    assert rename_arcs(reverse_timetable(ring), one_way) is None


def test_many_routes_are_cut_to_those_in_boxes_and_on_rails() -> None:
    graph = rail_optimized(4, 2)
    every = switch_routes(graph)
    few = joining_routes(graph, every, 8)
    assert len(every[0]) - 1 == 8 * 7
    assert len(few[0]) - 1 == 8 * (1 + 3)
    assert joining_routes(graph, every, 56) is every
