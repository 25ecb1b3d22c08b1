"""`topofinder show FILE --rank R`: what one rank sends and receives, in order, with offsets."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from expansions.collective import Collective
from generators import quantities
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from reports.rank_view import Action, PartRow, RankRecord, rank_fields, rank_text
from topofinder.api.export import read_lowerable
from topofinder.api.shared.answer import Answer
from topofinder.lowering.lower import lower, lower_rank
from topofinder.lowering.place import MAX_COUNT, place, placed_count
from topofinder.model.program import PlacedProgram, ProgramMessage, ProgramStep, RankProgram
from topofinder.model.transfers import Transfers

MAX_CHUNKS = 1 << 16
MAX_PARTS = 1 << 22
"""Lines of the answer."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RankAnswer(Answer):
    """What one rank of a schedule, forest or timetable does."""

    record: RankRecord

    def summary(self) -> dict[str, Any]:
        """The file, the rank and the number of parts."""
        record = self.record
        return {"file": record.file, "rank": record.rank, "parts": len(record.rows)}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `show --rank --json` prints."""
        return rank_fields(self.record)

    def table_rows(self) -> list[dict[str, Any]]:
        """One dict a part of a message."""
        return [row._asdict() for row in self.record.rows]

    def __str__(self) -> str:
        return rank_text(self.record)


def show_rank(
    file: str, rank: int, *, size: str | None = None, chunks: int | None = None, large: bool = False
) -> RankAnswer:
    """What rank `rank` of the schedule in a file sends and receives, in the order of its steps.

    With `size`, a text such as "1MiB", places are bytes in the rank's memory, else units of the
    schedule; the data are those of the whole collective, and of an all-to-all what a rank sends.
    `chunks` cuts the data into so many equal parts that are run one after another.

    Raises InvalidInput for a rank, size or number of chunks that cannot be.

    >>> from tempfile import TemporaryDirectory
    >>> from topofinder.api.schedule import schedule
    >>> with TemporaryDirectory() as folder:
    ...     made = schedule("BiRing(2,3)", f"{folder}/a.npz")
    ...     show_rank(f"{folder}/a.npz", 0, size="300B").record.rows[0]
    PartRow(chunk=0, step=1, action='send', peer=1, lane=0, begin=0, end=100)
    """
    length, parts = _read_size(size), _read_chunks(chunks, size)
    transfers = lower(read_lowerable(file, command="show", large=large))
    if type(rank) is not int or not 0 <= rank < transfers.ranks:
        raise InvalidInput(f"rank: 0 to {transfers.ranks - 1}, not {excerpt(rank)}")
    if parts > 1 and transfers.collective is Collective.ALLTOALL:
        raise InvalidInput(f"chunks: an all-to-all is one chunk of each block, not {parts}")
    program = lower_rank(transfers, rank)
    placed = list(_placed_chunks(transfers, program, length, parts))
    return RankAnswer(record=_record(file, transfers, placed, length, parts))


def _read_size(size: str | None) -> int | None:
    if size is None:
        return None
    found = quantities.size(size, "--size")
    if found.denominator != 1 or not 1 <= found <= MAX_COUNT:
        raise InvalidInput(f"--size: 1 to 2^48 whole bytes, not {excerpt(size)}")
    return int(found)


def _read_chunks(chunks: int | None, size: str | None) -> int:
    if chunks is None:
        return 1
    if type(chunks) is not int or not 1 <= chunks <= MAX_CHUNKS:
        raise InvalidInput(f"chunks: 1 to {MAX_CHUNKS}, not {excerpt(chunks)}")
    if size is None:
        raise InvalidInput("--chunks needs a --size that is cut into them")
    return chunks


def _placed_chunks(
    transfers: Transfers, program: RankProgram, length: int | None, chunks: int
) -> Iterator[tuple[int, PlacedProgram]]:
    """The first place of each chunk and the program on it."""
    parts = chunks * sum(
        len(message.parts) for step in program.steps for message in (*step.sends, *step.receives)
    )
    if parts > MAX_PARTS:
        raise Unsupported(f"chunks: at most {MAX_PARTS} lines are told, but there are {parts}")
    count = _vector(transfers) if length is None else placed_count(transfers, length)
    ends = [number * count // chunks for number in range(chunks + 1)]
    for begin, end in pairwise(ends):
        yield begin, place(transfers, program, end - begin)


def _vector(transfers: Transfers) -> int:
    """The count at which an element is a unit."""
    return placed_count(transfers, transfers.vector_units)


def _record(
    file: str,
    transfers: Transfers,
    placed: list[tuple[int, PlacedProgram]],
    size: int | None,
    chunks: int,
) -> RankRecord:
    begin, last = placed[-1]
    rank = last.rank
    return RankRecord(
        file=Path(file).as_posix(),
        collective=transfers.collective.value,
        subject=transfers.recipe or f"{transfers.ranks} hosts",
        rank=rank,
        ranks=transfers.ranks,
        name=None if transfers.names is None else transfers.names[rank],
        size=size,
        chunks=chunks,
        data=transfers.vector_units if size is None else size,
        memory=begin + last.memory,
        result=last.output_begin,
        copies=last.copies,
        rows=[
            row
            for number, (start, program) in enumerate(placed)
            for step in program.steps
            for row in _step_rows(number, start, step)
        ],
    )


def _step_rows(chunk: int, start: int, step: ProgramStep) -> Iterator[PartRow]:
    for message in step.sends:
        yield from _part_rows(chunk, start, step, message, came=False)
    for message in step.receives:
        yield from _part_rows(chunk, start, step, message, came=True)


def _part_rows(
    chunk: int, start: int, step: ProgramStep, message: ProgramMessage, *, came: bool
) -> Iterator[PartRow]:
    for begin, end, adds in message.parts:
        action: Action = "send" if not came else "add" if adds else "receive"
        ends = start + begin, start + end
        yield PartRow(chunk, step.number, action, message.peer, message.lane, *ends)
