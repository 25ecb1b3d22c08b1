"""Forests as timed schedules: judged by the verifier and a slow twin; figures of TACOS beaten."""

from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.collective import Collective
from generators.arrays import jump_graph
from generators.errors import InvalidInput, Unsupported
from generators.families.mesh import mesh
from generators.topology import Topology
from tests.timetable_twin import judge
from tests.timetables import small_graphs, two_boxes, uneven
from topofinder.forests.clock import Clock
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.forest import Forest
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import Timetable
from topofinder.timetables import forest_routes
from topofinder.timetables.forest_routes import schedule_forest_routes
from topofinder.timetables.forest_tasks import cut_trees, number_channels
from topofinder.timetables.list_schedule import TaskSet, list_schedule
from topofinder.verification.timetables import verify_timetable

UNITS = LinkUnits(latency=Fraction(1, 3), rate=Fraction(2))
GIGABYTE = Fraction(10**9)
STAR = Topology.from_arcs(
    4, [(0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2), (3, 0), (0, 3)], switches=(3,)
)
"""Host 0 has two links to the switch."""
GRAPHS = [*small_graphs()[:9], two_boxes(), STAR]
DGX1 = {
    (0, 1): 1, (0, 2): 1, (0, 3): 2, (0, 4): 2, (1, 2): 2, (1, 3): 1, (1, 5): 2, (2, 3): 2,
    (2, 6): 1, (3, 7): 1, (4, 5): 1, (4, 6): 1, (4, 7): 2, (5, 6): 2, (5, 7): 1, (6, 7): 2,
}  # fmt: skip
"""Links between the GPUs of a DGX-1."""


def forest_of(graph: Topology, collective: str, **options: Any) -> Forest:
    kind = Collective(collective)
    root = {"root": 0} if kind.is_rooted else {}
    return make_forest(graph, ForestOptions(collective=kind, able=False, **root, **options))


def timetable_of(forest: Forest, **options: Any) -> Timetable:
    given_options = {"size": Fraction(12), "units": UNITS, **options}
    problem, sends = schedule_forest_routes(forest, **given_options)
    return problem.timetable(sends)


@pytest.mark.parametrize("graph", GRAPHS, ids=range(len(GRAPHS)))
@pytest.mark.parametrize("collective", ["allgather", "broadcast", "allreduce"])
@pytest.mark.parametrize("model", list(TimeModel))
def test_is_valid(graph: Topology, collective: str, model: TimeModel) -> None:
    forest = forest_of(graph, collective)
    for parts in (1, 2, Fraction(1, 2)):
        table = timetable_of(forest, model=model, parts=parts)
        assert verify_timetable(table).violation is None
        assert table.total_bytes == 12
        if parts == 1:
            assert judge(table) == set()
        again = timetable_of(forest, model=model, parts=parts)
        for name in ("chunk", "channel", "begin", "route_arc"):
            assert getattr(table, name).tobytes() == getattr(again, name).tobytes()


def test_hosts_of_unlike_weights_and_trees_of_two_phases() -> None:
    graph = uneven(jump_graph(5, [1, 2]), 3)
    forest = forest_of(graph, "allreduce", weights=(1, 0, 2, 1, 3))
    assert forest.spread is not None
    assert forest.gather is not None
    assert not np.array_equal(forest.spread.route, forest.gather.route)
    table = timetable_of(forest, parts=3)
    assert verify_timetable(table).violation is None
    owned = np.bincount(table.origin, weights=table.amount, minlength=5)
    assert (owned / owned[0]).tolist() == [1, 0, 2, 1, 3]


@given(seed=st.integers(0, 1 << 32))
def test_channels_are_numbered_as_routes_differ(seed: int) -> None:
    draw = np.random.default_rng(seed)
    ways = [tuple(draw.integers(0, 3, draw.integers(1, 4)).tolist()) for _ in range(12)]
    hops = np.array([len(way) for way in ways])
    found = number_channels(3, hops, np.array([arc for way in ways for arc in way]))
    named: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for way, channel in zip(ways, found.channel.tolist(), strict=True):
        named[way].add(channel)
        if len(way) > 1:
            start = found.route_start[channel - 3 : channel - 1]
            assert tuple(found.route_arc[start[0] : start[1]].tolist()) == way
        else:
            assert channel == way[0]
    assert all(len(channels) == 1 for channels in named.values())
    assert len({min(channels) for channels in named.values()}) == len(named)


def test_parts_have_the_same_share_of_every_tree() -> None:
    forest = forest_of(mesh(3, 3), "allgather")
    assert forest.spread is not None
    for parts in (1, 3, Fraction(1, 2), Fraction(5, 2)):
        chunks = cut_trees(forest, parts)
        share = np.zeros(forest.spread.trees, dtype=np.int64)
        np.add.at(share, chunks.spread, chunks.amount)
        fine = Fraction(parts).numerator
        assert (share == forest.spread.copies * fine).all()
        assert chunks.whole == share.sum()
        assert (np.diff(chunks.part) >= 0).all()
        for part in range(int(Fraction(parts))):
            which = chunks.spread[chunks.part == part]  # type: ignore[index]
            assert set(which.tolist()) == set(range(forest.spread.trees))


def test_parallel_links_are_loaded_alike() -> None:
    """A DGX-1 whose GPUs have one or two links between them."""
    arcs = [
        (u, v) for pair, many in DGX1.items() for _ in range(many) for u, v in (pair, pair[::-1])
    ]
    graph = Topology.from_arcs(8, arcs)
    table = timetable_of(forest_of(graph, "allgather"), parts=16, size=GIGABYTE)
    load = np.bincount(table.channel, minlength=graph.arcs)
    assert len(set(load.tolist())) == 1
    units = LinkUnits(latency=Fraction(7, 10**7), rate=25 * GIGABYTE)
    table = timetable_of(forest_of(graph, "allgather"), parts=16, size=GIGABYTE, units=units)
    bound = Fraction(7, 6) * GIGABYTE / 8 / units.rate
    assert bound / table.seconds > Fraction(97, 100)


def ring_full_switch(boxes: int) -> Topology:
    """3D-RFS: pairs at 200, four pairs a box fully joined at 100, boxes by switches at 50 GB/s."""
    links: dict[tuple[int, int], tuple[int, Fraction]] = {}
    for first in range(0, 8 * boxes, 8):
        for u in range(first, first + 8):
            if u % 2 == 0:
                links[u, u + 1] = (200, Fraction(1))
            links |= {(u, v): (100, Fraction(1)) for v in range(u + 2, first + 8, 2)}
            links[u, 8 * boxes + u % 8] = (50, Fraction(1, 2))
    both = [(pair, kind) for (u, v), kind in links.items() for pair in ((u, v), (v, u))]
    return Topology.from_arcs(
        8 * boxes + 8,
        [pair for pair, _ in both],
        capacity=tuple(Fraction(kind[0]) for _, kind in both),
        latency=tuple(kind[1] for _, kind in both),
        switches=tuple(range(8 * boxes, 8 * boxes + 8)),
    )


@pytest.mark.parametrize(("boxes", "parts"), [(2, 1), (4, 64), (16, 8)])
def test_nears_the_cut_bound_of_hierarchical_fabrics(boxes: int, parts: int) -> None:
    """TACOS comes to 68 to 100 % of a bound that is not reachable, 88 % of this one at 128."""
    units = LinkUnits(latency=Fraction(1, 2 * 10**6), rate=GIGABYTE)
    forest = forest_of(ring_full_switch(boxes), "allgather")
    table = timetable_of(forest, size=GIGABYTE, units=units, parts=parts)
    bound = forest.optimum * GIGABYTE / forest.total / units.rate
    assert bound / table.seconds >= Fraction(985, 1000)
    assert verify_timetable(table).violation is None


@pytest.mark.parametrize("collective", ["allgather", "broadcast", "allreduce"])
def test_of_many_parts_the_order_is_taken_that_is_best_with_few(
    collective: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduled: list[tuple[int, int]] = []

    def schedule(tasks: TaskSet, *, clock: Clock) -> np.ndarray:
        begin = list_schedule(tasks, clock=clock)
        scheduled.append((tasks.tasks, int((begin + tasks.duration).max())))
        return begin

    monkeypatch.setattr(forest_routes, "list_schedule", schedule)
    forest = forest_of(jump_graph(13, (1, 5)), collective)
    few = timetable_of(forest, parts=16)
    tried, scheduled[:] = list(scheduled), []
    many = timetable_of(forest, parts=24)
    assert scheduled[:-1] == tried
    assert scheduled[-1][0] == tried[0][0] * 24 // 16
    assert verify_timetable(many).violation is None
    assert not judge(many)
    assert many.seconds <= few.seconds


def overlapped_mesh(*widths: int, parts: int) -> Timetable:
    units = LinkUnits(latency=Fraction(1, 2 * 10**6), rate=50 * GIGABYTE)
    forest = forest_of(mesh(*widths), "allreduce", overlap=True)
    return timetable_of(forest, size=GIGABYTE, units=units, parts=parts)


def test_overlaps_both_phases_of_an_allreduce() -> None:
    """On a mesh of 10x10 any two phases, one after the other, take at least 19.8 ms."""
    table = overlapped_mesh(10, 10, parts=4)
    assert table.seconds <= Fraction(136, 10**4)
    assert verify_timetable(table).violation is None


@pytest.mark.slow
def test_overlap_of_many_parts() -> None:
    assert overlapped_mesh(10, 10, parts=16).seconds <= Fraction(119, 10**4)
    assert overlapped_mesh(5, 5, 5, parts=4).seconds <= Fraction(91, 10**4)


def test_refuses() -> None:
    forest = forest_of(mesh(2, 2), "allgather")
    for parts in (0, -1):
        with pytest.raises(InvalidInput, match=f"parts: above 0, not '{parts}'"):
            timetable_of(forest, parts=parts)
    with pytest.raises(InvalidInput, match="size: above 0 bytes, not 0"):
        timetable_of(forest, size=Fraction(0))
    with pytest.raises(Unsupported, match="parts: at most 16777216 chunks"):
        timetable_of(forest, parts=10**7)
    with pytest.raises(Unsupported, match="too many to count"):
        timetable_of(forest, parts=Fraction(1, 10**20))
    with pytest.raises(InvalidInput, match="collective: reduce-scatter is made from"):
        timetable_of(forest_of(mesh(2, 2), "reduce-scatter"))
