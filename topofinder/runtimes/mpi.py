"""Programs of ranks under MPI: nothing but messages from point to point.

At each step a rank posts all its receives, then all its sends, and waits for these alone: steps
are totally ordered, so that nothing can deadlock, however small the buffers of the library are.
Messages between two ranks are told apart by their lane, which is the tag. A message that is one
part is sent from its place, and received at it where the program says `direct`; others are packed.
"""

from typing import Any, NamedTuple

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.lowering.place import block_elements
from topofinder.model.program import PlacedProgram, ProgramMessage
from topofinder.runtimes.executable import Executable, RankPlans
from topofinder.runtimes.in_process import Vector, apply_parts, find_operation
from topofinder.runtimes.mpi_start import load_mpi

MOST_ELEMENTS = (1 << 31) - 1
"""Elements of one message of MPI; a longer one is cut, on both sides alike."""
MOST_KEPT = 64


class StagedMessage(NamedTuple):
    """A message and where its elements lie: [begin, end) of the memory, or of what is packed."""

    message: ProgramMessage
    begin: int
    end: int
    packed: bool


class StagedStep(NamedTuple):
    """The messages of one step, each with its place."""

    sends: tuple[StagedMessage, ...]
    receives: tuple[StagedMessage, ...]


def stage_program(program: PlacedProgram) -> tuple[list[StagedStep], int]:
    """The steps of a program, and how many elements are packed at most at any of them.

    >>> from topofinder.model.program import DataPart, ProgramStep
    >>> two = ProgramMessage(1, 0, (DataPart(0, 2), DataPart(4, 6)))
    >>> one = ProgramMessage(1, 0, (DataPart(2, 3),), direct=True)
    >>> steps, room = stage_program(
    ...     PlacedProgram(0, 6, 6, 0, 6, (), (ProgramStep(1, (two,), (one,)),)))
    >>> steps[0].sends[0].packed, steps[0].receives[0][1:], room
    (True, (2, 3, False), 4)
    """
    steps, room = [], 0
    for step in program.steps:
        taken = 0
        ways: list[tuple[StagedMessage, ...]] = []
        for messages, receives in ((step.sends, False), (step.receives, True)):
            staged = []
            for message in messages:
                if message.direct if receives else len(message.parts) == 1:
                    place = (*message.parts[0][:2], False)
                else:
                    place = (taken, taken + message.length, True)
                    taken += message.length
                staged.append(StagedMessage(message, *place))
            ways.append(tuple(staged))
        steps.append(StagedStep(*ways))
        room = max(room, taken)
    return steps, room


class MpiExecutor:
    """One rank's part of a collective; rank r of the communicator is rank r of what is run.

    The communicator must be used for nothing else. Every rank calls `run` with data of the same
    length and type and with the same operation.
    """

    def __init__(self, comm: Any, executable: Executable, *, most: int = MOST_ELEMENTS) -> None:
        self.comm, self.most = comm, most
        self.transfers = executable.transfers
        self.plans = RankPlans(executable, comm.rank, most=MOST_KEPT)
        self._staged: dict[int, tuple[PlacedProgram, list[StagedStep], int]] = {}
        self._packed = np.empty(0, dtype=np.uint8)
        self._mpi = load_mpi()

    def run(self, vector: Vector, op: str = "sum", *, count: int | None = None) -> Vector:
        """The result, which is `vector` itself but in an all-to-all.

        `vector` is flat and contiguous. In an all-to-all it has the rank's blocks by target;
        `count` is the length of the largest block, and follows from `vector` where all are as
        long. Of other collectives see `run_in_process`. Raises InvalidInput for a vector or an
        operation that cannot be.
        """
        require_vector(vector)
        combine = find_operation(op)
        count = self._count(vector, count)
        program = self.plans.at(count)
        require_length(program, vector)
        memory = vector
        if program.memory != len(vector):
            memory = np.empty(program.memory, dtype=vector.dtype)
            memory[: program.input_end] = vector
        for begin, to, length in program.copies:
            memory[to : to + length] = memory[begin : begin + length]
        steps, room = self._stage(program, count)
        packed = self._room(room, vector.dtype)
        for step in steps:
            self._run_step(step, memory, packed, combine)
        return memory[program.output_begin : program.output_end]

    def _run_step(
        self, step: StagedStep, memory: Vector, packed: Vector, combine: np.ufunc
    ) -> None:
        requests: list[Any] = []
        for staged in step.receives:
            place = (packed if staged.packed else memory)[staged.begin : staged.end]
            self._post(self.comm.Irecv, place, staged.message, requests)
        for staged in step.sends:
            place = (packed if staged.packed else memory)[staged.begin : staged.end]
            if staged.packed:
                parts = [memory[part.begin : part.end] for part in staged.message.parts]
                np.concatenate(parts, out=place)
            self._post(self.comm.Isend, place, staged.message, requests)
        self._mpi.Request.Waitall(requests)
        for staged in step.receives:
            if staged.packed:
                apply_parts(memory, staged.message, packed[staged.begin : staged.end], combine)

    def _post(self, call: Any, place: Vector, message: ProgramMessage, requests: list[Any]) -> None:
        kind = element_type(self._mpi, place.dtype)
        for begin in range(0, len(place), self.most):
            piece = place[begin : begin + self.most]
            requests.append(call([piece, len(piece), kind], message.peer, message.lane))

    def _stage(self, program: PlacedProgram, count: int) -> tuple[list[StagedStep], int]:
        kept = self._staged.get(count)
        if kept is None or kept[0] is not program:
            if len(self._staged) >= MOST_KEPT:
                self._staged.clear()
            kept = self._staged[count] = (program, *stage_program(program))
        return kept[1:]

    def _room(self, elements: int, kind: np.dtype[Any]) -> Vector:
        """Memory for what is packed; kept from call to call, as long as it is large enough."""
        if len(self._packed) < elements * kind.itemsize:
            self._packed = np.empty(elements * kind.itemsize, dtype=np.uint8)
        return self._packed[: elements * kind.itemsize].view(kind)

    def _count(self, vector: Vector, count: int | None) -> int:
        if count is not None:
            return count
        if self.transfers.collective is not Collective.ALLTOALL:
            return len(vector)
        ranks = self.transfers.ranks
        count, rest = divmod(len(vector), ranks)
        own = block_elements(self.transfers, count)
        if rest or own != [count] * ranks**2:
            raise InvalidInput("count: blocks have different lengths; say that of the largest")
        return count


def require_vector(vector: object) -> None:
    """Refuse what is no flat, contiguous, writable numpy vector of numbers."""
    if not isinstance(vector, np.ndarray) or vector.ndim != 1 or vector.dtype.kind not in "iuf":
        raise InvalidInput(f"vector: a flat numpy array of numbers, not {excerpt(vector)}")
    if not vector.flags.c_contiguous or not vector.flags.writeable:
        raise InvalidInput("vector: must be contiguous and writable")


def require_length(program: PlacedProgram, vector: Vector) -> None:
    """Refuse a vector that is not what a rank begins with."""
    if len(vector) != program.input_end:
        raise InvalidInput(f"vector: {program.input_end} elements, not {len(vector)}")


def element_type(mpi: Any, kind: np.dtype[Any]) -> Any:
    """The integer type of MPI that is as long as an element: messages are not looked into."""
    return {1: mpi.INT8_T, 2: mpi.INT16_T, 4: mpi.INT32_T, 8: mpi.INT64_T}[kind.itemsize]
