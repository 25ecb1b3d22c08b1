"""What each rank does at each step of an MSCCL++ plan: what it puts where, and what it combines.

Partial sums are put into scratch, each to a place of its own; all else goes where it belongs. What
a rank has already is not sent to it again.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from expansions.collective import Collective
from topofinder.exporters.msccl_messages import INPUT, SCRATCH, Memory, cut_messages
from topofinder.model.transfers import Transfers


class ChunkPlace(NamedTuple):
    """A chunk of the input, output or scratch of a rank."""

    buffer: int
    offset: int


class PutPiece(NamedTuple):
    """Chunks that are put from one place of the sender to one of the receiver."""

    source: ChunkPlace
    target: ChunkPlace
    chunks: int


class PlanArc(NamedTuple):
    """A lane from one rank to another."""

    sender: int
    receiver: int
    lane: int


class Combination(NamedTuple):
    """What a rank forms of its own chunks, if `adds`, and of those that came to `inputs`."""

    target: ChunkPlace
    adds: bool
    inputs: tuple[ChunkPlace, ...]
    chunks: int


class _Arrival(NamedTuple):
    """Chunks of a sum that come to scratch at `came`, of units from `unit` on."""

    unit: int
    chunks: int
    target: ChunkPlace
    came: ChunkPlace
    adds: bool


class RankStep:
    """What one rank does at one step."""

    def __init__(self) -> None:
        self.puts: dict[PlanArc, list[PutPiece]] = defaultdict(list)
        self.waits: set[PlanArc] = set()
        self.combinations: list[Combination] = []


def rank_steps(transfers: Transfers, memory: Memory) -> tuple[list[dict[int, RankStep]], list[int]]:
    """What each rank does, step by step, and how many chunks of scratch it needs."""
    one_buffer = {Collective.ALLREDUCE: INPUT}.get(transfers.collective)
    passed = [0] * transfers.ranks
    found: list[dict[int, RankStep]] = [defaultdict(RankStep) for _ in passed]
    came: dict[tuple[int, int], list[_Arrival]] = defaultdict(list)

    def place(buffer: int, offset: int) -> ChunkPlace:
        fixed = buffer if one_buffer is None or buffer == SCRATCH else one_buffer
        return ChunkPlace(fixed, offset)

    for row in _message_rows(transfers, memory, passed):
        arc = PlanArc(row.sender, row.receiver, row.lane)
        source, target = place(*row.source), place(*row.target)
        to = target
        if row.reducing:
            to = ChunkPlace(SCRATCH, passed[row.receiver])
            passed[row.receiver] += row.chunks
            arrival = _Arrival(row.unit, row.chunks, target, to, row.adds)
            came[row.receiver, row.step].append(arrival)
        _add_piece(found[row.sender][row.step].puts[arc], PutPiece(source, to, row.chunks))
        found[row.receiver][row.step].waits.add(arc)
    for (rank, step), arrivals in came.items():
        found[rank][step].combinations = _combine(arrivals)
    return found, passed


class _MessageRow(NamedTuple):
    sender: int
    receiver: int
    lane: int
    step: int
    unit: int
    chunks: int
    reducing: bool
    adds: bool
    source: tuple[int, int]
    target: tuple[int, int]


def _message_rows(transfers: Transfers, memory: Memory, passed: list[int]) -> Iterator[_MessageRow]:
    """The messages, by step; what a rank has already, and is to be no sum, is left out.

    `passed` is told how many chunks of scratch an all-to-all takes at each rank.
    """
    messages = cut_messages(transfers, memory)
    names = ("sender", "receiver", "lane", "step", "unit", "chunks", "reducing", "adds")
    spots = [
        list(zip(spot.buffer.tolist(), spot.offset.tolist(), strict=True))
        for spot in (messages.source, messages.target)
    ]
    columns = [getattr(messages, name).tolist() for name in names]
    rows = map(_MessageRow._make, zip(*columns, *spots, strict=True))
    again = messages.again.tolist()
    kept = [row for row, twice in zip(rows, again, strict=True) if row.reducing or not twice]
    for row in kept:
        if row.target[0] == SCRATCH:
            passed[row.receiver] = max(passed[row.receiver], row.target[1] + row.chunks)
    return iter(sorted(kept, key=lambda row: (row.step, row.sender, row.receiver, row.lane)))


def _add_piece(pieces: list[PutPiece], piece: PutPiece) -> None:
    """Append a piece, or lengthen the last one where it goes on at both ends."""
    if pieces:
        source, target, chunks = pieces[-1]
        if piece.source == (source.buffer, source.offset + chunks) and piece.target == (
            target.buffer,
            target.offset + chunks,
        ):
            pieces[-1] = PutPiece(source, target, chunks + piece.chunks)
            return
    pieces.append(piece)


def _combine(arrivals: Sequence[_Arrival]) -> list[Combination]:
    """One combination a stretch of units with the same arrivals, which are taken in their order.

    What comes first to a place where nothing is held takes it; the rest is added.
    """
    cuts = sorted({end for each in arrivals for end in (each.unit, each.unit + each.chunks)})
    found: list[Combination] = []
    for low, high in pairwise(cuts):
        over = [each for each in arrivals if each.unit <= low < each.unit + each.chunks]
        if over:
            target = _move(over[0].target, low - over[0].unit)
            places = tuple(_move(each.came, low - each.unit) for each in over)
            whole = Combination(target, over[0].adds, places, high - low)
            _add_combination(found, whole)
    return found


def _move(place: ChunkPlace, chunks: int) -> ChunkPlace:
    return ChunkPlace(place.buffer, place.offset + chunks)


def _add_combination(found: list[Combination], new: Combination) -> None:
    if found:
        last = found[-1]
        places = ((last.target, new.target), *zip(last.inputs, new.inputs, strict=False))
        if (last.adds, len(last.inputs)) == (new.adds, len(new.inputs)) and all(
            after == (before.buffer, before.offset + last.chunks) for before, after in places
        ):
            found[-1] = last._replace(chunks=last.chunks + new.chunks)
            return
    found.append(new)
