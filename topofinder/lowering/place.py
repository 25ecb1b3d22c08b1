"""From units to elements: where the parts of a program lie in a vector of any length.

Unit g of C begins at element floor(g * count / C), so that every count works, also one that C does
not divide, and one below it: a part is off by less than an element, and empty parts fall away on
both sides alike. Of an all-to-all `count` is the length of the largest block; the vector of a rank
is all its blocks, end to end, by target, and its result all that came, by origin.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.model.program import (
    DataPart,
    PlacedProgram,
    ProgramMessage,
    ProgramStep,
    RankProgram,
)
from topofinder.model.transfers import Transfers

MAX_COUNT = 1 << 48
Intervals = Iterable[tuple[int, int]]


def place(transfers: Transfers, program: RankProgram, count: int) -> PlacedProgram:
    """The program on a vector of `count` elements; see above for an all-to-all.

    Raises InvalidInput for a count that is none.

    >>> from topofinder.lowering.lower import lower_rank
    >>> one = Transfers(collective="allgather", step=[1], sender=[0], receiver=[1], lane=[0],
    ...     begin=[0], end=[1], reducing=[False], first=[0, 1, 2], nodes=[0, 1])
    >>> place(one, lower_rank(one, 1), 7).steps[0].receives[0].parts
    (DataPart(begin=0, end=3, adds=False),)
    """
    require_count(count)
    if transfers.collective is Collective.ALLTOALL:
        return _place_exchange(transfers, program, count)
    units = max(transfers.units, 1)
    steps = _placed_steps(program, lambda begin, end: [(begin * count // units,
                                                         end * count // units)])  # fmt: skip
    return PlacedProgram(program.rank, count, count, 0, count, (), steps)


def require_count(count: object) -> None:
    """Refuse a length of the data that is none."""
    if type(count) is not int or not 0 <= count <= MAX_COUNT:
        raise InvalidInput(f"count: 0 to 2^48 elements, not {excerpt(count)}")


def placed_count(transfers: Transfers, elements: int) -> int:
    """The count at which the longest vector that a rank begins with has so many elements, or less.

    >>> pairs = Transfers(collective="all-to-all", step=[], sender=[], receiver=[], lane=[],
    ...     begin=[], end=[], reducing=[], first=[0, 0, 3, 4, 4], nodes=[0, 1])
    >>> placed_count(pairs, 600)
    600
    """
    if transfers.collective is not Collective.ALLTOALL:
        return elements
    return elements * _longest_block(transfers) // max(transfers.vector_units, 1)


def block_elements(transfers: Transfers, count: int) -> list[int]:
    """Where blocks begin in the vector, or in an all-to-all how long each is.

    >>> pair = Transfers(collective="allgather", step=[], sender=[], receiver=[], lane=[],
    ...     begin=[], end=[], reducing=[], first=[0, 1, 2], nodes=[0, 1])
    >>> block_elements(pair, 5)
    [0, 2, 5]
    """
    first = transfers.first.tolist()
    if transfers.collective is Collective.ALLTOALL:
        largest = _longest_block(transfers) or 1
        return [(end - begin) * count // largest for begin, end in pairwise(first)]
    return [begin * count // max(transfers.units, 1) for begin in first]


def _longest_block(transfers: Transfers) -> int:
    return int(np.diff(transfers.first).max(initial=0))


def _place_exchange(transfers: Transfers, program: RankProgram, count: int) -> PlacedProgram:
    """Blocks of the rank, then those for the rank, then those that it passes on."""
    ranks, rank = transfers.ranks, program.rank
    lengths, first = block_elements(transfers, count), transfers.first.tolist()
    sent = [rank * ranks + to for to in range(ranks)]
    kept = [origin * ranks + rank for origin in range(ranks)]
    input_end = sum(lengths[block] for block in sent)
    output_end = input_end + sum(lengths[block] for block in kept)
    passed = _blocks_passed(program, first) - {*sent, *kept}
    where: dict[int, int] = {}
    after = 0
    for block in (*sent, *kept, *sorted(passed)):
        if block == rank * ranks + rank and block in where:
            copies = ((where[block], after, lengths[block]),) if lengths[block] else ()
        where.setdefault(block, after)
        after += lengths[block]

    def pieces(begin: int, end: int) -> Intervals:
        while begin < end:
            block = bisect_right(first, begin) - 1
            low, high = first[block], first[block + 1]
            stop = min(end, high)
            base, length, units = where[block], lengths[block], high - low
            yield (
                base + (begin - low) * length // units,
                base + (stop - low) * length // units,
            )
            begin = stop

    steps = _placed_steps(program, pieces)
    return PlacedProgram(rank, after, input_end, input_end, output_end, copies, steps)


def _blocks_passed(program: RankProgram, first: list[int]) -> set[int]:
    """All blocks that the rank receives anything of."""
    found: set[int] = set()
    for step in program.steps:
        for message in step.receives:
            for part in message.parts:
                found.update(
                    range(bisect_right(first, part.begin) - 1, bisect_right(first, part.end - 1))
                )
    return found


def _placed_steps(
    program: RankProgram, pieces: Callable[[int, int], Intervals]
) -> tuple[ProgramStep, ...]:
    found = []
    for step in program.steps:
        sends = _placed_messages(step.sends, pieces)
        receives = _placed_messages(step.receives, pieces)
        receives = tuple(
            message._replace(direct=_is_direct(number, receives, sends))
            for number, message in enumerate(receives)
        )
        if sends or receives:
            found.append(ProgramStep(step.number, sends, receives))
    return tuple(found)


def _placed_messages(
    messages: tuple[ProgramMessage, ...], pieces: Callable[[int, int], Intervals]
) -> tuple[ProgramMessage, ...]:
    found = []
    for message in messages:
        parts: list[DataPart] = []
        for part in message.parts:
            for begin, end in pieces(part.begin, part.end):
                if begin == end:
                    continue
                if parts and (parts[-1].end, parts[-1].adds) == (begin, part.adds):
                    begin = parts.pop().begin
                parts.append(DataPart(begin, end, part.adds))
        if parts:
            found.append(message._replace(parts=tuple(parts)))
    return tuple(found)


def _is_direct(
    number: int, receives: tuple[ProgramMessage, ...], sends: tuple[ProgramMessage, ...]
) -> bool:
    """Whether a message may be received where it belongs, while all else of the step goes on."""
    own = receives[number].parts
    if len(own) != 1 or own[0].adds:
        return False
    others = (*sends, *receives[:number], *receives[number + 1 :])
    return not any(
        part.begin < own[0].end and own[0].begin < part.end
        for message in others
        for part in message.parts
    )
