"""List scheduling against its slow twin, and what it refuses."""

from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput, Unsupported
from tests.topofinder.timetables import list_twin
from topofinder.forests.clock import Clock
from topofinder.model.timetable import LAST_TICK
from topofinder.timetables.list_schedule import LONGEST_TASK, TaskSet, list_schedule


def random_tasks(seed: int, most: int = 24) -> TaskSet:
    """Tasks on channels that share arcs, each of which waits for some of lower numbers."""
    draw = np.random.default_rng(seed)
    n, arcs, channels = draw.integers(1, most), draw.integers(1, 6), draw.integers(1, 8)
    routes = [draw.permutation(arcs)[: draw.integers(0, 4)] for _ in range(channels)]
    after, before = np.nonzero(np.tril(draw.random((n, n)) < draw.choice([0.05, 0.3]), -1))
    order = draw.permutation(n)
    hold = draw.integers(draw.choice([0, 1]), draw.choice([2, 9]), n)
    return TaskSet.of_pairs(
        channel=draw.integers(0, channels, n),
        hold=hold,
        duration=hold + draw.integers(0, 3, n),
        before=order[before],
        after=order[after],
        start=np.cumsum([0, *map(len, routes)]),
        arc=np.concatenate([*routes, []]),
        room=draw.integers(1, draw.choice([2, 5]), arcs),
        priority=draw.integers(-3, 3, n),
    )


@given(seed=st.integers(0, 1 << 32), first_come=st.booleans())
def test_equals_the_twin(seed: int, first_come: bool) -> None:
    tasks = random_tasks(seed)
    found = list_schedule(tasks, first_come=first_come)
    assert found.tolist() == list_twin.begins(tasks, first_come=first_come)


@given(seed=st.integers(0, 1 << 32))
def test_pausing_changes_nothing(seed: int) -> None:
    tasks = random_tasks(seed, most=60)
    assert list_schedule(tasks, clock=Clock(work=1)).tolist() == list_schedule(tasks).tolist()


@given(seed=st.integers(0, 1 << 32))
def test_longest_ways_by_recursion(seed: int) -> None:
    tasks = random_tasks(seed)
    bounds = tasks.successor_start

    def way(task: int) -> int:
        after = tasks.successor[bounds[task] : bounds[task + 1]].tolist()
        return int(tasks.duration[task]) + max(map(way, after), default=0)

    assert tasks.longest_ways.tolist() == [way(t) for t in range(tasks.tasks)]
    load: dict[int, Fraction] = {}
    for channel, hold in zip(tasks.channel, tasks.hold.tolist(), strict=True):
        arcs = tasks.arc[tasks.start[channel] : tasks.start[channel + 1]].tolist()
        for arc in arcs:
            share = Fraction(int(tasks.room[arcs].min()), int(tasks.room[arc]))
            load[arc] = load.get(arc, Fraction(0)) + hold * share
    assert tasks.busiest == ceil(max(load.values(), default=0))


def test_first_come_is_not_the_order_of_priorities() -> None:
    """Task 2 is ready at 4, after task 1, but goes first where priorities rule."""
    tasks = TaskSet.of_pairs(
        channel=[1, 0, 0, 0],
        hold=[4, 5, 5, 9],
        duration=[4, 5, 5, 9],
        before=[0],
        after=[2],
        start=[0, 1, 2],
        arc=[0, 1],
        priority=[0, 3, 1, 2],
    )
    assert list_schedule(tasks).tolist() == [0, 14, 9, 0]
    assert list_schedule(tasks, first_come=True).tolist() == [0, 9, 14, 0]
    assert list_schedule(tasks.with_priority(-tasks.priority)).tolist() == [0, 0, 14, 5]


LINE: dict[str, Any] = {
    "channel": [0, 0],
    "hold": [2, 2],
    "duration": [2, 2],
    "before": [0],
    "after": [1],
    "start": [0, 1],
    "arc": [0],
}


@pytest.mark.parametrize(
    ("changes", "error", "line"),
    [
        ({"hold": [2, -1]}, InvalidInput, "hold: at least 0 ticks, not -1"),
        ({"duration": [2]}, InvalidInput, "duration: 1 for 2 tasks"),
        ({"channel": [0, 1]}, InvalidInput, "channel: 0..1 not in 0..0"),
        ({"after": [2]}, InvalidInput, "successor: 2..2 not in 0..1"),
        ({"hold": [2, LONGEST_TASK + 1]}, Unsupported, "hold: at most"),
        ({"before": [0, 1], "after": [1, 0]}, InvalidInput, "some tasks wait for each other"),
    ],
)
def test_refuses(changes: dict[str, Any], error: type[Exception], line: str) -> None:
    with pytest.raises(error, match=line):
        list_schedule(TaskSet.of_pairs(**{**LINE, **changes}))


def test_refuses_more_ticks_than_are_counted() -> None:
    long = [LONGEST_TASK] * 4
    tasks = TaskSet.of_pairs(**{**LINE, "channel": [0] * 4, "hold": long, "duration": long})
    with pytest.raises(Unsupported, match=f"later than tick {LAST_TICK}"):
        list_schedule(tasks)


def test_refuses_when_the_time_is_over() -> None:
    tasks = TaskSet.of_pairs(**LINE)
    with pytest.raises(Unsupported, match="list scheduling: not done after 0 s"):
        list_schedule(tasks, clock=Clock(seconds=0, end=0, work=1))


def test_a_join_ends_with_the_last_that_it_waits_for() -> None:
    tasks = TaskSet.of_pairs(
        channel=[0, 1, 2, 0],
        hold=[3, 5, 0, 1],
        duration=[3, 5, 0, 1],
        before=[0, 1, 2],
        after=[2, 2, 3],
        start=[0, 1, 2, 2],
        arc=[0, 1],
    )
    assert list_schedule(tasks).tolist() == [0, 0, 5, 5]


def test_no_tasks_take_no_time() -> None:
    columns = ("channel", "hold", "duration", "before", "after")
    none = TaskSet.of_pairs(**{**LINE, **{name: [] for name in columns}})
    assert list_schedule(none).tolist() == []
    assert none.busiest == 0


def test_a_fat_trunk_carries_many_slow_routes_at_once() -> None:
    """Four routes at rate 1 over a trunk of rate 3: three at once, then the last."""
    tasks = TaskSet.of_pairs(
        channel=[0, 1, 2, 3],
        hold=[5] * 4,
        duration=[5] * 4,
        before=[],
        after=[],
        start=[0, 2, 4, 6, 8],
        arc=[0, 4, 1, 4, 2, 4, 3, 4],
        room=[1, 1, 1, 1, 3],
    )
    assert list_schedule(tasks).tolist() == [0, 0, 0, 5]
    assert tasks.busiest == 7
