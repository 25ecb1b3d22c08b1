"""All ranks in one process, on numpy buffers: what a schedule does to real numbers.

This is the oracle of the other executors: no network, no processes, every message looked at.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.lowering.lower import rank_programs
from topofinder.lowering.place import block_elements, place
from topofinder.model.program import PlacedProgram, ProgramMessage, RankProgram
from topofinder.model.transfers import Transfers

Vector = NDArray[Any]
OPERATIONS: dict[str, np.ufunc] = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}
"""What partial results are combined by."""


def run_in_process(
    transfers: Transfers,
    vectors: Sequence[Vector],
    op: str = "sum",
    *,
    count: int | None = None,
    programs: Iterable[RankProgram] | None = None,
) -> list[Vector]:
    """The result of every rank; `vectors` has the data of each, flat and of one type.

    All have the same length `count`. In an all-to-all, where `count` is the length of the largest
    block and must be given, a vector is the rank's blocks by target, its result those by origin.
    Of an allgather the own block of a vector is looked at alone, of a broadcast the root's vector;
    of a reduce-scatter or reduce only what the rank keeps is right in its result. Vectors are not
    changed. `programs` of all ranks may be given where they do not follow from the rows. Raises
    InvalidInput where messages do not fit.

    >>> from topofinder.model.transfers import Transfers
    >>> swap = Transfers(collective="allgather", step=[1, 1], sender=[0, 1], receiver=[1, 0],
    ...     lane=[0, 0], begin=[0, 1], end=[1, 2], reducing=[False, False], first=[0, 1, 2],
    ...     nodes=[0, 1])
    >>> [each.tolist() for each in run_in_process(swap, [np.array([1, 0]), np.array([0, 2])])]
    [[1, 2], [1, 2]]
    """
    combine = find_operation(op)
    lengths = [len(vector) for vector in vectors]
    count = lengths[0] if count is None else count
    require_lengths(transfers, lengths, count)
    lowered = rank_programs(transfers) if programs is None else programs
    placed = [place(transfers, program, count) for program in lowered]
    memories = [_memory(program, vector) for program, vector in zip(placed, vectors, strict=True)]
    at = [{step.number: step for step in program.steps} for program in placed]
    for number in sorted(set().union(*at)):
        current = [steps.get(number) for steps in at]
        mail = {
            (rank, message.peer, message.lane): gather_parts(memories[rank], message)
            for rank, step in enumerate(current)
            if step
            for message in step.sends
        }
        for rank, step in enumerate(current):
            for message in step.receives if step else ():
                payload = mail.pop((message.peer, rank, message.lane), None)
                if payload is None or len(payload) != message.length:
                    raise InvalidInput(f"step {number}: rank {rank} waits for another message")
                apply_parts(memories[rank], message, payload, combine)
        if mail:
            raise InvalidInput(f"step {number}: nobody receives from rank {min(mail)[0]}")
    return [
        memory[program.output_begin : program.output_end]
        for program, memory in zip(placed, memories, strict=True)
    ]


def find_operation(op: str) -> np.ufunc:
    """The ufunc of a reduction; InvalidInput for one that there is not."""
    if op not in OPERATIONS:
        raise InvalidInput(f"op: {excerpt(op)} is none of {', '.join(OPERATIONS)}")
    return OPERATIONS[op]


def require_lengths(transfers: Transfers, lengths: Sequence[int], count: int) -> None:
    """Refuse vectors that are not of `count` elements, or of the blocks of an all-to-all."""
    wanted = [count] * transfers.ranks
    if transfers.collective is Collective.ALLTOALL:
        blocks = block_elements(transfers, count)
        n = transfers.ranks
        wanted = [sum(blocks[rank * n : (rank + 1) * n]) for rank in range(n)]
    if list(lengths) != wanted:
        raise InvalidInput(
            f"vectors: of {excerpt(list(lengths))} elements, not of {excerpt(wanted)}"
        )


def gather_parts(memory: Vector, message: ProgramMessage) -> Vector:
    """What a message carries: a copy of its parts, end to end."""
    parts = [memory[part.begin : part.end] for part in message.parts]
    return np.concatenate(parts)


def apply_parts(
    memory: Vector, message: ProgramMessage, payload: Vector, combine: np.ufunc
) -> None:
    """Put what came where it belongs, or combine it with what is there."""
    taken = 0
    for part in message.parts:
        here = memory[part.begin : part.end]
        came = payload[taken : taken + len(here)]
        if part.adds:
            combine(here, came, out=here)
        else:
            here[:] = came
        taken += len(here)


def _memory(program: PlacedProgram, vector: Vector) -> Vector:
    memory = np.zeros(program.memory, dtype=vector.dtype)
    memory[: program.input_end] = vector
    for begin, to, length in program.copies:
        memory[to : to + length] = memory[begin : begin + length]
    return memory
