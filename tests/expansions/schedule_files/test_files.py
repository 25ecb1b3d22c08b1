"""Schedules survive both formats, whatever they are; hashes see content and nothing else."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expansions.collective import Collective
from expansions.schedule import COLUMNS, MAX_DENOMINATOR, Schedule
from expansions.schedule_files.digest import ORDER, canonical_rows, content_digest, topology_digest
from expansions.schedule_files.files import SCHEDULE_FILES, read_schedule, write_schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.formats.archive import read_archive
from generators.topology import Topology
from tests.schedules import breadth_first, from_rows, rows_of
from tests.twins import random_topology

FRACTIONS = st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000)


@st.composite
def topologies(draw: st.DrawFn) -> Topology:
    n = draw(st.integers(1, 6))
    node = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(node, node), max_size=8))
    values = st.none() | st.lists(FRACTIONS, min_size=len(arcs), max_size=len(arcs)).map(tuple)
    names = st.none() | st.lists(st.text(max_size=5), min_size=n, max_size=n).map(tuple)
    return Topology.from_arcs(
        n,
        arcs,
        capacity=draw(values),
        latency=draw(values),
        switches=tuple(draw(st.sets(node, max_size=n - 1))),
        names=draw(names),
    )


@st.composite
def schedules(draw: st.DrawFn, topology: Topology) -> Schedule:
    """Any rows that Schedule takes, sensible or not."""
    denominator = draw(st.sampled_from([1, 2, 12, 1 << 40, MAX_DENOMINATOR]))
    point = st.integers(0, denominator)
    piece = st.tuples(point, point).filter(lambda ends: ends[0] != ends[1]).map(sorted)
    collective = draw(
        st.sampled_from([one for one in Collective if one is not Collective.ALLTOALL])
    )
    root = draw(st.integers(0, topology.n - 1)) if collective.is_rooted else None
    source = st.integers(0, topology.n - 1) if root is None else st.just(root)
    sends = st.tuples(source, st.integers(0, max(topology.arcs - 1, 0)), piece)
    rows = draw(st.lists(sends, max_size=10 if topology.arcs else 0))
    steps = sorted(draw(st.integers(0, 1)) for _ in rows[1:])
    step = np.cumsum([1, *steps])[: len(rows)]
    turn = int(step.max(initial=0)) // 2 if collective is Collective.ALLREDUCE else None
    table = [(v, e, t, *ends) for (v, e, ends), t in zip(rows, step, strict=True)]
    return from_rows(table, denominator, collective=collective, root=root, turn=turn)


@st.composite
def saved_schedules(draw: st.DrawFn) -> SavedSchedule:
    topology = draw(topologies())
    return SavedSchedule(
        topology=topology,
        schedule=draw(schedules(topology)),
        recipe=draw(st.sampled_from([None, "K(2)"])) if topology.n == 2 else None,
        method=draw(st.sampled_from([None, "bfb", "by hand"])),
    )


def require_same(found: SavedSchedule, saved: SavedSchedule) -> None:
    assert found.topology.same_wiring(saved.topology)
    assert (found.recipe, found.method) == (saved.recipe, saved.method)
    for name in ("collective", "root", "turn", "steps", "rows"):
        assert getattr(found.schedule, name) == getattr(saved.schedule, name)
    assert rows_of(found.schedule) == rows_of(saved.schedule)
    assert found.cost == saved.cost
    assert found.digest == saved.digest


@settings(max_examples=80, deadline=None)
@given(saved_schedules())
def test_round_trips(saved: SavedSchedule) -> None:
    content, text = SCHEDULE_FILES.archive(saved), SCHEDULE_FILES.text(saved)
    found = SCHEDULE_FILES.decode("x.npz", content)
    require_same(found, saved)
    # What is asked of large ones holds of all.
    read_archive(content, SCHEDULE_FILES.lengths, SCHEDULE_FILES.ranges, free=0)
    assert SCHEDULE_FILES.archive(found) == content
    found = SCHEDULE_FILES.decode("x.json", text.encode())
    require_same(found, saved)
    assert SCHEDULE_FILES.text(found) == text


@pytest.mark.parametrize("suffix", [".npz", ".json", ".JSON"])
def test_files_are_written_and_read(tmp_path: Path, suffix: str) -> None:
    graph = random_topology(3)
    saved = SavedSchedule(topology=graph, schedule=breadth_first(graph, pieces=3), method="bfb")
    path = tmp_path / f"schedule{suffix}"
    write_schedule(saved, path)
    require_same(read_schedule(path), saved)
    first = path.read_bytes()
    write_schedule(read_schedule(path), path)
    assert path.read_bytes() == first


def test_numpy_opens_the_binary_format(tmp_path: Path) -> None:
    graph = random_topology(4)
    schedule = breadth_first(graph)
    write_schedule(SavedSchedule(topology=graph, schedule=schedule), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as members:
        assert set(members) == {"header", "tail", "head", *COLUMNS}
        assert members["source"].dtype == np.uint8
        header = json.loads(members["header"].tobytes())
        assert header["rows"] == len(members["arc"]) == schedule.rows
        assert header["bandwidth"] == str(schedule.cost(graph).bandwidth)


@pytest.mark.parametrize("seed", range(6))
def test_hashes_see_neither_order_nor_denominator(seed: int) -> None:
    graph = random_topology(seed)
    schedule = breadth_first(graph, pieces=2, seed=seed)
    order = np.random.default_rng(seed).permutation(schedule.rows)
    columns = {name: getattr(schedule, name)[order] for name in ORDER}
    columns |= {name: columns[name] * 3 for name in ("begin", "end")}
    same = Schedule(**columns, denominator=6)
    assert content_digest(graph, same) == content_digest(graph, schedule)
    columns["end"][0] -= 1
    other = Schedule(**columns, denominator=6)
    assert content_digest(graph, other) != content_digest(graph, schedule)


def test_hashes_see_everything_else() -> None:
    graph = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    rows = [(0, 0, 1, 0, 1), (0, 1, 2, 0, 1)]
    kinds = [
        from_rows(rows),
        from_rows(rows, collective="reduce-scatter"),
        from_rows(rows, collective="broadcast", root=0),
        from_rows(rows, collective="allreduce", turn=0),
        from_rows(rows, collective="allreduce", turn=1),
    ]
    assert len({content_digest(graph, schedule) for schedule in kinds}) == 5
    arcs = {"n": 3, "tail": graph.tail, "head": graph.head}
    graphs = [
        graph,
        graph.transpose(),
        Topology(**arcs, capacity=(1, 1, 2)),
        Topology(**arcs, latency=(1, 1, 2)),
        Topology(**arcs, switches=(1,)),
    ]
    assert len({topology_digest(graph) for graph in graphs}) == 5
    assert len({content_digest(graph, kinds[0]) for graph in graphs}) == 5
    named = Topology(**arcs, names=("a", "b", "c"))
    assert topology_digest(named) == topology_digest(graph)


def test_hashes_do_not_change() -> None:
    """What is stored under a hash must be found again by later versions."""
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    swap = from_rows([(0, 0, 1, 0, 1), (1, 1, 1, 0, 1)])
    assert topology_digest(pair).startswith("c2e2ed47ff0788f4")
    assert content_digest(pair, swap).startswith("bef06ad46375e967")


@settings(max_examples=60, deadline=None)
@given(saved_schedules())
def test_canonical_rows_are_sorted_and_reduced(saved: SavedSchedule) -> None:
    found = canonical_rows(saved.schedule)
    table = list(zip(*(getattr(found, name).tolist() for name in ORDER), strict=True))
    assert table == sorted(table)
    assert rows_of(found) == rows_of(saved.schedule)
    numbers = [found.denominator, *found.begin.tolist(), *found.end.tolist()]
    assert np.gcd.reduce(np.array(numbers, dtype=np.int64)) == 1
