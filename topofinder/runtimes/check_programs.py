"""Whether programs from a file do what their collective says: they are run in one process.

Each interval of units that no message cuts is one element of 64-bit integers, so that nothing is
rounded away; three runs on different data tell contributions apart.
"""

from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput, Unsupported
from generators.memory import require_memory
from generators.topology import Int64Array
from topofinder.model.program import DataPart, ProgramMessage, ProgramSet, RankProgram
from topofinder.model.transfers import Transfers
from topofinder.runtimes.in_process import run_in_process
from topofinder.runtimes.sample_data import SampleData

MAX_ELEMENTS = 1 << 27
"""Elements at all ranks together; 1 GiB."""
ELEMENT_BYTES = 24
"""What ranks hold, what they begin with, and what they should end with."""
SEEDS = (1, 2, 3)


def find_program_violation(given: ProgramSet, *, most: int = MAX_ELEMENTS) -> str | None:
    """What is wrong with programs, in one line; None where nothing is.

    Raises Unsupported for more than `most` elements.

    >>> none = Transfers(collective="allgather", step=[], sender=[], receiver=[], lane=[],
    ...     begin=[], end=[], reducing=[], first=[0, 1, 2], nodes=[0, 1])
    >>> find_program_violation(ProgramSet(none, (RankProgram(0, ()), RankProgram(1, ()))))
    'rank 0 ends with 1 of 2 pieces wrong'
    """
    small = _renumber_units(given)
    count = small.transfers.units
    if small.transfers.collective is Collective.ALLTOALL:
        count = int(np.diff(small.transfers.first).max(initial=0))
    if small.transfers.units * small.transfers.ranks > most:
        raise Unsupported(f"programs: {small.transfers.units} pieces at each rank are too many")
    need = ELEMENT_BYTES * small.transfers.units * small.transfers.ranks
    require_memory(f"programs: {small.transfers.units} pieces at each rank", need)
    try:
        for seed in SEEDS:
            data = SampleData(transfers=small.transfers, count=count, dtype="int64", seed=seed)
            if (violation := _run(small, data)) is not None:
                return violation
    except InvalidInput as error:
        return str(error)
    return None


def _run(small: ProgramSet, data: SampleData) -> str | None:
    ranks = range(small.transfers.ranks)
    vectors = [data.vector(rank) for rank in ranks]
    ends = run_in_process(small.transfers, vectors, count=data.count, programs=small.programs)
    for rank, end in zip(ranks, ends, strict=True):
        if wrong := data.count_wrong(end, rank):
            begin, stop = data.kept_part(rank)
            return f"rank {rank} ends with {wrong} of {stop - begin} pieces wrong"
    return None


def _renumber_units(given: ProgramSet) -> ProgramSet:
    """The same programs with one unit for each interval that nothing cuts."""
    transfers = given.transfers
    ends = [[part.begin, part.end] for message in _messages(given) for part in message.parts]
    flat = np.array(list(chain.from_iterable(ends)), dtype=np.int64)
    cuts = np.unique(np.concatenate([transfers.first, flat]))
    number = dict(zip(cuts.tolist(), range(len(cuts)), strict=True))

    def renumber(message: ProgramMessage) -> ProgramMessage:
        parts = (DataPart(number[one.begin], number[one.end], one.adds) for one in message.parts)
        return message._replace(parts=tuple(parts))

    programs = tuple(
        RankProgram(program.rank, tuple(
            step._replace(sends=tuple(map(renumber, step.sends)),
                          receives=tuple(map(renumber, step.receives)))
            for step in program.steps))
        for program in given.programs
    )  # fmt: skip
    return ProgramSet(_layout(transfers, np.searchsorted(cuts, transfers.first)), programs)


def _messages(given: ProgramSet) -> list[ProgramMessage]:
    return [
        message
        for program in given.programs
        for step in program.steps
        for message in (*step.sends, *step.receives)
    ]


def _layout(transfers: Transfers, first: Int64Array) -> Transfers:
    columns = ("step", "sender", "receiver", "lane", "begin", "end", "reducing")
    empty: dict[str, Any] = {name: getattr(transfers, name)[:0] for name in columns}
    return replace(transfers, first=first, **empty)
