"""List scheduling: tasks that wait for each other, on channels that take all their arcs at once.

At every instant the ready tasks are gone through, the least priority first, and each begins whose
arcs are free: nothing that could begin is left waiting. Source: Graham's list scheduling (Bounds on
multiprocessing timing anomalies, 1969), with a task for each chunk on each channel.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput, Unsupported
from generators.topology import AnyIntArray, Int64Array
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.model.timetable import LAST_TICK, MAX_SENDS
from topofinder.timetables.list_schedule_kernels import (
    RunState,
    TaskColumns,
    longest_ways,
    run_tasks,
)
from topofinder.timetables.problem import ChannelArrays, least_rooms

LONGEST_TASK = 1 << 60


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskSet:
    """Tasks 0, 1, ...: what is sent over which channel, and what it waits for.

    Task t goes over the arcs `arc[start[c]:start[c + 1]]` of its channel c = `channel[t]`. For
    `hold[t]` ticks it takes of each what the one with the least `room` has, and has ended
    `duration[t]` ticks after its begin. Rooms are of shape (arcs,), 1 unless given. The tasks
    `successor[successor_start[t]:successor_start[t + 1]]` wait for its end. Of ready tasks the one
    of least `priority` begins first, then that of the least number. A task of no time on a channel
    without arcs joins: it ends when all that it waits for has ended. All int64; `start` of shape
    (channels + 1,), `successor_start` of shape (tasks + 1,), `priority` is 0 unless given.

    Raises InvalidInput for columns that do not fit together and for times below 0, Unsupported for
    too many tasks or too many ticks.

    >>> from topofinder.timetables.list_schedule import list_schedule
    >>> line = TaskSet.of_pairs(channel=[0, 1, 0], hold=[2, 2, 2], duration=[3, 3, 3],
    ...     before=[0], after=[1], start=[0, 1, 2], arc=[0, 1])
    >>> list_schedule(line).tolist()
    [0, 3, 2]
    """

    channel: Int64Array
    hold: Int64Array
    duration: Int64Array
    successor_start: Int64Array
    successor: Int64Array
    start: Int64Array
    arc: Int64Array
    priority: Int64Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    room: Int64Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if not len(self.room):
            arcs = int(self.arc.max(initial=-1)) + 1
            object.__setattr__(self, "room", np.ones(arcs, dtype=np.int64))
        if not len(self.priority):
            object.__setattr__(self, "priority", np.zeros(self.tasks, dtype=np.int64))
        if self.tasks > MAX_SENDS:
            raise Unsupported(f"tasks: at most {MAX_SENDS}, not {self.tasks}")
        for name in ("hold", "duration", "priority"):
            if len(getattr(self, name)) != self.tasks:
                raise InvalidInput(f"{name}: {len(getattr(self, name))} for {self.tasks} tasks")
        for name, values, beyond in (
            ("channel", self.channel, len(self.start) - 1),
            ("successor", self.successor, self.tasks),
        ):
            if len(values) and not 0 <= values.min() <= values.max() < beyond:
                raise InvalidInput(f"{name}: {values.min()}..{values.max()} not in 0..{beyond - 1}")
        self._require_lengths()

    def _require_lengths(self) -> None:
        for name in ("hold", "duration"):
            values = getattr(self, name)
            if len(values) and values.min() < 0:
                raise InvalidInput(f"{name}: at least 0 ticks, not {values.min()}")
            if len(values) and values.max() > LONGEST_TASK:
                raise Unsupported(f"{name}: at most {LONGEST_TASK} ticks, not {values.max()}")

    @classmethod
    def of_pairs(
        cls, *, before: AnyIntArray, after: AnyIntArray, **columns: AnyIntArray
    ) -> "TaskSet":
        """The tasks in which `after[i]` waits for `before[i]`; no pair may be there twice."""
        wide = {name: np.asarray(values, dtype=np.int64) for name, values in columns.items()}
        start, order = csr_by_node(np.asarray(before, dtype=np.int64), len(wide["channel"]))
        return cls(
            successor_start=start, successor=np.asarray(after, dtype=np.int64)[order], **wide
        )

    @classmethod
    def of_sends(
        cls,
        channels: ChannelArrays,
        channel: AnyIntArray,
        amount: AnyIntArray,
        *,
        before: AnyIntArray,
        after: AnyIntArray,
    ) -> "TaskSet":
        """A task for sending `amount[t]` units over `channel[t]`; see `of_pairs`.

        >>> from fractions import Fraction
        >>> from generators.arrays import jump_graph
        >>> from topofinder.model.chunk_times import LinkUnits
        >>> from topofinder.timetables.problem import gather_problem
        >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
        >>> ring = gather_problem(jump_graph(3, [1]), size=Fraction(6), units=units)
        >>> tasks = TaskSet.of_sends(ring.channels, [0, 1], [1, 1], before=[0], after=[1])
        >>> tasks.hold.tolist(), tasks.duration.tolist(), tasks.longest_ways.tolist()
        ([2, 2], [3, 3], [6, 3])
        """
        over, count = np.asarray(channel, dtype=np.int64), np.asarray(amount, dtype=np.int64)
        unit = channels.unit[over]
        if len(over) and int(count.max()) > LONGEST_TASK // int(unit.max()):
            raise Unsupported(f"amount: {count.max()} units take too many ticks to count")
        return cls.of_pairs(
            before=before,
            after=after,
            channel=over,
            hold=channels.hold[over] + count * unit,
            duration=channels.latency[over] + count * unit,
            start=channels.start,
            arc=channels.arc,
            room=channels.room,
        )

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return len(self.channel)

    @cached_property
    def waits(self) -> Int64Array:
        """For how many tasks each task waits."""
        return np.bincount(self.successor, minlength=self.tasks).astype(np.int64)

    @cached_property
    def longest_ways(self) -> Int64Array:
        """Ticks from each task's begin until all that waits for it can have ended at the earliest.

        Raises InvalidInput where tasks wait for each other.
        """
        args = (self.successor_start, self.successor, self.duration)
        found: Int64Array
        found, placed = longest_ways(*args, self.waits.copy(), np.empty(self.tasks, np.int64))
        if placed < self.tasks:
            raise InvalidInput("successor: some tasks wait for each other")
        return found

    @cached_property
    def busiest(self) -> int:
        """Ticks for which the busiest arc is held in full, by all tasks together, rounded up."""
        # Sums of 2^26 holds of at most 2^60 ticks: 64 bits hold those of either half.
        high, low = np.zeros((2, len(self.start) - 1), dtype=np.int64)
        np.add.at(high, self.channel, self.hold >> 32)
        np.add.at(low, self.channel, self.hold & 0xFFFFFFFF)
        rate = self.rates
        load = [0] * len(self.room)
        for channel in np.flatnonzero(low + high).tolist():
            ticks = ((int(high[channel]) << 32) + int(low[channel])) * int(rate[channel])
            for arc in self.arc[self.start[channel] : self.start[channel + 1]].tolist():
                load[arc] += ticks
        return max((-(-a // b) for a, b in zip(load, self.room.tolist(), strict=True)), default=0)

    @cached_property
    def rates(self) -> Int64Array:
        """What a task of every channel takes of each of its arcs; 0 for a channel without arcs."""
        return least_rooms(self.start, self.arc, self.room)

    def with_priority(self, priority: Int64Array) -> "TaskSet":
        """The same tasks in another order."""
        return replace(self, priority=priority)


def list_schedule(
    tasks: TaskSet, *, first_come: bool = False, clock: Clock = NO_LIMIT
) -> Int64Array:
    """The tick at which every task begins; int64 of shape (tasks,).

    With `first_come` every channel takes its tasks in the order in which they become ready, and
    priority orders those of one instant only.

    Raises InvalidInput where tasks wait for each other, Unsupported when the ticks are too many or
    the time of the clock is over.

    >>> both = TaskSet.of_pairs(channel=[0, 1], hold=[4, 4], duration=[4, 4], before=[], after=[],
    ...     start=[0, 2, 4], arc=[0, 1, 1, 2], priority=[1, 0])
    >>> list_schedule(both).tolist()
    [4, 0]
    """
    columns = _task_columns(tasks)
    state = _first_state(tasks, columns, first_come)
    while run_tasks(columns, state, first_come, LAST_TICK, clock.work):
        clock.require_time("list scheduling")
    if state.counts[0]:
        raise Unsupported(f"tasks: they begin later than tick {LAST_TICK}")
    if len(state.begin) and state.begin.min() < 0:
        raise InvalidInput("successor: some tasks wait for each other")
    begins: Int64Array = state.begin
    return begins


def _task_columns(tasks: TaskSet) -> TaskColumns:
    """The columns for the kernel."""
    ranked = np.argsort(tasks.priority, kind="stable")
    rank = np.empty_like(ranked)
    rank[ranked] = np.arange(tasks.tasks)
    _, places = np.unique(np.concatenate([tasks.hold, tasks.duration]), return_inverse=True)
    shared = _channels_of_arcs(tasks) > 1
    sums = np.concatenate([[0], np.cumsum(shared[tasks.arc])])
    return TaskColumns(
        channel=tasks.channel,
        hold=tasks.hold,
        duration=tasks.duration,
        successor_start=tasks.successor_start,
        successor=tasks.successor,
        rank=rank,
        ranked=ranked,
        held=places[: tasks.tasks],
        lasting=places[tasks.tasks :],
        start=tasks.start,
        arc=tasks.arc,
        rate=tasks.rates,
        alone=sums[tasks.start[1:]] == sums[tasks.start[:-1]],
    )


def _channels_of_arcs(tasks: TaskSet) -> Int64Array:
    """How many channels with tasks keep each arc."""
    hops = np.diff(tasks.start)
    is_used = np.zeros(len(hops), dtype=np.bool_)
    is_used[tasks.channel] = True
    return np.bincount(tasks.arc[np.repeat(is_used, hops)], minlength=len(tasks.room))


def _first_state(tasks: TaskSet, columns: TaskColumns, first_come: bool) -> RunState:
    """The state before the first instant."""
    lengths = 1 + int(max(columns.held.max(initial=-1), columns.lasting.max(initial=-1)))
    channels, n = len(tasks.start) - 1, tasks.tasks
    arcs = len(tasks.room)
    return RunState(
        begin=np.full(n, -1, np.int64),
        waits=tasks.waits.copy(),
        heap=np.empty(n, np.int64),
        heap_start=csr_by_node(tasks.channel, channels)[0],
        size=np.zeros(channels, np.int64),
        task_of=np.empty(n, np.int64) if first_come else columns.ranked,
        first=np.full(lengths, -1, np.int64),
        last=np.full(lengths, -1, np.int64),
        following=np.empty(2 * n, np.int64),
        due=np.empty(lengths, np.int64),
        lengths=np.empty(lengths, np.int64),
        left=tasks.room.copy(),
        watcher=np.full(arcs, -1, np.int64),
        next_watcher=np.empty(channels, np.int64),
        touched=np.empty(channels, np.int64),
        begins_at=np.full(arcs, -1, np.int64),
        ends_at=np.full(arcs, -1, np.int64),
        freed=np.empty(len(tasks.arc), np.int64),
        ready=np.empty(max(n, channels), np.int64),
        counts=np.zeros(4, np.int64),
    )
