"""Lowering: from any schedule kind to transfers, and from transfers to the program of a rank.

While a program is made the rank keeps account of what it holds. A partial sum is handed over when
it is sent; what arrives where nothing is held takes the place, and is added elsewhere. So nothing
is ever set to zero, and maxima and products come out right as well as sums.
"""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np

from expansions.collective import Collective
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.topology import AnyIntArray, Int64Array
from topofinder.lowering.lower_forest import lower_forest
from topofinder.lowering.lower_schedule import lower_schedule
from topofinder.lowering.lower_timetable import lower_timetable
from topofinder.model.forest import Forest
from topofinder.model.program import DataPart, ProgramMessage, ProgramStep, RankProgram
from topofinder.model.timetable import Timetable
from topofinder.model.transfers import Transfers
from topofinder.progress import work_progress

Lowerable = SavedSchedule | Forest | Timetable
OWN_BLOCK_ALONE = (Collective.ALLGATHER, Collective.BROADCAST, Collective.ALLTOALL)


def lower(content: Lowerable) -> Transfers:
    """The transfers of a schedule, forest or timetable.

    Raises Unsupported where rows pass through switches, or are too many.
    """
    if isinstance(content, Forest):
        return lower_forest(content)
    if isinstance(content, Timetable):
        return lower_timetable(content)
    return lower_schedule(content)


class _Row(NamedTuple):
    """A row about one rank: with whom, over which lane, and which of its atoms."""

    step: int
    peer: int
    lane: int
    first: int
    last: int
    reducing: bool


def rank_programs(transfers: Transfers) -> Iterator[RankProgram]:
    """The programs of all ranks, rank after rank."""
    by_sender = _rows_by(transfers.sender, transfers.ranks)
    by_receiver = _rows_by(transfers.receiver, transfers.ranks)
    for rank in range(transfers.ranks):
        work_progress.count("programs of ranks", rank, transfers.ranks)
        yield _program(transfers, rank, by_sender[rank], by_receiver[rank])


def lower_rank(transfers: Transfers, rank: int) -> RankProgram:
    """What one rank does; its messages have their parts in the order of units, on both sides.

    Raises InvalidInput where the rank is to send what it does not hold, which valid schedules
    never do.

    >>> swap = Transfers(collective="allreduce", step=[1, 1, 2, 2], sender=[0, 1, 0, 1],
    ...     receiver=[1, 0, 1, 0], lane=[0] * 4, begin=[1, 0, 0, 1], end=[2, 1, 1, 2],
    ...     reducing=[True, True, False, False], first=[0, 1, 2], nodes=[0, 1])
    >>> [step.receives[0].parts for step in lower_rank(swap, 0).steps]
    [(DataPart(begin=0, end=1, adds=True),), (DataPart(begin=1, end=2, adds=False),)]
    """
    sends, receives = (
        np.flatnonzero(column == rank) for column in (transfers.sender, transfers.receiver)
    )
    return _program(transfers, rank, sends, receives)


def _rows_by(column: AnyIntArray, ranks: int) -> list[Int64Array]:
    order = np.argsort(column, kind="stable")
    return np.split(order, np.searchsorted(column[order], np.arange(1, ranks)))


def _program(
    transfers: Transfers, rank: int, sends: Int64Array, receives: Int64Array
) -> RankProgram:
    own = np.concatenate([sends, receives])
    cuts = np.unique(
        np.concatenate([transfers.begin[own], transfers.end[own], _own_ends(transfers, rank)])
    )
    held = _held_at_first(transfers, rank, cuts)
    bounds = cuts.tolist()
    rows = sorted(
        [
            *((row.step, 0, row) for row in _rows(transfers, sends, transfers.receiver, cuts)),
            *((row.step, 1, row) for row in _rows(transfers, receives, transfers.sender, cuts)),
        ],
        key=lambda entry: (entry[0], entry[1], entry[2].peer, entry[2].lane, entry[2][3:5]),
    )
    steps = []
    for number, group in groupby(rows, key=lambda entry: entry[0]):
        both: tuple[list[_Row], list[_Row]] = ([], [])
        for _, way, row in group:
            both[way].append(row)
        outgoing = _send(both[0], held, bounds, rank)
        incoming = _receive(both[1], held, bounds)
        steps.append(ProgramStep(number, outgoing, incoming))
    return RankProgram(rank, tuple(steps))


def _own_ends(transfers: Transfers, rank: int) -> Int64Array:
    """The ends of all blocks, or of those that an all-to-all begins with at this rank."""
    if transfers.collective is Collective.ALLTOALL:
        ranks = transfers.ranks
        return transfers.first[rank * ranks : (rank + 1) * ranks + 1]
    return transfers.first


def _held_at_first(transfers: Transfers, rank: int, cuts: Int64Array) -> bytearray:
    """For each atom [cuts[i], cuts[i + 1]), 1 if the rank has something of its own there, or 0."""
    if transfers.collective not in OWN_BLOCK_ALONE:
        return bytearray(b"\1" * len(cuts))
    own = _own_ends(transfers, rank)
    low, high = (
        (own[0], own[-1]) if transfers.collective is Collective.ALLTOALL else transfers.block(rank)
    )
    return bytearray(((cuts >= low) & (cuts < high)).tobytes())


def _rows(
    transfers: Transfers, rows: Int64Array, peer: AnyIntArray, cuts: Int64Array
) -> Iterator[_Row]:
    columns = (
        transfers.step[rows],
        peer[rows],
        transfers.lane[rows],
        np.searchsorted(cuts, transfers.begin[rows]),
        np.searchsorted(cuts, transfers.end[rows]),
        transfers.reducing[rows],
    )
    return map(_Row._make, zip(*(each.tolist() for each in columns), strict=True))


def _send(
    rows: list[_Row], held: bytearray, bounds: list[int], rank: int
) -> tuple[ProgramMessage, ...]:
    for row in rows:
        missing = held.find(0, row.first, row.last)
        if missing >= 0:
            at = bounds[missing]
            raise InvalidInput(f"step {row.step}: rank {rank} sends unit {at}, which it has not")
    for row in rows:
        if row.reducing:
            held[row.first : row.last] = bytes(row.last - row.first)
    return _messages(rows, lambda row: [DataPart(bounds[row.first], bounds[row.last])])


def _receive(rows: list[_Row], held: bytearray, bounds: list[int]) -> tuple[ProgramMessage, ...]:
    """Messages by peer and lane, in which order they are applied."""

    def parts_of(row: _Row) -> list[DataPart]:
        before = held[row.first : row.last] if row.reducing else bytes(row.last - row.first)
        held[row.first : row.last] = b"\1" * len(before)
        places = bounds[row.first : row.last + 1]
        return [DataPart(places[low], places[high], adds) for low, high, adds in _runs(before)]

    return _messages(rows, parts_of)


def _runs(atoms: bytes | bytearray) -> Iterator[tuple[int, int, bool]]:
    """Where runs of equal values begin and end, and whether their value is 1."""
    low = 0
    while low < len(atoms):
        beyond = atoms.find(1 - atoms[low], low)
        high = beyond if beyond >= 0 else len(atoms)
        yield low, high, bool(atoms[low])
        low = high


def _messages(
    rows: list[_Row], parts_of: Callable[[_Row], list[DataPart]]
) -> tuple[ProgramMessage, ...]:
    found = []
    for (peer, lane), group in groupby(rows, key=lambda row: (row.peer, row.lane)):
        parts: list[DataPart] = []
        for row in group:
            for part in parts_of(row):
                if parts and parts[-1].end == part.begin and parts[-1].adds == part.adds:
                    part = DataPart(parts.pop().begin, part.end, part.adds)
                parts.append(part)
        found.append(ProgramMessage(peer, lane, tuple(parts)))
    return tuple(found)
