"""Threadblocks of an MSCCL program: who sends and receives what in which order, and waits for what.

Every arc that is used has a receiving threadblock at its head and a sending one at its tail, once
for each of its channels, among which its messages go round. Both work in the order of steps and
units. Nothing deadlocks, even with one free slot: a send waits for receives of earlier steps, or
for the slot of a message before it on its arc; a receive for its message, for receives of the
same step from lower senders, or for earlier steps. So every chain of waiting goes back in time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from generators.topology import Int64Array
from topofinder.exporters.msccl_messages import BUFFER_NAMES, Memory, MscclMessages
from topofinder.model.transfers import Transfers

PortKey = tuple[int, int]
"""Peer and channel."""
NOT_WRITTEN = -1


@dataclass(slots=True)
class ProgramLine:
    """One step of a threadblock; `depends` is (threadblock, its step) that it waits for.

    `kind` is one of s, r, rrc, cpy and nop. Others may wait for it exactly when it is `flagged`.
    """

    kind: str
    source: tuple[str, int]
    target: tuple[str, int]
    chunks: int
    depends: tuple[int, int] | None = None
    flagged: bool = False


@dataclass(slots=True)
class Threadblock:
    """What one threadblock does; peers are -1 where it sends or receives nothing."""

    send: int
    receive: int
    channel: int
    lines: list[ProgramLine] = field(default_factory=list)

    def append(self, line: ProgramLine, needs: list[tuple[int, int]]) -> int:
        """Append a step that waits for steps of other threadblocks; gives its number.

        All but the last are waited for by nops before it.
        """
        for each in needs[:-1]:
            self.lines.append(ProgramLine("nop", ("i", -1), ("o", -1), 0, each))
        line.depends = needs[-1] if needs else None
        self.lines.append(line)
        return len(self.lines) - 1


class _Event(NamedTuple):
    """What a message is to one rank."""

    is_receive: bool
    peer: int
    channel: int
    unit: int
    chunks: int
    reducing: bool
    adds: bool
    again: bool
    fresh: bool
    source: tuple[int, int]
    target: tuple[int, int]
    operand: tuple[int, int]


def rank_threadblocks(
    transfers: Transfers, memory: Memory, messages: MscclMessages, channels: int
) -> Iterator[list[Threadblock]]:
    """The threadblocks of each rank, receiving ones first; `channels` are those of each arc."""
    channel = messages.lane * channels + _turns(messages) % channels
    sender, receiver = messages.sender, messages.receiver
    own = np.concatenate([sender, receiver])
    peer = np.concatenate([receiver, sender])
    is_receive = np.repeat([0, 1], len(sender))
    step, channel = np.tile(messages.step, 2), np.tile(channel, 2)
    order = np.lexsort((np.tile(np.arange(len(sender)), 2), channel, peer, is_receive, step, own))
    ends = np.searchsorted(own[order], np.arange(transfers.ranks + 1))
    for rank in range(transfers.ranks):
        chosen = order[ends[rank] : ends[rank + 1]]
        which = chosen % len(sender)
        events = _events(messages, which, is_receive[chosen], peer[chosen], channel[chosen])
        yield _RankWriter(memory, rank, events).write()


def _turns(messages: MscclMessages) -> Int64Array:
    """The place of every message among those of its arc."""
    size = len(messages.unit)
    new = np.zeros(size, dtype=np.bool_)
    new[:1] = True
    for column in (messages.sender, messages.receiver, messages.lane):
        new[1:] |= column[1:] != column[:-1]
    starts = np.flatnonzero(new)
    return np.arange(size) - np.repeat(starts, np.diff(starts, append=size))


def _events(messages: MscclMessages, which: Int64Array, *about: Int64Array) -> list[_Event]:
    columns = [*about, messages.unit[which], messages.chunks[which], messages.reducing[which]]
    columns += [messages.adds[which], messages.again[which], messages.fresh[which]]
    spots = [
        list(zip(spot.buffer[which].tolist(), spot.offset[which].tolist(), strict=True))
        for spot in (messages.source, messages.target, messages.operand)
    ]
    rows = zip(*(column.tolist() for column in columns), *spots, strict=True)
    return list(map(_Event._make, rows))


class _RankWriter:
    """Writes the threadblocks of one rank, and keeps account of who wrote and read what last."""

    def __init__(self, memory: Memory, rank: int, events: list[_Event]) -> None:
        self.memory, self.rank, self.events = memory, rank, events
        self.blocks: list[Threadblock] = []
        self.at: dict[tuple[bool, PortKey], int] = {}
        self.places: list[tuple[int, int]] = []
        self.clocks: list[list[int]] = []
        self.latest: list[list[int]] = []
        self.reducing: list[bool] = []
        self.writer: list[int] = [NOT_WRITTEN] * memory.units
        self.reads: list[tuple[int, int, int]] = []

    def write(self) -> list[Threadblock]:
        """All threadblocks, by kind, peer and channel."""
        ports = sorted({(not e.is_receive, (e.peer, e.channel)) for e in self.events})
        for is_send, (peer, channel) in ports:
            self.at[not is_send, (peer, channel)] = len(self.blocks)
            ends = (peer, -1) if is_send else (-1, peer)
            self.blocks.append(Threadblock(*ends, channel))
        self.latest = [[-1] * (len(self.blocks) + 1) for _ in range(len(self.blocks) + 1)]
        self._copy_own()
        for event in self.events:
            if event.is_receive:
                self._receive(event)
            else:
                self._send(event)
        return self.blocks

    def _copy_own(self) -> None:
        copies = self.memory.own_copies(self.rank)
        if copies:
            self.blocks.append(Threadblock(-1, -1, 0))
        for read, write, chunks, unit in copies:
            line = ProgramLine("cpy", ("i", read), ("o", write), chunks)
            number = self._append(len(self.blocks) - 1, line, set(), False)
            self.writer[unit : unit + chunks] = [number] * chunks

    def _send(self, event: _Event) -> None:
        span = slice(event.unit, event.unit + event.chunks)
        needs = set() if event.fresh else set(self.writer[span])
        line = ProgramLine("s", _place(event.source), _place(event.target), event.chunks)
        block = self.at[False, (event.peer, event.channel)]
        number = self._append(block, line, needs, event.reducing)
        self.reads.append((event.unit, event.unit + event.chunks, number))

    def _receive(self, event: _Event) -> None:
        span = slice(event.unit, event.unit + event.chunks)
        needs = set(self.writer[span])
        if event.again:
            needs |= {
                number
                for begin, end, number in self.reads
                if begin < span.stop and span.start < end
            }
        if not event.reducing:  # what takes the place of partial sums has come out of them
            needs = {each for each in needs if not self._is_reducing(each)}
        source = event.operand if event.adds else event.source
        kind = "rrc" if event.adds else "r"
        line = ProgramLine(kind, _place(source), _place(event.target), event.chunks)
        block = self.at[True, (event.peer, event.channel)]
        number = self._append(block, line, needs, event.reducing)
        self.writer[span] = [number] * event.chunks

    def _is_reducing(self, number: int) -> bool:
        return number != NOT_WRITTEN and self.reducing[number]

    def _append(self, block: int, line: ProgramLine, needs: set[int], reducing: bool) -> int:
        """Append a line that comes after others of this rank, told by their numbers."""
        left = self._needs_left(block, needs)
        step = self.blocks[block].append(line, [self.places[number] for number in left])
        clock = self.latest[block]
        for number in left:
            other, waited = self.places[number]
            self.blocks[other].lines[waited].flagged = True
            clock = list(map(max, clock, self.clocks[number]))
        self.latest[block] = clock = [*clock]
        clock[block] = step
        self.places.append((block, step))
        self.clocks.append(clock)
        self.reducing.append(reducing)
        return len(self.places) - 1

    def _needs_left(self, block: int, needs: set[int]) -> list[int]:
        """Those that are not over anyway, by threadblock.

        What this threadblock, or another that it waits for, has waited for is over; `clocks` tell
        the last step of each threadblock that is over once a line is done.
        """
        found = []
        for number in needs - {NOT_WRITTEN}:
            other, step = self.places[number]
            if self.latest[block][other] < step and other != block:
                found.append(number)
        return sorted(
            (number for number in found if not self._is_implied(number, found)),
            key=lambda number: self.places[number],
        )

    def _is_implied(self, number: int, needs: list[int]) -> bool:
        other, step = self.places[number]
        return any(self.clocks[each][other] >= step for each in needs if each != number)


def _place(spot: tuple[int, int]) -> tuple[str, int]:
    return BUFFER_NAMES[spot[0]], spot[1]
