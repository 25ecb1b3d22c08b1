"""Routes from a forest, times by list scheduling: any fabric, any link, at the forest's rate.

What a forest's trees put on the links reaches the bandwidth bound once they are full. Cut into p
parts and list scheduled, the longest remaining way first, the time exceeds the bound by O(1/p). In
an allreduce both phases are one set of tasks, so that sums leave the roots while others still come
in, beyond TACOS (Won et al., MICRO 2024), which joins two phases.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from generators.errors import InvalidInput
from generators.topology import Int64Array
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.model.chunk_times import LinkUnits, chunk_times
from topofinder.model.forest import Forest
from topofinder.model.time_model import TimeModel
from topofinder.timetables.forest_tasks import (
    TreeChunks,
    TreeTasks,
    cut_trees,
    list_tree_tasks,
    route_tasks,
)
from topofinder.timetables.list_schedule import TaskSet, list_schedule
from topofinder.timetables.problem import ChannelArrays, ChunkProblem, Sends

STAGGERS = (Fraction(1, 4), Fraction(1, 2), Fraction(1))
"""How far chunks of an allreduce are set apart: in times of the busiest link, from first to last.
Less, and all sums are built before the first is spread."""
NEAR = 64
"""No further order is tried when at most 1/NEAR is added to the time of the busiest link."""
MOST_PARTS_COMPARED = 16
"""Parts of a tree up to which orders are compared: of more, the order is taken that is best with
these."""


def schedule_forest_routes(
    forest: Forest,
    *,
    size: Fraction,
    units: LinkUnits,
    model: TimeModel = TimeModel.PIPELINED,
    parts: Fraction | int = 16,
    seed: int = 0,
    clock: Clock = NO_LIMIT,
) -> tuple[ChunkProblem, Sends]:
    """The chunks of a forest's trees, and when each goes over which route; `size` bytes in all.

    Every tree's share is cut into `parts`, see `cut_trees`, and sent over each tree edge in full:
    what multicast spares is not spared. An allreduce is one set of tasks. The best of two orders
    is taken, of four in an allreduce; of more than MOST_PARTS_COMPARED parts the order that is best
    with these.

    Raises InvalidInput for in-trees alone (schedule the out-trees of the transpose, and run them
    backwards) and for a size or number of parts not above 0, Unsupported when the ticks are too
    many to count or the time of the clock is over before there is a schedule.

    >>> from generators.families.complete import complete
    >>> from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
    >>> forest = make_forest(complete(3), ForestOptions())
    >>> problem, sends = schedule_forest_routes(forest, size=Fraction(6), units=units, parts=2)
    >>> problem.timetable(sends).seconds
    Fraction(3, 1)
    """
    if forest.spread is None:
        raise InvalidInput(f"collective: {forest.collective} is made from that of the transpose")
    if size <= 0:
        raise InvalidInput(f"size: above 0 bytes, not {size}")
    cut = partial(_cut_forest, forest, size=Fraction(size), units=units, model=model)
    wanted = cut(parts)
    if parts <= MOST_PARTS_COMPARED:
        return wanted.problem, wanted.sends(_best_order(wanted, seed, clock)[1])
    order, _ = _best_order(cut(MOST_PARTS_COMPARED), seed, clock)
    begin = list_schedule(wanted.tasks.with_priority(wanted.priority(order, seed)), clock=clock)
    return wanted.problem, wanted.sends(begin)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _PhaseTasks:
    """The tasks of both phases, those towards the roots first, then a join for each chunk."""

    gather: TreeTasks | None
    spread: TreeTasks

    @property
    def gathered(self) -> int:
        return 0 if self.gather is None else len(self.gather.chunk)

    @property
    def sent(self) -> int:
        return self.gathered + len(self.spread.chunk)

    @property
    def chunk(self) -> Int64Array:
        """The chunk of every task that sends."""
        if self.gather is None:
            return self.spread.chunk
        return np.concatenate([self.gather.chunk, self.spread.chunk])

    def phases(self, forest: Forest) -> list:  # type: ignore[type-arg]
        """What `route_tasks` takes."""
        later = [(forest.spread, self.spread, False)]
        return later if self.gather is None else [(forest.gather, self.gather, True), *later]

    def waits(self) -> tuple[Int64Array, Int64Array]:
        """Pairs of a task and one that waits for it."""
        above, turn = self.spread.above, self.gathered
        inner = np.flatnonzero(above >= 0)
        before, after = [turn + above[inner]], [turn + inner]
        if self.gather is not None:
            below = np.arange(turn)
            join = self.sent + self.gather.chunk
            before += [below, self.sent + self.spread.chunk[above < 0]]
            after += [np.where(self.gather.above < 0, join, self.gather.above)]
            after += [turn + np.flatnonzero(above < 0)]
        return np.concatenate(before), np.concatenate(after)

    def task_set(self, channels: ChannelArrays, channel: Int64Array, chunks: TreeChunks) -> TaskSet:
        """The tasks for list scheduling, all of one priority; joins are on an empty channel."""
        before, after = self.waits()
        joins = 0 if self.gather is None else len(chunks.origin)
        empty = len(channels.latency)
        free = ChannelArrays(
            tail=channels.tail,
            head=channels.head,
            latency=np.append(channels.latency, 0),
            unit=np.append(channels.unit, 0),
            hold=np.append(channels.hold, 0),
            start=np.append(channels.start, channels.start[-1]),
            arc=channels.arc,
            room=channels.room,
        )
        return TaskSet.of_sends(
            free,
            np.append(channel, np.full(joins, empty)),
            np.append(chunks.amount[self.chunk], np.ones(joins, np.int64)),
            before=before,
            after=after,
        )

    def sends(self, channel: Int64Array, begin: Int64Array) -> Sends:
        """What is sent when."""
        return Sends(
            chunk=self.chunk.astype(np.int32),
            channel=channel.astype(np.int32),
            begin=begin[: self.sent],
            reducing=self.gathered,
        )


def _list_tasks(forest: Forest, chunks: TreeChunks) -> _PhaseTasks:
    """The tasks of every phase."""
    n, gather = forest.topology.n, None
    if forest.gather is not None and chunks.gather is not None:
        gather = list_tree_tasks(forest.gather, chunks.gather, n)
    assert forest.spread is not None
    assert chunks.spread is not None
    return _PhaseTasks(gather=gather, spread=list_tree_tasks(forest.spread, chunks.spread, n))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _CutForest:
    """The chunks of a forest's trees, and what is sent of them as tasks in no order yet."""

    problem: ChunkProblem
    chunks: TreeChunks
    phases: _PhaseTasks
    channel: Int64Array
    tasks: TaskSet

    def sends(self, begin: Int64Array) -> Sends:
        """What is sent when."""
        return self.phases.sends(self.channel, begin)

    @property
    def orders(self) -> int:
        """How many orders there are."""
        return 2 if self.phases.gather is None else 1 + len(STAGGERS)

    def priority(self, order: int, seed: int) -> Int64Array:
        """Priorities of the tasks: the longest way first, of each part by itself or of all.

        In an allreduce the chunks are put off in all orders but the first.
        """
        tail, sent = self.tasks.longest_ways, self.phases.sent
        chunk = np.append(self.phases.chunk, np.arange(self.tasks.tasks - sent))
        if order == 0:
            return _rank_pairs(self.chunks.part[chunk], -tail)
        if self.phases.gather is None:
            return -tail
        put_off = _stagger(self.chunks, self.tasks.busiest, STAGGERS[order - 1], seed)
        return put_off[chunk] - tail


def _cut_forest(
    forest: Forest, parts: Fraction | int, *, size: Fraction, units: LinkUnits, model: TimeModel
) -> _CutForest:
    """Every tree of a forest cut into so many parts."""
    chunks = cut_trees(forest, parts)
    problem = ChunkProblem(
        topology=forest.topology,
        collective=forest.collective,
        origin=chunks.origin,
        amount=chunks.amount,
        chunk_bytes=size / chunks.whole,
        units=units,
        model=model,
        root=forest.root,
    )
    phases = _list_tasks(forest, chunks)
    unit = chunk_times(problem.topology, units, problem.chunk_bytes).unit
    channels = route_tasks(forest.topology, phases.phases(forest), chunks.amount, unit)
    problem = problem.with_routes(channels.route_start, channels.route_arc)
    return _CutForest(
        problem=problem,
        chunks=chunks,
        phases=phases,
        channel=channels.channel,
        tasks=phases.task_set(problem.channels, channels.channel, chunks),
    )


def _best_order(cut: _CutForest, seed: int, clock: Clock) -> tuple[int, Int64Array]:
    """The best of all orders, or the first that adds next to nothing, and when its tasks begin."""
    best, least, tasks = None, 0, cut.tasks
    enough = tasks.busiest + tasks.busiest // NEAR
    for order in range(cut.orders):
        begin = list_schedule(tasks.with_priority(cut.priority(order, seed)), clock=clock)
        end = int((begin + tasks.duration).max(initial=0))
        if best is None or end < least:
            best, least = (order, begin), end
        if clock.is_over or least <= enough:
            break
    assert best is not None
    return best


def _stagger(chunks: TreeChunks, busiest: int, share: Fraction, seed: int) -> Int64Array:
    """By how many ticks each chunk is put off, shape (chunks,): parts in turn, mixed within."""
    count = len(chunks.part)
    mixed = np.random.default_rng(seed).permutation(count)
    over, under = share.numerator * busiest, share.denominator * count
    places = _rank_pairs(chunks.part, mixed).tolist()
    return np.array([over * place // under for place in places], np.int64)


def _rank_pairs(first: Int64Array, second: Int64Array) -> Int64Array:
    """The place of every pair in lexical order."""
    order = np.lexsort((second, first))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank
