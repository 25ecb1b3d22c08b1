"""The noun Schedule and its exact loads against a dict of Fractions."""

from fractions import Fraction

import numpy as np
import pytest

from expansions.collective import Collective
from expansions.schedule import MAX_DENOMINATOR, Schedule
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.replay import Wrong, replay
from tests.schedules import breadth_first, empty, from_rows, slow_loads
from tests.twins import random_topology


@pytest.mark.parametrize("seed", range(20))
def test_loads_equal_a_dict_of_fractions(seed: int) -> None:
    graph = random_topology(seed)
    schedule = breadth_first(graph, pieces=3, seed=seed)
    replay(graph, schedule)
    loads = schedule.loads(graph)
    assert loads == slow_loads(graph, schedule)
    cost = schedule.cost(graph)
    assert cost.steps == len(loads) == schedule.steps
    assert cost.bandwidth == Fraction(graph.degree, graph.n) * sum(loads)


@pytest.mark.parametrize("seed", range(5))
def test_capacities_divide_loads(seed: int) -> None:
    graph = random_topology(seed)
    generator = np.random.default_rng(seed)
    capacity = tuple(Fraction(int(c), 3) for c in generator.integers(1, 6, graph.arcs))
    graph = Topology(n=graph.n, tail=graph.tail, head=graph.head, capacity=capacity)
    schedule = breadth_first(graph, pieces=2, seed=seed)
    assert schedule.loads(graph) == slow_loads(graph, schedule)


def test_loads_beyond_64_bits_are_exact() -> None:
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    whole = MAX_DENOMINATOR
    rows = [(0, 0, 1, i % 2, whole - i % 3) for i in range(9)] + [(1, 1, 1, 0, 1)]
    schedule = from_rows(rows, whole)
    assert schedule.loads(pair) == slow_loads(pair, schedule)
    assert schedule.loads(pair)[0] > 8


def test_loads_on_a_mostly_empty_table() -> None:
    n = 1500
    ring = Topology.from_arcs(n, [(v, (v + 1) % n) for v in range(n)])
    broadcast = from_rows([(0, v, v + 1, 0, 1) for v in range(n - 1)])
    assert broadcast.loads(ring) == (Fraction(1),) * (n - 1)


def test_switches_hold_no_shard() -> None:
    star = Topology.from_arcs(3, [(0, 2), (2, 0), (1, 2), (2, 1)], switches=(2,))
    schedule = from_rows([(0, 0, 1, 0, 1), (1, 2, 1, 0, 1), (0, 3, 2, 0, 1), (1, 1, 2, 0, 1)])
    replay(star, schedule)
    assert schedule.cost(star).bandwidth == Fraction(2, 2) * 2


def test_nothing_to_send() -> None:
    single = Topology.from_arcs(1, [])
    assert empty().steps == empty().rows == 0
    assert empty().loads(single) == ()


def test_columns_are_taken_over_and_cannot_be_written() -> None:
    begin = np.zeros(2, dtype=np.int64)
    schedule = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=begin, end=begin + 1)
    assert np.shares_memory(schedule.begin, begin)
    with pytest.raises(ValueError, match="read-only"):
        schedule.begin[0] = 1
    assert begin.flags.writeable


GOOD: dict = {"source": [0, 1], "arc": [0, 1], "step": [1, 2], "begin": [0, 0], "end": [1, 1]}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"arc": [0]}, "arc: 1 entries, but source has 2"),
        ({"arc": [[0, 1]]}, "arc: a flat array"),
        ({"arc": [0.0, 1.0]}, "arc: a flat array of integers"),
        ({"arc": [0, -1]}, "arc: -1 in row 1"),
        ({"arc": [0, 1 << 32]}, "arc: 4294967296 does not fit 32 bits"),
        ({"source": [0, -2]}, "source: -2 in row 1"),
        ({"step": [0, 1]}, "step: 0 in row 0 is below 1"),
        ({"step": [1, 3]}, "step: 3 steps, but only 2 rows"),
        ({"step": [2, 2]}, "step: nothing is sent at step 1 of 2"),
        ({"end": [1, 0]}, r"row 1 is \[0/1, 0/1\)"),
        ({"end": [1, 2]}, r"row 1 is \[0/1, 2/1\)"),
        ({"begin": [-1, 0]}, r"row 0 is \[-1/1, 1/1\)"),
        ({"denominator": 0}, "denominator: 1 to"),
        ({"denominator": 1 << 63}, "denominator: 1 to"),
        ({"denominator": 1.5}, "denominator: an integer is needed"),
        ({"collective": "gossip"}, "collective: 'gossip' is none of allgather"),
        ({"collective": "broadcast"}, "root: None does not fit broadcast"),
        ({"root": 0}, "root: 0 does not fit allgather"),
        ({"collective": "reduce", "root": 0}, "row 1 is about node 1, not about the root 0"),
        ({"collective": "reduce", "root": -1}, "root: a node is needed"),
        ({"collective": "allreduce"}, "turn: None does not fit allreduce"),
        ({"turn": 1}, "turn: 1 does not fit allgather"),
        ({"collective": "allreduce", "turn": 3}, r"turn: 3 is not in 0\.\.2"),
    ],
)
def test_nonsense_is_refused(changed: dict, message: str) -> None:
    assert Schedule(**GOOD).rows == 2
    with pytest.raises(InvalidInput, match=message):
        Schedule(**(GOOD | changed))


def test_a_schedule_for_another_graph_is_refused() -> None:
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    with pytest.raises(InvalidInput, match=r"arc: 2 in row 1 is not in 0\.\.1"):
        Schedule(**(GOOD | {"arc": [0, 2]})).loads(pair)
    with pytest.raises(InvalidInput, match=r"source: 5 in row 0 is not in 0\.\.1"):
        Schedule(**(GOOD | {"source": [5, 1]})).cost(pair)
    rooted = from_rows([], collective="reduce", root=7)
    with pytest.raises(InvalidInput, match=r"root: node 7 is not in 0\.\.1"):
        rooted.loads(pair)


def test_reversing_a_collective_twice_changes_nothing() -> None:
    for collective in Collective:
        assert collective.reversed.reversed is collective


def test_the_replay_finds_what_is_wrong() -> None:
    ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    good = [(v, (v + t - 1) % 3, t, 0, 1) for v in range(3) for t in (1, 2)]
    replay(ring, from_rows(good))
    with pytest.raises(Wrong, match="lacks"):
        replay(ring, from_rows(good[:-1]))
    with pytest.raises(Wrong, match="before it holds"):
        replay(ring, from_rows([*good, (0, 2, 1, 0, 1)]))
    onwards = [(v, (v + t) % 3, t, 0, 1) for v in range(3) for t in (1, 2)]
    replay(ring, from_rows(onwards, collective="reduce-scatter"))
    with pytest.raises(Wrong, match="handed over"):
        replay(ring, from_rows([*onwards, onwards[-1]], collective="reduce-scatter"))
