"""A run of an MSCCL++ execution plan on sets of ranks, with vector clocks.

Threadblocks run until all are done or wait for ever. A put takes effect at once; whether anything
could see it earlier or later is a question of order: two accesses to a chunk, one of which writes
it, must be ordered by barriers and by signals that are waited for. The threads of a threadblock are
ordered by nops and barriers alone, so that what a wait has let through may be used after the next
of these, and a signal must not share a stretch without nops with a put on its channel. What a
channel carries out, it does in order.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from generators.topology import Int64Array
from topofinder.verification.mscclpp_reader import (
    PUTS,
    BrokenPlanError,
    ExecutionPlan,
    PlanBuffer,
    PlanGpu,
    PlanOperation,
)


class RunLimits(NamedTuple):
    """Entries of vector clocks (8 bytes) that may be kept, and chunks of all ranks (100 bytes)."""

    clocks: int = 1 << 24
    chunks: int = 1 << 20


LARGE_RUN = RunLimits(clocks=1 << 28, chunks=1 << 25)
Value = tuple[int, int]
"""The chunk, and the set of ranks that are summed in it, as bits."""


class _Memory:
    """All chunks of one rank: inputs and outputs lie over each other where a plan is in place."""

    def __init__(self, plan: ExecutionPlan, rank: int) -> None:
        gpu = plan.gpus[rank]
        starts = {"i": 0, "o": gpu.inputs}
        if plan.in_place and plan.collective == "allgather":
            starts = {"i": rank * gpu.inputs, "o": 0}
        elif plan.in_place and plan.collective == "reducescatter":
            starts = {"i": 0, "o": rank * gpu.outputs}
        elif plan.in_place:
            starts = {"i": 0, "o": 0}
        self.starts = {**starts, "s": max(starts["i"] + gpu.inputs, starts["o"] + gpu.outputs)}
        self.values: list[Value | None] = [None] * (self.starts["s"] + gpu.scratch)
        self.write: list[tuple[int, int]] = [(0, 0)] * len(self.values)
        self.reads: list[dict[int, int]] = [{} for _ in self.values]

    def places(self, buffer: PlanBuffer) -> range:
        first = self.starts[buffer.kind] + buffer.first
        return range(first, first + buffer.size)


class _Process:
    """A threadblock, or one direction of a channel; its clock counts stretches between nops."""

    def __init__(self, number: int, processes: int) -> None:
        self.number = number
        self.clock: Int64Array = np.zeros(processes, dtype=np.int64)
        self.clock[number] = 1

    def join(self, clock: Int64Array) -> None:
        np.maximum(self.clock, clock, out=self.clock)

    def advance(self) -> None:
        self.clock[self.number] += 1


class PlanRun:
    """Runs all threadblocks of a plan; raises BrokenPlanError for what is wrong."""

    def __init__(self, plan: ExecutionPlan, limits: RunLimits = LARGE_RUN) -> None:
        self.plan, self.n = plan, len(plan.gpus)
        _require_sizes(plan)
        chunks = sum(gpu.inputs + gpu.outputs + gpu.scratch for gpu in plan.gpus)
        if chunks > limits.chunks:
            raise BrokenPlanError(f"{chunks} chunks are too many to check, at most {limits.chunks}")
        self.memories = [_Memory(plan, rank) for rank in range(self.n)]
        self._fill()
        blocks = [(rank, k) for rank, gpu in enumerate(plan.gpus)
                  for k in range(len(gpu.threadblocks))]  # fmt: skip
        ends = [(rank, c) for rank, gpu in enumerate(plan.gpus) for c in range(len(gpu.peers))]
        total = len(blocks) + len(ends)
        if total**2 > limits.clocks:
            raise BrokenPlanError(f"{total} threadblocks and channels are too many to check")
        self.blocks = {key: _Process(at, total) for at, key in enumerate(blocks)}
        self._begin()
        self.channels = {key: _Process(len(blocks) + at, total) for at, key in enumerate(ends)}
        self.other = dict(_channel_pairs(plan.gpus))
        self.signals: dict[tuple[int, int], deque[Int64Array]] = defaultdict(deque)
        self.sent: list[tuple[int, int, int]] = []
        self.next = dict.fromkeys(blocks, 0)
        self.pending: dict[tuple[int, int], list[Int64Array]] = defaultdict(list)
        self.put_since: dict[tuple[int, int], set[int]] = defaultdict(set)
        self.at_barrier: dict[tuple[int, int], list[int]] = defaultdict(list)

    def _fill(self) -> None:
        """Each rank's own data; sums begin with the rank alone."""
        for rank, memory in enumerate(self.memories):
            inputs = self.plan.gpus[rank].inputs
            for at in range(inputs):
                own = self.plan.collective in ("allgather", "alltoall")
                chunk = rank * inputs + at if own else at
                memory.values[memory.starts["i"] + at] = (chunk, 1 << rank)

    def _begin(self) -> None:
        """All memory of a rank is as if its first threadblock had written it before it began.

        Its other threadblocks know; other ranks must be told by a signal before they write there.
        """
        for (rank, block), process in self.blocks.items():
            first = self.blocks[rank, 0].number
            process.clock[first] = 2 if block == 0 else 1
        for rank, memory in enumerate(self.memories):
            if (rank, 0) in self.blocks:
                memory.write = [(self.blocks[rank, 0].number, 1)] * len(memory.values)

    def finish(self) -> None:
        """Run to the end, and look at what is there then."""
        waiting = deque(self.blocks)
        idle = 0
        while waiting and idle < len(waiting):
            key = waiting.popleft()
            moved = self._run(*key)
            if self._is_over(key):
                moved = True
            else:
                waiting.append(key)
            idle = 0 if moved else idle + 1
        waiting = deque(key for key in waiting if not self._is_over(key))
        if waiting:
            rank, block = min(waiting)
            raise BrokenPlanError(f"{self._place(rank, block)} waits for ever")
        for (rank, channel), left in self.signals.items():
            if left:
                peer = self.plan.gpus[rank].peers[channel]
                raise BrokenPlanError(f"gpu {rank}: a signal of gpu {peer} is not waited for")
        self._require_results()

    def _is_over(self, key: tuple[int, int]) -> bool:
        return self.next[key] == len(self.plan.gpus[key[0]].threadblocks[key[1]])

    def _place(self, rank: int, block: int) -> str:
        number = self.next[rank, block]
        name = self.plan.gpus[rank].threadblocks[block][number].name
        return f"gpu {rank}, threadblock {block}, operation {number} ({name})"

    def _run(self, rank: int, block: int) -> bool:
        """Run a threadblock as far as it comes; whether it came any further."""
        ops, key, moved = self.plan.gpus[rank].threadblocks[block], (rank, block), False
        while self.next[key] < len(ops) and self._do(rank, block, ops[self.next[key]]):
            self.next[key] += 1
            moved = True
        return moved

    def _do(self, rank: int, block: int, op: PlanOperation) -> bool:
        """Carry out one operation; False where it has to wait."""
        key = rank, block
        if op.name == "nop":
            self._synchronise(key)
        elif op.name == "barrier":
            return self._meet(rank, block, op)
        elif op.name == "wait":
            if not all(self.signals[rank, channel] for channel in op.channels):
                return False
            for channel in op.channels:
                self.pending[key].append(self.signals[rank, channel].popleft())
        elif op.name == "signal":
            for channel in op.channels:
                if channel in self.put_since[key]:
                    told = "signals a channel in the same stretch as a put on it"
                    raise BrokenPlanError(f"{self._place(rank, block)} {told}")
                self._signal(key, channel)
        elif op.name in PUTS:
            self._put(key, op)
        else:
            self._form(key, op)
        return True

    def _synchronise(self, key: tuple[int, int]) -> None:
        process = self.blocks[key]
        for clock in self.pending.pop(key, ()):
            process.join(clock)
        process.advance()
        self.put_since.pop(key, None)

    def _meet(self, rank: int, block: int, op: PlanOperation) -> bool:
        """Wait until as many threadblocks as the barrier counts are at it; they then share all."""
        there = self.at_barrier[rank, op.barrier]
        if block not in there:
            there.append(block)
        if len(there) < op.threadblocks:
            return False
        if len(there) > op.threadblocks:
            raise BrokenPlanError(
                f"{self._place(rank, block)} meets more threadblocks than it counts"
            )
        for each in there:
            self._synchronise((rank, each))
        clocks = np.max([self.blocks[rank, each].clock for each in there], axis=0)
        for each in there:
            other = self.blocks[rank, each]
            own = other.clock[other.number]
            other.join(clocks)
            other.clock[other.number] = own
            if each != block:
                self.next[rank, each] += 1
        for each in there:  # what is done after it is not yet known to the others
            self.blocks[rank, each].advance()
        self.at_barrier[rank, op.barrier] = []
        return True

    def _order_channel(self, key: tuple[int, int], channel: int) -> _Process:
        """The channel does what comes after all that its threadblock had done by its last nop."""
        process, through = self.blocks[key], self.channels[key[0], channel]
        clock = process.clock.copy()
        clock[process.number] -= 1
        own = through.clock[through.number]
        through.join(clock)
        through.clock[through.number] = own + 1
        return through

    def _signal(self, key: tuple[int, int], channel: int) -> None:
        through = self._order_channel(key, channel)
        self.signals[self.other[key[0], channel]].append(through.clock.copy())

    def _put(self, key: tuple[int, int], op: PlanOperation) -> None:
        for channel, source, target in zip(op.channels, op.sources, op.targets, strict=True):
            through = self._order_channel(key, channel)
            values = [self._read(through, key, source.rank, at)
                      for at in self.memories[source.rank].places(source)]  # fmt: skip
            places = self.memories[target.rank].places(target)
            self.sent += [(source.rank, target.rank, chunk) for chunk, _ in values]
            for at, value in zip(places, values, strict=True):
                self._write(through, key, target.rank, at, value)
            if op.name == "put":
                self.put_since[key].add(channel)
            else:
                if channel in self.put_since[key]:
                    told = "puts with a signal in the same stretch as another put on the channel"
                    raise BrokenPlanError(f"{self._place(*key)} {told}")
                self._signal(key, channel)

    def _form(self, key: tuple[int, int], op: PlanOperation) -> None:
        """Copy a buffer, or write the sum of several, chunk by chunk."""
        rank, process = key[0], self.blocks[key]
        memory = self.memories[rank]
        rows = zip(*(memory.places(source) for source in op.sources), strict=True)
        for to, places in zip(memory.places(op.targets[0]), rows, strict=True):
            chunk, mask = self._read(process, key, rank, places[0])
            for place in places[1:]:
                other, more = self._read(process, key, rank, place)
                if other != chunk:
                    raise BrokenPlanError(
                        f"{self._place(*key)} adds chunk {other} to chunk {chunk}"
                    )
                if mask & more:
                    twice = (mask & more).bit_length() - 1
                    raise BrokenPlanError(f"{self._place(*key)} adds what rank {twice} has twice")
                mask |= more
            self._write(process, key, rank, to, (chunk, mask), same=places)

    def _read(self, process: _Process, key: tuple[int, int], rank: int, at: int) -> Value:
        memory = self.memories[rank]
        self._require_order(process, key, rank, at, [memory.write[at]])
        memory.reads[at][process.number] = int(process.clock[process.number])
        value = memory.values[at]
        if value is None:
            raise BrokenPlanError(f"{self._place(*key)} reads what nobody wrote, at rank {rank}")
        return value

    def _write(
        self, process: _Process, key: tuple[int, int], rank: int, at: int, value: Value,
        same: Iterable[int] = (),
    ) -> None:  # fmt: skip
        memory = self.memories[rank]
        reads = dict(memory.reads[at])
        if at in same:  # each thread reads what it writes itself
            reads.pop(process.number, None)
        self._require_order(process, key, rank, at, [memory.write[at], *reads.items()])
        memory.write[at] = (process.number, int(process.clock[process.number]))
        memory.reads[at] = {}
        memory.values[at] = value

    def _require_order(
        self, process: _Process, key: tuple[int, int], rank: int, at: int,
        earlier: Iterable[tuple[int, int]],
    ) -> None:  # fmt: skip
        """Whether all earlier accesses are known to be over."""
        for number, time in earlier:
            known = int(process.clock[number])
            channel = number >= len(self.blocks)
            if time > known or (number == process.number and time == known and not channel):
                raise BrokenPlanError(
                    f"{self._place(*key)} races with another access to chunk {at} of rank {rank}"
                )

    def _last_clock(self, rank: int) -> Int64Array:
        """What all threadblocks of a rank together know at their ends."""
        known = [
            clock
            for block in range(len(self.plan.gpus[rank].threadblocks))
            for clock in (self.blocks[rank, block].clock, *self.pending[rank, block])
        ]
        found: Int64Array = np.max(known, axis=0)
        return found

    def _require_results(self) -> None:
        everyone = (1 << self.n) - 1
        for rank, memory in enumerate(self.memories):
            outputs, over = self.plan.gpus[rank].outputs, self._last_clock(rank)
            for at in range(outputs):
                found = memory.values[memory.starts["o"] + at]
                number, time = memory.write[memory.starts["o"] + at]
                if number >= len(self.blocks) and time > over[number]:
                    told = "may be written after all threadblocks have ended"
                    raise BrokenPlanError(f"gpu {rank}: output chunk {at} {told}")
                if found != _expected_value(self.plan, rank, at, outputs, everyone):
                    raise BrokenPlanError(f"gpu {rank}: output chunk {at} is not what it must be")


def _expected_value(plan: ExecutionPlan, rank: int, at: int, outputs: int, everyone: int) -> Value:
    if plan.collective == "allgather":
        return at, 1 << at // plan.gpus[rank].inputs
    if plan.collective == "reducescatter":
        return rank * outputs + at, everyone
    if plan.collective == "allreduce":
        return at, everyone
    block = outputs // len(plan.gpus)
    origin, inner = divmod(at, block)
    return origin * outputs + rank * block + inner, 1 << origin


def _require_sizes(plan: ExecutionPlan) -> None:
    """Inputs and outputs must be as long as the collective says, at every rank."""
    n, first = len(plan.gpus), plan.gpus[0]
    times = {"allgather": (1, n), "reducescatter": (n, 1)}.get(plan.collective, (1, 1))
    for rank, gpu in enumerate(plan.gpus):
        same = (gpu.inputs, gpu.outputs) == (first.inputs, first.outputs)
        if not same or gpu.inputs * times[1] != gpu.outputs * times[0]:
            raise BrokenPlanError(f"gpu {rank}: {gpu.inputs} and {gpu.outputs} chunks do not fit")
    if plan.collective == "alltoall" and (first.inputs % n or plan.in_place):
        raise BrokenPlanError("alltoall: blocks for all ranks are needed, out of place")


def _channel_pairs(
    gpus: tuple[PlanGpu, ...],
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """For every channel of a rank the one that it is joined to: the k-th there and back."""
    of: dict[tuple[int, int], list[int]] = defaultdict(list)
    for rank, gpu in enumerate(gpus):
        for channel, peer in enumerate(gpu.peers):
            of[rank, peer].append(channel)
    for (rank, peer), channels in of.items():
        for one, two in zip(channels, of[peer, rank], strict=True):
            yield (rank, one), (peer, two)
