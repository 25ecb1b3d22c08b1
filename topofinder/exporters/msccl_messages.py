"""Messages of an MSCCL program: rows of transfers, cut where memory is not contiguous.

An MSCCL step moves chunks that lie side by side on both sides. Here every unit of every row gets
its place at the sender, its place at the receiver, and, where it is added to something, the place
of that. Units that stay neighbours in all three become one message of at most 71 chunks.

What a rank holds follows from the rows alone: a reducing row takes the sum from its sender; what
comes where nothing is held takes the place, and is added elsewhere, in the order of senders.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput, Unsupported
from generators.topology import AnyIntArray, BoolArray, Int64Array
from topofinder.model.transfers import Transfers

MOST_CHUNKS = 71
"""Chunks of one step; the runtimes' limit is 72, exclusive."""
MAX_MOVES = 1 << 23
"""Chunks that all messages carry together."""
INPUT, OUTPUT, SCRATCH = 0, 1, 2
BUFFER_NAMES = "ios"


class Spot(NamedTuple):
    """Buffers (INPUT, OUTPUT, SCRATCH) and offsets in chunks, one for each of some units."""

    buffer: Int64Array
    offset: Int64Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MscclMessages:
    """What is sent, by sender, receiver, lane, step and first unit; each column (messages,).

    A message carries the units [unit, unit + chunks). `adds` tells whether they are added at the
    receiver, to what lies at `operand`, and `again` whether they take the place of what the
    receiver had before. `fresh` tells whether the sender takes them as they were at the beginning.
    """

    sender: Int64Array
    receiver: Int64Array
    lane: Int64Array
    step: Int64Array
    unit: Int64Array
    chunks: Int64Array
    reducing: BoolArray
    adds: BoolArray
    again: BoolArray
    fresh: BoolArray
    source: Spot
    target: Spot
    operand: Spot


class Memory:
    """Where each rank keeps each unit, before anything of it has arrived and after.

    Out of place an allgather's own block is sent from the input and copied to the output; sums of
    a reduce-scatter and of a reduce are formed in scratch, but for what a rank keeps. In place
    the whole buffer is the output of an allgather, or the input of a reduce-scatter. An allreduce
    reads the input until something has arrived, at the same offset of the output: it is right
    both ways. Raises Unsupported for blocks of different lengths: the runtimes choose a program by
    collective and bytes alone, and would run it where blocks are equal, of which it writes a part.
    """

    def __init__(self, transfers: Transfers, in_place: bool) -> None:
        self.kind, self.in_place = transfers.collective, in_place
        self.ranks, self.units = transfers.ranks, transfers.units
        self.root = transfers.root
        self.block = _block_length(transfers)
        self.passed = _passed_units(transfers) if self.kind is Collective.ALLTOALL else None

    @property
    def input_chunks(self) -> int:
        """Chunks of every rank's input."""
        if self.kind is Collective.ALLTOALL:
            return self.ranks * self.block
        return self.block if self.kind is Collective.ALLGATHER else self.units

    @property
    def output_chunks(self) -> int:
        """Chunks of every rank's output."""
        if self.kind is Collective.ALLTOALL:
            return self.ranks * self.block
        return self.block if self.kind is Collective.REDUCE_SCATTER else self.units

    @property
    def loop_chunks(self) -> int:
        """Chunks of the larger of both: the runtimes' nchunksperloop."""
        return max(self.input_chunks, self.output_chunks)

    def spots(self, rank: AnyIntArray, unit: Int64Array, arrived: BoolArray) -> Spot:
        """Where ranks have units, of which something has arrived or not."""
        if self.passed is not None:
            return self._exchange_spots(rank, unit)
        own = unit // max(self.block, 1) == rank
        inner = unit - rank * self.block
        if self.kind is Collective.ALLGATHER:
            own &= ~arrived & (not self.in_place)
            return Spot(np.where(own, INPUT, OUTPUT), np.where(own, inner, unit))
        if self.kind is Collective.REDUCE_SCATTER:
            if self.in_place:
                return Spot(np.full(len(unit), INPUT), unit)
            buffer = np.where(arrived, np.where(own, OUTPUT, SCRATCH), INPUT)
            return Spot(buffer, np.where(own & arrived, inner, unit))
        if self.kind is Collective.BROADCAST:
            fresh = (rank == self.root) & ~arrived & (not self.in_place)
            return Spot(np.where(fresh, INPUT, OUTPUT), unit)
        summed = (rank == self.root) | (self.kind is not Collective.REDUCE)
        kept = np.where(summed, OUTPUT, SCRATCH)
        return Spot(np.where(arrived, kept, INPUT), unit)

    def _exchange_spots(self, rank: AnyIntArray, unit: Int64Array) -> Spot:
        pair, inner = unit // self.block, unit % self.block
        origin, target = pair // self.ranks, pair % self.ranks
        key = rank * np.int64(self.units) + unit
        passed = self.passed if self.passed is not None else key[:0]
        scratch = np.searchsorted(passed, key) - np.searchsorted(passed, rank * self.units)
        buffer = np.where(target == rank, OUTPUT, np.where(origin == rank, INPUT, SCRATCH))
        offset = np.where(origin == rank, target, origin) * self.block + inner
        return Spot(buffer, np.where(buffer == SCRATCH, scratch, offset))

    def own_copies(self, rank: int) -> list[tuple[int, int, int, int]]:
        """What a rank copies to its output: (input offset, output offset, chunks, first unit)."""
        if self.in_place or (self.kind.is_rooted and rank != self.root):
            return []
        if self.kind is Collective.ALLGATHER:
            whole = (0, rank * self.block, self.block, rank * self.block)
        elif self.kind is Collective.BROADCAST:
            whole = (0, 0, self.units, 0)
        elif self.kind is Collective.ALLTOALL:
            at = rank * self.block
            whole = (at, at, self.block, (rank * self.ranks + rank) * self.block)
        else:
            return []
        read, write, chunks, unit = whole
        return [
            (read + done, write + done, min(MOST_CHUNKS, chunks - done), unit + done)
            for done in range(0, chunks, MOST_CHUNKS)
        ]


def _block_length(transfers: Transfers) -> int:
    """The length of all blocks; of rooted collectives and allreduces that of the largest."""
    lengths = np.diff(transfers.first)
    kind = transfers.collective
    even = kind in (Collective.ALLGATHER, Collective.REDUCE_SCATTER, Collective.ALLTOALL)
    if even and len(set(lengths.tolist())) != 1:
        few, many = int(lengths.min()), int(lengths.max())
        told = f"those of this {kind} have {few} to {many} units"
        raise Unsupported(f"blocks: the runtime knows blocks of one length alone, {told}")
    return int(lengths.max(initial=0))


def _passed_units(transfers: Transfers) -> Int64Array:
    """Units of an all-to-all that ranks pass on, as rank * units + unit, ascending."""
    row, unit = expand_rows(transfers, slice(None))
    rank = transfers.receiver[row].astype(np.int64)
    pair = unit // max(_block_length(transfers), 1)
    passes = (pair // transfers.ranks != rank) & (pair % transfers.ranks != rank)
    return np.unique(rank[passes] * transfers.units + unit[passes])


def expand_rows(transfers: Transfers, rows: slice) -> tuple[Int64Array, Int64Array]:
    """For every unit of some rows, in order, the number of its row and the unit itself."""
    begin, end = transfers.begin[rows], transfers.end[rows]
    length = end - begin
    row = np.repeat(np.arange(len(length)), length)
    before = np.cumsum(length) - length
    first = 0 if rows.start is None else rows.start
    return row + first, np.arange(len(row)) - before[row] + begin[row]


def cut_messages(transfers: Transfers, memory: Memory) -> MscclMessages:
    """The messages of transfers in the memory of a placement.

    Raises InvalidInput where a rank sends what it does not hold, and Unsupported above MAX_MOVES.

    >>> swap = Transfers(collective="allgather", step=[1, 1], sender=[0, 1], receiver=[1, 0],
    ...     lane=[0, 0], begin=[0, 2], end=[2, 4], reducing=[False, False], first=[0, 2, 4],
    ...     nodes=[0, 1])
    >>> cut_messages(swap, Memory(swap, False)).chunks.tolist()
    [2, 2]
    """
    moves = int((transfers.end - transfers.begin).sum())
    if moves > MAX_MOVES:
        raise Unsupported(f"chunks: {moves} are sent, at most {MAX_MOVES} can be compiled")
    columns = [_step_columns(transfers, memory, state, rows)
               for state in [_Holdings(transfers)] for rows in _step_slices(transfers)]  # fmt: skip
    table = {name: np.concatenate([each[name] for each in columns]) for name in columns[0]}
    order = np.lexsort((table["step"], table["lane"], table["receiver"], table["sender"]))
    return _merge({name: column[order] for name, column in table.items()})


def _step_slices(transfers: Transfers) -> list[slice]:
    ends = np.flatnonzero(np.diff(transfers.step)) + 1
    places = [0, *ends.tolist(), transfers.rows]
    return [slice(*pair) for pair in pairwise(places)]


class _Holdings:
    """Of each rank and unit, whether the rank holds it, and whether anything of it has arrived."""

    def __init__(self, transfers: Transfers) -> None:
        exchange = transfers.collective is Collective.ALLTOALL
        shape = (transfers.ranks, 0 if exchange else transfers.units)
        alone = transfers.collective in (Collective.ALLGATHER, Collective.BROADCAST)
        self.tracked = not exchange
        self.arrived = np.zeros(shape, dtype=np.bool_)
        self.held = np.full(shape, not alone)
        for rank in range(transfers.ranks) if alone else ():
            self.held[rank, slice(*transfers.block(rank))] = True


def _step_columns(
    transfers: Transfers, memory: Memory, state: _Holdings, rows: slice
) -> dict[str, AnyIntArray]:
    """All units that one step sends, in the order of rows, with their places."""
    row, unit = expand_rows(transfers, rows)
    sender, receiver = transfers.sender[row], transfers.receiver[row]
    reducing = transfers.reducing[row]
    later = _is_later(receiver * np.int64(transfers.units) + unit)
    adds, again, touched = np.zeros(len(row), dtype=np.bool_), later, later
    fresh = unit // max(memory.block * transfers.ranks, 1) == sender  # of an all-to-all
    if state.tracked:
        _require_held(state, sender, unit, int(transfers.step[rows.start]))
        fresh = ~state.arrived[sender, unit]
        state.held[sender[reducing], unit[reducing]] = False
        held = state.held[receiver, unit] | later
        adds = reducing & held
        again = ~adds & (reducing | held)
        touched = state.arrived[receiver, unit] | later
        state.held[receiver, unit] = state.arrived[receiver, unit] = True
    source = memory.spots(sender, unit, ~fresh)
    target = memory.spots(receiver, unit, np.ones(len(row), dtype=np.bool_))
    operand = memory.spots(receiver, unit, touched)
    return {
        "sender": sender.astype(np.int64), "receiver": receiver.astype(np.int64),
        "lane": transfers.lane[row].astype(np.int64), "step": transfers.step[row].astype(np.int64),
        "unit": unit, "reducing": reducing, "adds": adds, "again": again, "fresh": fresh,
        "source_buffer": source.buffer, "source_offset": source.offset,
        "target_buffer": target.buffer, "target_offset": target.offset,
        "operand_buffer": np.where(adds, operand.buffer, target.buffer),
        "operand_offset": np.where(adds, operand.offset, target.offset),
    }  # fmt: skip


def _is_later(key: Int64Array) -> BoolArray:
    """Of each entry, whether an equal one comes before it."""
    order = np.argsort(key, kind="stable")
    later = np.zeros(len(key), dtype=np.bool_)
    later[order[1:]] = np.diff(key[order]) == 0
    return later


def _require_held(state: _Holdings, sender: AnyIntArray, unit: Int64Array, step: int) -> None:
    lacking = np.flatnonzero(~state.held[sender, unit])
    if len(lacking):
        rank, which = int(sender[lacking[0]]), int(unit[lacking[0]])
        raise InvalidInput(f"step {step}: rank {rank} sends unit {which}, which it has not")


SAME = ("sender", "receiver", "lane", "step", "reducing", "adds", "again", "fresh",
        "source_buffer", "target_buffer", "operand_buffer")  # fmt: skip
NEXT = ("unit", "source_offset", "target_offset", "operand_offset")


def _merge(table: dict[str, AnyIntArray]) -> MscclMessages:
    """Units whose places are neighbours as one message, cut after MOST_CHUNKS."""
    size = len(table["unit"])
    new = np.zeros(size, dtype=np.bool_)
    new[:1] = True
    for name in SAME:
        new[1:] |= table[name][1:] != table[name][:-1]
    for name in NEXT:
        new[1:] |= np.diff(table[name]) != 1
    starts = np.flatnonzero(new)
    within = np.arange(size) - np.repeat(starts, np.diff(starts, append=size))
    starts = np.flatnonzero(within % MOST_CHUNKS == 0)
    kept: dict[str, Any] = {name: column[starts] for name, column in table.items()}
    for name in ("source", "target", "operand"):
        kept[name] = Spot(kept.pop(f"{name}_buffer"), kept.pop(f"{name}_offset"))
    return MscclMessages(chunks=np.diff(starts, append=size), **kept)
